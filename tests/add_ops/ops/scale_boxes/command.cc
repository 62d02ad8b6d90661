// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the command knows of scale_boxes.

#include <fmt/format.h>

#include <utility>

#include "cli/adapter.h"
#include "ops/scale_boxes/op.h"

namespace detops::scale_boxes {
namespace {

class ScaleBoxesAdapter : public cli::Adapter {
 public:
  const cli::Description& description() const override {
    static const cli::Description description{
        "mluOpScaleBoxes",
        "scale_boxes_param",
        100'900,
        {{"boxes", "[N, 4]", "float"}},
        {{"scaled", "[N, 4]", "float"}},
        {{"factor", 1, cli::ParameterType::kFloat, 2, "what every coordinate is multiplied by"}},
        {}};
    return description;
  }

  std::vector<cli::Tensor> Outputs(const cli::Case& input) const override {
    std::vector<cli::Tensor> outputs;
    outputs.push_back(cli::MakeTensor(MLUOP_DTYPE_FLOAT, input.inputs[0].dims));
    return outputs;
  }

  mluOpStatus_t Call(cli::Invocation& call) const override {
    return mluOpScaleBoxes(call.handle(), call.float_parameter(0), call.input_desc(0),
                           call.input(0), call.output_desc(0), call.output(0));
  }

  Status Reference(cli::Case& input) const override {
    const cli::TensorOperand boxes("boxes", input.inputs[0]);
    const cli::TensorOperand scaled("scaled", input.outputs[0]);
    Args args;
    DETOPS_RETURN_IF_ERROR(
        MakeArgs(boxes.operand(), scaled.operand(), static_cast<float>(input.parameters[0]), args));
    scale_boxes::Reference(args);
    return {};
  }

  cli::Work WorkOf(const cli::Case& done) const override {
    return {2.0 * static_cast<double>(done.inputs[0].bytes()),
            static_cast<double>(done.inputs[0].count())};
  }

  void Fill(cli::Case& input, size_t index, uint32_t seed) const override {
    input.inputs[index].random = cli::UniformData(seed, 0, 100);
    cli::DrawValues(input.inputs[index]);
  }

  std::vector<cli::Recipe> Suite() const override { return Sizes({1, 7, 1000}); }
  std::vector<cli::Recipe> Benchmarks() const override { return Sizes({1000}); }

 private:
  std::vector<cli::Recipe> Sizes(std::initializer_list<int64_t> counts) const {
    std::vector<cli::Recipe> recipes;
    for (const int64_t count : counts) {
      const std::string name = fmt::format("boxes_{}", count);
      recipes.push_back({name, cli::CaseKind::kRandom, [=] {
                           std::vector<cli::Tensor> inputs;
                           inputs.push_back(cli::MakeTensor(MLUOP_DTYPE_FLOAT, {count, 4}));
                           cli::Case made = cli::MakeCase(*this, name, std::move(inputs));
                           Fill(made, 0, 1);
                           return made;
                         }});
    }
    return recipes;
  }
};

}  // namespace

const cli::Adapter& CommandAdapter() {
  static const ScaleBoxesAdapter adapter;
  return adapter;
}

}  // namespace detops::scale_boxes
