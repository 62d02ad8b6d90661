// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// How the command describes and calls scale_boxes.

#include "cli/operator_parts.h"
#include "ops/scale_boxes/op.h"

namespace detops::scale_boxes {
namespace {

cli::Description Describe() {
  return {.name = "scale_boxes",
          .c_function = "mluOpScaleBoxes",
          .parameters_name = "scale_boxes_param",
          .parameters_field = 100'900,
          .inputs = {{.name = "boxes", .shape = "[N, 4]", .types = "float"}},
          .outputs = {{.name = "scaled", .shape = "[N, 4]", .types = "float"}},
          .parameters = {{.name = "factor",
                          .field = 1,
                          .type = cli::ParameterType::kFloat,
                          .value = 2,
                          .help = "factor by which every coordinate is multiplied"}}};
}

Status ArgsOf(const cli::Case& input, Args& args) {
  return MakeArgs({.boxes = cli::TensorOperand("boxes", input.inputs[0]),
                   .scaled = cli::TensorOperand("scaled", input.outputs[0])},
                  {.factor = static_cast<float>(input.parameters[0])}, args);
}

class ScaleBoxesAdapter : public cli::Adapter {
 public:
  ScaleBoxesAdapter() : Adapter(Describe()) {}

  std::vector<cli::Tensor> Outputs(const cli::Case& input) const override {
    return cli::TensorList(cli::MakeTensor(MLUOP_DTYPE_FLOAT, input.inputs[0].dims));
  }

  cli::Work WorkOf(const cli::Case& done) const override {
    return {cli::BytesOf(done), static_cast<double>(done.inputs[0].count())};
  }

  void Fill(cli::Case& input, size_t index, uint32_t seed) const override {
    input.inputs[index].random = cli::UniformData(seed, 0, 100);
    cli::DrawValues(input.inputs[index]);
  }

  mluOpStatus_t Call(cli::Invocation& call) const override {
    return mluOpScaleBoxes(call.handle(), call.float_parameter(0), call.input_desc(0),
                           call.input(0), call.output_desc(0), call.output(0));
  }

  Status Reference(cli::Case& input) const override {
    return cli::RunReference(input, ArgsOf, scale_boxes::Reference);
  }
};

}  // namespace

const cli::Adapter& CommandAdapter() {
  static const ScaleBoxesAdapter adapter;
  return adapter;
}

}  // namespace detops::scale_boxes
