// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Calls through the C++ API.

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "detops/detops.hpp"
#include "ops/border_align_forward/cases.h"
#include "ops/nms/cases.h"
#include "ops/psroipool_forward/cases.h"
#include "tests/operator_call_inputs.h"
#include "tests/operator_calls.h"

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

template <class T>
void CopyTo(T* memory, const std::vector<T>& from) {
  std::copy(from.begin(), from.end(), memory);
}

OperatorCall CppBboxOverlaps(const bbox_overlaps::Case& input) {
  OperatorCall call;
  call.name = (input.aligned ? "BboxOverlapsAligned " : "BboxOverlaps ") + input.ToString();
  const auto problem = std::make_shared<const bbox_overlaps::Problem>(input);
  const Room<float> ious = AddResult<float>(call, input.count());
  Reference(problem->args(ious.expected));
  const ConstTensorView first(static_cast<const float*>(problem->boxes1()), {input.rows(), 4});
  const ConstTensorView second(static_cast<const float*>(problem->boxes2()), {input.columns(), 4});
  const TensorView result(ious.result, {input.rows(), input.aligned ? 1 : input.columns()});
  call.make = [=, aligned = input.aligned](Context& context) {
    (void)problem;  // owns the memory of the views
    return StatusOf([&] {
      if (aligned) {
        BboxOverlapsAligned(context, first, second, result);
      } else {
        BboxOverlaps(context, first, second, result);
      }
    });
  };
  return call;
}

OperatorCall CppRowMaximum(const bbox_overlaps::Case& input) {
  OperatorCall call;
  call.name = "BboxOverlapsRowMaximum " + input.ToString();
  call.in_place = false;
  const auto problem = std::make_shared<const bbox_overlaps::Problem>(input);
  const Room<float> values = AddResult<float>(call, input.rows());
  const Room<int32_t> columns = AddResult<int32_t>(call, input.rows());
  bbox_overlaps::ReferenceRowMaximum(
      {problem->args(nullptr).boxes, values.expected, columns.expected});
  const ConstTensorView first(static_cast<const float*>(problem->boxes1()), {input.rows(), 4});
  const ConstTensorView second(static_cast<const float*>(problem->boxes2()), {input.columns(), 4});
  call.make = [=](Context& context) {
    (void)problem;
    return StatusOf([&] {
      const RowMaximum best = BboxOverlapsRowMaximum(context, first, second);
      CopyTo(values.result, best.values);
      CopyTo(columns.result, best.columns);
    });
  };
  return call;
}

OperatorCall CppPairs(const bbox_overlaps::Case& input, float threshold) {
  OperatorCall call;
  call.name = "BboxOverlapsPairs " + input.ToString();
  call.in_place = false;
  const auto problem = std::make_shared<const bbox_overlaps::Problem>(input);
  std::vector<OverlapPair> expected;
  bbox_overlaps::ReferencePairs({problem->args(nullptr).boxes, threshold, &expected});
  const Room<OverlapPair> pairs =
      AddResult<OverlapPair>(call, static_cast<int64_t>(expected.size()));
  CopyTo(pairs.expected, expected);
  const ConstTensorView first(static_cast<const float*>(problem->boxes1()), {input.rows(), 4});
  const ConstTensorView second(static_cast<const float*>(problem->boxes2()), {input.columns(), 4});
  call.make = [=, count = expected.size()](Context& context) {
    (void)problem;
    return StatusOf([&] {
      const std::vector<OverlapPair> found = BboxOverlapsPairs(context, first, second, threshold);
      if (found.size() == count) {  // otherwise the memory stays untouched and the test fails
        CopyTo(pairs.result, found);
      }
    });
  };
  return call;
}

OperatorCall CppBorderAlign(const border_align_forward::Shape& shape) {
  OperatorCall call;
  border_align_forward::Case input = RandomCase(border_align_forward::Kind::kNetwork, shape, 1);
  input.channels_first = true;
  call.name = "BorderAlignForward " + input.ToString();
  const auto problem = std::make_shared<const border_align_forward::Problem>(input);
  const Room<float> output = AddResult<float>(call, input.results());
  const Room<int32_t> argmax = AddResult<int32_t>(call, input.results());
  Reference(problem->args(output.expected, argmax.expected));
  const ConstTensorView pixels(reinterpret_cast<const float*>(problem->input().data()),
                               {shape.images, 4 * shape.channels, shape.height, shape.width});
  const ConstTensorView boxes(reinterpret_cast<const float*>(problem->boxes().data()),
                              {shape.images, shape.boxes_per_image, 4});
  const TensorView values(output.result, {shape.images, shape.channels, shape.boxes_per_image, 4});
  const TensorView samples(argmax.result, {shape.images, shape.channels, shape.boxes_per_image, 4});
  call.make = [=](Context& context) {
    (void)problem;
    return StatusOf([&] {
      BorderAlignForward(context, pixels, boxes, values, samples,
                         {shape.pool_size, ImageLayout::kNchw});
    });
  };
  return call;
}

std::vector<int32_t> FiveGroups(int64_t count) {
  std::vector<int32_t> groups(static_cast<size_t>(count));
  for (size_t i = 0; i < groups.size(); ++i) {
    groups[i] = static_cast<int32_t>(i * 7 % 5);
  }
  return groups;
}

// With `in_place` the call writes the kept indices to memory of the caller and leaves the rest of
// it unchanged; otherwise it returns them.
OperatorCall CppPolyNms(int64_t count, bool in_place) {
  OperatorCall call;
  poly_nms::Case made = PolygonCase(poly_nms::Kind::kAerial, count);
  made.groups = FiveGroups(count);
  const auto input = std::make_shared<const poly_nms::Case>(std::move(made));
  call.name = std::string(in_place ? "PolyNms " : "PolyNms, returned, ") + std::to_string(count);
  call.in_place = in_place;
  const Room<int32_t> output = AddResult<int32_t>(call, count);
  const Room<int32_t> result_num = AddResult<int32_t>(call, 1);
  poly_nms::Reference(input->args(output.expected, result_num.expected));
  const ConstTensorView boxes(input->boxes.data(), {count, 9});
  PolyNmsOptions options;
  options.iou_threshold = input->iou_threshold;
  options.groups = ConstTensorView(input->groups.data(), {count});
  call.make = [=](Context& context) {
    (void)input;
    return StatusOf([&] {
      if (in_place) {
        PolyNms(context, boxes, TensorView(output.result, {count}),
                TensorView(result_num.result, {1}), options);
      } else {
        const PolyNmsResult kept = PolyNms(context, boxes, options);
        CopyTo(output.result, kept.indices);
        CopyTo(result_num.result, kept.counts);
      }
    });
  };
  return call;
}

OperatorCall CppNms(int64_t count, bool in_place) {
  OperatorCall call;
  const auto input =
      std::make_shared<const nms::Case>(nms::RandomCase(nms::Kind::kScene, count, 1));
  call.name = std::string(in_place ? "Nms " : "Nms, returned, ") + std::to_string(count);
  call.in_place = in_place;
  const Room<int32_t> output = AddResult<int32_t>(call, count);
  const Room<int32_t> result_num = AddResult<int32_t>(call, 1);
  nms::Reference(input->args(output.expected, result_num.expected));
  const ConstTensorView boxes(input->boxes.data(), {count, 4});
  const ConstTensorView scores(input->scores.data(), {count});
  NmsOptions options;
  options.iou_threshold = input->iou_threshold;
  options.sort_by_score = input->sort_by_score;
  options.offset = input->offset;
  call.make = [=](Context& context) {
    (void)input;
    return StatusOf([&] {
      if (in_place) {
        Nms(context, boxes, scores, TensorView(output.result, {count}),
            TensorView(result_num.result, {1}), options);
      } else {
        const SuppressionResult kept = Nms(context, boxes, scores, options);
        CopyTo(output.result, kept.indices);
        CopyTo(result_num.result, kept.counts);
      }
    });
  };
  return call;
}

OperatorCall CppPolygonIou(int64_t rows, int64_t columns, bool aligned) {
  OperatorCall call;
  call.name = aligned ? "PolygonIouAligned" : "PolygonIou";
  const auto first = std::make_shared<const std::vector<float>>(
      poly_nms::RandomBoxes(poly_nms::Kind::kHeap, rows, 1));
  const auto second = std::make_shared<const std::vector<float>>(
      poly_nms::RandomBoxes(poly_nms::Kind::kHeap, columns, 2));
  const Room<float> ious = AddResult<float>(call, aligned ? rows : rows * columns);
  poly_nms::ReferenceIou({.first = first->data(),
                          .second = second->data(),
                          .rows = rows,
                          .columns = columns,
                          .first_stride = 9,
                          .second_stride = 9,
                          .aligned = aligned,
                          .ious = ious.expected});
  const ConstTensorView polygons1(first->data(), {rows, 9});
  const ConstTensorView polygons2(second->data(), {columns, 9});
  const TensorView result =
      aligned ? TensorView(ious.result, {rows}) : TensorView(ious.result, {rows, columns});
  call.make = [=](Context& context) {
    (void)first;
    (void)second;
    return StatusOf([&] {
      if (aligned) {
        PolygonIouAligned(context, polygons1, polygons2, result);
      } else {
        PolygonIou(context, polygons1, polygons2, result);
      }
    });
  };
  return call;
}

OperatorCall CppGenerateProposals(const generate_proposals_v2::Shape& shape, bool in_place) {
  OperatorCall call;
  const auto input = ProposalCase(shape, 0.7f, true);
  call.name = std::string(in_place ? "GenerateProposalsV2 " : "GenerateProposalsV2, returned, ") +
              input->ToString();
  call.in_place = in_place;
  const ProposalRooms rooms(call, *input);
  const int64_t anchors = shape.anchors_per_position;
  const ConstTensorView scores(input->scores.data(),
                               {shape.images, anchors, shape.height, shape.width});
  const ConstTensorView deltas(input->deltas.data(),
                               {shape.images, 4 * anchors, shape.height, shape.width});
  const ConstTensorView im_shape(input->im_shape.data(), {shape.images, 2});
  const ConstTensorView anchor_boxes(input->anchors.data(),
                                     {shape.height, shape.width, anchors, 4});
  GenerateProposalsOptions options;
  options.pre_nms_top_n = input->pre_nms_top_n;
  options.post_nms_top_n = input->post_nms_top_n;
  options.nms_thresh = input->nms_thresh;
  options.min_size = input->min_size;
  options.pixel_offset = input->pixel_offset;
  options.layout = ImageLayout::kNchw;
  options.variances =
      ConstTensorView(input->variances.data(), {shape.height, shape.width, anchors, 4});
  call.make = [=](Context& context) {
    return StatusOf([&] {
      if (in_place) {
        const GenerateProposalsOutputs outputs{
            .rois = TensorView(rooms.rois.result, {input->rows(), 4}),
            .probs = TensorView(rooms.probs.result, {input->rows(), 1}),
            .counts = TensorView(rooms.counts.result, {input->images}),
            .total = TensorView(rooms.total.result, {1}),
            .anchor_indices = std::nullopt};
        GenerateProposalsV2(context, scores, deltas, im_shape, anchor_boxes, outputs, options);
      } else {
        const GenerateProposalsResult found =
            GenerateProposalsV2(context, scores, deltas, im_shape, anchor_boxes, options);
        CopyTo(rooms.rois.result, found.rois);
        CopyTo(rooms.probs.result, found.probs);
        CopyTo(rooms.counts.result, found.counts);
        *rooms.total.result = static_cast<int32_t>(found.probs.size());
      }
    });
  };
  return call;
}

OperatorCall CppPsRoiPool(const psroipool_forward::Shape& shape) {
  OperatorCall call;
  psroipool_forward::Case made = RandomCase(psroipool_forward::Kind::kNetwork, shape, kScale, 1);
  made.channels_first = true;
  const auto input = std::make_shared<const psroipool_forward::Case>(std::move(made));
  call.name = "PsRoiPoolForward " + input->ToString();
  const auto pixels = std::make_shared<const std::vector<float>>(input->InputInMemory());
  const Room<float> output = AddResult<float>(call, input->results());
  const Room<int32_t> mapping = AddResult<int32_t>(call, input->results());
  (void)Reference(input->args(pixels->data(), output.expected, mapping.expected)).ok();
  const ConstTensorView map(pixels->data(),
                            {shape.images, input->channels(), shape.height, shape.width});
  const ConstTensorView rois(input->rois.data(), {shape.rois, 5});
  const TensorView means(output.result, {shape.rois, shape.dim, shape.group, shape.group});
  const TensorView channels(mapping.result, {shape.rois, shape.dim, shape.group, shape.group});
  PsRoiPoolOptions options;
  options.group_size = static_cast<int>(shape.group);
  options.spatial_scale = kScale;
  options.layout = ImageLayout::kNchw;
  call.make = [=](Context& context) {
    (void)pixels;
    (void)input;
    return StatusOf([&] { PsRoiPoolForward(context, map, rois, means, channels, options); });
  };
  return call;
}

}  // namespace

std::vector<OperatorCall> CppCalls() {
  std::vector<OperatorCall> calls;
  calls.push_back(CppBboxOverlaps(OverlapCase(200, 300, false, false)));
  calls.push_back(CppBboxOverlaps(OverlapCase(2000, 2000, true, false)));
  calls.push_back(CppRowMaximum(OverlapCase(200, 300, false, false)));
  calls.push_back(CppPairs(OverlapCase(200, 300, false, false), 0.1f));
  // More columns than a tile: pairs must be sorted.
  calls.push_back(CppPairs(OverlapCase(40, 2500, false, false), 0.1f));
  calls.push_back(CppBorderAlign({.images = 2,
                                  .height = 12,
                                  .width = 15,
                                  .channels = kSlowBuild ? 16 : 40,
                                  .boxes_per_image = 60,
                                  .pool_size = 10}));
  calls.push_back(CppPolyNms(kSlowBuild ? 300 : 600, true));
  calls.push_back(CppPolyNms(kSlowBuild ? 300 : 600, false));
  calls.push_back(CppPolygonIou(20, 30, false));
  calls.push_back(CppPolygonIou(300, 300, true));
  calls.push_back(CppNms(100, true));
  calls.push_back(CppNms(kSlowBuild ? 700 : 3000, true));
  calls.push_back(CppNms(kSlowBuild ? 300 : 1000, false));
  calls.push_back(CppGenerateProposals({2, kMapRows, kMapRows, 3}, true));
  calls.push_back(CppGenerateProposals({2, kMapRows, kMapRows, 3}, false));
  calls.push_back(
      CppPsRoiPool({.images = 2, .height = 14, .width = 14, .group = 7, .dim = 8, .rois = 100}));
  return calls;
}

}  // namespace detops
