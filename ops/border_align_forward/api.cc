// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C and C++ functions, and the only validation.

#include <algorithm>

#include "core/boundary.h"
#include "core/check.h"
#include "core/log.h"
#include "core/operators.h"
#include "core/tensor_descriptor.h"
#include "core/tensor_view.h"
#include "ops/border_align_forward/op.h"
#include "runtime/recording.h"
#include "runtime/submit.h"
#include "runtime/thread_context.h"

namespace detops::border_align_forward {

extern const Operator kOperator{"border_align_forward",
                                "BorderAlign (BorderDet): maxima of features along box borders"};

namespace {

Status CheckTypes(const Operands& operands) {
  DETOPS_RETURN_IF_ERROR(CheckDataType(operands.input, {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}));
  DETOPS_RETURN_IF_ERROR(CheckDataType(operands.boxes, {operands.input.shape->dtype}));
  DETOPS_RETURN_IF_ERROR(CheckDataType(operands.output, {operands.input.shape->dtype}));
  return operands.argmax_idx.is_present() ? CheckDataType(operands.argmax_idx, {MLUOP_DTYPE_INT32})
                                          : Status();
}

Args SizesOf(const Operands& operands, const BorderAlignOptions& options) {
  const bool channels_first = options.layout == ImageLayout::kNchw;
  return {.input = operands.input.data,
          .boxes = operands.boxes.data,
          .images = operands.input.dim(0),
          .height = operands.input.dim(channels_first ? 2 : 1),
          .width = operands.input.dim(channels_first ? 3 : 2),
          .channels = operands.input.dim(channels_first ? 1 : 3) / kBorders,
          .boxes_per_image = operands.boxes.dim(1),
          .pool_size = options.pool_size,
          .half = operands.input.shape->dtype == MLUOP_DTYPE_HALF,
          .channels_first = channels_first,
          .output = operands.output.data,
          .argmax_idx = operands.argmax_idx.as<int32_t>()};
}

Status CheckResult(const Operand& result, const Args& args) {
  return args.channels_first
             ? CheckShape(result, {args.images, args.channels, args.boxes_per_image, kBorders})
             : CheckShape(result, {args.images, args.boxes_per_image, kBorders, args.channels});
}

Status CheckShapes(const Operands& operands, const BorderAlignOptions& options) {
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckDescribed));
  DETOPS_RETURN_IF_ERROR(CheckTypes(operands));
  DETOPS_RETURN_IF_ERROR(
      CheckEnum("layout", options.layout, ImageLayout::kNhwc, ImageLayout::kNchw));
  const std::array images = {&operands.input, &operands.output, &operands.argmax_idx};
  DETOPS_RETURN_IF_ERROR(CheckEach(
      images, [&](const Operand& image) { return CheckImageLayout(image, options.layout); }));
  DETOPS_RETURN_IF_ERROR(CheckAtLeast("pool_size", options.pool_size, 1));
  DETOPS_RETURN_IF_ERROR(CheckRank(operands.input, 4));
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckNotEmpty));
  const int channel_dimension = options.layout == ImageLayout::kNchw ? 1 : 3;
  if (operands.input.dim(channel_dimension) % kBorders != 0) {
    return BadParam("{} has shape {}; dimension {} must be a multiple of 4", operands.input.name,
                    operands.input.shape->ToString(), channel_dimension);
  }
  const Args sizes = SizesOf(operands, options);
  DETOPS_RETURN_IF_ERROR(
      CheckShape(operands.boxes, {sizes.images, kAnySize, kBoxNumbers}, "x1, y1, x2, y2"));
  const std::array results = {&operands.output, &operands.argmax_idx};
  DETOPS_RETURN_IF_ERROR(
      CheckEach(results, [&](const Operand& result) { return CheckResult(result, sizes); }));
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckContiguous));
  return CheckEach(operands.all(), CheckElementCount);
}

RecordedCase CaseOf(const Operands& operands, const BorderAlignOptions& options) {
  if (options.layout == ImageLayout::kNchw) {
    return NoCase("case files have no channels-first layout");
  }
  const int64_t longer_side = std::max(operands.input.dim(1), operands.input.dim(2));
  return {.op_name = "border_align_forward",
          .parameters_name = "border_align_param",
          .parameters = {{"pool_size", options.pool_size}},
          .inputs = {{operands.input, {.lower = -1, .upper = 1}},
                     {operands.boxes, {.lower = 0, .upper = static_cast<double>(longer_side)}}},
          .outputs = {operands.output, operands.argmax_idx}};
}

}  // namespace

Status MakeArgs(const Operands& operands, const BorderAlignOptions& options, Args& args) {
  DETOPS_RETURN_IF_ERROR(CheckShapes(operands, options));
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckData));
  args = SizesOf(operands, options);
  return {};
}

Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const BorderAlignOptions& options) {
  Handle* found = nullptr;
  DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
  Args args;
  DETOPS_RETURN_IF_ERROR(MakeArgs(operands, options, args));
  LogDebug("{}: {}{}, {}, pool_size {}{}", function, operands.input,
           args.channels_first ? " NCHW" : "", operands.boxes, options.pool_size,
           args.argmax_idx == nullptr ? ", no argmax_idx" : "");
  RecordCall(*found, function, [&] { return CaseOf(operands, options); });
  return Submit<Run>(*found, function, args, ScratchBytes(args, found->threads().count()));
}

}  // namespace detops::border_align_forward

mluOpStatus_t mluOpBorderAlignForward(mluOpHandle_t handle,
                                      const mluOpTensorDescriptor_t input_desc, const void* input,
                                      const mluOpTensorDescriptor_t boxes_desc, const void* boxes,
                                      const int32_t pool_size,
                                      const mluOpTensorDescriptor_t output_desc, void* output,
                                      const mluOpTensorDescriptor_t argmax_idx_desc,
                                      void* argmax_idx) {
  constexpr const char* kName = "mluOpBorderAlignForward";
  return detops::ApiCall(kName, [&] {
    return detops::border_align_forward::Call(
        kName, handle,
        {.input = detops::OperandOf("input", input_desc, input),
         .boxes = detops::OperandOf("boxes", boxes_desc, boxes),
         .output = detops::OperandOf("output", output_desc, output),
         .argmax_idx = detops::OperandOf("argmax_idx", argmax_idx_desc, argmax_idx)},
        {.pool_size = pool_size});
  });
}

namespace detops {

void BorderAlignForward(Context& context, const ConstTensorView& input,
                        const ConstTensorView& boxes, const TensorView& output,
                        const std::optional<TensorView>& argmax_idx,
                        const BorderAlignOptions& options) {
  constexpr const char* kName = "BorderAlignForward";
  CppCall(kName, [&] {
    return border_align_forward::Call(
        kName, context.handle(),
        {.input = ViewedTensor("input", input, options.layout),
         .boxes = ViewedTensor("boxes", boxes),
         .output = ViewedTensor("output", output, options.layout),
         .argmax_idx = ViewedTensor("argmax_idx", argmax_idx, options.layout)},
        options);
  });
}

void BorderAlignForward(const ConstTensorView& input, const ConstTensorView& boxes,
                        const TensorView& output, const std::optional<TensorView>& argmax_idx,
                        const BorderAlignOptions& options) {
  BorderAlignForward(ThreadContext(), input, boxes, output, argmax_idx, options);
}

}  // namespace detops
