// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C and C++ entry points, and all validation of arguments.

#include <cmath>

#include "core/boundary.h"
#include "core/check.h"
#include "core/log.h"
#include "core/operators.h"
#include "core/tensor_descriptor.h"
#include "core/tensor_view.h"
#include "ops/psroipool_forward/op.h"
#include "runtime/recording.h"
#include "runtime/submit.h"
#include "runtime/thread_context.h"

namespace detops::psroipool_forward {

extern const Operator kOperator{"psroipool_forward",
                                "position-sensitive RoI average pooling (R-FCN)"};

namespace {

// Checks one of the output sizes that only the C API states.
Status CheckPooledSize(const char* argument, std::optional<int> pooled,
                       const PsRoiPoolOptions& options) {
  return pooled.value_or(options.group_size) == options.group_size
             ? Status()
             : BadParam("{} is {}; it must equal group_size, which is {}", argument, *pooled,
                        options.group_size);
}

Status CheckOptions(const Operands& operands, const PsRoiPoolOptions& options) {
  DETOPS_RETURN_IF_ERROR(CheckAtLeast(operands.group_size_name, options.group_size, 1));
  DETOPS_RETURN_IF_ERROR(CheckAtLeast("output_dim", operands.output_dim.value_or(1), 1));
  DETOPS_RETURN_IF_ERROR(CheckPooledSize("pooled_height", operands.pooled_height, options));
  DETOPS_RETURN_IF_ERROR(CheckPooledSize("pooled_width", operands.pooled_width, options));
  if (!(std::isfinite(options.spatial_scale) && options.spatial_scale > 0)) {
    return BadParam("spatial_scale is {}; it must be a finite number above 0",
                    options.spatial_scale);
  }
  return CheckEnum("rounding", options.rounding, RoiRounding::kBeforeScaling,
                   RoiRounding::kAfterScaling);
}

// Returns the arguments. They are valid only after CheckShapes, which uses the sizes before that.
Args SizesOf(const Operands& operands, const PsRoiPoolOptions& options) {
  const bool channels_first = options.layout == ImageLayout::kNchw;
  const int64_t bins = int64_t{options.group_size} * options.group_size;
  return {.input = operands.input.as<const float>(),
          .rois = operands.rois.as<const float>(),
          .images = operands.input.dim(0),
          .height = operands.input.dim(channels_first ? 2 : 1),
          .width = operands.input.dim(channels_first ? 3 : 2),
          .group = options.group_size,
          .dim = operands.input.dim(channels_first ? 1 : 3) / bins,
          .roi_count = operands.rois.dim(0),
          .scale = options.spatial_scale,
          .rounding = options.rounding,
          .channels_first = channels_first,
          .output = operands.output.as<float>(),
          .mapping_channel = operands.mapping_channel.as<int32_t>()};
}

// Checks that the channels of the input are group_size squared times output_dim, which follows from
// them if the caller does not state it.
Status CheckChannels(const Operands& operands, const Args& sizes) {
  const int dimension = sizes.channels_first ? 1 : 3;
  const int64_t channels = operands.input.dim(dimension);
  const int64_t output_dim = operands.output_dim ? *operands.output_dim : sizes.dim;
  if (channels != 0 && channels == sizes.channels() && sizes.dim == output_dim) {
    return {};
  }
  const std::string factor = operands.output_dim
                                 ? fmt::format("output_dim, {}", *operands.output_dim)
                                 : "a positive integer";
  return BadParam("{} has shape {}; dimension {} must be {} squared, {}, times {}",
                  operands.input.name, operands.input.shape->ToString(), dimension,
                  operands.group_size_name, sizes.bins(), factor);
}

Status CheckResult(const Operand& result, const Args& sizes) {
  return sizes.channels_first
             ? CheckShape(result, {sizes.roi_count, sizes.dim, sizes.group, sizes.group})
             : CheckShape(result, {sizes.roi_count, sizes.group, sizes.group, sizes.dim});
}

Status CheckShapes(const Operands& operands, const PsRoiPoolOptions& options) {
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckDescribed));
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), [&](const Operand& operand) {
    return CheckRank(operand, &operand == &operands.rois ? 2 : 4);
  }));
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), [&](const Operand& operand) {
    const bool is_mapping = &operand == &operands.mapping_channel;
    return CheckDataType(operand, {is_mapping ? MLUOP_DTYPE_INT32 : MLUOP_DTYPE_FLOAT});
  }));
  const std::array images = {&operands.input, &operands.output, &operands.mapping_channel};
  DETOPS_RETURN_IF_ERROR(
      CheckEnum("layout", options.layout, ImageLayout::kNhwc, ImageLayout::kNchw));
  DETOPS_RETURN_IF_ERROR(CheckEach(
      images, [&](const Operand& image) { return CheckImageLayout(image, options.layout); }));
  DETOPS_RETURN_IF_ERROR(CheckOptions(operands, options));
  const Args sizes = SizesOf(operands, options);
  DETOPS_RETURN_IF_ERROR(CheckChannels(operands, sizes));
  DETOPS_RETURN_IF_ERROR(
      CheckShape(operands.rois, {kAnySize, kRoiNumbers}, "batch index, x1, y1, x2, y2"));
  DETOPS_RETURN_IF_ERROR(CheckNotEmpty(operands.rois));
  const std::array results = {&operands.output, &operands.mapping_channel};
  DETOPS_RETURN_IF_ERROR(
      CheckEach(results, [&](const Operand& result) { return CheckResult(result, sizes); }));
  DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckContiguous));
  return CheckEach(operands.all(), CheckElementCount);
}

RecordedCase CaseOf(const Operands& operands, const PsRoiPoolOptions& options) {
  if (options.layout == ImageLayout::kNchw) {
    return NoCase("case files have no channels-first layout");
  }
  if (options.rounding != RoiRounding::kBeforeScaling) {
    return NoCase("in case files, RoIs are rounded before scaling");
  }
  const Args sizes = SizesOf(operands, options);
  // The first number of a RoI is its batch index, which is truncated. Half an image less than there
  // are, so that none is rounded up to an index out of range.
  const RandomRange images{.lower = 0, .upper = static_cast<double>(sizes.images) - 0.5};
  return {.op_name = "psroipool_forward",
          .parameters_name = "psroipool_forward_param",
          .parameters = {{"spatial_scale", sizes.scale},
                         {"group_size", sizes.group},
                         {"output_dim", sizes.dim},
                         {"pooled_height", sizes.group},
                         {"pooled_width", sizes.group}},
          .inputs = {{operands.input, {.lower = 0, .upper = 1}}, {operands.rois, images}},
          .outputs = {operands.output, operands.mapping_channel}};
}

}  // namespace

Status MakeArgs(const Operands& operands, const PsRoiPoolOptions& options, Args& args) {
  DETOPS_RETURN_IF_ERROR(CheckShapes(operands, options));
  if (operands.input.shape->element_count != 0) {
    DETOPS_RETURN_IF_ERROR(CheckEach(operands.all(), CheckData));
  }
  args = SizesOf(operands, options);
  return {};
}

Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const PsRoiPoolOptions& options) {
  Handle* found = nullptr;
  DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
  Args args;
  DETOPS_RETURN_IF_ERROR(MakeArgs(operands, options, args));
  LogDebug("{}: {}{}, {}, group_size {}, output_dim {}, spatial_scale {}{}{}", function,
           operands.input, args.channels_first ? " NCHW" : "", operands.rois, args.group, args.dim,
           args.scale, args.rounding == RoiRounding::kAfterScaling ? ", rounded after scaling" : "",
           operands.mapping_channel.is_present() ? "" : ", no mapping_channel");
  RecordCall(*found, function, [&] { return CaseOf(operands, options); });
  if (operands.input.shape->element_count == 0) {
    return {};
  }
  return Submit<Run>(*found, function, args, ScratchBytes(args, found->threads().count()));
}

}  // namespace detops::psroipool_forward

mluOpStatus_t mluOpPsRoiPoolForward(mluOpHandle_t handle, const int pooled_height,
                                    const int pooled_width, const float spatial_scale,
                                    const int group_size, const int output_dim,
                                    const mluOpTensorDescriptor_t input_desc, const void* input,
                                    const mluOpTensorDescriptor_t rois_desc, const void* rois,
                                    const mluOpTensorDescriptor_t output_desc, void* output,
                                    const mluOpTensorDescriptor_t mapping_channel_desc,
                                    void* mapping_channel) {
  namespace op = detops::psroipool_forward;
  constexpr const char* kName = "mluOpPsRoiPoolForward";
  return detops::ApiCall(kName, [&]() -> detops::Status {
    return op::Call(kName, handle,
                    {.input = detops::OperandOf("input", input_desc, input),
                     .rois = detops::OperandOf("rois", rois_desc, rois),
                     .output = detops::OperandOf("output", output_desc, output),
                     .mapping_channel = detops::OperandOf("mapping_channel", mapping_channel_desc,
                                                          mapping_channel),
                     .output_dim = output_dim,
                     .pooled_height = pooled_height,
                     .pooled_width = pooled_width},
                    {.group_size = group_size, .spatial_scale = spatial_scale});
  });
}

mluOpStatus_t mluOpPsRoiPoolForwardWithWorkspace(
    mluOpHandle_t handle, const int pooled_height, const int pooled_width,
    const float spatial_scale, const int group_size, const int output_dim,
    const mluOpTensorDescriptor_t input_desc, const void* input,
    const mluOpTensorDescriptor_t rois_desc, const void* rois, void* /*workspace*/,
    const size_t /*workspace_size*/, const mluOpTensorDescriptor_t output_desc, void* output,
    const mluOpTensorDescriptor_t mapping_channel_desc, void* mapping_channel) {
  return mluOpPsRoiPoolForward(handle, pooled_height, pooled_width, spatial_scale, group_size,
                               output_dim, input_desc, input, rois_desc, rois, output_desc, output,
                               mapping_channel_desc, mapping_channel);
}

namespace detops {

void PsRoiPoolForward(Context& context, const ConstTensorView& input, const ConstTensorView& rois,
                      const TensorView& output, const std::optional<TensorView>& mapping_channel,
                      const PsRoiPoolOptions& options) {
  constexpr const char* kName = "PsRoiPoolForward";
  CppCall(kName, [&] {
    return psroipool_forward::Call(
        kName, context.handle(),
        {.input = ViewedTensor("input", input, options.layout),
         .rois = ViewedTensor("rois", rois),
         .output = ViewedTensor("output", output, options.layout),
         .mapping_channel = ViewedTensor("mapping_channel", mapping_channel, options.layout)},
        options);
  });
}

void PsRoiPoolForward(const ConstTensorView& input, const ConstTensorView& rois,
                      const TensorView& output, const std::optional<TensorView>& mapping_channel,
                      const PsRoiPoolOptions& options) {
  PsRoiPoolForward(ThreadContext(), input, rois, output, mapping_channel, options);
}

}  // namespace detops
