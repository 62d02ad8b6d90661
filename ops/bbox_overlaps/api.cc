// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C and C++ functions, and the only validation.

#include <cmath>

#include "core/boundary.h"
#include "core/check.h"
#include "core/log.h"
#include "core/operators.h"
#include "core/tensor_descriptor.h"
#include "core/tensor_view.h"
#include "ops/bbox_overlaps/op.h"
#include "runtime/submit.h"
#include "runtime/thread_context.h"

namespace detops::bbox_overlaps {

extern const Operator kOperator{
    "bbox_overlaps",
    "IoU or IoF of boxes: the matrix, aligned pairs, row maxima, pairs above a threshold"};

namespace {

// [count, 4]; the 4 does not matter when there is no box.
Status CheckBoxes(const Operand& boxes) {
  return boxes.dim(0) == 0 ? Status() : CheckDimension(boxes, 1, 4);
}

Status CheckTypes(const Operand& bbox1, const Operand& other) {
  return CheckDataType(other, {bbox1.shape->dtype});
}

Status CheckParameters(int mode, int offset) {
  DETOPS_RETURN_IF_ERROR(CheckRange("mode", mode, 0, 1));
  return CheckRange("offset", offset, 0, 1);
}

// Rank, type and existence of both lists.
Status CheckLists(const Operand& bbox1, const Operand& bbox2) {
  DETOPS_RETURN_IF_ERROR(CheckRank(bbox1, 2));
  DETOPS_RETURN_IF_ERROR(CheckRank(bbox2, 2));
  DETOPS_RETURN_IF_ERROR(CheckDataType(bbox1, {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}));
  return CheckTypes(bbox1, bbox2);
}

Status CheckAlignedRank(const Operand& ious) {
  const int rank = ious.shape->rank;
  return rank == 1 || rank == 2 ? Status()
                                : BadParam("ious is {}, of rank {}, expected rank 1 or 2",
                                           ious.shape->ToString(), rank);
}

Status CheckResultShape(const Operand& bbox1, const Operand& bbox2, const Operand& ious,
                        bool aligned) {
  if (aligned && bbox1.dim(0) != bbox2.dim(0)) {
    return BadParam("bbox2 is {}, expected as many boxes as bbox1, which is {}, when aligned",
                    bbox2.shape->ToString(), bbox1.shape->ToString());
  }
  DETOPS_RETURN_IF_ERROR(CheckDimension(ious, 0, bbox1.dim(0)));
  if (ious.shape->rank == 2) {
    DETOPS_RETURN_IF_ERROR(CheckDimension(ious, 1, aligned ? 1 : bbox2.dim(0)));
  }
  return {};
}

Boxes ToBoxes(const Operand& bbox1, const Operand& bbox2, int mode, int offset) {
  return {bbox1.data,
          bbox2.data,
          bbox1.dim(0),
          bbox2.dim(0),
          bbox1.shape->dtype == MLUOP_DTYPE_HALF,
          static_cast<OverlapMode>(mode),
          offset};
}

void LogCall(const char* function, const Operand& bbox1, const Operand& bbox2, int mode, int offset,
             const char* kind) {
  if (LogEnabled(DETOPS_LOG_DEBUG)) {
    Log(DETOPS_LOG_DEBUG,
        fmt::format("{}: bbox1 {}, bbox2 {}, mode {}, offset {}{}", function,
                    bbox1.shape->ToString(), bbox2.shape->ToString(), mode, offset, kind));
  }
}

// The common body of the C function and of the C++ functions that write a matrix.
Status Call(const char* function, mluOpHandle_t handle, const Operand& bbox1, const Operand& bbox2,
            const Operand& ious, int mode, bool aligned, int offset) {
  DETOPS_RETURN_IF_ERROR(CheckNotNull("handle", handle));
  Args args;
  DETOPS_RETURN_IF_ERROR(MakeArgs(bbox1, bbox2, ious, mode, aligned, offset, args));
  LogCall(function, bbox1, bbox2, mode, offset, aligned ? ", aligned" : "");
  return args.count() == 0 ? Status() : Submit<Run>(handle, function, args);
}

void CallOnViews(const char* function, Context& context, const ConstTensorView& boxes1,
                 const ConstTensorView& boxes2, const TensorView& ious,
                 const BboxOverlapsOptions& options, bool aligned) {
  const ViewedTensor bbox1(function, "bbox1", boxes1);
  const ViewedTensor bbox2(function, "bbox2", boxes2);
  const ViewedTensor result(function, "ious", ious);
  CppCall(function, [&] {
    return Call(function, context.handle(), bbox1.operand(), bbox2.operand(), result.operand(),
                static_cast<int>(options.mode), aligned, options.offset);
  });
}

// The boxes of a call that returns its result, which may come from work on the queue.
Boxes BoxesNow(const char* function, Context& context, const ConstTensorView& boxes1,
               const ConstTensorView& boxes2, const BboxOverlapsOptions& options) {
  const ViewedTensor bbox1(function, "bbox1", boxes1);
  const ViewedTensor bbox2(function, "bbox2", boxes2);
  Boxes boxes;
  CppCall(function, [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(MakeBoxes(bbox1.operand(), bbox2.operand(),
                                     static_cast<int>(options.mode), options.offset, boxes));
    LogCall(function, bbox1.operand(), bbox2.operand(), static_cast<int>(options.mode),
            options.offset, "");
    return {};
  });
  WaitForQueue(context);
  return boxes;
}

}  // namespace

Status MakeBoxes(const Operand& bbox1, const Operand& bbox2, int mode, int offset, Boxes& boxes) {
  DETOPS_RETURN_IF_ERROR(CheckLists(bbox1, bbox2));
  DETOPS_RETURN_IF_ERROR(CheckParameters(mode, offset));
  for (const Operand& operand : {bbox1, bbox2}) {
    DETOPS_RETURN_IF_ERROR(CheckBoxes(operand));
    DETOPS_RETURN_IF_ERROR(CheckElementCount(operand));
  }
  if (bbox1.dim(0) != 0 && bbox2.dim(0) != 0) {
    DETOPS_RETURN_IF_ERROR(CheckData(bbox1));
    DETOPS_RETURN_IF_ERROR(CheckData(bbox2));
  }
  boxes = ToBoxes(bbox1, bbox2, mode, offset);
  return {};
}

Status MakeArgs(const Operand& bbox1, const Operand& bbox2, const Operand& ious, int mode,
                bool aligned, int offset, Args& args) {
  for (const Operand& operand : {bbox1, bbox2, ious}) {
    DETOPS_RETURN_IF_ERROR(CheckDescribed(operand));
  }
  DETOPS_RETURN_IF_ERROR(CheckLists(bbox1, bbox2));
  DETOPS_RETURN_IF_ERROR(aligned ? CheckAlignedRank(ious) : CheckRank(ious, 2));
  DETOPS_RETURN_IF_ERROR(CheckTypes(bbox1, ious));
  DETOPS_RETURN_IF_ERROR(CheckParameters(mode, offset));
  DETOPS_RETURN_IF_ERROR(CheckBoxes(bbox1));
  DETOPS_RETURN_IF_ERROR(CheckBoxes(bbox2));
  DETOPS_RETURN_IF_ERROR(CheckResultShape(bbox1, bbox2, ious, aligned));
  for (const Operand& operand : {bbox1, bbox2, ious}) {
    DETOPS_RETURN_IF_ERROR(CheckContiguous(operand));
  }
  for (const Operand& operand : {bbox1, bbox2, ious}) {
    DETOPS_RETURN_IF_ERROR(CheckElementCount(operand));
  }
  if (ious.shape->element_count != 0) {
    for (const Operand& operand : {bbox1, bbox2, ious}) {
      DETOPS_RETURN_IF_ERROR(CheckData(operand));
    }
  }
  args = {ToBoxes(bbox1, bbox2, mode, offset), aligned, ious.data};
  return {};
}

}  // namespace detops::bbox_overlaps

mluOpStatus_t mluOpBboxOverlaps(mluOpHandle_t handle, const int mode, const bool aligned,
                                const int offset, const mluOpTensorDescriptor_t bbox1_desc,
                                const void* bbox1, const mluOpTensorDescriptor_t bbox2_desc,
                                const void* bbox2, const mluOpTensorDescriptor_t ious_desc,
                                void* ious) {
  constexpr const char* kName = "mluOpBboxOverlaps";
  return detops::ApiCall(kName, [&] {
    return detops::bbox_overlaps::Call(kName, handle, detops::OperandOf("bbox1", bbox1_desc, bbox1),
                                       detops::OperandOf("bbox2", bbox2_desc, bbox2),
                                       detops::OperandOf("ious", ious_desc, ious), mode, aligned,
                                       offset);
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
  const bbox_overlaps::Boxes boxes =
      bbox_overlaps::BoxesNow(kName, context, boxes1, boxes2, options);
  RowMaximum result;
  CppCall(kName, [&] {
    result.values.resize(static_cast<size_t>(boxes.rows));
    result.columns.resize(static_cast<size_t>(boxes.rows));
    const bbox_overlaps::RowMaximumArgs args{boxes, result.values.data(), result.columns.data()};
    return RunInline<bbox_overlaps::RunRowMaximum>(context.handle(), args);
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
  const bbox_overlaps::Boxes boxes =
      bbox_overlaps::BoxesNow(kName, context, boxes1, boxes2, options);
  std::vector<OverlapPair> pairs;
  CppCall(kName, [&]() -> Status {
    if (std::isnan(threshold)) {
      return BadParam("threshold is NaN, expected a number");
    }
    return RunInline<bbox_overlaps::RunPairs>(context.handle(),
                                              bbox_overlaps::PairsArgs{boxes, threshold, &pairs});
  });
  return pairs;
}

std::vector<OverlapPair> BboxOverlapsPairs(const ConstTensorView& boxes1,
                                           const ConstTensorView& boxes2, float threshold,
                                           const BboxOverlapsOptions& options) {
  return BboxOverlapsPairs(ThreadContext(), boxes1, boxes2, threshold, options);
}

}  // namespace detops
