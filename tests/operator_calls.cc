// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "tests/operator_calls.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include "detops/detops.hpp"
#include "measure/slow_build.h"
#include "ops/bbox_overlaps/cases.h"
#include "ops/border_align_forward/cases.h"
#include "ops/generate_proposals_v2/cases.h"
#include "ops/nms/cases.h"
#include "ops/poly_nms/cases.h"
#include "ops/psroipool_forward/cases.h"

namespace detops {
namespace {

constexpr std::byte kUntouched{0xA5};

constexpr int64_t kMapRows = kSlowBuild ? 14 : 35;

using Descriptor = std::shared_ptr<mluOpTensorStruct>;

Descriptor Describe(mluOpDataType_t dtype, const std::vector<int64_t>& dims,
                    mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY) {
  mluOpTensorDescriptor_t descriptor = nullptr;
  mluOpCreateTensorDescriptor(&descriptor);
  mluOpSetTensorDescriptor_v2(descriptor, layout, dtype, static_cast<int>(dims.size()),
                              dims.data());
  return {descriptor, mluOpDestroyTensorDescriptor};
}

// Room for a result of the call, and for the reference's.
template <class T>
struct Room {
  T* result;
  T* expected;
};

template <class T>
Room<T> AddResult(OperatorCall& call, int64_t count) {
  const std::vector<std::byte> untouched(static_cast<size_t>(count) * sizeof(T), kUntouched);
  OperatorCall::Result& added =
      call.results.emplace_back(OperatorCall::Result{untouched, untouched});
  // Vectors that move keep their memory.
  return {reinterpret_cast<T*>(added.memory.data()), reinterpret_cast<T*>(added.expected.data())};
}

// What a C++ function throws, as the C API would say it.
template <class Call>
mluOpStatus_t StatusOf(const Call& call) {
  try {
    call();
    return MLUOP_STATUS_SUCCESS;
  } catch (const Error& error) {
    return error.status();
  } catch (const std::exception&) {
    return MLUOP_STATUS_INTERNAL_ERROR;  // the functions throw nothing else
  }
}

// Of what a function has returned.
template <class T>
void CopyTo(T* memory, const std::vector<T>& from) {
  std::copy(from.begin(), from.end(), memory);
}

// ---- bbox_overlaps ------------------------------------------------------------------------------

bbox_overlaps::Case OverlapCase(int64_t rows, int64_t columns, bool aligned, bool half) {
  bbox_overlaps::Case input;
  input.boxes1 = RandomBoxes(bbox_overlaps::Kind::kImage, rows, 1);
  input.boxes2 = RandomBoxes(bbox_overlaps::Kind::kImage, columns, 2);
  input.aligned = aligned;
  input.half = half;
  return input;
}

OperatorCall CBboxOverlaps(const bbox_overlaps::Case& input) {
  OperatorCall call;
  call.name = "mluOpBboxOverlaps " + input.ToString();
  const auto problem = std::make_shared<const bbox_overlaps::Problem>(input);
  const Room<std::byte> ious = AddResult<std::byte>(call, problem->result_bytes());
  Reference(problem->args(ious.expected));
  const mluOpDataType_t dtype = input.half ? MLUOP_DTYPE_HALF : MLUOP_DTYPE_FLOAT;
  const bool aligned = input.aligned;
  const Descriptor boxes1 = Describe(dtype, {input.rows(), 4});
  const Descriptor boxes2 = Describe(dtype, {input.columns(), 4});
  const Descriptor result = Describe(dtype, {input.rows(), aligned ? 1 : input.columns()});
  call.make = [=](Context& context) {
    return mluOpBboxOverlaps(context.handle(), 0, aligned, 0, boxes1.get(), problem->boxes1(),
                             boxes2.get(), problem->boxes2(), result.get(), ious.result);
  };
  return call;
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
    (void)problem;  // the views' memory
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
      if (found.size() == count) {  // else the memory stays as it is, which is wrong
        CopyTo(pairs.result, found);
      }
    });
  };
  return call;
}

// ---- border_align_forward -----------------------------------------------------------------------

OperatorCall CBorderAlign(const border_align_forward::Shape& shape) {
  OperatorCall call;
  const border_align_forward::Case input =
      RandomCase(border_align_forward::Kind::kNetwork, shape, 1);
  call.name = "mluOpBorderAlignForward " + input.ToString();
  const auto problem = std::make_shared<const border_align_forward::Problem>(input);
  const Room<float> output = AddResult<float>(call, input.results());
  const Room<int32_t> argmax = AddResult<int32_t>(call, input.results());
  Reference(problem->args(output.expected, argmax.expected));
  const std::vector<int64_t> dims = {shape.images, shape.boxes_per_image, 4, shape.channels};
  const Descriptor input_desc =
      Describe(MLUOP_DTYPE_FLOAT, {shape.images, shape.height, shape.width, 4 * shape.channels},
               MLUOP_LAYOUT_NHWC);
  const Descriptor boxes_desc =
      Describe(MLUOP_DTYPE_FLOAT, {shape.images, shape.boxes_per_image, 4});
  const Descriptor output_desc = Describe(MLUOP_DTYPE_FLOAT, dims, MLUOP_LAYOUT_NHWC);
  const Descriptor argmax_desc = Describe(MLUOP_DTYPE_INT32, dims, MLUOP_LAYOUT_NHWC);
  call.make = [=](Context& context) {
    return mluOpBorderAlignForward(context.handle(), input_desc.get(), problem->input().data(),
                                   boxes_desc.get(), problem->boxes().data(), shape.pool_size,
                                   output_desc.get(), output.result, argmax_desc.get(),
                                   argmax.result);
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

// ---- poly_nms and nms ---------------------------------------------------------------------------

poly_nms::Case PolygonCase(poly_nms::Kind kind, int64_t count) {
  poly_nms::Case input;
  input.boxes = poly_nms::RandomBoxes(kind, count, 1);
  input.iou_threshold = 0.1f;
  return input;
}

OperatorCall CPolyNms(poly_nms::Kind kind, int64_t count) {
  OperatorCall call;
  const auto input = std::make_shared<const poly_nms::Case>(PolygonCase(kind, count));
  call.name = std::string("mluOpPolyNms ") + NameOf(kind) + ' ' + std::to_string(count);
  const Room<int32_t> output = AddResult<int32_t>(call, count);
  const Room<int32_t> result_num = AddResult<int32_t>(call, 1);
  poly_nms::Reference(input->args(output.expected, result_num.expected));
  const Descriptor boxes_desc = Describe(MLUOP_DTYPE_FLOAT, {count, 9});
  const Descriptor output_desc = Describe(MLUOP_DTYPE_INT32, {count});
  const auto workspace = std::make_shared<std::vector<std::byte>>(poly_nms::WorkspaceBytes(count));
  call.make = [=](Context& context) {
    return mluOpPolyNms(context.handle(), boxes_desc.get(), input->boxes.data(),
                        input->iou_threshold, workspace->data(), workspace->size(),
                        output_desc.get(), output.result, result_num.result);
  };
  return call;
}

std::vector<int32_t> RandomGroups(int64_t count) {
  std::vector<int32_t> groups(static_cast<size_t>(count));
  for (size_t i = 0; i < groups.size(); ++i) {
    groups[i] = static_cast<int32_t>(i * 7 % 5);
  }
  return groups;
}

// The result in memory of the caller, where what is behind the kept ones stays, or returned.
OperatorCall CppPolyNms(int64_t count, bool in_place) {
  OperatorCall call;
  poly_nms::Case made = PolygonCase(poly_nms::Kind::kAerial, count);
  made.groups = RandomGroups(count);
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
  poly_nms::ReferenceIou(
      {first->data(), second->data(), rows, columns, 9, 9, aligned, ious.expected});
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

// ---- generate_proposals_v2 ----------------------------------------------------------------------

constexpr int kPostNms = 500;

std::shared_ptr<const generate_proposals_v2::Case> ProposalCase(
    const generate_proposals_v2::Shape& shape, float nms_thresh, bool channels_first) {
  generate_proposals_v2::Case input =
      generate_proposals_v2::RandomCase(generate_proposals_v2::Kind::kTrained, shape, 8, 32, 1);
  input.post_nms_top_n = kPostNms;
  input.nms_thresh = nms_thresh;
  if (channels_first) {
    input = input.ChannelsFirst();
  }
  return std::make_shared<const generate_proposals_v2::Case>(std::move(input));
}

struct ProposalRooms {
  ProposalRooms(OperatorCall& call, const generate_proposals_v2::Case& input)
      : rois(AddResult<float>(call, input.rows() * 4)),
        probs(AddResult<float>(call, input.rows())),
        counts(AddResult<int32_t>(call, input.images)),
        total(AddResult<int32_t>(call, 1)) {
    generate_proposals_v2::Proposals elsewhere(input);
    generate_proposals_v2::Args args = MakeArgs(input, elsewhere);
    args.rois = rois.expected;
    args.probs = probs.expected;
    args.counts = counts.expected;
    args.total = total.expected;
    Reference(args);
  }

  Room<float> rois;
  Room<float> probs;
  Room<int32_t> counts;
  Room<int32_t> total;
};

OperatorCall CGenerateProposals(const generate_proposals_v2::Shape& shape, float nms_thresh) {
  OperatorCall call;
  const auto input = ProposalCase(shape, nms_thresh, false);
  call.name = "mluOpGenerateProposalsV2 " + input->ToString();
  const ProposalRooms rooms(call, *input);
  const int64_t anchors = shape.anchors_per_position;
  const Descriptor scores_desc =
      Describe(MLUOP_DTYPE_FLOAT, {shape.images, shape.height, shape.width, anchors});
  const Descriptor deltas_desc =
      Describe(MLUOP_DTYPE_FLOAT, {shape.images, shape.height, shape.width, 4 * anchors});
  const Descriptor im_shape_desc = Describe(MLUOP_DTYPE_FLOAT, {shape.images, 2});
  const Descriptor anchors_desc =
      Describe(MLUOP_DTYPE_FLOAT, {shape.height, shape.width, anchors, 4});
  const Descriptor rois_desc = Describe(MLUOP_DTYPE_FLOAT, {input->rows(), 4});
  const Descriptor probs_desc = Describe(MLUOP_DTYPE_FLOAT, {input->rows(), 1});
  const Descriptor counts_desc = Describe(MLUOP_DTYPE_INT32, {shape.images});
  const auto workspace =
      std::make_shared<std::vector<std::byte>>(generate_proposals_v2::WorkspaceBytes(
          shape.images, input->scores_per_image(), input->scores_per_image()));
  call.make = [=](Context& context) {
    return mluOpGenerateProposalsV2(
        context.handle(), input->pre_nms_top_n, input->post_nms_top_n, input->nms_thresh,
        input->min_size, 1.0f, input->pixel_offset, scores_desc.get(), input->scores.data(),
        deltas_desc.get(), input->deltas.data(), im_shape_desc.get(), input->im_shape.data(),
        anchors_desc.get(), input->anchors.data(), anchors_desc.get(), input->variances.data(),
        workspace->data(), workspace->size(), rois_desc.get(), rooms.rois.result, probs_desc.get(),
        rooms.probs.result, counts_desc.get(), rooms.counts.result, rooms.total.result);
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
        const GenerateProposalsOutputs outputs{TensorView(rooms.rois.result, {input->rows(), 4}),
                                               TensorView(rooms.probs.result, {input->rows(), 1}),
                                               TensorView(rooms.counts.result, {input->images}),
                                               TensorView(rooms.total.result, {1}), std::nullopt};
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

// ---- psroipool_forward --------------------------------------------------------------------------

constexpr float kScale = 0.0625f;

OperatorCall CPsRoiPool(const psroipool_forward::Shape& shape) {
  OperatorCall call;
  const auto input = std::make_shared<const psroipool_forward::Case>(
      RandomCase(psroipool_forward::Kind::kNetwork, shape, kScale, 1));
  call.name = "mluOpPsRoiPoolForward " + input->ToString();
  const Room<float> output = AddResult<float>(call, input->results());
  const Room<int32_t> mapping = AddResult<int32_t>(call, input->results());
  (void)Reference(input->args(input->input.data(), output.expected, mapping.expected)).ok();
  const std::vector<int64_t> dims = {shape.rois, shape.group, shape.group, shape.dim};
  const Descriptor input_desc =
      Describe(MLUOP_DTYPE_FLOAT, {shape.images, shape.height, shape.width, input->channels()},
               MLUOP_LAYOUT_NHWC);
  const Descriptor rois_desc = Describe(MLUOP_DTYPE_FLOAT, {shape.rois, 5});
  const Descriptor output_desc = Describe(MLUOP_DTYPE_FLOAT, dims, MLUOP_LAYOUT_NHWC);
  const Descriptor mapping_desc = Describe(MLUOP_DTYPE_INT32, dims, MLUOP_LAYOUT_NHWC);
  const auto group = static_cast<int>(shape.group);
  const auto dim = static_cast<int>(shape.dim);
  call.make = [=](Context& context) {
    return mluOpPsRoiPoolForward(context.handle(), group, group, kScale, group, dim,
                                 input_desc.get(), input->input.data(), rois_desc.get(),
                                 input->rois.data(), nullptr, 0, output_desc.get(), output.result,
                                 mapping_desc.get(), mapping.result);
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

void OperatorCall::Clear() {
  for (Result& result : results) {
    std::fill(result.memory.begin(), result.memory.end(), kUntouched);
  }
}

bool OperatorCall::IsUntouched() const {
  return std::all_of(results.begin(), results.end(), [](const Result& result) {
    return std::all_of(result.memory.begin(), result.memory.end(),
                       [](std::byte byte) { return byte == kUntouched; });
  });
}

bool OperatorCall::IsRight() const {
  return std::all_of(results.begin(), results.end(),
                     [](const Result& result) { return result.memory == result.expected; });
}

OperatorCall OverlapsOf(int64_t boxes) {
  return CBboxOverlaps(OverlapCase(boxes, boxes, false, false));
}

std::vector<OperatorCall> CCalls() {
  std::vector<OperatorCall> calls;
  calls.push_back(OverlapsOf(300));
  calls.push_back(CBboxOverlaps(OverlapCase(3000, 3000, true, true)));
  // Many boxes on a small map, and few on a large one.
  calls.push_back(CBorderAlign({2, 12, 15, kSlowBuild ? 24 : 96, 60, 10}));
  calls.push_back(CBorderAlign({1, kSlowBuild ? 30 : 60, 40, 96, 3, 10}));
  // Few boxes, many, and many in a heap.
  calls.push_back(CPolyNms(poly_nms::Kind::kAerial, 100));
  calls.push_back(CPolyNms(poly_nms::Kind::kAerial, kSlowBuild ? 500 : 3000));
  calls.push_back(CPolyNms(poly_nms::Kind::kHeap, kSlowBuild ? 200 : 500));
  // Many rois on a small map, which is packed, and few on a large one.
  calls.push_back(CPsRoiPool({2, 14, 14, 7, 8, kSlowBuild ? 60 : 300}));
  calls.push_back(CPsRoiPool({1, kSlowBuild ? 20 : 60, 80, 3, 40, 12}));
  // Few scores and many, of one image and of several; and everything kept.
  calls.push_back(CGenerateProposals({1, 11, 11, 3}, 0.5f));
  if (!kSlowBuild) {
    calls.push_back(CGenerateProposals({1, 100, 100, 3}, 0.7f));
  }
  calls.push_back(CGenerateProposals({3, kMapRows, kMapRows, 3}, 0.7f));
  calls.push_back(CGenerateProposals({1, kMapRows, kMapRows, 3}, 1.0f));
  return calls;
}

std::vector<OperatorCall> CppCalls() {
  std::vector<OperatorCall> calls;
  calls.push_back(CppBboxOverlaps(OverlapCase(200, 300, false, false)));
  calls.push_back(CppBboxOverlaps(OverlapCase(2000, 2000, true, false)));
  calls.push_back(CppRowMaximum(OverlapCase(200, 300, false, false)));
  calls.push_back(CppPairs(OverlapCase(200, 300, false, false), 0.1f));
  // More columns than a tile has: pairs are sorted.
  calls.push_back(CppPairs(OverlapCase(40, 2500, false, false), 0.1f));
  calls.push_back(CppBorderAlign({2, 12, 15, kSlowBuild ? 16 : 40, 60, 10}));
  calls.push_back(CppPolyNms(kSlowBuild ? 300 : 600, true));
  calls.push_back(CppPolyNms(kSlowBuild ? 300 : 600, false));
  calls.push_back(CppPolygonIou(20, 30, false));
  calls.push_back(CppPolygonIou(300, 300, true));
  calls.push_back(CppNms(100, true));
  calls.push_back(CppNms(kSlowBuild ? 700 : 3000, true));
  calls.push_back(CppNms(kSlowBuild ? 300 : 1000, false));
  calls.push_back(CppGenerateProposals({2, kMapRows, kMapRows, 3}, true));
  calls.push_back(CppGenerateProposals({2, kMapRows, kMapRows, 3}, false));
  calls.push_back(CppPsRoiPool({2, 14, 14, 7, 8, 100}));
  return calls;
}

std::vector<OperatorCall> AllCalls() {
  std::vector<OperatorCall> calls = CCalls();
  std::vector<OperatorCall> others = CppCalls();
  for (OperatorCall& call : others) {
    calls.push_back(std::move(call));
  }
  return calls;
}

}  // namespace detops
