// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Calls through the C++ API.

#include <exception>
#include <utility>

#include "detops/detops.hpp"
#include "measure/slow_build.h"
#include "ops/bbox_overlaps/cases.h"
#include "ops/border_align_forward/cases.h"
#include "ops/generate_proposals_v2/cases.h"
#include "ops/nms/cases.h"
#include "ops/poly_nms/cases.h"
#include "ops/psroipool_forward/cases.h"
#include "tests/scribbled_calls.h"

namespace detops {
namespace {

// Returns the status that the C API would return.
template <class Call>
mluOpStatus_t StatusOf(const Call& call) {
  try {
    call();
    return MLUOP_STATUS_SUCCESS;
  } catch (const Error& error) {
    return error.status();
  } catch (const std::exception&) {
    return MLUOP_STATUS_INTERNAL_ERROR;  // the API throws only detops::Error
  }
}

// ---- bbox_overlaps ------------------------------------------------------------------------------

ScribbledCall Overlaps(int64_t rows, int64_t columns) {
  ScribbledCall call;
  call.op = "bbox_overlaps";
  call.name = "BboxOverlaps";
  const ConstTensorView boxes1(call.Input(RandomBoxes(bbox_overlaps::Kind::kImage, rows, 1)),
                               {rows, 4});
  const ConstTensorView boxes2(call.Input(RandomBoxes(bbox_overlaps::Kind::kImage, columns, 2)),
                               {columns, 4});
  const TensorView ious(call.Take<float>(rows * columns), {rows, columns});
  call.make = [=](Context& context) {
    return StatusOf([&] { BboxOverlaps(context, boxes1, boxes2, ious); });
  };
  return call;
}

// Calls the functions that return the best match of each row, and the pairs above a threshold.
ScribbledCall Searches(int64_t rows, int64_t columns) {
  ScribbledCall call;
  call.op = "bbox_overlaps";
  call.name = "BboxOverlapsRowMaximum and BboxOverlapsPairs";
  const ConstTensorView boxes1(call.Input(RandomBoxes(bbox_overlaps::Kind::kImage, rows, 1)),
                               {rows, 4});
  const ConstTensorView boxes2(call.Input(RandomBoxes(bbox_overlaps::Kind::kImage, columns, 2)),
                               {columns, 4});
  const auto best = std::make_shared<RowMaximum>();
  const auto pairs = std::make_shared<std::vector<OverlapPair>>();
  call.make = [=](Context& context) {
    return StatusOf([&] {
      *best = BboxOverlapsRowMaximum(context, boxes1, boxes2);
      *pairs = BboxOverlapsPairs(context, boxes1, boxes2, 0.3f);
    });
  };
  call.is_safe = [=] {
    return AreBetween(best->columns.data(), rows, -1, columns - 1) &&
           std::all_of(pairs->begin(), pairs->end(), [&](const OverlapPair& pair) {
             return AreBetween(&pair.row, 1, 0, rows - 1) &&
                    AreBetween(&pair.column, 1, 0, columns - 1);
           });
  };
  return call;
}

// ---- Suppression --------------------------------------------------------------------------------

// The options of a call and the results of its two forms: in memory of the caller, and returned.
struct Suppression {
  static constexpr int64_t kImages = 40;

  // With `grouped`, adds groups, and counts of images of which some have no boxes.
  Suppression(ScribbledCall& call, int64_t boxes, bool grouped)
      : count(boxes),
        images(grouped ? kImages : 1),
        output(call.Take<int32_t>(boxes)),
        result_num(call.Take<int32_t>(images)) {
    if (grouped) {
      std::vector<int32_t> group_of(static_cast<size_t>(boxes));
      for (size_t i = 0; i < group_of.size(); ++i) {
        group_of[i] = static_cast<int32_t>(i * 7 % 3);
      }
      // One large image, small ones and empty ones.
      std::vector<int32_t> counts(kImages);
      auto rest = static_cast<int32_t>(boxes);
      for (size_t i = 1; i < counts.size(); ++i) {
        counts[i] = static_cast<int32_t>(i % 4);
        rest -= counts[i];
      }
      counts[0] = rest;
      groups = ConstTensorView(call.Input(group_of), {count});
      image_counts = ConstTensorView(call.Input(counts), {images});
    }
  }

  TensorView output_view() const { return {output, {count}}; }
  TensorView result_num_view() const { return {result_num, {images}}; }

  // Takes over a returned result, so that IsSelection can check it.
  void Store(const SuppressionResult& result) const {
    std::copy(result.indices.begin(), result.indices.end(), output);
    std::copy(result.counts.begin(), result.counts.end(), result_num);
  }

  int64_t count;
  int64_t images;
  int32_t* output;
  int32_t* result_num;
  std::optional<ConstTensorView> groups;
  std::optional<ConstTensorView> image_counts;
};

ScribbledCall NmsOf(nms::Kind kind, int64_t count, bool grouped, bool in_place) {
  ScribbledCall call;
  call.op = "nms";
  call.name = std::string("Nms ") + NameOf(kind) + ' ' + std::to_string(count) +
              (grouped ? ", grouped" : "") + (in_place ? "" : ", returned");
  const ConstTensorView boxes(call.Input(nms::RandomBoxes(kind, count, 1)), {count, 4});
  const ConstTensorView scores(call.Input(nms::RandomScores(count, 2)), {count});
  const Suppression suppression(call, count, grouped);
  NmsOptions options;
  options.groups = suppression.groups;
  options.image_counts = suppression.image_counts;
  options.score_threshold = grouped ? std::optional(0.05f) : std::nullopt;
  options.max_outputs = grouped ? count / 4 : count;
  options.offset = grouped ? 1 : 0;
  call.make = [=](Context& context) {
    return StatusOf([&] {
      if (in_place) {
        Nms(context, boxes, scores, suppression.output_view(), suppression.result_num_view(),
            options);
      } else {
        suppression.Store(Nms(context, boxes, scores, options));
      }
    });
  };
  call.is_safe = [=] {
    return IsSelection(suppression.output, suppression.result_num, count, suppression.images);
  };
  return call;
}

ScribbledCall PolyNmsOf(int64_t count, bool in_place) {
  ScribbledCall call;
  call.op = "poly_nms";
  call.name = in_place ? "PolyNms" : "PolyNms, returned";
  const ConstTensorView boxes(call.Input(poly_nms::RandomBoxes(poly_nms::Kind::kAerial, count, 1)),
                              {count, 9});
  const Suppression suppression(call, count, true);
  PolyNmsOptions options;
  options.iou_threshold = 0.1f;
  options.groups = suppression.groups;
  options.image_counts = suppression.image_counts;
  call.make = [=](Context& context) {
    return StatusOf([&] {
      if (in_place) {
        PolyNms(context, boxes, suppression.output_view(), suppression.result_num_view(), options);
      } else {
        suppression.Store(PolyNms(context, boxes, options));
      }
    });
  };
  call.is_safe = [=] {
    return IsSelection(suppression.output, suppression.result_num, count, suppression.images);
  };
  return call;
}

ScribbledCall PolygonIous(int64_t rows, int64_t columns) {
  ScribbledCall call;
  call.op = "poly_nms";
  call.name = "PolygonIou and PolygonIouAligned";
  const float* const polygons =
      call.Input(poly_nms::RandomBoxes(poly_nms::Kind::kHeap, rows + columns, 1));
  const ConstTensorView polygons1(polygons, {rows, 9});
  const ConstTensorView polygons2(polygons + rows * 9, {columns, 9});
  const TensorView matrix(call.Take<float>(rows * columns), {rows, columns});
  const TensorView pairs(call.Take<float>(rows), {rows});
  call.make = [=](Context& context) {
    return StatusOf([&] {
      PolygonIou(context, polygons1, polygons2, matrix);
      PolygonIouAligned(context, polygons1, polygons1, pairs);
    });
  };
  return call;
}

// ---- Feature maps -------------------------------------------------------------------------------

ScribbledCall BorderAlign(const border_align_forward::Shape& shape) {
  ScribbledCall call;
  call.op = "border_align_forward";
  call.name = "BorderAlignForward";
  const border_align_forward::Case made =
      RandomCase(border_align_forward::Kind::kNetwork, shape, 1);
  const ConstTensorView input(call.Input(ChannelsFirst(made)),
                              {shape.images, 4 * shape.channels, shape.height, shape.width});
  const ConstTensorView boxes(call.Input(made.boxes), {shape.images, shape.boxes_per_image, 4});
  const int64_t dims[] = {shape.images, shape.channels, shape.boxes_per_image, 4};
  const TensorView output(call.Take<float>(made.results()), dims, 4);
  int32_t* const argmax = call.Take<int32_t>(made.results());
  const TensorView samples(argmax, dims, 4);
  call.make = [=](Context& context) {
    return StatusOf([&] {
      BorderAlignForward(context, input, boxes, output, samples,
                         {shape.pool_size, ImageLayout::kNchw});
    });
  };
  call.is_safe = [=, results = made.results()] {
    return AreBetween(argmax, results, 0, shape.pool_size);
  };
  return call;
}

ScribbledCall PsRoiPool(const psroipool_forward::Shape& shape, RoiRounding rounding) {
  ScribbledCall call;
  call.op = "psroipool_forward";
  call.name = "PsRoiPoolForward";
  psroipool_forward::Case made = RandomCase(psroipool_forward::Kind::kNetwork, shape, 0.0625f, 1);
  made.channels_first = true;
  const ConstTensorView input(call.Input(made.InputInMemory()),
                              {shape.images, made.channels(), shape.height, shape.width});
  const ConstTensorView rois(call.Input(made.rois), {shape.rois, 5});
  const TensorView output(call.Take<float>(made.results()),
                          {shape.rois, shape.dim, shape.group, shape.group});
  const PsRoiPoolOptions options{.group_size = static_cast<int>(shape.group),
                                 .spatial_scale = 0.0625f,
                                 .layout = ImageLayout::kNchw,
                                 .rounding = rounding};
  call.make = [=](Context& context) {
    return StatusOf([&] { PsRoiPoolForward(context, input, rois, output, std::nullopt, options); });
  };
  return call;
}

// The results of generate_proposals_v2, in memory of the caller.
struct ProposalResults {
  ProposalResults(ScribbledCall& call, int64_t image_count, int64_t row_count)
      : images(image_count),
        rows(row_count),
        rois(call.Take<float>(rows * 4)),
        probs(call.Take<float>(rows)),
        counts(call.Take<int32_t>(images)),
        total(call.Take<int32_t>(1)),
        anchor_indices(call.Take<int32_t>(rows)) {}

  GenerateProposalsOutputs outputs() const {
    return {.rois = {rois, {rows, 4}},
            .probs = {probs, {rows, 1}},
            .counts = {counts, {images}},
            .total = {total, {1}},
            .anchor_indices = TensorView(anchor_indices, {rows})};
  }
  void Store(const GenerateProposalsResult& result) const {
    std::copy(result.counts.begin(), result.counts.end(), counts);
    std::copy(result.anchor_indices.begin(), result.anchor_indices.end(), anchor_indices);
    *total = static_cast<int32_t>(result.probs.size());
  }
  // Returns whether the indices are those of `anchors` anchors, or -1 for images without proposals.
  bool AreSafe(int64_t anchors) const {
    return AreBetween(total, 1, images, rows) &&
           AreBetween(anchor_indices, *total, -1, anchors - 1) &&
           AreBetween(counts, images, 1, rows);
  }

  int64_t images;
  int64_t rows;
  float* rois;
  float* probs;
  int32_t* counts;
  int32_t* total;
  int32_t* anchor_indices;
};

ScribbledCall GenerateProposals(const generate_proposals_v2::Shape& shape, bool in_place) {
  ScribbledCall call;
  call.op = "generate_proposals_v2";
  call.name = in_place ? "GenerateProposalsV2" : "GenerateProposalsV2, returned";
  const generate_proposals_v2::Case made =
      RandomCase(generate_proposals_v2::Kind::kTrained, shape, 8, 32, 1).ChannelsFirst();
  const int64_t a = shape.anchors_per_position;
  const ConstTensorView scores(call.Input(made.scores),
                               {shape.images, a, shape.height, shape.width});
  const ConstTensorView deltas(call.Input(made.deltas),
                               {shape.images, 4 * a, shape.height, shape.width});
  const ConstTensorView im_shape(call.Input(made.im_shape), {shape.images, 2});
  const ConstTensorView anchors(call.Input(made.anchors), {shape.height, shape.width, a, 4});
  GenerateProposalsOptions options;
  options.pre_nms_top_n = 400;
  options.post_nms_top_n = 300;
  options.nms_thresh = 0.7f;
  options.layout = ImageLayout::kNchw;
  const ProposalResults results(call, shape.images, shape.images * options.post_nms_top_n);
  call.make = [=](Context& context) {
    return StatusOf([&] {
      if (in_place) {
        GenerateProposalsV2(context, scores, deltas, im_shape, anchors, results.outputs(), options);
      } else {
        results.Store(GenerateProposalsV2(context, scores, deltas, im_shape, anchors, options));
      }
    });
  };
  call.is_safe = [=, count = made.scores_per_image()] { return results.AreSafe(count); };
  return call;
}

}  // namespace

std::vector<ScribbledCall> ScribbledCppCalls() {
  std::vector<ScribbledCall> calls;
  calls.push_back(Overlaps(100, 150));
  calls.push_back(Searches(40, 60));
  // Few boxes, a grid, a heap, and groups of several images.
  calls.push_back(NmsOf(nms::Kind::kScene, 100, false, true));
  calls.push_back(NmsOf(nms::Kind::kScene, kSlowBuild ? 700 : 3000, false, true));
  calls.push_back(NmsOf(nms::Kind::kHeap, 700, false, false));
  calls.push_back(NmsOf(nms::Kind::kScene, 300, true, true));
  calls.push_back(NmsOf(nms::Kind::kScene, kSlowBuild ? 1500 : 5000, true, false));
  calls.push_back(PolyNmsOf(300, true));
  calls.push_back(PolyNmsOf(600, false));
  calls.push_back(PolygonIous(20, 30));
  calls.push_back(BorderAlign({.images = 2,
                               .height = 12,
                               .width = 15,
                               .channels = 6,
                               .boxes_per_image = 60,
                               .pool_size = 5}));
  for (const RoiRounding rounding : {RoiRounding::kBeforeScaling, RoiRounding::kAfterScaling}) {
    calls.push_back(PsRoiPool(
        {.images = 3, .height = 14, .width = 14, .group = 3, .dim = 8, .rois = 200}, rounding));
  }
  calls.push_back(GenerateProposals({2, 30, 30, 3}, true));
  calls.push_back(GenerateProposals({2, 30, 30, 3}, false));
  return calls;
}

}  // namespace detops
