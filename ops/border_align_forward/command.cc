// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// How the command describes and calls border_align_forward.

#include "cli/operator_parts.h"
#include "core/math.h"
#include "ops/border_align_forward/cases.h"
#include "ops/border_align_forward/op.h"

namespace detops::border_align_forward {
namespace {

using cli::Tensor;

// In the order of the description.
enum InputIndex { kInput, kBoxes };
enum OutputIndex { kOutput, kArgmax };
enum ParameterIndex { kPoolSize };

// The least operations for one sample of one channel: four products, three sums and the maximum.
// All channels share the position and the weights, which are not counted.
constexpr double kOperationsPerSample = 8;

cli::Description Describe() {
  return {
      .name = "border_align_forward",
      .c_function = "mluOpBorderAlignForward",
      .parameters_name = "border_align_param",
      .parameters_field = 9001,
      .inputs = {{.name = "input", .shape = "[N, H, W, 4C]", .types = "float, half"},
                 {.name = "boxes", .shape = "[N, K, 4]: x1, y1, x2, y2", .types = "same as input"}},
      .outputs = {{.name = "output", .shape = "[N, K, 4, C]", .types = "same as input"},
                  {.name = "argmax_idx", .shape = "[N, K, 4, C]", .types = "int32"}},
      .parameters = {{.name = "pool_size",
                      .field = 1,
                      .type = cli::ParameterType::kInt,
                      .value = 10,
                      .help = "number of intervals along each border; it has one sample more"}},
      .limits = {"fewer than 2^31 elements in each tensor", "no tensor without elements",
                 "pool_size at least 1", "input, output and argmax_idx in NHWC layout"}};
}

Status ArgsOf(const cli::Case& input, Args& args) {
  return MakeArgs({.input = cli::TensorOperand("input", input.inputs[kInput]),
                   .boxes = cli::TensorOperand("boxes", input.inputs[kBoxes]),
                   .output = cli::TensorOperand("output", input.outputs[kOutput]),
                   .argmax_idx = cli::TensorOperand("argmax_idx", input.outputs[kArgmax])},
                  {.pool_size = static_cast<int32_t>(input.parameters[kPoolSize])}, args);
}

class BorderAlignForwardAdapter : public cli::Adapter {
 public:
  BorderAlignForwardAdapter() : Adapter(Describe()) {}

  std::vector<Tensor> Outputs(const cli::Case& input) const override {
    const Tensor& map = input.inputs[kInput];
    const Tensor& boxes = input.inputs[kBoxes];
    std::vector<int64_t> dims(4);
    if (map.dims.size() == 4 && boxes.dims.size() == 3) {
      // Rounded up, so that a channel count that is not a multiple of 4 is what gets refused.
      dims = {map.dims[0], boxes.dims[1], kBorders, CeilDiv(map.dims[3], kBorders)};
    }
    return cli::TensorList(cli::MakeTensor(map.dtype, dims, MLUOP_LAYOUT_NHWC),
                           cli::MakeTensor(MLUOP_DTYPE_INT32, dims, MLUOP_LAYOUT_NHWC));
  }

  cli::Work WorkOf(const cli::Case& done) const override {
    return {cli::BytesOf(done), static_cast<double>(done.outputs[kOutput].count()) *
                                    (done.parameters[kPoolSize] + 1) * kOperationsPerSample};
  }

  void Fill(cli::Case& input, size_t index, uint32_t seed) const override {
    if (index == kInput) {
      input.inputs[kInput].random = cli::FeatureMapData(seed);
      return cli::DrawValues(input.inputs[kInput]);
    }
    const std::vector<int64_t>& map = input.inputs[kInput].dims;
    cli::FillRows(input.inputs[kBoxes], kBoxNumbers, [&](int64_t rows) {
      // The boxes depend on the size of the map only; without channels, no map is drawn.
      const Shape shape{.images = 1,
                        .height = map.size() == 4 ? map[1] : 8,
                        .width = map.size() == 4 ? map[2] : 8,
                        .channels = 0,
                        .boxes_per_image = rows,
                        .pool_size = 1};
      return RandomCase(Kind::kNetwork, shape, seed).boxes;
    });
  }

  mluOpStatus_t Call(cli::Invocation& call) const override {
    return mluOpBorderAlignForward(
        call.handle(), call.input_desc(kInput), call.input(kInput), call.input_desc(kBoxes),
        call.input(kBoxes), call.int_parameter(kPoolSize), call.output_desc(kOutput),
        call.output(kOutput), call.output_desc(kArgmax), call.output(kArgmax));
  }

  Status Reference(cli::Case& input) const override {
    return cli::RunReference(input, ArgsOf, border_align_forward::Reference);
  }
};

}  // namespace

const cli::Adapter& CommandAdapter() {
  static const BorderAlignForwardAdapter adapter;
  return adapter;
}

}  // namespace detops::border_align_forward
