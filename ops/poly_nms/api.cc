// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C and C++ functions, and the only validation.

#include "core/boundary.h"
#include "core/check.h"
#include "core/log.h"
#include "core/operators.h"
#include "core/tensor_descriptor.h"
#include "core/tensor_view.h"
#include "ops/poly_nms/op.h"
#include "runtime/recording.h"
#include "runtime/submit.h"
#include "runtime/thread_context.h"

namespace detops::poly_nms {

extern const Operator kOperator{"poly_nms",
                                "quadrilateral NMS, by class and image; IoU of quadrilaterals"};

namespace {

constexpr const char* kBoxColumns = "x1, y1, ..., x4, y4, score";

Status CheckShapes(const Operands& operands, const PolyNmsOptions& options) {
  return suppression::CheckShapes(operands, options, kBoxFloats, kBoxColumns);
}

RecordedCase CaseOf(const Operands& operands, const PolyNmsOptions& options) {
  if (const char* const obstacle = suppression::ObstacleToACase(operands, options)) {
    return NoCase(obstacle);
  }
  if (options.sort_by_score || options.max_outputs < operands.boxes.dim(0)) {
    return NoCase("case files of poly_nms have neither sort_by_score nor max_outputs");
  }
  return {.op_name = "poly_nms",
          .parameters_name = "poly_nms_param",
          .parameters = {{"iou_threshold", options.iou_threshold}},
          .inputs = {{operands.boxes, {.lower = 0, .upper = 10}}},
          .outputs = {operands.output, operands.result_num}};
}

// Polygons are [count, 8], or [count, 9] with a score that is ignored.
Status CheckPolygons(const Operand& polygons) {
  DETOPS_RETURN_IF_ERROR(CheckRank(polygons, 2));
  const int64_t columns = polygons.dim(1);
  return columns == kBoxFloats - 1 || columns == kBoxFloats
             ? Status()
             : BadParam(
                   "{} has shape {}; dimension 1 must be 8 or 9 (x1, y1, ..., x4, y4, optionally "
                   "a score)",
                   polygons.name, polygons.shape->ToString());
}

Status CheckIouShapes(const IouOperands& operands) {
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckDescribed));
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), [](const Operand& operand) {
    return CheckDataType(operand, {MLUOP_DTYPE_FLOAT});
  }));
  DETOPS_RETURN_IF_ERROR(CheckPolygons(operands.polygons1));
  DETOPS_RETURN_IF_ERROR(CheckPolygons(operands.polygons2));
  const int64_t rows = operands.polygons1.dim(0);
  if (operands.aligned) {
    DETOPS_RETURN_IF_ERROR(CheckShape(operands.polygons2, {rows, kAnySize}));
    DETOPS_RETURN_IF_ERROR(CheckShape(operands.ious, {rows}));
  } else {
    DETOPS_RETURN_IF_ERROR(CheckShape(operands.ious, {rows, operands.polygons2.dim(0)}));
  }
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckContiguous));
  return CheckEach(operands.all(), CheckElementCount);
}

void CallIouOnViews(const char* function, Context& context, const ConstTensorView& polygons1,
                    const ConstTensorView& polygons2, const TensorView& ious, bool aligned) {
  CppCall(function, [&] {
    return CallIou(function, context.handle(),
                   {.polygons1 = ViewedTensor("polygons1", polygons1),
                    .polygons2 = ViewedTensor("polygons2", polygons2),
                    .ious = ViewedTensor("ious", ious),
                    .aligned = aligned});
  });
}

}  // namespace

Status MakeArgs(const Operands& operands, const PolyNmsOptions& options, Args& args) {
  DETOPS_RETURN_IF_ERROR(CheckShapes(operands, options));
  DETOPS_RETURN_IF_ERROR(suppression::CheckMemory(operands));
  args = suppression::MakeArgs(operands, options);
  if (args.count != 0) {
    args.scores = operands.boxes.as<const float>() + kBoxFloats - 1;
  }
  args.score_stride = kBoxFloats;
  return CheckWorkspace(operands.workspace, WorkspaceBytes(args.count));
}

Status MakeIouArgs(const IouOperands& operands, IouArgs& args) {
  DETOPS_RETURN_IF_ERROR(CheckIouShapes(operands));
  if (operands.ious.shape->element_count != 0) {
    DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckData));
  }
  args = {.first = operands.polygons1.as<const float>(),
          .second = operands.polygons2.as<const float>(),
          .rows = operands.polygons1.dim(0),
          .columns = operands.polygons2.dim(0),
          .first_stride = operands.polygons1.dim(1),
          .second_stride = operands.polygons2.dim(1),
          .aligned = operands.aligned,
          .ious = operands.ious.as<float>()};
  return {};
}

Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const PolyNmsOptions& options) {
  Handle* found = nullptr;
  DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
  Args args;
  DETOPS_RETURN_IF_ERROR(MakeArgs(operands, options, args));
  LogDebug("{}: {}{}", function, operands.boxes, suppression::OptionsText{options, operands});
  RecordCall(*found, function, [&] { return CaseOf(operands, options); });
  return Submit<Run>(*found, function, args,
                     args.workspace != nullptr ? 0 : WorkspaceBytes(args.count));
}

Status CallWithResult(const char* function, mluOpHandle_t handle, const Operands& operands,
                      const PolyNmsOptions& options, PolyNmsResult& result) {
  return suppression::CallWithResult(
      handle, operands, result,
      [&](const Operands& complete) { return CheckShapes(complete, options); },
      [&](const Operands& complete) { return Call(function, handle, complete, options); });
}

Status CallIou(const char* function, mluOpHandle_t handle, const IouOperands& operands) {
  Handle* found = nullptr;
  DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
  IouArgs args;
  DETOPS_RETURN_IF_ERROR(MakeIouArgs(operands, args));
  LogDebug("{}: {}, {}", function, operands.polygons1, operands.polygons2);
  RecordCall(*found, function, [] { return NoCase("no case file describes this function"); });
  return args.count() == 0 ? Status() : Submit<RunIou>(*found, function, args);
}

}  // namespace detops::poly_nms

mluOpStatus_t mluOpGetPolyNmsWorkspaceSize(mluOpHandle_t handle,
                                           const mluOpTensorDescriptor_t boxes_desc, size_t* size) {
  namespace op = detops::poly_nms;
  constexpr const char* kName = "mluOpGetPolyNmsWorkspaceSize";
  return detops::ApiCall(kName, [&]() -> detops::Status {
    detops::Handle* found = nullptr;
    DETOPS_RETURN_IF_ERROR(detops::FindHandle(handle, found));
    const detops::Operand boxes = detops::OperandOf("boxes", boxes_desc, nullptr);
    DETOPS_RETURN_IF_ERROR(detops::CheckDescribed(boxes));
    DETOPS_RETURN_IF_ERROR(detops::CheckNotNull("size", size));
    DETOPS_RETURN_IF_ERROR(detops::CheckDataType(boxes, {MLUOP_DTYPE_FLOAT}));
    DETOPS_RETURN_IF_ERROR(
        detops::CheckShape(boxes, {detops::kAnySize, op::kBoxFloats}, op::kBoxColumns));
    DETOPS_RETURN_IF_ERROR(detops::CheckElementCount(boxes));
    *size = op::WorkspaceBytes(boxes.dim(0));
    detops::LogDebug("{}: boxes {}, size {}", kName, *boxes.shape, *size);
    return {};
  });
}

mluOpStatus_t mluOpPolyNms(mluOpHandle_t handle, const mluOpTensorDescriptor_t boxes_desc,
                           const void* boxes, float iou_threshold, void* workspace,
                           size_t workspace_size, const mluOpTensorDescriptor_t output_desc,
                           void* output, void* result_num) {
  constexpr const char* kName = "mluOpPolyNms";
  return detops::ApiCall(kName, [&] {
    detops::PolyNmsOptions options;
    options.iou_threshold = iou_threshold;
    return detops::poly_nms::Call(
        kName, handle,
        {.boxes = detops::OperandOf("boxes", boxes_desc, boxes),
         .output = detops::OperandOf("output", output_desc, output),
         .result_num = detops::NumberOf("result_num", result_num),
         .workspace = detops::CallerWorkspace{.data = workspace, .size = workspace_size}},
        options);
  });
}

namespace detops {

void PolyNms(Context& context, const ConstTensorView& boxes, const TensorView& output,
             const TensorView& result_num, const PolyNmsOptions& options) {
  constexpr const char* kName = "PolyNms";
  CppCall(kName, [&] {
    return poly_nms::Call(kName, context.handle(),
                          {.boxes = ViewedTensor("boxes", boxes),
                           .groups = ViewedTensor("groups", options.groups),
                           .image_counts = ViewedTensor("image_counts", options.image_counts),
                           .output = ViewedTensor("output", output),
                           .result_num = ViewedTensor("result_num", result_num)},
                          options);
  });
}

PolyNmsResult PolyNms(Context& context, const ConstTensorView& boxes,
                      const PolyNmsOptions& options) {
  constexpr const char* kName = "PolyNms";
  PolyNmsResult result;
  CppCall(kName, [&] {
    return poly_nms::CallWithResult(
        kName, context.handle(),
        {.boxes = ViewedTensor("boxes", boxes),
         .groups = ViewedTensor("groups", options.groups),
         .image_counts = ViewedTensor("image_counts", options.image_counts)},
        options, result);
  });
  return result;
}

PolyNmsResult PolyNms(const ConstTensorView& boxes, const PolyNmsOptions& options) {
  return PolyNms(ThreadContext(), boxes, options);
}

void PolygonIou(Context& context, const ConstTensorView& polygons1,
                const ConstTensorView& polygons2, const TensorView& ious) {
  poly_nms::CallIouOnViews("PolygonIou", context, polygons1, polygons2, ious, false);
}

void PolygonIou(const ConstTensorView& polygons1, const ConstTensorView& polygons2,
                const TensorView& ious) {
  PolygonIou(ThreadContext(), polygons1, polygons2, ious);
}

void PolygonIouAligned(Context& context, const ConstTensorView& polygons1,
                       const ConstTensorView& polygons2, const TensorView& ious) {
  poly_nms::CallIouOnViews("PolygonIouAligned", context, polygons1, polygons2, ious, true);
}

void PolygonIouAligned(const ConstTensorView& polygons1, const ConstTensorView& polygons2,
                       const TensorView& ious) {
  PolygonIouAligned(ThreadContext(), polygons1, polygons2, ious);
}

}  // namespace detops
