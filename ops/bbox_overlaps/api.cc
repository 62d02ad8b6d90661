// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C and C++ entry points, and the validation of their arguments.

#include <cmath>

#include "core/boundary.h"
#include "core/check.h"
#include "core/log.h"
#include "core/operators.h"
#include "core/tensor_descriptor.h"
#include "core/tensor_view.h"
#include "ops/bbox_overlaps/op.h"
#include "runtime/recording.h"
#include "runtime/submit.h"
#include "runtime/thread_context.h"

namespace detops::bbox_overlaps {

extern const Operator kOperator{
    "bbox_overlaps",
    "IoU or IoF of boxes: the matrix, aligned pairs, row maxima, pairs above a threshold"};

namespace {

// Boxes are [count, 4]. If there are none, the second dimension may have any size.
Status CheckBoxes(const Operand& boxes) {
  return CheckShape(boxes, {kAnySize, boxes.dim(0) == 0 ? kAnySize : 4}, "x1, y1, x2, y2");
}

Status CheckIous(const Operands& operands) {
  const int64_t rows = operands.boxes1.dim(0);
  if (!operands.aligned) {
    return CheckShape(operands.ious, {rows, operands.boxes2.dim(0)});
  }
  const int rank = operands.ious.shape->rank;
  if (rank != 1 && rank != 2) {
    return BadParam("{} has shape {}; it must have rank 1 or 2", operands.ious.name,
                    operands.ious.shape->ToString());
  }
  return rank == 1 ? CheckShape(operands.ious, {rows}) : CheckShape(operands.ious, {rows, 1});
}

Status CheckShapes(const Operands& operands, const BboxOverlapsOptions& options) {
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckDescribed));
  DETOPS_RETURN_IF_ERROR(CheckDataType(operands.boxes1, {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}));
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), [&](const Operand& operand) {
    return CheckDataType(operand, {operands.boxes1.shape->dtype});
  }));
  DETOPS_RETURN_IF_ERROR(CheckEnum("mode", options.mode, OverlapMode::kIou, OverlapMode::kIof));
  DETOPS_RETURN_IF_ERROR(CheckRange("offset", options.offset, 0, 1));
  DETOPS_RETURN_IF_ERROR(CheckBoxes(operands.boxes1));
  DETOPS_RETURN_IF_ERROR(CheckBoxes(operands.boxes2));
  if (operands.aligned && operands.boxes1.dim(0) != operands.boxes2.dim(0)) {
    return BadParam("{} has shape {}; aligned, dimension 0 must be {}, as in {}",
                    operands.boxes2.name, operands.boxes2.shape->ToString(), operands.boxes1.dim(0),
                    operands.boxes1.name);
  }
  if (operands.ious.is_present()) {
    DETOPS_RETURN_IF_ERROR(CheckIous(operands));
  }
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckContiguous));
  return CheckEach(operands.all(), CheckElementCount);
}

// If either list is empty, no memory is read or written and data may be null.
Status CheckMemory(const Operands& operands) {
  const bool empty = operands.boxes1.dim(0) == 0 || operands.boxes2.dim(0) == 0;
  return empty ? Status() : CheckEach(operands.all(), CheckData);
}

Status MakeBoxes(const Operands& operands, const BboxOverlapsOptions& options, Boxes& boxes) {
  DETOPS_RETURN_IF_ERROR(CheckShapes(operands, options));
  DETOPS_RETURN_IF_ERROR(CheckMemory(operands));
  boxes = {.first = operands.boxes1.data,
           .second = operands.boxes2.data,
           .rows = operands.boxes1.dim(0),
           .columns = operands.boxes2.dim(0),
           .half = operands.boxes1.shape->dtype == MLUOP_DTYPE_HALF,
           .mode = options.mode,
           .offset = options.offset};
  return {};
}

void LogCall(const char* function, const Operands& operands, const BboxOverlapsOptions& options) {
  LogDebug("{}: {}, {}, mode {}, offset {}{}", function, operands.boxes1, operands.boxes2,
           static_cast<int>(options.mode), options.offset, operands.aligned ? ", aligned" : "");
}

RecordedCase CaseOf(const Operands& operands, const BboxOverlapsOptions& options) {
  constexpr RandomRange kCoordinates{.lower = 0, .upper = 100};
  return {.op_name = "bbox_overlaps",
          .parameters_name = "bbox_overlaps_param",
          .parameters = {{"mode", static_cast<int>(options.mode)},
                         {"aligned", operands.aligned},
                         {"offset", options.offset}},
          .inputs = {{operands.boxes1, kCoordinates}, {operands.boxes2, kCoordinates}},
          .outputs = {operands.ious}};
}

void CallOnViews(const char* function, Context& context, const ConstTensorView& boxes1,
                 const ConstTensorView& boxes2, const TensorView& ious,
                 const BboxOverlapsOptions& options, bool aligned) {
  CppCall(function, [&] {
    return Call(function, context.handle(),
                {.boxes1 = ViewedTensor("boxes1", boxes1),
                 .boxes2 = ViewedTensor("boxes2", boxes2),
                 .ious = ViewedTensor("ious", ious),
                 .aligned = aligned},
                options);
  });
}

}  // namespace

Status MakeArgs(const Operands& operands, const BboxOverlapsOptions& options, Args& args) {
  args.aligned = operands.aligned;
  args.ious = operands.ious.data;
  return MakeBoxes(operands, options, args.boxes);
}

Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const BboxOverlapsOptions& options) {
  Handle* found = nullptr;
  DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
  Args args;
  DETOPS_RETURN_IF_ERROR(MakeArgs(operands, options, args));
  LogCall(function, operands, options);
  RecordCall(*found, function, [&] { return CaseOf(operands, options); });
  return args.count() == 0 ? Status() : Submit<Run>(*found, function, args);
}

Status CallRowMaximum(const char* function, mluOpHandle_t handle, const Operands& operands,
                      const BboxOverlapsOptions& options, RowMaximum& result) {
  RowMaximumArgs args;
  DETOPS_RETURN_IF_ERROR(MakeBoxes(operands, options, args.boxes));
  LogCall(function, operands, options);
  result.values.resize(static_cast<size_t>(args.boxes.rows));
  result.columns.resize(static_cast<size_t>(args.boxes.rows));
  args.values = result.values.data();
  args.columns = result.columns.data();
  InlineExecution inline_execution;
  DETOPS_RETURN_IF_ERROR(inline_execution.Begin(handle));
  RecordCall(inline_execution.handle(), function,
             [] { return NoCase("no case file describes this function"); });
  return Submit<RunRowMaximum>(inline_execution.handle(), function, args);
}

Status CallPairs(const char* function, mluOpHandle_t handle, const Operands& operands,
                 float threshold, const BboxOverlapsOptions& options,
                 std::vector<OverlapPair>& pairs) {
  PairsArgs args;
  DETOPS_RETURN_IF_ERROR(MakeBoxes(operands, options, args.boxes));
  LogCall(function, operands, options);
  if (std::isnan(threshold)) {
    return BadParam("threshold is NaN; it must be a number");
  }
  args.threshold = threshold;
  args.pairs = &pairs;
  InlineExecution inline_execution;
  DETOPS_RETURN_IF_ERROR(inline_execution.Begin(handle));
  RecordCall(inline_execution.handle(), function,
             [] { return NoCase("no case file describes this function"); });
  return Submit<RunPairs>(inline_execution.handle(), function, args);
}

}  // namespace detops::bbox_overlaps

mluOpStatus_t mluOpBboxOverlaps(mluOpHandle_t handle, const int mode, const bool aligned,
                                const int offset, const mluOpTensorDescriptor_t bbox1_desc,
                                const void* bbox1, const mluOpTensorDescriptor_t bbox2_desc,
                                const void* bbox2, const mluOpTensorDescriptor_t ious_desc,
                                void* ious) {
  constexpr const char* kName = "mluOpBboxOverlaps";
  return detops::ApiCall(kName, [&] {
    return detops::bbox_overlaps::Call(
        kName, handle,
        {.boxes1 = detops::OperandOf("bbox1", bbox1_desc, bbox1),
         .boxes2 = detops::OperandOf("bbox2", bbox2_desc, bbox2),
         .ious = detops::OperandOf("ious", ious_desc, ious),
         .aligned = aligned},
        {.mode = static_cast<detops::OverlapMode>(mode), .offset = offset});
  });
}

namespace detops {

void BboxOverlaps(Context& context, const ConstTensorView& boxes1, const ConstTensorView& boxes2,
                  const TensorView& ious, const BboxOverlapsOptions& options) {
  bbox_overlaps::CallOnViews("BboxOverlaps", context, boxes1, boxes2, ious, options, false);
}

void BboxOverlaps(const ConstTensorView& boxes1, const ConstTensorView& boxes2,
                  const TensorView& ious, const BboxOverlapsOptions& options) {
  BboxOverlaps(ThreadContext(), boxes1, boxes2, ious, options);
}

void BboxOverlapsAligned(Context& context, const ConstTensorView& boxes1,
                         const ConstTensorView& boxes2, const TensorView& ious,
                         const BboxOverlapsOptions& options) {
  bbox_overlaps::CallOnViews("BboxOverlapsAligned", context, boxes1, boxes2, ious, options, true);
}

void BboxOverlapsAligned(const ConstTensorView& boxes1, const ConstTensorView& boxes2,
                         const TensorView& ious, const BboxOverlapsOptions& options) {
  BboxOverlapsAligned(ThreadContext(), boxes1, boxes2, ious, options);
}

RowMaximum BboxOverlapsRowMaximum(Context& context, const ConstTensorView& boxes1,
                                  const ConstTensorView& boxes2,
                                  const BboxOverlapsOptions& options) {
  constexpr const char* kName = "BboxOverlapsRowMaximum";
  RowMaximum result;
  CppCall(kName, [&] {
    return bbox_overlaps::CallRowMaximum(
        kName, context.handle(),
        {.boxes1 = ViewedTensor("boxes1", boxes1), .boxes2 = ViewedTensor("boxes2", boxes2)},
        options, result);
  });
  return result;
}

RowMaximum BboxOverlapsRowMaximum(const ConstTensorView& boxes1, const ConstTensorView& boxes2,
                                  const BboxOverlapsOptions& options) {
  return BboxOverlapsRowMaximum(ThreadContext(), boxes1, boxes2, options);
}

std::vector<OverlapPair> BboxOverlapsPairs(Context& context, const ConstTensorView& boxes1,
                                           const ConstTensorView& boxes2, float threshold,
                                           const BboxOverlapsOptions& options) {
  constexpr const char* kName = "BboxOverlapsPairs";
  std::vector<OverlapPair> pairs;
  CppCall(kName, [&] {
    return bbox_overlaps::CallPairs(
        kName, context.handle(),
        {.boxes1 = ViewedTensor("boxes1", boxes1), .boxes2 = ViewedTensor("boxes2", boxes2)},
        threshold, options, pairs);
  });
  return pairs;
}

std::vector<OverlapPair> BboxOverlapsPairs(const ConstTensorView& boxes1,
                                           const ConstTensorView& boxes2, float threshold,
                                           const BboxOverlapsOptions& options) {
  return BboxOverlapsPairs(ThreadContext(), boxes1, boxes2, threshold, options);
}

}  // namespace detops
