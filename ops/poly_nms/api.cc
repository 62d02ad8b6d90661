// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C and C++ functions, and the only validation.

#include <cmath>
#include <limits>

#include "core/boundary.h"
#include "core/check.h"
#include "core/log.h"
#include "core/operators.h"
#include "core/tensor_descriptor.h"
#include "core/tensor_view.h"
#include "ops/poly_nms/op.h"
#include "runtime/submit.h"
#include "runtime/thread_context.h"

namespace detops::poly_nms {

extern const Operator kOperator{
    "poly_nms", "non-maximum suppression of quadrilaterals, by class and image; their IoU"};

namespace {

TensorShape Int32Vector(int64_t count) {
  TensorShape shape;
  shape.dtype = MLUOP_DTYPE_INT32;
  return SetDimensions(shape, 1, &count).ok() ? shape : TensorShape();
}

Status CheckBoxes(const Operand& boxes) {
  DETOPS_RETURN_IF_ERROR(CheckRank(boxes, 2));
  return CheckDataType(boxes, {MLUOP_DTYPE_FLOAT});
}

Status CheckIntegers(const Operand& vector) {
  DETOPS_RETURN_IF_ERROR(CheckRank(vector, 1));
  return CheckDataType(vector, {MLUOP_DTYPE_INT32});
}

Status CheckThreshold(float threshold) {
  return threshold >= 0
             ? Status()
             : BadParam("iou_threshold is {}, expected a number that is not negative", threshold);
}

Status CheckOptions(const PolyNmsOptions& options) {
  DETOPS_RETURN_IF_ERROR(CheckThreshold(options.iou_threshold));
  if (options.score_threshold && std::isnan(*options.score_threshold)) {
    return BadParam("score_threshold is NaN, expected a number");
  }
  return CheckRange<int64_t>("max_outputs", options.max_outputs, 0,
                             std::numeric_limits<int64_t>::max());
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
    Log(DETOPS_LOG_DEBUG,
        fmt::format(
            "{}: boxes {}, iou_threshold {}{}{}{}{}, images {}", function, boxes.shape->ToString(),
            options.iou_threshold,
            options.score_threshold ? fmt::format(", score_threshold {}", *options.score_threshold)
                                    : "",
            args.max_outputs < args.count ? fmt::format(", max_outputs {}", options.max_outputs)
                                          : "",
            options.sort_by_score ? ", sorted by score" : "",
            args.groups != nullptr ? ", by group" : "", args.images));
  }
}

void LogCall(const char* function, const Operand& polygons1, const Operand& polygons2) {
  if (LogEnabled(DETOPS_LOG_DEBUG)) {
    Log(DETOPS_LOG_DEBUG, fmt::format("{}: polygons1 {}, polygons2 {}", function,
                                      polygons1.shape->ToString(), polygons2.shape->ToString()));
  }
}

Status CheckWorkspace(const void* workspace, size_t size, int64_t count) {
  const size_t needed = WorkspaceBytes(count);
  if (needed == 0) {
    return {};
  }
  DETOPS_RETURN_IF_ERROR(CheckNotNull("workspace", workspace));
  return size >= needed ? Status()
                        : BadParam("workspace_size is {}, expected at least {}", size, needed);
}

// What the options hold as operands. Tensors of results that the call makes itself are checked with
// the others.
class ViewedOptions {
 public:
  ViewedOptions(const char* function, const PolyNmsOptions& options)
      : groups_(View(function, "groups", options.groups)),
        image_counts_(View(function, "image_counts", options.image_counts)) {
    if (groups_) {
      groups_operand_ = groups_->operand();
    }
    if (image_counts_) {
      image_counts_operand_ = image_counts_->operand();
    }
  }

  const Operand* groups() const { return groups_ ? &groups_operand_ : nullptr; }
  const Operand* image_counts() const { return image_counts_ ? &image_counts_operand_ : nullptr; }

 private:
  static std::optional<ViewedTensor> View(const char* function, const char* name,
                                          const std::optional<ConstTensorView>& view) {
    return view ? std::optional<ViewedTensor>(std::in_place, function, name, *view) : std::nullopt;
  }

  std::optional<ViewedTensor> groups_;
  std::optional<ViewedTensor> image_counts_;
  Operand groups_operand_{};
  Operand image_counts_operand_{};
};

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

Status MakeArgs(const Operand& boxes, const Operand& output, const Operand& result_num,
                const Operand* groups, const Operand* image_counts, const PolyNmsOptions& options,
                Args& args) {
  DETOPS_RETURN_IF_ERROR(CheckDescribed(boxes));
  DETOPS_RETURN_IF_ERROR(CheckDescribed(output));
  DETOPS_RETURN_IF_ERROR(CheckBoxes(boxes));
  const Operand* const vectors[] = {&output, &result_num, groups, image_counts};
  for (const Operand* vector : vectors) {
    DETOPS_RETURN_IF_ERROR(vector == nullptr ? Status() : CheckIntegers(*vector));
  }
  DETOPS_RETURN_IF_ERROR(CheckOptions(options));
  const int64_t count = boxes.dim(0);
  const int64_t images = image_counts == nullptr ? 1 : image_counts->dim(0);
  DETOPS_RETURN_IF_ERROR(CheckDimension(boxes, 1, kBoxFloats));
  DETOPS_RETURN_IF_ERROR(CheckDimension(output, 0, count));
  DETOPS_RETURN_IF_ERROR(CheckDimension(result_num, 0, images));
  if (groups != nullptr) {
    DETOPS_RETURN_IF_ERROR(CheckDimension(*groups, 0, count));
  }
  DETOPS_RETURN_IF_ERROR(CheckContiguous(boxes));
  DETOPS_RETURN_IF_ERROR(CheckContiguous(output));
  DETOPS_RETURN_IF_ERROR(CheckElementCount(boxes));
  if (count != 0) {
    DETOPS_RETURN_IF_ERROR(CheckData(boxes));
    DETOPS_RETURN_IF_ERROR(CheckData(output));
  }
  for (const Operand* vector : {&result_num, groups, image_counts}) {
    DETOPS_RETURN_IF_ERROR(
        vector == nullptr || vector->shape->element_count == 0 ? Status() : CheckData(*vector));
  }
  args = {static_cast<const float*>(boxes.data),
          count,
          options.iou_threshold,
          options.score_threshold.value_or(std::numeric_limits<float>::quiet_NaN()),
          options.max_outputs,
          options.sort_by_score,
          groups == nullptr ? nullptr : static_cast<const int32_t*>(groups->data),
          image_counts == nullptr ? nullptr : static_cast<const int32_t*>(image_counts->data),
          images,
          static_cast<int32_t*>(output.data),
          static_cast<int32_t*>(result_num.data),
          nullptr};
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
    static const detops::TensorShape one = detops::poly_nms::Int32Vector(1);
    const detops::Operand boxes_operand = detops::OperandOf("boxes", boxes_desc, boxes);
    detops::PolyNmsOptions options;
    options.iou_threshold = iou_threshold;
    detops::poly_nms::Args args;
    DETOPS_RETURN_IF_ERROR(detops::poly_nms::MakeArgs(
        boxes_operand, detops::OperandOf("output", output_desc, output),
        {"result_num", &one, result_num}, nullptr, nullptr, options, args));
    DETOPS_RETURN_IF_ERROR(detops::poly_nms::CheckWorkspace(workspace, workspace_size, args.count));
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
  const poly_nms::ViewedOptions viewed(kName, options);
  CppCall(kName, [&]() -> Status {
    poly_nms::Args args;
    DETOPS_RETURN_IF_ERROR(poly_nms::MakeArgs(viewed_boxes.operand(), viewed_output.operand(),
                                              viewed_result_num.operand(), viewed.groups(),
                                              viewed.image_counts(), options, args));
    poly_nms::LogCall(kName, viewed_boxes.operand(), options, args);
    return Submit<poly_nms::Run>(context.handle(), kName, args,
                                 poly_nms::WorkspaceBytes(args.count));
  });
}

PolyNmsResult PolyNms(Context& context, const ConstTensorView& boxes,
                      const PolyNmsOptions& options) {
  constexpr const char* kName = "PolyNms";
  const ViewedTensor viewed_boxes(kName, "boxes", boxes);
  const poly_nms::ViewedOptions viewed(kName, options);
  PolyNmsResult result;
  CppCall(kName, [&]() -> Status {
    // Only to know the sizes of the results; what is wrong with the boxes is found below.
    const auto first_dimension = [](const Operand* vector, int64_t otherwise) {
      return vector != nullptr && vector->shape->rank > 0 ? vector->dim(0) : otherwise;
    };
    const Operand boxes_operand = viewed_boxes.operand();
    const TensorShape output_shape = poly_nms::Int32Vector(first_dimension(&boxes_operand, 0));
    const TensorShape counts_shape =
        poly_nms::Int32Vector(first_dimension(viewed.image_counts(), 1));
    // Stands for memory that is made when everything else is known to be right.
    int32_t later = 0;
    poly_nms::Args args;
    DETOPS_RETURN_IF_ERROR(poly_nms::MakeArgs(
        boxes_operand, {"output", &output_shape, &later}, {"result_num", &counts_shape, &later},
        viewed.groups(), viewed.image_counts(), options, args));
    poly_nms::LogCall(kName, boxes_operand, options, args);
    WaitForQueue(context);
    result.indices.resize(static_cast<size_t>(args.count));
    result.counts.resize(static_cast<size_t>(args.images));
    args.output = result.indices.data();
    args.result_num = result.counts.data();
    DETOPS_RETURN_IF_ERROR(
        RunInline<poly_nms::Run>(context.handle(), args, poly_nms::WorkspaceBytes(args.count)));
    size_t kept = 0;
    for (const int32_t count : result.counts) {
      kept += static_cast<size_t>(count);
    }
    result.indices.resize(kept);
    return {};
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
