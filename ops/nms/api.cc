// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C++ functions, and the only validation.

#include "core/boundary.h"
#include "core/check.h"
#include "core/log.h"
#include "core/operators.h"
#include "core/tensor_view.h"
#include "ops/nms/op.h"
#include "runtime/submit.h"
#include "runtime/thread_context.h"

namespace detops::nms {

extern const Operator kOperator{"nms", "non-maximum suppression of boxes, by class and image"};

namespace {

void LogCall(const char* function, const Operand& boxes, const NmsOptions& options,
             const Args& args) {
  if (LogEnabled(DETOPS_LOG_DEBUG)) {
    Log(DETOPS_LOG_DEBUG,
        fmt::format("{}: boxes {}, offset {}{}", function, boxes.shape->ToString(), options.offset,
                    suppression::Describe(options, args.call.count, args.call.images)));
  }
}

}  // namespace

Status MakeArgs(const Operand& boxes, const Operand& scores,
                const suppression::SelectionOperands& operands, const NmsOptions& options,
                Args& args) {
  DETOPS_RETURN_IF_ERROR(CheckRank(boxes, 2));
  DETOPS_RETURN_IF_ERROR(CheckRank(scores, 1));
  DETOPS_RETURN_IF_ERROR(CheckDataType(boxes, {MLUOP_DTYPE_FLOAT}));
  DETOPS_RETURN_IF_ERROR(CheckDataType(scores, {MLUOP_DTYPE_FLOAT}));
  DETOPS_RETURN_IF_ERROR(suppression::CheckIntegerVectors(operands));
  DETOPS_RETURN_IF_ERROR(suppression::CheckOptions(options));
  DETOPS_RETURN_IF_ERROR(CheckRange("offset", options.offset, 0, 1));
  const int64_t count = boxes.dim(0);
  DETOPS_RETURN_IF_ERROR(CheckDimension(boxes, 1, kBoxFloats));
  DETOPS_RETURN_IF_ERROR(CheckDimension(scores, 0, count));
  DETOPS_RETURN_IF_ERROR(suppression::CheckLengths(operands, count));
  for (const Operand& operand : {boxes, scores, operands.output}) {
    DETOPS_RETURN_IF_ERROR(CheckContiguous(operand));
  }
  DETOPS_RETURN_IF_ERROR(CheckElementCount(boxes));
  if (count != 0) {
    DETOPS_RETURN_IF_ERROR(CheckData(boxes));
    DETOPS_RETURN_IF_ERROR(CheckData(scores));
  }
  DETOPS_RETURN_IF_ERROR(suppression::CheckSelectionData(operands, count));
  args = {{static_cast<const float*>(boxes.data), options.offset},
          suppression::MakeSuppressCall(operands, options, count)};
  args.call.scores = static_cast<const float*>(scores.data);
  return {};
}

}  // namespace detops::nms

namespace detops {

void Nms(Context& context, const ConstTensorView& boxes, const ConstTensorView& scores,
         const TensorView& output, const TensorView& result_num, const NmsOptions& options) {
  constexpr const char* kName = "Nms";
  const ViewedTensor viewed_boxes(kName, "boxes", boxes);
  const ViewedTensor viewed_scores(kName, "scores", scores);
  const ViewedTensor viewed_output(kName, "output", output);
  const ViewedTensor viewed_result_num(kName, "result_num", result_num);
  const suppression::ViewedSelection selection(kName, options);
  CppCall(kName, [&]() -> Status {
    nms::Args args;
    DETOPS_RETURN_IF_ERROR(nms::MakeArgs(
        viewed_boxes.operand(), viewed_scores.operand(),
        selection.operands(viewed_output.operand(), viewed_result_num.operand()), options, args));
    nms::LogCall(kName, viewed_boxes.operand(), options, args);
    return Submit<nms::Run>(context.handle(), kName, args, nms::WorkspaceBytes(args.call.count));
  });
}

SuppressionResult Nms(Context& context, const ConstTensorView& boxes, const ConstTensorView& scores,
                      const NmsOptions& options) {
  constexpr const char* kName = "Nms";
  const ViewedTensor viewed_boxes(kName, "boxes", boxes);
  const ViewedTensor viewed_scores(kName, "scores", scores);
  const suppression::ViewedSelection selection(kName, options);
  SuppressionResult result;
  CppCall(kName, [&] {
    nms::Args args;
    return suppression::CallWithResult(
        selection, viewed_boxes.operand(), result,
        [&](const suppression::SelectionOperands& operands) -> Status {
          DETOPS_RETURN_IF_ERROR(nms::MakeArgs(viewed_boxes.operand(), viewed_scores.operand(),
                                               operands, options, args));
          nms::LogCall(kName, viewed_boxes.operand(), options, args);
          return {};
        },
        [&](int32_t* output, int32_t* result_num) {
          WaitForQueue(context);
          args.call.output = output;
          args.call.result_num = result_num;
          return RunInline<nms::Run>(context.handle(), args, nms::WorkspaceBytes(args.call.count));
        });
  });
  return result;
}

SuppressionResult Nms(const ConstTensorView& boxes, const ConstTensorView& scores,
                      const NmsOptions& options) {
  return Nms(ThreadContext(), boxes, scores, options);
}

}  // namespace detops
