// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C++ functions, and the only validation.

#include <algorithm>
#include <limits>

#include "core/boundary.h"
#include "core/check.h"
#include "core/log.h"
#include "core/operators.h"
#include "core/tensor_view.h"
#include "ops/nms/op.h"
#include "runtime/recording.h"
#include "runtime/submit.h"
#include "runtime/thread_context.h"

namespace detops::nms {

extern const Operator kOperator{"nms", "non-maximum suppression of boxes, by class and image"};

namespace {

Status CheckShapes(const Operands& operands, const NmsOptions& options) {
  DETOPS_RETURN_IF_ERROR(CheckRange("offset", options.offset, 0, 1));
  return suppression::CheckShapes(operands, options, kBoxFloats, "x1, y1, x2, y2");
}

RecordedCase CaseOf(const Operands& operands, const NmsOptions& options) {
  if (const char* const obstacle = suppression::ObstacleToACase(operands, options)) {
    return NoCase(obstacle);
  }
  if (options.max_outputs == 0) {
    return NoCase("in case files, max_outputs 0 means no limit");
  }
  // No tensor has more elements.
  constexpr int64_t kNoLimit = std::numeric_limits<int32_t>::max();
  return {.op_name = "detops_nms",  // "nms" is another operator, of MLU-OPS
          .parameters_name = "detops_nms_param",
          .parameters = {{"iou_threshold", options.iou_threshold},
                         {"offset", options.offset},
                         {"sort_by_score", options.sort_by_score},
                         {"max_outputs", std::min(options.max_outputs, kNoLimit)}},
          .inputs = {{operands.boxes, {.lower = 0, .upper = 100}},
                     {operands.scores, {.lower = 0, .upper = 1}}},
          .outputs = {operands.output, operands.result_num}};
}

}  // namespace

Status MakeArgs(const Operands& operands, const NmsOptions& options, Args& args) {
  DETOPS_RETURN_IF_ERROR(CheckShapes(operands, options));
  DETOPS_RETURN_IF_ERROR(suppression::CheckMemory(operands));
  args = {.metric = {.offset = options.offset},
          .suppression = suppression::MakeArgs(operands, options)};
  return {};
}

Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const NmsOptions& options) {
  Handle* found = nullptr;
  DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
  Args args;
  DETOPS_RETURN_IF_ERROR(MakeArgs(operands, options, args));
  LogDebug("{}: {}, offset {}{}", function, operands.boxes, options.offset,
           suppression::OptionsText{options, operands});
  RecordCall(*found, function, [&] { return CaseOf(operands, options); });
  return Submit<Run>(*found, function, args, WorkspaceBytes(args.suppression.count));
}

Status CallWithResult(const char* function, mluOpHandle_t handle, const Operands& operands,
                      const NmsOptions& options, SuppressionResult& result) {
  return suppression::CallWithResult(
      handle, operands, result,
      [&](const Operands& complete) { return CheckShapes(complete, options); },
      [&](const Operands& complete) { return Call(function, handle, complete, options); });
}

}  // namespace detops::nms

namespace detops {

void Nms(Context& context, const ConstTensorView& boxes, const ConstTensorView& scores,
         const TensorView& output, const TensorView& result_num, const NmsOptions& options) {
  constexpr const char* kName = "Nms";
  CppCall(kName, [&] {
    return nms::Call(kName, context.handle(),
                     {.boxes = ViewedTensor("boxes", boxes),
                      .scores = ViewedTensor("scores", scores),
                      .groups = ViewedTensor("groups", options.groups),
                      .image_counts = ViewedTensor("image_counts", options.image_counts),
                      .output = ViewedTensor("output", output),
                      .result_num = ViewedTensor("result_num", result_num)},
                     options);
  });
}

SuppressionResult Nms(Context& context, const ConstTensorView& boxes, const ConstTensorView& scores,
                      const NmsOptions& options) {
  constexpr const char* kName = "Nms";
  SuppressionResult result;
  CppCall(kName, [&] {
    return nms::CallWithResult(kName, context.handle(),
                               {.boxes = ViewedTensor("boxes", boxes),
                                .scores = ViewedTensor("scores", scores),
                                .groups = ViewedTensor("groups", options.groups),
                                .image_counts = ViewedTensor("image_counts", options.image_counts)},
                               options, result);
  });
  return result;
}

SuppressionResult Nms(const ConstTensorView& boxes, const ConstTensorView& scores,
                      const NmsOptions& options) {
  return Nms(ThreadContext(), boxes, scores, options);
}

}  // namespace detops
