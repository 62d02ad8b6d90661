// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Calls through the C API.

#include "measure/slow_build.h"
#include "ops/bbox_overlaps/cases.h"
#include "ops/border_align_forward/cases.h"
#include "ops/generate_proposals_v2/cases.h"
#include "ops/poly_nms/cases.h"
#include "ops/psroipool_forward/cases.h"
#include "testing/c_api_fixture.h"
#include "tests/scribbled_calls.h"

namespace detops {
namespace {

// Returns a copy of bytes that is scribbled into.
const void* InputBytes(ScribbledCall& call, const void* bytes, int64_t size) {
  const auto* const begin = static_cast<const std::byte*>(bytes);
  return call.Input(std::vector<std::byte>(begin, begin + size));
}

ScribbledCall BboxOverlaps(int64_t rows, int64_t columns, bool aligned, bool half) {
  ScribbledCall call;
  call.op = "bbox_overlaps";
  call.name = aligned ? "mluOpBboxOverlaps, aligned" : "mluOpBboxOverlaps";
  bbox_overlaps::Case made;
  made.boxes1 = RandomBoxes(bbox_overlaps::Kind::kImage, rows, 1);
  made.boxes2 = RandomBoxes(bbox_overlaps::Kind::kImage, columns, 2);
  made.aligned = aligned;
  made.half = half;
  const bbox_overlaps::Problem problem(made);
  const void* const boxes1 = InputBytes(call, problem.boxes1(), problem.boxes1_bytes());
  const void* const boxes2 = InputBytes(call, problem.boxes2(), problem.boxes2_bytes());
  std::byte* const ious = call.Take<std::byte>(problem.result_bytes());
  const mluOpDataType_t dtype = half ? MLUOP_DTYPE_HALF : MLUOP_DTYPE_FLOAT;
  call.make = [=](Context& context) {
    return mluOpBboxOverlaps(context.handle(), 0, aligned, 0, ScopedDescriptor({rows, 4}, dtype),
                             boxes1, ScopedDescriptor({columns, 4}, dtype), boxes2,
                             ScopedDescriptor({rows, aligned ? 1 : columns}, dtype), ious);
  };
  return call;
}

ScribbledCall BorderAlign(const border_align_forward::Shape& shape, bool half) {
  ScribbledCall call;
  call.op = "border_align_forward";
  call.name = half ? "mluOpBorderAlignForward, half" : "mluOpBorderAlignForward";
  border_align_forward::Case made = RandomCase(border_align_forward::Kind::kNetwork, shape, 1);
  made.half = half;
  const border_align_forward::Problem problem(made);
  const void* const input = call.Input(problem.input());
  const void* const boxes = call.Input(problem.boxes());
  std::byte* const output = call.Take<std::byte>(problem.output_bytes());
  int32_t* const argmax = call.Take<int32_t>(made.results());
  const mluOpDataType_t dtype = half ? MLUOP_DTYPE_HALF : MLUOP_DTYPE_FLOAT;
  const std::vector<int64_t> dims = {shape.images, shape.boxes_per_image, 4, shape.channels};
  call.make = [=](Context& context) {
    return mluOpBorderAlignForward(
        context.handle(),
        ScopedDescriptor({shape.images, shape.height, shape.width, 4 * shape.channels}, dtype,
                         MLUOP_LAYOUT_NHWC),
        input, ScopedDescriptor({shape.images, shape.boxes_per_image, 4}, dtype), boxes,
        shape.pool_size, ScopedDescriptor(dims, dtype, MLUOP_LAYOUT_NHWC), output,
        ScopedDescriptor(dims, MLUOP_DTYPE_INT32, MLUOP_LAYOUT_NHWC), argmax);
  };
  call.is_safe = [=, results = made.results()] {
    return AreBetween(argmax, results, 0, shape.pool_size);
  };
  return call;
}

ScribbledCall PolyNms(poly_nms::Kind kind, int64_t count) {
  ScribbledCall call;
  call.op = "poly_nms";
  call.name = std::string("mluOpPolyNms ") + NameOf(kind) + ' ' + std::to_string(count);
  const float* const boxes = call.Input(poly_nms::RandomBoxes(kind, count, 1));
  const size_t workspace_bytes = poly_nms::WorkspaceBytes(count);
  auto* const workspace = call.Take<std::byte>(static_cast<int64_t>(workspace_bytes));
  int32_t* const output = call.Take<int32_t>(count);
  int32_t* const result_num = call.Take<int32_t>(1);
  call.make = [=](Context& context) {
    return mluOpPolyNms(context.handle(), ScopedDescriptor({count, 9}), boxes, 0.1f, workspace,
                        workspace_bytes, ScopedDescriptor({count}, MLUOP_DTYPE_INT32), output,
                        result_num);
  };
  call.is_safe = [=] { return IsSelection(output, result_num, count, 1); };
  return call;
}

ScribbledCall GenerateProposals(const generate_proposals_v2::Shape& shape, int post_nms_top_n) {
  ScribbledCall call;
  call.op = "generate_proposals_v2";
  call.name = "mluOpGenerateProposalsV2";
  const generate_proposals_v2::Case made =
      RandomCase(generate_proposals_v2::Kind::kTrained, shape, 8, 32, 1);
  const float* const scores = call.Input(made.scores);
  const float* const deltas = call.Input(made.deltas);
  const float* const im_shape = call.Input(made.im_shape);
  const float* const anchors = call.Input(made.anchors);
  const float* const variances = call.Input(made.variances);
  const size_t workspace_bytes = generate_proposals_v2::WorkspaceBytes(
      shape.images, made.scores_per_image(), made.scores_per_image());
  auto* const workspace = call.Take<std::byte>(static_cast<int64_t>(workspace_bytes));
  const int64_t rows = shape.images * post_nms_top_n;
  float* const rois = call.Take<float>(rows * 4);
  float* const probs = call.Take<float>(rows);
  int32_t* const counts = call.Take<int32_t>(shape.images);
  int32_t* const total = call.Take<int32_t>(1);
  call.make = [=, a = shape.anchors_per_position](Context& context) {
    const ScopedDescriptor anchors_desc({shape.height, shape.width, a, 4});
    return mluOpGenerateProposalsV2(
        context.handle(), 6000, post_nms_top_n, 0.7f, 0.1f, 1.0f, true,
        ScopedDescriptor({shape.images, shape.height, shape.width, a}), scores,
        ScopedDescriptor({shape.images, shape.height, shape.width, 4 * a}), deltas,
        ScopedDescriptor({shape.images, 2}), im_shape, anchors_desc, anchors, anchors_desc,
        variances, workspace, workspace_bytes, ScopedDescriptor({rows, 4}), rois,
        ScopedDescriptor({rows, 1}), probs, ScopedDescriptor({shape.images}, MLUOP_DTYPE_INT32),
        counts, total);
  };
  call.is_safe = [=] {
    return AreBetween(counts, shape.images, 1, post_nms_top_n) &&
           AreBetween(total, 1, shape.images, rows);
  };
  return call;
}

ScribbledCall PsRoiPool(const psroipool_forward::Shape& shape) {
  ScribbledCall call;
  call.op = "psroipool_forward";
  call.name = "mluOpPsRoiPoolForward";
  constexpr float kScale = 0.0625f;
  const psroipool_forward::Case made =
      RandomCase(psroipool_forward::Kind::kNetwork, shape, kScale, 1);
  const float* const input = call.Input(made.input);
  const float* const rois = call.Input(made.rois);
  float* const output = call.Take<float>(made.results());
  int32_t* const mapping = call.Take<int32_t>(made.results());
  const std::vector<int64_t> dims = {shape.rois, shape.group, shape.group, shape.dim};
  const auto group = static_cast<int>(shape.group);
  call.make = [=, dim = static_cast<int>(shape.dim), channels = made.channels()](Context& context) {
    return mluOpPsRoiPoolForward(
        context.handle(), group, group, kScale, group, dim,
        ScopedDescriptor({shape.images, shape.height, shape.width, channels}, MLUOP_DTYPE_FLOAT,
                         MLUOP_LAYOUT_NHWC),
        input, ScopedDescriptor({shape.rois, 5}), rois,
        ScopedDescriptor(dims, MLUOP_DTYPE_FLOAT, MLUOP_LAYOUT_NHWC), output,
        ScopedDescriptor(dims, MLUOP_DTYPE_INT32, MLUOP_LAYOUT_NHWC), mapping);
  };
  call.is_safe = [=, results = made.results(), channels = made.channels()] {
    return AreBetween(mapping, results, 0, channels - 1);
  };
  return call;
}

}  // namespace

std::vector<ScribbledCall> ScribbledCCalls() {
  std::vector<ScribbledCall> calls;
  calls.push_back(BboxOverlaps(100, 150, false, false));
  calls.push_back(BboxOverlaps(1000, 1000, true, true));
  // Many boxes on a small map, which are sorted by their lines, and few boxes on a large map.
  for (const bool half : {false, true}) {
    calls.push_back(BorderAlign({.images = 2,
                                 .height = 12,
                                 .width = 15,
                                 .channels = 16,
                                 .boxes_per_image = 200,
                                 .pool_size = 3},
                                half));
  }
  calls.push_back(BorderAlign({.images = 1,
                               .height = 30,
                               .width = 40,
                               .channels = 16,
                               .boxes_per_image = 3,
                               .pool_size = 10},
                              false));
  // Few boxes, a grid, and many boxes that overlap each other.
  calls.push_back(PolyNms(poly_nms::Kind::kAerial, 100));
  calls.push_back(PolyNms(poly_nms::Kind::kAerial, kSlowBuild ? 600 : 2000));
  calls.push_back(PolyNms(poly_nms::Kind::kHeap, 200));
  // Few scores, which are all sorted, and many, of which the highest are selected.
  calls.push_back(GenerateProposals({1, 11, 11, 3}, 100));
  calls.push_back(GenerateProposals({2, 30, 30, 3}, 300));
  // Many RoIs on a small map, which is packed, and few RoIs on a large map.
  calls.push_back(
      PsRoiPool({.images = 3, .height = 14, .width = 14, .group = 3, .dim = 8, .rois = 200}));
  calls.push_back(
      PsRoiPool({.images = 2, .height = 20, .width = 30, .group = 3, .dim = 17, .rois = 12}));
  return calls;
}

}  // namespace detops
