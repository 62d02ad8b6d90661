// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/suite.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "cli/operator_parts.h"

namespace detops::cli {
namespace {

struct OperatorSuite {
  const char* op;
  void (*acceptance)(RecipeList&);
  void (*benchmarks)(RecipeList&);
};

const OperatorSuite& SuiteOf(const Adapter& adapter) {
#define DETOPS_OPERATOR(op) {#op, op::AcceptanceSuite, op::Benchmarks},
  static constexpr OperatorSuite kSuites[] = {
#include "core/operators.inc"
  };
#undef DETOPS_OPERATOR
  for (const OperatorSuite& suite : kSuites) {
    if (suite.op == std::string_view(adapter.name())) {
      return suite;
    }
  }
  throw std::logic_error(fmt::format("{} is not an operator", adapter.name()));
}

// A tensor of a case, and whether it is an input.
struct FoundTensor {
  Tensor& tensor;
  bool is_input;
};

FoundTensor FindTensor(const Adapter& adapter, Case& call, std::string_view name) {
  const Description& description = adapter.description();
  for (size_t i = 0; i < description.inputs.size(); ++i) {
    if (description.inputs[i].name == name) {
      return {call.inputs[i], true};
    }
  }
  for (size_t i = 0; i < description.outputs.size(); ++i) {
    if (description.outputs[i].name == name) {
      return {call.outputs[i], false};
    }
  }
  throw std::logic_error(fmt::format("{} has no tensor '{}'", adapter.name(), name));
}

void Retype(const FoundTensor& found, mluOpDataType_t dtype, const Dims& dims) {
  Tensor& tensor = found.tensor;
  tensor = found.is_input ? ZeroTensor(dtype, dims, tensor.layout)
                          : MakeTensor(dtype, dims, tensor.layout);
}

}  // namespace

std::vector<Recipe> AcceptanceSuiteOf(const Adapter& adapter) {
  RecipeList suite(adapter);
  SuiteOf(adapter).acceptance(suite);
  return suite.Take();
}

std::vector<Recipe> BenchmarksOf(const Adapter& adapter) {
  RecipeList benchmarks(adapter);
  SuiteOf(adapter).benchmarks(benchmarks);
  return benchmarks.Take();
}

// ---- Negative cases -----------------------------------------------------------------------------

Spoiler WrongParameter(const char* name, double value) {
  return [=](const Adapter& adapter, Case& call) { SetParameter(adapter, call, name, value); };
}

Spoiler WrongType(const char* tensor, mluOpDataType_t dtype) {
  return [=](const Adapter& adapter, Case& call) {
    const FoundTensor found = FindTensor(adapter, call, tensor);
    Retype(found, dtype, Dims(found.tensor.dims));
  };
}

Spoiler WrongShape(const char* tensor, Dims dims) {
  return [tensor, dims = std::move(dims)](const Adapter& adapter, Case& call) {
    const FoundTensor found = FindTensor(adapter, call, tensor);
    Retype(found, found.tensor.dtype, dims);
  };
}

Spoiler WrongTypeAndShape(const char* tensor, mluOpDataType_t dtype, Dims dims) {
  return [tensor, dtype, dims = std::move(dims)](const Adapter& adapter, Case& call) {
    Retype(FindTensor(adapter, call, tensor), dtype, dims);
  };
}

Spoiler WrongLayout(const char* tensor, mluOpTensorLayout_t layout) {
  return [=](const Adapter& adapter, Case& call) {
    FindTensor(adapter, call, tensor).tensor.layout = layout;
  };
}

Spoiler Strided(const char* tensor, Dims strides) {
  return [tensor, strides = std::move(strides)](const Adapter& adapter, Case& call) {
    FindTensor(adapter, call, tensor).tensor.strides = strides;
  };
}

Spoiler TooLarge(std::vector<std::pair<const char*, Dims>> inputs) {
  return [inputs = std::move(inputs)](const Adapter& adapter, Case& call) {
    for (const auto& [name, dims] : inputs) {
      Tensor& tensor = FindTensor(adapter, call, name).tensor;
      tensor = MakeTensor(tensor.dtype, dims, tensor.layout);
    }
    call.outputs = adapter.Outputs(call);
  };
}

Spoiler Both(const Spoiler& first, const Spoiler& second) {
  return [=](const Adapter& adapter, Case& call) {
    first(adapter, call);
    second(adapter, call);
  };
}

std::vector<Negative> WrongLayouts(const std::vector<LabeledTensor>& tensors) {
  constexpr std::pair<const char*, mluOpTensorLayout_t> kLayouts[] = {
      {"nchw", MLUOP_LAYOUT_NCHW}, {"array", MLUOP_LAYOUT_ARRAY}};
  std::vector<Negative> negatives;
  for (const auto& [name, layout] : kLayouts) {
    for (const auto& [tensor, label] : tensors) {
      negatives.push_back({fmt::format("{}_{}", label, name), WrongLayout(tensor, layout)});
    }
  }
  return negatives;
}

// ---- Lists of recipes ---------------------------------------------------------------------------

void RecipeList::Add(const std::string& name, CaseKind kind, std::function<Case()> make) {
  recipes_.push_back({name, kind, [name, make = std::move(make)] {
                        Case made = make();
                        made.name = name;
                        return made;
                      }});
}

void RecipeList::AddNegative(const Negative& negative, mluOpStatus_t status,
                             const std::function<Case()>& valid) {
  Add("negative_" + negative.name, CaseKind::kNegative,
      [&adapter = adapter_, spoil = negative.spoil, status, valid] {
        Case made = valid();
        made.outputs = adapter.Outputs(made);
        if (spoil) {
          spoil(adapter, made);
        }
        made.expected_status = status;
        return made;
      });
}

void RecipeList::AddNegatives(const std::vector<Negative>& negatives, mluOpStatus_t status,
                              const std::function<Case()>& valid) {
  for (const Negative& negative : negatives) {
    AddNegative(negative, status, valid);
  }
}

Case WithValues(Case call, const std::vector<std::vector<float>>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].empty()) {
      SetNumbers(call.inputs[i], inputs[i]);
    }
  }
  return call;
}

void SetExpected(const Adapter& adapter, Case& call, std::vector<std::vector<float>> outputs,
                 float padding) {
  call.outputs = adapter.Outputs(call);
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].resize(static_cast<size_t>(call.outputs[i].count()), padding);
    SetNumbers(call.outputs[i], outputs[i]);
  }
}

Tensor RandomTensor(mluOpDataType_t dtype, Dims dims, const RandomData& random,
                    mluOpTensorLayout_t layout) {
  Tensor tensor = MakeTensor(dtype, std::move(dims), layout);
  tensor.random = random;
  return tensor;
}

}  // namespace detops::cli
