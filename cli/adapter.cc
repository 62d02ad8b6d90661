// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cli/operator_parts.h"
#include "core/math.h"

namespace detops::cli {
namespace {

// Returns the index of the entry of that name.
template <class Entry>
size_t IndexOf(const std::vector<Entry>& entries, std::string_view name) {
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].name == name) {
      return i;
    }
  }
  throw std::logic_error(fmt::format("there is no '{}'", name));
}

// Returns the adapter whose name, by that member function, is `name`.
const Adapter& Find(std::string_view name, const char* (Adapter::*name_of)() const) {
  std::string known;
  for (size_t i = 0; i < Operators().size(); ++i) {
    const Adapter& adapter = AdapterOf(i);
    const char* const other = (adapter.*name_of)();
    if (other == name) {
      return adapter;
    }
    known += fmt::format("{}{}", i == 0 ? "" : ", ", other);
  }
  throw UserError(fmt::format("there is no operator '{}'; the operators are {}", name, known));
}

}  // namespace

const Adapter& AdapterOf(size_t index) {
#define DETOPS_OPERATOR(op) &op::CommandAdapter(),
  static const Adapter* const adapters[] = {
#include "core/operators.inc"
  };
#undef DETOPS_OPERATOR
  return *adapters[index];
}

const Adapter& FindAdapter(std::string_view name) { return Find(name, &Adapter::name); }

const Adapter& FindCaseAdapter(std::string_view case_name) {
  for (size_t i = 0; i < Operators().size(); ++i) {
    const Description& description = AdapterOf(i).description();
    if (description.case_name != nullptr && description.name == case_name) {
      throw UserError(fmt::format(
          "{0} is MLU-OPS' own operator {0}, which detops does not have; detops' {1} is called {2} "
          "in case files",
          description.name, description.case_title, description.case_name));
    }
  }
  return Find(case_name, &Adapter::case_name);
}

Case MakeCase(const Adapter& adapter, std::string name, std::vector<Tensor> inputs) {
  Case made;
  made.name = std::move(name);
  made.op = adapter.name();
  made.inputs = std::move(inputs);
  for (const Parameter& parameter : adapter.description().parameters) {
    made.parameters.push_back(parameter.value);
  }
  return made;
}

double GetParameter(const Adapter& adapter, const Case& input, std::string_view name) {
  return input.parameters[IndexOf(adapter.description().parameters, name)];
}

void SetParameter(const Adapter& adapter, Case& input, std::string_view name, double value) {
  input.parameters[IndexOf(adapter.description().parameters, name)] = value;
}

void SetParameters(const Adapter& adapter, Case& input,
                   std::initializer_list<std::pair<std::string_view, double>> values) {
  for (const auto& [name, value] : values) {
    SetParameter(adapter, input, name, value);
  }
}

int64_t WrittenCount(const Adapter& adapter, const Case& done, size_t output) {
  const Tensor& tensor = done.outputs[output];
  const std::vector<TensorInfo>& infos = adapter.description().outputs;
  const int64_t rows = RowsOf(tensor);
  if (infos[output].rows_in == nullptr || rows == 0) {
    return tensor.count();
  }
  const auto* const written = done.outputs[IndexOf(infos, infos[output].rows_in)].as<int32_t>();
  return std::clamp<int64_t>(*written, 0, rows) * (tensor.count() / rows);
}

void CheckPointerOutputs(const Adapter& adapter, const Case& input) {
  const std::vector<TensorInfo>& infos = adapter.description().outputs;
  const std::vector<Tensor> right = adapter.Outputs(input);
  for (size_t i = 0; i < std::min(right.size(), input.outputs.size()); ++i) {
    const Tensor& given = input.outputs[i];
    if (!infos[i].has_descriptor &&
        (given.dtype != right[i].dtype || given.dims != right[i].dims)) {
      throw UserError(fmt::format("{}: {} is {}; it must be {}", input.name, infos[i].name,
                                  given.ToString(), right[i].ToString()));
    }
  }
}

double BytesOf(const Case& done) {
  size_t bytes = 0;
  for (const std::vector<Tensor>* const tensors : {&done.inputs, &done.outputs}) {
    for (const Tensor& tensor : *tensors) {
      bytes += tensor.bytes();
    }
  }
  return static_cast<double>(bytes);
}

void FillRows(Tensor& tensor, int64_t row_size,
              const std::function<std::vector<float>(int64_t)>& random_rows) {
  const int64_t count = tensor.count();
  std::vector<float> numbers = random_rows(CeilDiv(count, row_size));
  numbers.resize(static_cast<size_t>(count));
  SetNumbers(tensor, numbers);
}

RandomData FeatureMapData(uint32_t seed) { return UniformData(seed, -1, 1); }

}  // namespace detops::cli
