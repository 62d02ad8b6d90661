// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C and C++ functions, and the only validation.

#include <limits>

#include "core/boundary.h"
#include "core/check.h"
#include "core/log.h"
#include "core/operators.h"
#include "core/tensor_descriptor.h"
#include "core/tensor_view.h"
#include "ops/border_align_forward/op.h"
#include "runtime/submit.h"
#include "runtime/thread_context.h"

namespace detops::border_align_forward {

extern const Operator kOperator{"border_align_forward",
                                "the strongest features along the borders of boxes"};

namespace {

// Calls check(operand) for all that there are.
template <class Check>
Status ForEachOperand(const Operands& operands, const Check& check) {
  for (const Operand* const operand :
       {&operands.input, &operands.boxes, &operands.output, operands.argmax_idx}) {
    if (operand != nullptr) {
      DETOPS_RETURN_IF_ERROR(check(*operand));
    }
  }
  return {};
}

Status CheckRanksAndTypes(const Operands& operands) {
  const mluOpDataType_t dtype = operands.input.shape->dtype;
  DETOPS_RETURN_IF_ERROR(CheckRank(operands.input, 4));
  DETOPS_RETURN_IF_ERROR(CheckRank(operands.boxes, 3));
  DETOPS_RETURN_IF_ERROR(CheckRank(operands.output, 4));
  DETOPS_RETURN_IF_ERROR(CheckDataType(operands.input, {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}));
  DETOPS_RETURN_IF_ERROR(CheckDataType(operands.boxes, {dtype}));
  DETOPS_RETURN_IF_ERROR(CheckDataType(operands.output, {dtype}));
  if (operands.argmax_idx != nullptr) {
    DETOPS_RETURN_IF_ERROR(CheckRank(*operands.argmax_idx, 4));
    DETOPS_RETURN_IF_ERROR(CheckDataType(*operands.argmax_idx, {MLUOP_DTYPE_INT32}));
  }
  return {};
}

Status CheckLayouts(const Operands& operands, ImageLayout layout) {
  return ForEachOperand(operands, [&](const Operand& operand) {
    return &operand == &operands.boxes ? Status()
                                       : CheckImageLayout(operand, layout, operands.tagged);
  });
}

Status CheckNotEmpty(const Operand& operand) {
  return operand.shape->element_count != 0
             ? Status()
             : BadParam("{} is {}, expected elements", operand.name, operand.shape->ToString());
}

Status CheckResultShape(const Operand& result, const Args& args) {
  const int64_t nhwc[] = {args.images, args.boxes_per_image, kBorders, args.channels};
  const int64_t nchw[] = {args.images, args.channels, args.boxes_per_image, kBorders};
  for (int i = 0; i < 4; ++i) {
    DETOPS_RETURN_IF_ERROR(CheckDimension(result, i, args.channels_first ? nchw[i] : nhwc[i]));
  }
  return {};
}

Args ToArgs(const Operands& operands, const BorderAlignOptions& options) {
  const bool channels_first = options.layout == ImageLayout::kNchw;
  return {
      operands.input.data,
      operands.boxes.data,
      operands.input.dim(0),
      operands.input.dim(channels_first ? 2 : 1),
      operands.input.dim(channels_first ? 3 : 2),
      operands.input.dim(channels_first ? 1 : 3) / kBorders,
      operands.boxes.dim(1),
      options.pool_size,
      operands.input.shape->dtype == MLUOP_DTYPE_HALF,
      channels_first,
      operands.output.data,
      operands.argmax_idx == nullptr ? nullptr : static_cast<int32_t*>(operands.argmax_idx->data)};
}

// The common body of the C function and of the C++ functions.
Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const BorderAlignOptions& options) {
  Args args;
  DETOPS_RETURN_IF_ERROR(MakeArgs(operands, options, args));
  if (LogEnabled(DETOPS_LOG_DEBUG)) {
    Log(DETOPS_LOG_DEBUG,
        fmt::format("{}: input {}{}, boxes {}, pool_size {}{}", function,
                    operands.input.shape->ToString(), args.channels_first ? " NCHW" : "",
                    operands.boxes.shape->ToString(), options.pool_size,
                    args.argmax_idx == nullptr ? ", no argmax_idx" : ""));
  }
  return Submit<Run>(handle, function, args, ScratchBytes(args, handle->threads().count()));
}

}  // namespace

Status MakeArgs(const Operands& operands, const BorderAlignOptions& options, Args& args) {
  DETOPS_RETURN_IF_ERROR(ForEachOperand(operands, CheckDescribed));
  DETOPS_RETURN_IF_ERROR(CheckRanksAndTypes(operands));
  DETOPS_RETURN_IF_ERROR(CheckLayouts(operands, options.layout));
  DETOPS_RETURN_IF_ERROR(
      CheckRange("pool_size", options.pool_size, 1, std::numeric_limits<int>::max()));
  DETOPS_RETURN_IF_ERROR(ForEachOperand(operands, CheckNotEmpty));
  args = ToArgs(operands, options);
  const int channel_dimension = args.channels_first ? 1 : 3;
  if (operands.input.dim(channel_dimension) % kBorders != 0) {
    return BadParam("input is {}, expected a multiple of 4 in dimension {}",
                    operands.input.shape->ToString(), channel_dimension);
  }
  DETOPS_RETURN_IF_ERROR(CheckDimension(operands.boxes, 0, args.images));
  DETOPS_RETURN_IF_ERROR(CheckDimension(operands.boxes, 2, kBoxNumbers));
  DETOPS_RETURN_IF_ERROR(CheckResultShape(operands.output, args));
  if (operands.argmax_idx != nullptr) {
    DETOPS_RETURN_IF_ERROR(CheckResultShape(*operands.argmax_idx, args));
  }
  DETOPS_RETURN_IF_ERROR(ForEachOperand(operands, CheckContiguous));
  DETOPS_RETURN_IF_ERROR(ForEachOperand(operands, CheckElementCount));
  return ForEachOperand(operands, CheckData);
}

}  // namespace detops::border_align_forward

mluOpStatus_t mluOpBorderAlignForward(mluOpHandle_t handle,
                                      const mluOpTensorDescriptor_t input_desc, const void* input,
                                      const mluOpTensorDescriptor_t boxes_desc, const void* boxes,
                                      const int32_t pool_size,
                                      const mluOpTensorDescriptor_t output_desc, void* output,
                                      const mluOpTensorDescriptor_t argmax_idx_desc,
                                      void* argmax_idx) {
  using detops::OperandOf;
  constexpr const char* kName = "mluOpBorderAlignForward";
  return detops::ApiCall(kName, [&]() -> detops::Status {
    DETOPS_RETURN_IF_ERROR(detops::CheckNotNull("handle", handle));
    const detops::Operand argmax_operand = OperandOf("argmax_idx", argmax_idx_desc, argmax_idx);
    detops::BorderAlignOptions options;
    options.pool_size = pool_size;
    return detops::border_align_forward::Call(
        kName, handle,
        {OperandOf("input", input_desc, input), OperandOf("boxes", boxes_desc, boxes),
         OperandOf("output", output_desc, output), &argmax_operand, true},
        options);
  });
}

namespace detops {

void BorderAlignForward(Context& context, const ConstTensorView& input,
                        const ConstTensorView& boxes, const TensorView& output,
                        const std::optional<TensorView>& argmax_idx,
                        const BorderAlignOptions& options) {
  constexpr const char* kName = "BorderAlignForward";
  const ViewedTensor viewed_input(kName, "input", input);
  const ViewedTensor viewed_boxes(kName, "boxes", boxes);
  const ViewedTensor viewed_output(kName, "output", output);
  std::optional<ViewedTensor> viewed_argmax;
  Operand argmax_operand{};
  if (argmax_idx) {
    viewed_argmax.emplace(kName, "argmax_idx", *argmax_idx);
    argmax_operand = viewed_argmax->operand();
  }
  CppCall(kName, [&] {
    return border_align_forward::Call(
        kName, context.handle(),
        {viewed_input.operand(), viewed_boxes.operand(), viewed_output.operand(),
         argmax_idx ? &argmax_operand : nullptr, false},
        options);
  });
}

void BorderAlignForward(const ConstTensorView& input, const ConstTensorView& boxes,
                        const TensorView& output, const std::optional<TensorView>& argmax_idx,
                        const BorderAlignOptions& options) {
  BorderAlignForward(ThreadContext(), input, boxes, output, argmax_idx, options);
}

}  // namespace detops
