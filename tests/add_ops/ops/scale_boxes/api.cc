// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C and C++ entry points, and the validation of their arguments.

#include <cmath>

#include "core/boundary.h"
#include "core/check.h"
#include "core/log.h"
#include "core/operators.h"
#include "core/tensor_descriptor.h"
#include "core/tensor_view.h"
#include "ops/scale_boxes/op.h"
#include "runtime/recording.h"
#include "runtime/submit.h"
#include "runtime/thread_context.h"

namespace detops::scale_boxes {

extern const Operator kOperator{"scale_boxes", "every coordinate times a factor"};

namespace {

constexpr const char* kColumns = "x1, y1, x2, y2";

Status CheckShapes(const Operands& operands, const ScaleBoxesOptions& options) {
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckDescribed));
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), [](const Operand& operand) {
    return CheckDataType(operand, {MLUOP_DTYPE_FLOAT});
  }));
  if (!std::isfinite(options.factor)) {
    return BadParam("factor is {}; it must be finite", options.factor);
  }
  DETOPS_RETURN_IF_ERROR(CheckShape(operands.boxes, {kAnySize, 4}, kColumns));
  DETOPS_RETURN_IF_ERROR(CheckShape(operands.scaled, {operands.boxes.dim(0), 4}, kColumns));
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckContiguous));
  return CheckEach(operands.all(), CheckElementCount);
}

// If there are no boxes, data may be null.
Status CheckMemory(const Operands& operands) {
  return operands.boxes.dim(0) == 0 ? Status() : CheckEach(operands.all(), CheckData);
}

void LogCall(const char* function, const Operands& operands, const ScaleBoxesOptions& options) {
  if (!LogEnabled(DETOPS_LOG_DEBUG)) {
    return;  // before the shape is formatted, which takes longer than a small call
  }
  LogDebug("{}: {}, factor {}", function, operands.boxes, options.factor);
}

RecordedCase CaseOf(const Operands& operands, const ScaleBoxesOptions& options) {
  return {.op_name = "scale_boxes",
          .parameters_name = "scale_boxes_param",
          .parameters = {{"factor", options.factor}},
          .inputs = {{operands.boxes, {.lower = 0, .upper = 100}}},
          .outputs = {operands.scaled}};
}

}  // namespace

Status MakeArgs(const Operands& operands, const ScaleBoxesOptions& options, Args& args) {
  DETOPS_RETURN_IF_ERROR(CheckShapes(operands, options));
  DETOPS_RETURN_IF_ERROR(CheckMemory(operands));
  args = {.boxes = operands.boxes.as<const float>(),
          .scaled = operands.scaled.as<float>(),
          .count = operands.boxes.shape->element_count,
          .factor = options.factor};
  return {};
}

Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const ScaleBoxesOptions& options) {
  Handle* found = nullptr;
  DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
  Args args;
  DETOPS_RETURN_IF_ERROR(MakeArgs(operands, options, args));
  LogCall(function, operands, options);
  RecordCall(*found, function, [&] { return CaseOf(operands, options); });
  return args.count == 0 ? Status() : Submit<Run>(*found, function, args);
}

}  // namespace detops::scale_boxes

mluOpStatus_t mluOpScaleBoxes(mluOpHandle_t handle, float factor,
                              mluOpTensorDescriptor_t boxes_desc, const void* boxes,
                              mluOpTensorDescriptor_t scaled_desc, void* scaled) {
  constexpr const char* kName = "mluOpScaleBoxes";
  return detops::ApiCall(kName, [&] {
    return detops::scale_boxes::Call(kName, handle,
                                     {.boxes = detops::OperandOf("boxes", boxes_desc, boxes),
                                      .scaled = detops::OperandOf("scaled", scaled_desc, scaled)},
                                     {.factor = factor});
  });
}

namespace detops {

void ScaleBoxes(Context& context, const ConstTensorView& boxes, const TensorView& scaled,
                const ScaleBoxesOptions& options) {
  constexpr const char* kName = "ScaleBoxes";
  CppCall(kName, [&] {
    return scale_boxes::Call(
        kName, context.handle(),
        {.boxes = ViewedTensor("boxes", boxes), .scaled = ViewedTensor("scaled", scaled)}, options);
  });
}

void ScaleBoxes(const ConstTensorView& boxes, const TensorView& scaled,
                const ScaleBoxesOptions& options) {
  ScaleBoxes(ThreadContext(), boxes, scaled, options);
}

}  // namespace detops
