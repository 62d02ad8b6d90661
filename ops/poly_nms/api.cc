// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C and C++ functions, and the only validation.

#include "core/boundary.h"
#include "core/check.h"
#include "core/log.h"
#include "core/operators.h"
#include "core/tensor_descriptor.h"
#include "core/tensor_view.h"
#include "ops/poly_nms/op.h"
#include "runtime/submit.h"
#include "runtime/thread_context.h"
#include "suppression/operands.h"

namespace detops::poly_nms {

extern const Operator kOperator{
    "poly_nms", "non-maximum suppression of quadrilaterals, by class and image; their IoU"};

namespace {

Status CheckBoxes(const Operand& boxes) {
  DETOPS_RETURN_IF_ERROR(CheckRank(boxes, 2));
  return CheckDataType(boxes, {MLUOP_DTYPE_FLOAT});
}

// [count, 8], or with a score [count, 9].
Status CheckPolygons(const Operand& polygons) {
  const int64_t last = polygons.dim(1);
  return last == 8 || last == 9 ? Status()
                                : BadParam("{} is {}, expected 8 or 9 numbers in dimension 1",
                                           polygons.name, polygons.shape->ToString());
}

void LogCall(const char* function, const Operand& boxes, const PolyNmsOptions& options,
             const Args& args) {
  if (LogEnabled(DETOPS_LOG_DEBUG)) {
    Log(DETOPS_LOG_DEBUG, fmt::format("{}: boxes {}{}", function, boxes.shape->ToString(),
                                      suppression::Describe(options, args.count, args.images)));
  }
}

void LogCall(const char* function, const Operand& polygons1, const Operand& polygons2) {
  if (LogEnabled(DETOPS_LOG_DEBUG)) {
    Log(DETOPS_LOG_DEBUG, fmt::format("{}: polygons1 {}, polygons2 {}", function,
                                      polygons1.shape->ToString(), polygons2.shape->ToString()));
  }
}

Status CallIou(const char* function, mluOpHandle_t handle, const Operand& polygons1,
               const Operand& polygons2, const Operand& ious, bool aligned) {
  IouArgs args;
  DETOPS_RETURN_IF_ERROR(MakeIouArgs(polygons1, polygons2, ious, aligned, args));
  LogCall(function, polygons1, polygons2);
  return args.count() == 0 ? Status() : Submit<RunIou>(handle, function, args);
}

void CallIouOnViews(const char* function, Context& context, const ConstTensorView& polygons1,
                    const ConstTensorView& polygons2, const TensorView& ious, bool aligned) {
  const ViewedTensor first(function, "polygons1", polygons1);
  const ViewedTensor second(function, "polygons2", polygons2);
  const ViewedTensor result(function, "ious", ious);
  CppCall(function, [&] {
    return CallIou(function, context.handle(), first.operand(), second.operand(), result.operand(),
                   aligned);
  });
}

}  // namespace

Status MakeArgs(const Operand& boxes, const suppression::SelectionOperands& operands,
                const PolyNmsOptions& options, Args& args) {
  DETOPS_RETURN_IF_ERROR(CheckDescribed(boxes));
  DETOPS_RETURN_IF_ERROR(CheckDescribed(operands.output));
  DETOPS_RETURN_IF_ERROR(CheckBoxes(boxes));
  DETOPS_RETURN_IF_ERROR(suppression::CheckIntegerVectors(operands));
  DETOPS_RETURN_IF_ERROR(suppression::CheckOptions(options));
  const int64_t count = boxes.dim(0);
  DETOPS_RETURN_IF_ERROR(CheckDimension(boxes, 1, kBoxFloats));
  DETOPS_RETURN_IF_ERROR(suppression::CheckLengths(operands, count));
  DETOPS_RETURN_IF_ERROR(CheckContiguous(boxes));
  DETOPS_RETURN_IF_ERROR(CheckContiguous(operands.output));
  DETOPS_RETURN_IF_ERROR(CheckElementCount(boxes));
  if (count != 0) {
    DETOPS_RETURN_IF_ERROR(CheckData(boxes));
  }
  DETOPS_RETURN_IF_ERROR(suppression::CheckSelectionData(operands, count));
  args = suppression::MakeSuppressCall(operands, options, count);
  args.boxes = boxes.data;
  args.scores = static_cast<const float*>(boxes.data) + (count == 0 ? 0 : kBoxFloats - 1);
  args.score_stride = kBoxFloats;
  return {};
}

Status MakeIouArgs(const Operand& polygons1, const Operand& polygons2, const Operand& ious,
                   bool aligned, IouArgs& args) {
  for (const Operand& operand : {polygons1, polygons2}) {
    DETOPS_RETURN_IF_ERROR(CheckRank(operand, 2));
    DETOPS_RETURN_IF_ERROR(CheckDataType(operand, {MLUOP_DTYPE_FLOAT}));
  }
  DETOPS_RETURN_IF_ERROR(CheckRank(ious, aligned ? 1 : 2));
  DETOPS_RETURN_IF_ERROR(CheckDataType(ious, {MLUOP_DTYPE_FLOAT}));
  DETOPS_RETURN_IF_ERROR(CheckPolygons(polygons1));
  DETOPS_RETURN_IF_ERROR(CheckPolygons(polygons2));
  if (aligned) {
    DETOPS_RETURN_IF_ERROR(CheckDimension(polygons2, 0, polygons1.dim(0)));
  }
  DETOPS_RETURN_IF_ERROR(CheckDimension(ious, 0, polygons1.dim(0)));
  if (!aligned) {
    DETOPS_RETURN_IF_ERROR(CheckDimension(ious, 1, polygons2.dim(0)));
  }
  for (const Operand& operand : {polygons1, polygons2, ious}) {
    DETOPS_RETURN_IF_ERROR(CheckElementCount(operand));
  }
  if (ious.shape->element_count != 0) {
    for (const Operand& operand : {polygons1, polygons2, ious}) {
      DETOPS_RETURN_IF_ERROR(CheckData(operand));
    }
  }
  args = {static_cast<const float*>(polygons1.data),
          static_cast<const float*>(polygons2.data),
          polygons1.dim(0),
          polygons2.dim(0),
          polygons1.dim(1),
          polygons2.dim(1),
          aligned,
          static_cast<float*>(ious.data)};
  return {};
}

}  // namespace detops::poly_nms

mluOpStatus_t mluOpGetPolyNmsWorkspaceSize(mluOpHandle_t handle,
                                           const mluOpTensorDescriptor_t boxes_desc, size_t* size) {
  using detops::CheckNotNull;
  return detops::ApiCall("mluOpGetPolyNmsWorkspaceSize", [&]() -> detops::Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("handle", handle));
    const detops::Operand boxes = detops::OperandOf("boxes", boxes_desc, nullptr);
    DETOPS_RETURN_IF_ERROR(detops::CheckDescribed(boxes));
    DETOPS_RETURN_IF_ERROR(CheckNotNull("size", size));
    DETOPS_RETURN_IF_ERROR(detops::poly_nms::CheckBoxes(boxes));
    DETOPS_RETURN_IF_ERROR(detops::CheckDimension(boxes, 1, detops::poly_nms::kBoxFloats));
    DETOPS_RETURN_IF_ERROR(detops::CheckElementCount(boxes));
    *size = detops::poly_nms::WorkspaceBytes(boxes.dim(0));
    if (detops::LogEnabled(DETOPS_LOG_DEBUG)) {
      detops::Log(DETOPS_LOG_DEBUG, fmt::format("mluOpGetPolyNmsWorkspaceSize: boxes {}, size {}",
                                                boxes.shape->ToString(), *size));
    }
    return {};
  });
}

mluOpStatus_t mluOpPolyNms(mluOpHandle_t handle, const mluOpTensorDescriptor_t boxes_desc,
                           const void* boxes, float iou_threshold, void* workspace,
                           size_t workspace_size, const mluOpTensorDescriptor_t output_desc,
                           void* output, void* result_num) {
  constexpr const char* kName = "mluOpPolyNms";
  return detops::ApiCall(kName, [&]() -> detops::Status {
    DETOPS_RETURN_IF_ERROR(detops::CheckNotNull("handle", handle));
    static const detops::TensorShape one = detops::MakeShape(MLUOP_DTYPE_INT32, {1});
    const detops::Operand boxes_operand = detops::OperandOf("boxes", boxes_desc, boxes);
    detops::PolyNmsOptions options;
    options.iou_threshold = iou_threshold;
    detops::poly_nms::Args args;
    DETOPS_RETURN_IF_ERROR(detops::poly_nms::MakeArgs(
        boxes_operand,
        {detops::OperandOf("output", output_desc, output), {"result_num", &one, result_num}},
        options, args));
    DETOPS_RETURN_IF_ERROR(detops::CheckWorkspace(workspace, workspace_size,
                                                  detops::poly_nms::WorkspaceBytes(args.count)));
    args.workspace = workspace;
    detops::poly_nms::LogCall(kName, boxes_operand, options, args);
    return detops::Submit<detops::poly_nms::Run>(handle, kName, args);
  });
}

namespace detops {

void PolyNms(Context& context, const ConstTensorView& boxes, const TensorView& output,
             const TensorView& result_num, const PolyNmsOptions& options) {
  constexpr const char* kName = "PolyNms";
  const ViewedTensor viewed_boxes(kName, "boxes", boxes);
  const ViewedTensor viewed_output(kName, "output", output);
  const ViewedTensor viewed_result_num(kName, "result_num", result_num);
  const suppression::ViewedSelection selection(kName, options);
  CppCall(kName, [&]() -> Status {
    poly_nms::Args args;
    DETOPS_RETURN_IF_ERROR(poly_nms::MakeArgs(
        viewed_boxes.operand(),
        selection.operands(viewed_output.operand(), viewed_result_num.operand()), options, args));
    poly_nms::LogCall(kName, viewed_boxes.operand(), options, args);
    return Submit<poly_nms::Run>(context.handle(), kName, args,
                                 poly_nms::WorkspaceBytes(args.count));
  });
}

PolyNmsResult PolyNms(Context& context, const ConstTensorView& boxes,
                      const PolyNmsOptions& options) {
  constexpr const char* kName = "PolyNms";
  const ViewedTensor viewed_boxes(kName, "boxes", boxes);
  const suppression::ViewedSelection selection(kName, options);
  PolyNmsResult result;
  CppCall(kName, [&] {
    poly_nms::Args args;
    return suppression::CallWithResult(
        selection, viewed_boxes.operand(), result,
        [&](const suppression::SelectionOperands& operands) -> Status {
          DETOPS_RETURN_IF_ERROR(
              poly_nms::MakeArgs(viewed_boxes.operand(), operands, options, args));
          poly_nms::LogCall(kName, viewed_boxes.operand(), options, args);
          return {};
        },
        [&](int32_t* output, int32_t* result_num) {
          WaitForQueue(context);
          args.output = output;
          args.result_num = result_num;
          return RunInline<poly_nms::Run>(context.handle(), args,
                                          poly_nms::WorkspaceBytes(args.count));
        });
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
