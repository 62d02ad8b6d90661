// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// How the command describes and calls psroipool_forward.

#include <algorithm>
#include <cmath>

#include "cli/operator_parts.h"
#include "ops/psroipool_forward/cases.h"
#include "ops/psroipool_forward/op.h"

namespace detops::psroipool_forward {
namespace {

using cli::ParameterType;
using cli::Tensor;

// In the order of the description.
enum InputIndex { kInput, kRois };
enum OutputIndex { kOutput, kMapping };
enum ParameterIndex { kScale, kGroup, kDim, kPooledHeight, kPooledWidth };

std::vector<cli::Parameter> DescribeParameters() {
  return {{.name = "spatial_scale",
           .field = 1,
           .type = ParameterType::kFloat,
           .value = 1,
           .help = "factor from the coordinates of rois to those of input, such as 0.0625"},
          {.name = "group_size",
           .field = 2,
           .type = ParameterType::kInt,
           .value = 7,
           .help = "number of bins along each axis, G"},
          {.name = "output_dim",
           .field = 3,
           .type = ParameterType::kInt,
           .value = 1,
           .help = "number of channels of each bin, D"},
          {.name = "pooled_height",
           .field = 4,
           .type = ParameterType::kInt,
           .value = 7,
           .help = "number of bins along the height; must be G"},
          {.name = "pooled_width",
           .field = 5,
           .type = ParameterType::kInt,
           .value = 7,
           .help = "number of bins along the width; must be G"}};
}

cli::Description Describe() {
  return {
      .name = "psroipool_forward",
      .c_function = "mluOpPsRoiPoolForward",
      .parameters_name = "psroipool_forward_param",
      .parameters_field = 4004,
      .inputs = {{.name = "input", .shape = "[N, H, W, G * G * D]", .types = "float"},
                 {.name = "rois",
                  .shape = "[R, 5]: batch index, x1, y1, x2, y2",
                  .types = "float"}},
      .outputs = {{.name = "output", .shape = "[R, G, G, D]", .types = "float"},
                  {.name = "mapping_channel", .shape = "[R, G, G, D]", .types = "int32"}},
      .parameters = DescribeParameters(),
      .limits = {"fewer than 2^31 elements in each tensor",
                 "group_size = pooled_height = pooled_width, at least 1", "output_dim at least 1",
                 "spatial_scale finite and above 0", "every batch index at least 0 and below N",
                 "input, output and mapping_channel in NHWC layout"}};
}

Status ArgsOf(const cli::Case& input, Args& args) {
  return MakeArgs(
      {.input = cli::TensorOperand("input", input.inputs[kInput]),
       .rois = cli::TensorOperand("rois", input.inputs[kRois]),
       .output = cli::TensorOperand("output", input.outputs[kOutput]),
       .mapping_channel = cli::TensorOperand("mapping_channel", input.outputs[kMapping]),
       .output_dim = static_cast<int>(input.parameters[kDim])},
      {.group_size = static_cast<int>(input.parameters[kGroup]),
       .spatial_scale = static_cast<float>(input.parameters[kScale])},
      args);
}

// Returns the number of pixels in all bins of all RoIs.
double PixelsOf(const cli::Case& done) {
  const Tensor& map = done.inputs[kInput];
  const Tensor& rois = done.inputs[kRois];
  const Tensor& output = done.outputs[kOutput];
  Case bins_only;
  bins_only.shape = {.images = map.dims[0],
                     .height = map.dims[1],
                     .width = map.dims[2],
                     .group = output.dims[1],
                     .dim = output.dims[3],
                     .rois = rois.dims[0]};
  bins_only.scale = static_cast<float>(done.parameters[kScale]);
  bins_only.rois.assign(rois.as<float>(), rois.as<float>() + rois.count());
  double pixels = 0;
  for (int64_t roi = 0; roi < bins_only.shape.rois; ++roi) {
    for (const Rectangle& bin : BinsOf(bins_only, roi)) {
      pixels += bin.empty()
                    ? 0
                    : static_cast<double>((bin.y_end - bin.y_begin) * (bin.x_end - bin.x_begin));
    }
  }
  return pixels;
}

class PsRoiPoolForwardAdapter : public cli::Adapter {
 public:
  PsRoiPoolForwardAdapter() : Adapter(Describe()) {}

  std::vector<Tensor> Outputs(const cli::Case& input) const override {
    const std::vector<int64_t>& map = input.inputs[kInput].dims;
    const std::vector<int64_t>& rois = input.inputs[kRois].dims;
    const auto group = static_cast<int64_t>(input.parameters[kGroup]);
    const auto dim = static_cast<int64_t>(input.parameters[kDim]);
    std::vector<int64_t> dims(4);
    // Other calls are refused before the shape of the outputs matters.
    if (map.size() == 4 && rois.size() == 2 && group >= 1 && dim >= 1 &&
        map[3] / (group * group) == dim && map[3] % (group * group) == 0) {
      dims = {rois[0], group, group, dim};
    }
    return cli::TensorList(cli::MakeTensor(MLUOP_DTYPE_FLOAT, dims, MLUOP_LAYOUT_NHWC),
                           cli::MakeTensor(MLUOP_DTYPE_INT32, dims, MLUOP_LAYOUT_NHWC));
  }

  cli::Work WorkOf(const cli::Case& done) const override {
    const auto map_bytes = static_cast<double>(done.inputs[kInput].bytes());
    if (map_bytes == 0) {
      return {0, 0};
    }
    const Tensor& output = done.outputs[kOutput];
    const double additions = PixelsOf(done) * static_cast<double>(output.dims[3]);
    // A few RoIs do not cover all of the map.
    const double read_bytes = std::min(map_bytes, additions * sizeof(float));
    return {cli::BytesOf(done) - map_bytes + read_bytes,
            additions + static_cast<double>(output.count())};
  }

  void Fill(cli::Case& input, size_t index, uint32_t seed) const override {
    if (index == kInput) {
      input.inputs[kInput].random = cli::FeatureMapData(seed);
      return cli::DrawValues(input.inputs[kInput]);
    }
    const std::vector<int64_t>& map = input.inputs[kInput].dims;
    const auto scale = static_cast<float>(input.parameters[kScale]);
    const bool is_valid = std::isfinite(scale) && scale > 0;
    cli::FillRows(input.inputs[kRois], kRoiNumbers, [&](int64_t rows) {
      // The RoIs depend on the size of the map only; without channels, no map is drawn.
      const Shape shape{.images = map.size() == 4 ? std::max<int64_t>(map[0], 1) : 1,
                        .height = map.size() == 4 ? map[1] : 14,
                        .width = map.size() == 4 ? map[2] : 14,
                        .group = 1,
                        .dim = 0,
                        .rois = rows};
      return RandomCase(Kind::kNetwork, shape, is_valid ? scale : 1, seed).rois;
    });
  }

  mluOpStatus_t Call(cli::Invocation& call) const override {
    return mluOpPsRoiPoolForward(
        call.handle(), call.int_parameter(kPooledHeight), call.int_parameter(kPooledWidth),
        call.float_parameter(kScale), call.int_parameter(kGroup), call.int_parameter(kDim),
        call.input_desc(kInput), call.input(kInput), call.input_desc(kRois), call.input(kRois),
        call.output_desc(kOutput), call.output(kOutput), call.output_desc(kMapping),
        call.output(kMapping));
  }

  Status Reference(cli::Case& input) const override {
    return cli::RunReference(input, ArgsOf, psroipool_forward::Reference);
  }
};

}  // namespace

const cli::Adapter& CommandAdapter() {
  static const PsRoiPoolForwardAdapter adapter;
  return adapter;
}

}  // namespace detops::psroipool_forward
