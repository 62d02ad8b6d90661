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
#include "ops/psroipool_forward/op.h"
#include "runtime/submit.h"
#include "runtime/thread_context.h"

namespace detops::psroipool_forward {

extern const Operator kOperator{"psroipool_forward",
                                "means of the bins of regions, each from channels of its own"};

namespace {

// Calls check(operand) for all that there are.
template <class Check>
Status ForEachOperand(const Operands& operands, const Check& check) {
  for (const Operand* const operand :
       {&operands.input, &operands.rois, &operands.output, operands.mapping_channel}) {
    if (operand != nullptr) {
      DETOPS_RETURN_IF_ERROR(check(*operand));
    }
  }
  return {};
}

Status CheckRanksAndTypes(const Operands& operands) {
  DETOPS_RETURN_IF_ERROR(ForEachOperand(operands, [&](const Operand& operand) {
    return CheckRank(operand, &operand == &operands.rois ? 2 : 4);
  }));
  return ForEachOperand(operands, [&](const Operand& operand) {
    return CheckDataType(
        operand, {&operand == operands.mapping_channel ? MLUOP_DTYPE_INT32 : MLUOP_DTYPE_FLOAT});
  });
}

Status CheckLayouts(const Operands& operands, ImageLayout layout) {
  return ForEachOperand(operands, [&](const Operand& operand) {
    return &operand == &operands.rois ? Status()
                                      : CheckImageLayout(operand, layout, operands.tagged);
  });
}

Status CheckParameters(const Parameters& parameters) {
  constexpr int kMax = std::numeric_limits<int>::max();
  DETOPS_RETURN_IF_ERROR(CheckRange("group_size", parameters.group_size, 1, kMax));
  DETOPS_RETURN_IF_ERROR(CheckRange("output_dim", parameters.output_dim.value_or(1), 1, kMax));
  for (const auto& [name, pooled] : {std::pair("pooled_height", parameters.pooled_height),
                                     std::pair("pooled_width", parameters.pooled_width)}) {
    if (pooled != parameters.group_size) {
      return BadParam("{} is {}, expected group_size, which is {}", name, pooled,
                      parameters.group_size);
    }
  }
  if (!(std::isfinite(parameters.spatial_scale) && parameters.spatial_scale > 0)) {
    return BadParam("spatial_scale is {}, expected a finite number above 0",
                    parameters.spatial_scale);
  }
  return CheckEnum("rounding", parameters.rounding, RoiRounding::kBeforeScaling,
                   RoiRounding::kAfterScaling);
}

// The channels of a bin; fails when the input's do not fit.
Status FindDim(const Operand& input, const Parameters& parameters, int channel_dimension,
               int64_t& dim) {
  const int64_t channels = input.dim(channel_dimension);
  const int64_t bins = int64_t{parameters.group_size} * parameters.group_size;
  dim = channels / bins;
  if (channels == 0 || channels % bins != 0 || dim != parameters.output_dim.value_or(dim)) {
    const std::string factor =
        parameters.output_dim ? fmt::format("output_dim, {}", *parameters.output_dim) : "a number";
    return BadParam(
        "input is {}, its dimension {} is {}, expected group_size squared, {}, times {}",
        input.shape->ToString(), channel_dimension, channels, bins, factor);
  }
  return {};
}

Status CheckResultShape(const Operand& result, const Args& args) {
  const int64_t nhwc[] = {args.roi_count, args.group, args.group, args.dim};
  const int64_t nchw[] = {args.roi_count, args.dim, args.group, args.group};
  for (int i = 0; i < 4; ++i) {
    DETOPS_RETURN_IF_ERROR(CheckDimension(result, i, args.channels_first ? nchw[i] : nhwc[i]));
  }
  return {};
}

// The common body of the C function and of the C++ functions.
Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const Parameters& parameters) {
  Args args;
  DETOPS_RETURN_IF_ERROR(MakeArgs(operands, parameters, args));
  if (LogEnabled(DETOPS_LOG_DEBUG)) {
    Log(DETOPS_LOG_DEBUG,
        fmt::format("{}: input {}{}, rois {}, group_size {}, output_dim {}, spatial_scale {}{}{}",
                    function, operands.input.shape->ToString(), args.channels_first ? " NCHW" : "",
                    operands.rois.shape->ToString(), args.group, args.dim, args.scale,
                    args.rounding == RoiRounding::kAfterScaling ? ", rounded after scaling" : "",
                    operands.mapping_channel == nullptr ? ", no mapping_channel" : ""));
  }
  if (operands.input.shape->element_count == 0) {
    return {};
  }
  return Submit<Run>(handle, function, args, ScratchBytes(args, handle->threads().count()));
}

}  // namespace

Status MakeArgs(const Operands& operands, const Parameters& parameters, Args& args) {
  DETOPS_RETURN_IF_ERROR(ForEachOperand(operands, CheckDescribed));
  DETOPS_RETURN_IF_ERROR(CheckRanksAndTypes(operands));
  DETOPS_RETURN_IF_ERROR(CheckLayouts(operands, parameters.layout));
  DETOPS_RETURN_IF_ERROR(CheckParameters(parameters));
  const bool channels_first = parameters.layout == ImageLayout::kNchw;
  int64_t dim = 0;
  DETOPS_RETURN_IF_ERROR(FindDim(operands.input, parameters, channels_first ? 1 : 3, dim));
  args = {static_cast<const float*>(operands.input.data),
          static_cast<const float*>(operands.rois.data),
          operands.input.dim(0),
          operands.input.dim(channels_first ? 2 : 1),
          operands.input.dim(channels_first ? 3 : 2),
          parameters.group_size,
          dim,
          operands.rois.dim(0),
          parameters.spatial_scale,
          parameters.rounding,
          channels_first,
          static_cast<float*>(operands.output.data),
          operands.mapping_channel == nullptr
              ? nullptr
              : static_cast<int32_t*>(operands.mapping_channel->data)};
  DETOPS_RETURN_IF_ERROR(CheckDimension(operands.rois, 1, kRoiNumbers));
  if (args.roi_count == 0) {
    return BadParam("rois is {}, expected elements", operands.rois.shape->ToString());
  }
  DETOPS_RETURN_IF_ERROR(CheckResultShape(operands.output, args));
  if (operands.mapping_channel != nullptr) {
    DETOPS_RETURN_IF_ERROR(CheckResultShape(*operands.mapping_channel, args));
  }
  DETOPS_RETURN_IF_ERROR(ForEachOperand(operands, CheckContiguous));
  DETOPS_RETURN_IF_ERROR(ForEachOperand(operands, CheckElementCount));
  return operands.input.shape->element_count == 0 ? Status() : ForEachOperand(operands, CheckData);
}

}  // namespace detops::psroipool_forward

mluOpStatus_t mluOpPsRoiPoolForward(mluOpHandle_t handle, const int pooled_height,
                                    const int pooled_width, const float spatial_scale,
                                    const int group_size, const int output_dim,
                                    const mluOpTensorDescriptor_t input_desc, const void* input,
                                    const mluOpTensorDescriptor_t rois_desc, const void* rois,
                                    void* /*workspace*/, const size_t /*workspace_size*/,
                                    const mluOpTensorDescriptor_t output_desc, void* output,
                                    const mluOpTensorDescriptor_t mapping_channel_desc,
                                    void* mapping_channel) {
  using detops::OperandOf;
  constexpr const char* kName = "mluOpPsRoiPoolForward";
  return detops::ApiCall(kName, [&]() -> detops::Status {
    DETOPS_RETURN_IF_ERROR(detops::CheckNotNull("handle", handle));
    const detops::Operand mapping_operand =
        OperandOf("mapping_channel", mapping_channel_desc, mapping_channel);
    return detops::psroipool_forward::Call(
        kName, handle,
        {OperandOf("input", input_desc, input), OperandOf("rois", rois_desc, rois),
         OperandOf("output", output_desc, output), &mapping_operand, true},
        {pooled_height, pooled_width, group_size, output_dim, spatial_scale,
         detops::ImageLayout::kNhwc, detops::RoiRounding::kBeforeScaling});
  });
}

namespace detops {

void PsRoiPoolForward(Context& context, const ConstTensorView& input, const ConstTensorView& rois,
                      const TensorView& output, const std::optional<TensorView>& mapping_channel,
                      const PsRoiPoolOptions& options) {
  constexpr const char* kName = "PsRoiPoolForward";
  const ViewedTensor viewed_input(kName, "input", input);
  const ViewedTensor viewed_rois(kName, "rois", rois);
  const ViewedTensor viewed_output(kName, "output", output);
  std::optional<ViewedTensor> viewed_mapping;
  Operand mapping_operand{};
  if (mapping_channel) {
    viewed_mapping.emplace(kName, "mapping_channel", *mapping_channel);
    mapping_operand = viewed_mapping->operand();
  }
  CppCall(kName, [&] {
    return psroipool_forward::Call(
        kName, context.handle(),
        {viewed_input.operand(), viewed_rois.operand(), viewed_output.operand(),
         mapping_channel ? &mapping_operand : nullptr, false},
        {options.group_size, options.group_size, options.group_size, std::nullopt,
         options.spatial_scale, options.layout, options.rounding});
  });
}

void PsRoiPoolForward(const ConstTensorView& input, const ConstTensorView& rois,
                      const TensorView& output, const std::optional<TensorView>& mapping_channel,
                      const PsRoiPoolOptions& options) {
  PsRoiPoolForward(ThreadContext(), input, rois, output, mapping_channel, options);
}

}  // namespace detops
