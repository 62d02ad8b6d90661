// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C and C++ functions, and the only validation.

#include <algorithm>
#include <cmath>

#include "core/boundary.h"
#include "core/check.h"
#include "core/log.h"
#include "core/operators.h"
#include "core/tensor_descriptor.h"
#include "core/tensor_view.h"
#include "ops/generate_proposals_v2/op.h"
#include "runtime/recording.h"
#include "runtime/submit.h"
#include "runtime/thread_context.h"

namespace detops::generate_proposals_v2 {

extern const Operator kOperator{
    "generate_proposals_v2",
    "RPN proposals: decodes, filters and suppresses the boxes of a region proposal network"};

namespace {

// N, H, W and A, read from the scores.
struct Sizes {
  int64_t images;
  int64_t height;
  int64_t width;
  int64_t anchors;
};

Sizes SizesOf(const Operand& scores, ImageLayout layout) {
  const bool channels_first = layout == ImageLayout::kNchw;
  return {.images = scores.dim(0),
          .height = scores.dim(channels_first ? 2 : 1),
          .width = scores.dim(channels_first ? 3 : 2),
          .anchors = scores.dim(channels_first ? 1 : 3)};
}

// Returns the product, or a size that no tensor has when it would overflow.
int64_t ProductOf(int64_t a, int64_t b) {
  constexpr int64_t kTooLarge = int64_t{1} << 62;
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kTooLarge : product;
}

// Returns the number of rows of the outputs.
int64_t RowsOf(const Sizes& sizes, const GenerateProposalsOptions& options) {
  return ProductOf(sizes.images, std::max(options.post_nms_top_n, 0));
}

Status CheckScores(const Operand& scores) {
  DETOPS_RETURN_IF_ERROR(CheckRank(scores, 4));
  for (int i = 1; i < 4; ++i) {
    if (scores.dim(i) == 0) {
      return BadParam("{} has shape {}; H, W and A must be at least 1", scores.name,
                      scores.shape->ToString());
    }
  }
  return {};
}

Status CheckTypes(const Operands& operands) {
  return CheckEach(operands.all(), [&](const Operand& operand) {
    const bool is_integer = &operand == &operands.counts || &operand == &operands.total ||
                            &operand == &operands.anchor_indices;
    return CheckDataType(operand, {is_integer ? MLUOP_DTYPE_INT32 : MLUOP_DTYPE_FLOAT});
  });
}

Status CheckOptions(const GenerateProposalsOptions& options) {
  DETOPS_RETURN_IF_ERROR(CheckAtLeast("post_nms_top_n", options.post_nms_top_n, 1));
  if (!(options.nms_thresh > 0)) {
    return BadParam("nms_thresh is {}; it must be a number above 0", options.nms_thresh);
  }
  if (std::isnan(options.min_size)) {
    return BadParam("min_size is nan; it must be a number");
  }
  DETOPS_RETURN_IF_ERROR(
      CheckEnum("layout", options.layout, ImageLayout::kNhwc, ImageLayout::kNchw));
  if (!(options.eta >= 1)) {
    return BadParam("eta is {}; it must be at least 1: adaptive thresholds are not supported",
                    options.eta);
  }
  return {};
}

Status CheckDeltas(const Operand& deltas, const Sizes& sizes, ImageLayout layout) {
  const int64_t channels = ProductOf(sizes.anchors, kBoxFloats);
  return layout == ImageLayout::kNchw
             ? CheckShape(deltas, {sizes.images, channels, sizes.height, sizes.width})
             : CheckShape(deltas, {sizes.images, sizes.height, sizes.width, channels});
}

Status CheckInputs(const Operands& operands, const Sizes& sizes, ImageLayout layout) {
  DETOPS_RETURN_IF_ERROR(CheckDeltas(operands.bbox_deltas, sizes, layout));
  DETOPS_RETURN_IF_ERROR(CheckShape(operands.im_shape, {sizes.images, 2}, "height, width"));
  const std::array per_anchor = {&operands.anchors, &operands.variances};
  return CheckEach(per_anchor, [&](const Operand& operand) {
    return CheckShape(operand, {sizes.height, sizes.width, sizes.anchors, kBoxFloats});
  });
}

Status CheckResults(const Operands& operands, const Sizes& sizes, int64_t rows) {
  DETOPS_RETURN_IF_ERROR(CheckShape(operands.rois, {rows, kBoxFloats}, "x1, y1, x2, y2"));
  DETOPS_RETURN_IF_ERROR(CheckShape(operands.probs, {rows, 1}));
  DETOPS_RETURN_IF_ERROR(CheckShape(operands.counts, {sizes.images}));
  DETOPS_RETURN_IF_ERROR(CheckShape(operands.total, {1}));
  return operands.anchor_indices.is_present() ? CheckShape(operands.anchor_indices, {rows})
                                              : Status();
}

Status CheckShapes(const Operands& operands, const GenerateProposalsOptions& options) {
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckDescribed));
  DETOPS_RETURN_IF_ERROR(CheckTypes(operands));
  DETOPS_RETURN_IF_ERROR(CheckOptions(options));
  DETOPS_RETURN_IF_ERROR(CheckScores(operands.scores));
  const Sizes sizes = SizesOf(operands.scores, options.layout);
  DETOPS_RETURN_IF_ERROR(CheckInputs(operands, sizes, options.layout));
  DETOPS_RETURN_IF_ERROR(CheckResults(operands, sizes, RowsOf(sizes, options)));
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckContiguous));
  return CheckEach(operands.all(), CheckElementCount);
}

// Without images, only the total is written.
Status CheckMemory(const Operands& operands) {
  return operands.scores.dim(0) == 0 ? CheckData(operands.total)
                                     : CheckEach(operands.all(), CheckData);
}

// Case files have variances in every call. If the call has none, they are ones.
RecordedTensor VariancesOf(const Operands& operands) {
  Operand variances = operands.variances;
  if (!variances.is_present()) {
    variances = {.name = "variances", .shape = operands.anchors.shape, .data = nullptr};
  }
  return {variances, {.lower = 1, .upper = 1}};
}

// The tensors are in the order of case files, which is not that of the C function.
RecordedCase CaseOf(const Operands& operands, const GenerateProposalsOptions& options) {
  if (options.layout == ImageLayout::kNchw) {
    return NoCase("case files have no channels-first layout");
  }
  return {.op_name = "generate_proposals_v2",
          .parameters_name = "generate_proposals_v2_param",
          .parameters = {{"pre_nms_top_n", options.pre_nms_top_n},
                         {"post_nms_top_n", options.post_nms_top_n},
                         {"nms_thresh", options.nms_thresh},
                         {"min_size", options.min_size},
                         {"eta", options.eta},
                         {"pixel_offset", options.pixel_offset}},
          .inputs = {{operands.scores, {.lower = 0, .upper = 1}},
                     {operands.bbox_deltas, {.lower = -1, .upper = 1}},
                     {operands.anchors, {.lower = 0, .upper = 500}},
                     VariancesOf(operands),
                     {operands.im_shape, {.lower = 500, .upper = 1000}}},
          .outputs = {operands.rois, operands.probs, operands.counts, operands.total}};
}

// The body of the functions that return the workspace size. All scores may be candidates unless
// `pre_nms_top_n` limits them.
mluOpStatus_t GetWorkspaceSize(const char* function, mluOpHandle_t handle,
                               const mluOpTensorDescriptor_t scores_desc, int pre_nms_top_n,
                               size_t* size) {
  return ApiCall(function, [&]() -> Status {
    Handle* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
    const Operand scores = OperandOf("scores", scores_desc, nullptr);
    DETOPS_RETURN_IF_ERROR(CheckDescribed(scores));
    DETOPS_RETURN_IF_ERROR(CheckNotNull("size", size));
    DETOPS_RETURN_IF_ERROR(CheckDataType(scores, {MLUOP_DTYPE_FLOAT}));
    DETOPS_RETURN_IF_ERROR(CheckScores(scores));
    DETOPS_RETURN_IF_ERROR(CheckElementCount(scores));
    const Sizes sizes = SizesOf(scores, ImageLayout::kNhwc);
    const int64_t scores_per_image = sizes.height * sizes.width * sizes.anchors;
    *size = WorkspaceBytes(sizes.images, scores_per_image,
                           CandidatesOf(scores_per_image, pre_nms_top_n));
    LogDebug("{}: scores {}, pre_nms_top_n {}, size {}", function, *scores.shape, pre_nms_top_n,
             *size);
    return {};
  });
}

}  // namespace

Status MakeArgs(const Operands& operands, const GenerateProposalsOptions& options, Args& args) {
  DETOPS_RETURN_IF_ERROR(CheckShapes(operands, options));
  DETOPS_RETURN_IF_ERROR(CheckMemory(operands));
  const Sizes sizes = SizesOf(operands.scores, options.layout);
  const int64_t positions = sizes.height * sizes.width;
  const int64_t candidates = CandidatesOf(positions * sizes.anchors, options.pre_nms_top_n);
  args = {.scores = operands.scores.as<const float>(),
          .bbox_deltas = operands.bbox_deltas.as<const float>(),
          .im_shape = operands.im_shape.as<const float>(),
          .anchors = operands.anchors.as<const float>(),
          .variances = operands.variances.as<const float>(),
          .images = sizes.images,
          .positions = positions,
          .anchors_per_position = sizes.anchors,
          .channels_first = options.layout == ImageLayout::kNchw,
          .candidates = candidates,
          .max_proposals = std::min<int64_t>(options.post_nms_top_n, candidates),
          .nms_thresh = options.nms_thresh,
          .least_size = std::max(options.min_size, 1.0f),
          .pixel_offset = options.pixel_offset,
          .rois = operands.rois.as<float>(),
          .probs = operands.probs.as<float>(),
          .anchor_indices = operands.anchor_indices.as<int32_t>(),
          .counts = operands.counts.as<int32_t>(),
          .total = operands.total.as<int32_t>(),
          .workspace = operands.workspace ? operands.workspace->data : nullptr};
  return CheckWorkspace(operands.workspace, WorkspaceBytes(args));
}

Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const GenerateProposalsOptions& options) {
  Handle* found = nullptr;
  DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
  Args args;
  DETOPS_RETURN_IF_ERROR(MakeArgs(operands, options, args));
  LogDebug(
      "{}: {}{}, pre_nms_top_n {}, post_nms_top_n {}, nms_thresh {}, min_size {}, eta {}, "
      "pixel_offset {}{}",
      function, operands.scores, args.channels_first ? " NCHW" : "", options.pre_nms_top_n,
      options.post_nms_top_n, options.nms_thresh, options.min_size, options.eta,
      options.pixel_offset, operands.variances.is_present() ? "" : ", no variances");
  RecordCall(*found, function, [&] { return CaseOf(operands, options); });
  return Submit<Run>(*found, function, args, args.workspace != nullptr ? 0 : WorkspaceBytes(args));
}

Status CallWithResult(const char* function, mluOpHandle_t handle, const Operands& operands,
                      const GenerateProposalsOptions& options, GenerateProposalsResult& result) {
  DETOPS_RETURN_IF_ERROR(CheckDescribed(operands.scores));
  DETOPS_RETURN_IF_ERROR(CheckElementCount(operands.scores));
  const Sizes sizes = SizesOf(operands.scores, options.layout);
  // An image has at least one proposal and no more than candidates: a larger limit would only
  // allocate more.
  const int64_t scores_per_image =
      operands.scores.shape->element_count / std::max<int64_t>(sizes.images, 1);
  const int64_t candidates = CandidatesOf(scores_per_image, options.pre_nms_top_n);
  GenerateProposalsOptions limited = options;
  limited.post_nms_top_n =
      static_cast<int>(std::min<int64_t>(options.post_nms_top_n, std::max<int64_t>(candidates, 1)));
  const int64_t rows = RowsOf(sizes, limited);
  const ViewedTensor rois("rois", MLUOP_DTYPE_FLOAT, {rows, kBoxFloats});
  const ViewedTensor probs("probs", MLUOP_DTYPE_FLOAT, {rows, 1});
  const ViewedTensor counts("counts", MLUOP_DTYPE_INT32, {sizes.images});
  const ViewedTensor total("total", MLUOP_DTYPE_INT32, {1});
  const ViewedTensor anchor_indices("anchor_indices", MLUOP_DTYPE_INT32, {rows});
  Operands complete = operands;
  complete.rois = rois;
  complete.probs = probs;
  complete.counts = counts;
  complete.total = total;
  complete.anchor_indices = anchor_indices;
  DETOPS_RETURN_IF_ERROR(CheckShapes(complete, limited));

  result.rois.resize(static_cast<size_t>(rows * kBoxFloats));
  result.probs.resize(static_cast<size_t>(rows));
  result.anchor_indices.resize(static_cast<size_t>(rows));
  result.counts.resize(static_cast<size_t>(sizes.images));
  int32_t kept = 0;
  complete.rois.data = result.rois.data();
  complete.probs.data = result.probs.data();
  complete.anchor_indices.data = result.anchor_indices.data();
  complete.counts.data = result.counts.data();
  complete.total.data = &kept;
  InlineExecution inline_execution;
  DETOPS_RETURN_IF_ERROR(inline_execution.Begin(handle));
  DETOPS_RETURN_IF_ERROR(Call(function, handle, complete, limited));
  result.rois.resize(static_cast<size_t>(kept * kBoxFloats));
  result.probs.resize(static_cast<size_t>(kept));
  result.anchor_indices.resize(static_cast<size_t>(kept));
  return {};
}

}  // namespace detops::generate_proposals_v2

mluOpStatus_t mluOpGetGenerateProposalsV2WorkspaceSize(mluOpHandle_t handle,
                                                       const mluOpTensorDescriptor_t scores_desc,
                                                       size_t* size) {
  return detops::generate_proposals_v2::GetWorkspaceSize("mluOpGetGenerateProposalsV2WorkspaceSize",
                                                         handle, scores_desc, 0, size);
}

mluOpStatus_t mluOpGetGenerateProposalsV2WorkspaceSize_v2(mluOpHandle_t handle,
                                                          const mluOpTensorDescriptor_t scores_desc,
                                                          const int32_t pre_nms_top_n,
                                                          size_t* size) {
  return detops::generate_proposals_v2::GetWorkspaceSize(
      "mluOpGetGenerateProposalsV2WorkspaceSize_v2", handle, scores_desc, pre_nms_top_n, size);
}

mluOpStatus_t mluOpGenerateProposalsV2(
    mluOpHandle_t handle, const int pre_nms_top_n, const int post_nms_top_n, const float nms_thresh,
    const float min_size, const float eta, bool pixel_offset,
    const mluOpTensorDescriptor_t scores_desc, const void* scores,
    const mluOpTensorDescriptor_t bbox_deltas_desc, const void* bbox_deltas,
    const mluOpTensorDescriptor_t im_shape_desc, const void* im_shape,
    const mluOpTensorDescriptor_t anchors_desc, const void* anchors,
    const mluOpTensorDescriptor_t variances_desc, const void* variances, void* workspace,
    size_t workspace_size, const mluOpTensorDescriptor_t rpn_rois_desc, void* rpn_rois,
    const mluOpTensorDescriptor_t rpn_roi_probs_desc, void* rpn_roi_probs,
    const mluOpTensorDescriptor_t rpn_rois_num_desc, void* rpn_rois_num,
    void* rpn_rois_batch_size) {
  using detops::OperandOf;
  constexpr const char* kName = "mluOpGenerateProposalsV2";
  return detops::ApiCall(kName, [&] {
    return detops::generate_proposals_v2::Call(
        kName, handle,
        {.scores = OperandOf("scores", scores_desc, scores),
         .bbox_deltas = OperandOf("bbox_deltas", bbox_deltas_desc, bbox_deltas),
         .im_shape = OperandOf("im_shape", im_shape_desc, im_shape),
         .anchors = OperandOf("anchors", anchors_desc, anchors),
         .variances = OperandOf("variances", variances_desc, variances),
         .rois = OperandOf("rpn_rois", rpn_rois_desc, rpn_rois),
         .probs = OperandOf("rpn_roi_probs", rpn_roi_probs_desc, rpn_roi_probs),
         .counts = OperandOf("rpn_rois_num", rpn_rois_num_desc, rpn_rois_num),
         .total = detops::NumberOf("rpn_rois_batch_size", rpn_rois_batch_size),
         .workspace = detops::CallerWorkspace{.data = workspace, .size = workspace_size}},
        {.pre_nms_top_n = pre_nms_top_n,
         .post_nms_top_n = post_nms_top_n,
         .nms_thresh = nms_thresh,
         .min_size = min_size,
         .eta = eta,
         .pixel_offset = pixel_offset});
  });
}

namespace detops {

void GenerateProposalsV2(Context& context, const ConstTensorView& scores,
                         const ConstTensorView& bbox_deltas, const ConstTensorView& im_shape,
                         const ConstTensorView& anchors, const GenerateProposalsOutputs& outputs,
                         const GenerateProposalsOptions& options) {
  constexpr const char* kName = "GenerateProposalsV2";
  CppCall(kName, [&] {
    return generate_proposals_v2::Call(
        kName, context.handle(),
        {.scores = ViewedTensor("scores", scores),
         .bbox_deltas = ViewedTensor("bbox_deltas", bbox_deltas),
         .im_shape = ViewedTensor("im_shape", im_shape),
         .anchors = ViewedTensor("anchors", anchors),
         .variances = ViewedTensor("variances", options.variances),
         .rois = ViewedTensor("rois", outputs.rois),
         .probs = ViewedTensor("probs", outputs.probs),
         .counts = ViewedTensor("counts", outputs.counts),
         .total = ViewedTensor("total", outputs.total),
         .anchor_indices = ViewedTensor("anchor_indices", outputs.anchor_indices)},
        options);
  });
}

GenerateProposalsResult GenerateProposalsV2(Context& context, const ConstTensorView& scores,
                                            const ConstTensorView& bbox_deltas,
                                            const ConstTensorView& im_shape,
                                            const ConstTensorView& anchors,
                                            const GenerateProposalsOptions& options) {
  constexpr const char* kName = "GenerateProposalsV2";
  GenerateProposalsResult result;
  CppCall(kName, [&] {
    return generate_proposals_v2::CallWithResult(
        kName, context.handle(),
        {.scores = ViewedTensor("scores", scores),
         .bbox_deltas = ViewedTensor("bbox_deltas", bbox_deltas),
         .im_shape = ViewedTensor("im_shape", im_shape),
         .anchors = ViewedTensor("anchors", anchors),
         .variances = ViewedTensor("variances", options.variances)},
        options, result);
  });
  return result;
}

GenerateProposalsResult GenerateProposalsV2(const ConstTensorView& scores,
                                            const ConstTensorView& bbox_deltas,
                                            const ConstTensorView& im_shape,
                                            const ConstTensorView& anchors,
                                            const GenerateProposalsOptions& options) {
  return GenerateProposalsV2(ThreadContext(), scores, bbox_deltas, im_shape, anchors, options);
}

}  // namespace detops
