// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C and C++ functions, and the only validation.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/boundary.h"
#include "core/check.h"
#include "core/log.h"
#include "core/operators.h"
#include "core/tensor_descriptor.h"
#include "core/tensor_view.h"
#include "ops/generate_proposals_v2/op.h"
#include "runtime/submit.h"
#include "runtime/thread_context.h"

namespace detops::generate_proposals_v2 {

extern const Operator kOperator{
    "generate_proposals_v2",
    "regions of interest from the scores and deltas of a region proposal network"};

namespace {

// N, H, W and A, from the scores.
struct Sizes {
  int64_t images;
  int64_t height;
  int64_t width;
  int64_t anchors;
};

Sizes SizesOf(const Operand& scores, ImageLayout layout) {
  return layout == ImageLayout::kNchw
             ? Sizes{scores.dim(0), scores.dim(2), scores.dim(3), scores.dim(1)}
             : Sizes{scores.dim(0), scores.dim(1), scores.dim(2), scores.dim(3)};
}

// Of the outputs. More than there can be when it would overflow.
int64_t RowsOf(int64_t images, int post_nms_top_n) {
  constexpr int64_t kTooMany = int64_t{1} << 60;
  return images < kTooMany >> 31 ? images * std::max(post_nms_top_n, 0) : kTooMany;
}

// Of an anchor's numbers. More than there can be when it would overflow.
int64_t FourTimes(int64_t anchors) {
  constexpr int64_t kTooMany = int64_t{1} << 62;
  return anchors < kTooMany / kBoxFloats ? anchors * kBoxFloats : kTooMany;
}

Status CheckScores(const Operand& scores) {
  DETOPS_RETURN_IF_ERROR(CheckRank(scores, 4));
  return CheckDataType(scores, {MLUOP_DTYPE_FLOAT});
}

Status CheckNotEmpty(const Operand& scores) {
  for (int i = 1; i < 4; ++i) {
    if (scores.dim(i) == 0) {
      return BadParam("{} is {}, expected no 0 behind the number of images", scores.name,
                      scores.shape->ToString());
    }
  }
  return {};
}

Status CheckDimensions(const Operand& tensor, std::initializer_list<int64_t> expected) {
  int index = 0;
  for (const int64_t size : expected) {
    DETOPS_RETURN_IF_ERROR(CheckDimension(tensor, index++, size));
  }
  return {};
}

Status CheckRanksAndTypes(const Operands& operands) {
  struct Expected {
    const Operand* operand;
    int rank;
    mluOpDataType_t dtype;
  };
  for (const Expected& expected : {Expected{&operands.bbox_deltas, 4, MLUOP_DTYPE_FLOAT},
                                   Expected{&operands.im_shape, 2, MLUOP_DTYPE_FLOAT},
                                   Expected{&operands.anchors, 4, MLUOP_DTYPE_FLOAT},
                                   Expected{operands.variances, 4, MLUOP_DTYPE_FLOAT},
                                   Expected{&operands.rois, 2, MLUOP_DTYPE_FLOAT},
                                   Expected{&operands.probs, 2, MLUOP_DTYPE_FLOAT},
                                   Expected{&operands.counts, 1, MLUOP_DTYPE_INT32},
                                   Expected{&operands.total, 1, MLUOP_DTYPE_INT32},
                                   Expected{operands.anchor_indices, 1, MLUOP_DTYPE_INT32}}) {
    if (expected.operand != nullptr) {
      DETOPS_RETURN_IF_ERROR(CheckRank(*expected.operand, expected.rank));
      DETOPS_RETURN_IF_ERROR(CheckDataType(*expected.operand, {expected.dtype}));
    }
  }
  return {};
}

Status CheckOptions(const GenerateProposalsOptions& options) {
  DETOPS_RETURN_IF_ERROR(
      CheckRange("post_nms_top_n", options.post_nms_top_n, 1, std::numeric_limits<int>::max()));
  if (!(options.nms_thresh > 0)) {
    return BadParam("nms_thresh is {}, expected a number above 0", options.nms_thresh);
  }
  if (std::isnan(options.min_size)) {
    return BadParam("min_size is nan, expected a number");
  }
  DETOPS_RETURN_IF_ERROR(
      CheckEnum("layout", options.layout, ImageLayout::kNhwc, ImageLayout::kNchw));
  if (!(options.eta >= 1)) {
    return BadParam("eta is {}, expected a number from 1 on: the adaptive threshold is not there",
                    options.eta);
  }
  return {};
}

Status CheckShapes(const Operands& operands, const GenerateProposalsOptions& options) {
  DETOPS_RETURN_IF_ERROR(CheckNotEmpty(operands.scores));
  const Sizes sizes = SizesOf(operands.scores, options.layout);
  const int64_t rows = RowsOf(sizes.images, options.post_nms_top_n);
  if (options.layout == ImageLayout::kNchw) {
    DETOPS_RETURN_IF_ERROR(CheckDimensions(
        operands.bbox_deltas, {sizes.images, FourTimes(sizes.anchors), sizes.height, sizes.width}));
  } else {
    DETOPS_RETURN_IF_ERROR(CheckDimensions(
        operands.bbox_deltas, {sizes.images, sizes.height, sizes.width, FourTimes(sizes.anchors)}));
  }
  DETOPS_RETURN_IF_ERROR(CheckDimensions(operands.im_shape, {sizes.images, 2}));
  for (const Operand* const operand : {&operands.anchors, operands.variances}) {
    if (operand != nullptr) {
      DETOPS_RETURN_IF_ERROR(
          CheckDimensions(*operand, {sizes.height, sizes.width, sizes.anchors, kBoxFloats}));
    }
  }
  DETOPS_RETURN_IF_ERROR(CheckDimensions(operands.rois, {rows, kBoxFloats}));
  DETOPS_RETURN_IF_ERROR(CheckDimensions(operands.probs, {rows, 1}));
  DETOPS_RETURN_IF_ERROR(CheckDimensions(operands.counts, {sizes.images}));
  DETOPS_RETURN_IF_ERROR(CheckDimensions(operands.total, {1}));
  return operands.anchor_indices == nullptr ? Status()
                                            : CheckDimensions(*operands.anchor_indices, {rows});
}

// All that there are, as the C API orders them.
template <class Check>
Status ForEachOperand(const Operands& operands, const Check& check) {
  for (const Operand* const operand :
       {&operands.scores, &operands.bbox_deltas, &operands.im_shape, &operands.anchors,
        operands.variances, &operands.rois, &operands.probs, &operands.counts,
        operands.anchor_indices}) {
    if (operand != nullptr) {
      DETOPS_RETURN_IF_ERROR(check(*operand));
    }
  }
  return {};
}

void LogCall(const char* function, const Operands& operands,
             const GenerateProposalsOptions& options) {
  if (LogEnabled(DETOPS_LOG_DEBUG)) {
    Log(DETOPS_LOG_DEBUG,
        fmt::format("{}: scores {}{}, pre_nms_top_n {}, post_nms_top_n {}, nms_thresh {}, "
                    "min_size {}, eta {}, pixel_offset {}{}",
                    function, operands.scores.shape->ToString(),
                    options.layout == ImageLayout::kNchw ? " NCHW" : "", options.pre_nms_top_n,
                    options.post_nms_top_n, options.nms_thresh, options.min_size, options.eta,
                    options.pixel_offset, operands.variances == nullptr ? ", no variances" : ""));
  }
}

// Of the C functions that ask for the size; all scores may be candidates unless the caller says
// otherwise.
mluOpStatus_t AskWorkspaceSize(const char* function, mluOpHandle_t handle,
                               const mluOpTensorDescriptor_t scores_desc, int pre_nms_top_n,
                               size_t* size) {
  return ApiCall(function, [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("handle", handle));
    const Operand scores = OperandOf("scores", scores_desc, nullptr);
    DETOPS_RETURN_IF_ERROR(CheckDescribed(scores));
    DETOPS_RETURN_IF_ERROR(CheckNotNull("size", size));
    DETOPS_RETURN_IF_ERROR(CheckScores(scores));
    DETOPS_RETURN_IF_ERROR(CheckNotEmpty(scores));
    DETOPS_RETURN_IF_ERROR(CheckElementCount(scores));
    const Sizes sizes = SizesOf(scores, ImageLayout::kNhwc);
    const int64_t scores_per_image = sizes.height * sizes.width * sizes.anchors;
    *size = WorkspaceBytes(sizes.images, scores_per_image,
                           CandidatesOf(scores_per_image, pre_nms_top_n));
    if (LogEnabled(DETOPS_LOG_DEBUG)) {
      Log(DETOPS_LOG_DEBUG, fmt::format("{}: scores {}, pre_nms_top_n {}, size {}", function,
                                        scores.shape->ToString(), pre_nms_top_n, *size));
    }
    return {};
  });
}

// The tensors of a call as operands.
class ViewedInputs {
 public:
  ViewedInputs(const char* function, const ConstTensorView& scores,
               const ConstTensorView& bbox_deltas, const ConstTensorView& im_shape,
               const ConstTensorView& anchors, const GenerateProposalsOptions& options)
      : scores_(function, "scores", scores),
        bbox_deltas_(function, "bbox_deltas", bbox_deltas),
        im_shape_(function, "im_shape", im_shape),
        anchors_(function, "anchors", anchors) {
    if (options.variances) {
      variances_.emplace(function, "variances", *options.variances);
      variances_operand_ = variances_->operand();
    }
  }

  Operands operands(const Operand& rois, const Operand& probs, const Operand& counts,
                    const Operand& total, const Operand* anchor_indices) const {
    return {scores_.operand(),
            bbox_deltas_.operand(),
            im_shape_.operand(),
            anchors_.operand(),
            variances_ ? &variances_operand_ : nullptr,
            rois,
            probs,
            counts,
            total,
            anchor_indices};
  }
  // 0 when the scores are not what they should be, which the checks find.
  int64_t images() const {
    return scores_.operand().shape->rank > 0 ? scores_.operand().dim(0) : 0;
  }
  // At least 1.
  int64_t scores_per_image() const {
    const int64_t scores = scores_.operand().shape->element_count;
    return std::max<int64_t>(scores / std::max<int64_t>(images(), 1), 1);
  }

 private:
  ViewedTensor scores_;
  ViewedTensor bbox_deltas_;
  ViewedTensor im_shape_;
  ViewedTensor anchors_;
  std::optional<ViewedTensor> variances_;
  Operand variances_operand_{};
};

}  // namespace

Status MakeArgs(const Operands& operands, const GenerateProposalsOptions& options, Args& args) {
  DETOPS_RETURN_IF_ERROR(ForEachOperand(operands, CheckDescribed));
  DETOPS_RETURN_IF_ERROR(CheckScores(operands.scores));
  DETOPS_RETURN_IF_ERROR(CheckRanksAndTypes(operands));
  DETOPS_RETURN_IF_ERROR(CheckOptions(options));
  DETOPS_RETURN_IF_ERROR(CheckShapes(operands, options));
  DETOPS_RETURN_IF_ERROR(ForEachOperand(operands, CheckContiguous));
  DETOPS_RETURN_IF_ERROR(ForEachOperand(operands, CheckElementCount));
  const Sizes sizes = SizesOf(operands.scores, options.layout);
  if (sizes.images != 0) {
    DETOPS_RETURN_IF_ERROR(ForEachOperand(operands, CheckData));
  }
  DETOPS_RETURN_IF_ERROR(CheckData(operands.total));
  const auto data = [](const Operand& operand) { return static_cast<float*>(operand.data); };
  const auto integers = [](const Operand& operand) { return static_cast<int32_t*>(operand.data); };
  const int64_t positions = sizes.height * sizes.width;
  const int64_t candidates = CandidatesOf(positions * sizes.anchors, options.pre_nms_top_n);
  args = {data(operands.scores),
          data(operands.bbox_deltas),
          data(operands.im_shape),
          data(operands.anchors),
          operands.variances == nullptr ? nullptr : data(*operands.variances),
          sizes.images,
          positions,
          sizes.anchors,
          options.layout == ImageLayout::kNchw,
          candidates,
          std::min<int64_t>(options.post_nms_top_n, candidates),
          options.nms_thresh,
          std::max(options.min_size, 1.0f),
          options.pixel_offset,
          data(operands.rois),
          data(operands.probs),
          operands.anchor_indices == nullptr ? nullptr : integers(*operands.anchor_indices),
          integers(operands.counts),
          integers(operands.total),
          nullptr};
  return {};
}

}  // namespace detops::generate_proposals_v2

mluOpStatus_t mluOpGetGenerateProposalsV2WorkspaceSize(mluOpHandle_t handle,
                                                       const mluOpTensorDescriptor_t scores_desc,
                                                       size_t* size) {
  return detops::generate_proposals_v2::AskWorkspaceSize("mluOpGetGenerateProposalsV2WorkspaceSize",
                                                         handle, scores_desc, 0, size);
}

mluOpStatus_t mluOpGetGenerateProposalsV2WorkspaceSize_v2(mluOpHandle_t handle,
                                                          const mluOpTensorDescriptor_t scores_desc,
                                                          const int32_t pre_nms_top_n,
                                                          size_t* size) {
  return detops::generate_proposals_v2::AskWorkspaceSize(
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
  namespace op = detops::generate_proposals_v2;
  using detops::OperandOf;
  constexpr const char* kName = "mluOpGenerateProposalsV2";
  return detops::ApiCall(kName, [&]() -> detops::Status {
    DETOPS_RETURN_IF_ERROR(detops::CheckNotNull("handle", handle));
    static const detops::TensorShape one = detops::MakeShape(MLUOP_DTYPE_INT32, {1});
    const detops::Operand variances_operand = OperandOf("variances", variances_desc, variances);
    const op::Operands operands{OperandOf("scores", scores_desc, scores),
                                OperandOf("bbox_deltas", bbox_deltas_desc, bbox_deltas),
                                OperandOf("im_shape", im_shape_desc, im_shape),
                                OperandOf("anchors", anchors_desc, anchors),
                                &variances_operand,
                                OperandOf("rpn_rois", rpn_rois_desc, rpn_rois),
                                OperandOf("rpn_roi_probs", rpn_roi_probs_desc, rpn_roi_probs),
                                OperandOf("rpn_rois_num", rpn_rois_num_desc, rpn_rois_num),
                                {"rpn_rois_batch_size", &one, rpn_rois_batch_size},
                                nullptr};
    detops::GenerateProposalsOptions options;
    options.pre_nms_top_n = pre_nms_top_n;
    options.post_nms_top_n = post_nms_top_n;
    options.nms_thresh = nms_thresh;
    options.min_size = min_size;
    options.eta = eta;
    options.pixel_offset = pixel_offset;
    op::Args args;
    DETOPS_RETURN_IF_ERROR(op::MakeArgs(operands, options, args));
    DETOPS_RETURN_IF_ERROR(
        detops::CheckWorkspace(workspace, workspace_size, op::WorkspaceBytes(args)));
    args.workspace = workspace;
    op::LogCall(kName, operands, options);
    return detops::Submit<op::Run>(handle, kName, args);
  });
}

namespace detops {

void GenerateProposalsV2(Context& context, const ConstTensorView& scores,
                         const ConstTensorView& bbox_deltas, const ConstTensorView& im_shape,
                         const ConstTensorView& anchors, const GenerateProposalsOutputs& outputs,
                         const GenerateProposalsOptions& options) {
  namespace op = generate_proposals_v2;
  constexpr const char* kName = "GenerateProposalsV2";
  const op::ViewedInputs inputs(kName, scores, bbox_deltas, im_shape, anchors, options);
  const ViewedTensor rois(kName, "rois", outputs.rois);
  const ViewedTensor probs(kName, "probs", outputs.probs);
  const ViewedTensor counts(kName, "counts", outputs.counts);
  const ViewedTensor total(kName, "total", outputs.total);
  std::optional<ViewedTensor> anchor_indices;
  Operand anchor_indices_operand{};
  if (outputs.anchor_indices) {
    anchor_indices.emplace(kName, "anchor_indices", *outputs.anchor_indices);
    anchor_indices_operand = anchor_indices->operand();
  }
  CppCall(kName, [&]() -> Status {
    const op::Operands operands =
        inputs.operands(rois.operand(), probs.operand(), counts.operand(), total.operand(),
                        anchor_indices ? &anchor_indices_operand : nullptr);
    op::Args args;
    DETOPS_RETURN_IF_ERROR(op::MakeArgs(operands, options, args));
    op::LogCall(kName, operands, options);
    return Submit<op::Run>(context.handle(), kName, args, op::WorkspaceBytes(args));
  });
}

GenerateProposalsResult GenerateProposalsV2(Context& context, const ConstTensorView& scores,
                                            const ConstTensorView& bbox_deltas,
                                            const ConstTensorView& im_shape,
                                            const ConstTensorView& anchors,
                                            const GenerateProposalsOptions& options) {
  namespace op = generate_proposals_v2;
  constexpr const char* kName = "GenerateProposalsV2";
  const op::ViewedInputs inputs(kName, scores, bbox_deltas, im_shape, anchors, options);
  GenerateProposalsResult result;
  CppCall(kName, [&]() -> Status {
    // There are no more proposals than scores, and any limit above is none.
    GenerateProposalsOptions limited = options;
    limited.post_nms_top_n =
        static_cast<int>(std::min<int64_t>(options.post_nms_top_n, inputs.scores_per_image()));
    // Results of the right shape that have no memory yet.
    const int64_t rows = op::RowsOf(inputs.images(), limited.post_nms_top_n);
    const TensorShape rois_shape = MakeShape(MLUOP_DTYPE_FLOAT, {rows, op::kBoxFloats});
    const TensorShape probs_shape = MakeShape(MLUOP_DTYPE_FLOAT, {rows, 1});
    const TensorShape counts_shape = MakeShape(MLUOP_DTYPE_INT32, {inputs.images()});
    const TensorShape total_shape = MakeShape(MLUOP_DTYPE_INT32, {1});
    int32_t later = 0;
    const op::Operands operands = inputs.operands(
        {"rois", &rois_shape, &later}, {"probs", &probs_shape, &later},
        {"counts", &counts_shape, &later}, {"total", &total_shape, &later}, nullptr);
    op::Args args;
    DETOPS_RETURN_IF_ERROR(op::MakeArgs(operands, limited, args));
    op::LogCall(kName, operands, options);
    WaitForQueue(context);
    // An image without a proposal has one, too.
    const auto most = static_cast<size_t>(args.images * std::max<int64_t>(args.max_proposals, 1));
    result.rois.resize(most * op::kBoxFloats);
    result.probs.resize(most);
    result.anchor_indices.resize(most);
    result.counts.resize(static_cast<size_t>(args.images));
    int32_t total = 0;
    args.rois = result.rois.data();
    args.probs = result.probs.data();
    args.anchor_indices = result.anchor_indices.data();
    args.counts = result.counts.data();
    args.total = &total;
    DETOPS_RETURN_IF_ERROR(RunInline<op::Run>(context.handle(), args, op::WorkspaceBytes(args)));
    const auto kept = static_cast<size_t>(total);
    result.rois.resize(kept * op::kBoxFloats);
    result.probs.resize(kept);
    result.anchor_indices.resize(kept);
    return {};
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
