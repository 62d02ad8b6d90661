// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Calls through the C API.

#include <memory>
#include <string>

#include "ops/border_align_forward/cases.h"
#include "ops/psroipool_forward/cases.h"
#include "tests/operator_call_inputs.h"
#include "tests/operator_calls.h"

namespace detops {
namespace {

using Descriptor = std::shared_ptr<mluOpTensorStruct>;

Descriptor Describe(mluOpDataType_t dtype, const std::vector<int64_t>& dims,
                    mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY) {
  mluOpTensorDescriptor_t descriptor = nullptr;
  mluOpCreateTensorDescriptor(&descriptor);
  mluOpSetTensorDescriptor_v2(descriptor, layout, dtype, static_cast<int>(dims.size()),
                              dims.data());
  return {descriptor, mluOpDestroyTensorDescriptor};
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

}  // namespace

OperatorCall OverlapsOf(int64_t boxes) {
  return CBboxOverlaps(OverlapCase(boxes, boxes, false, false));
}

std::vector<OperatorCall> CCalls() {
  std::vector<OperatorCall> calls;
  calls.push_back(OverlapsOf(300));
  calls.push_back(CBboxOverlaps(OverlapCase(3000, 3000, true, true)));
  // Many boxes on a small map, and few boxes on a large map.
  calls.push_back(CBorderAlign({.images = 2,
                                .height = 12,
                                .width = 15,
                                .channels = kSlowBuild ? 24 : 96,
                                .boxes_per_image = 60,
                                .pool_size = 10}));
  calls.push_back(CBorderAlign({.images = 1,
                                .height = kSlowBuild ? 30 : 60,
                                .width = 40,
                                .channels = 96,
                                .boxes_per_image = 3,
                                .pool_size = 10}));
  // Few boxes, many boxes, and many that overlap each other.
  calls.push_back(CPolyNms(poly_nms::Kind::kAerial, 100));
  calls.push_back(CPolyNms(poly_nms::Kind::kAerial, kSlowBuild ? 500 : 3000));
  calls.push_back(CPolyNms(poly_nms::Kind::kHeap, kSlowBuild ? 200 : 500));
  // Many RoIs on a small map, which is packed, and few RoIs on a large map.
  calls.push_back(CPsRoiPool({.images = 2,
                              .height = 14,
                              .width = 14,
                              .group = 7,
                              .dim = 8,
                              .rois = kSlowBuild ? 60 : 300}));
  calls.push_back(CPsRoiPool({.images = 1,
                              .height = kSlowBuild ? 20 : 60,
                              .width = 80,
                              .group = 3,
                              .dim = 40,
                              .rois = 12}));
  // Few and many scores, of one and of several images; in the last case NMS keeps everything.
  calls.push_back(CGenerateProposals({1, 11, 11, 3}, 0.5f));
  if (!kSlowBuild) {
    calls.push_back(CGenerateProposals({1, 100, 100, 3}, 0.7f));
  }
  calls.push_back(CGenerateProposals({3, kMapRows, kMapRows, 3}, 0.7f));
  calls.push_back(CGenerateProposals({1, kMapRows, kMapRows, 3}, 1.0f));
  return calls;
}

}  // namespace detops
