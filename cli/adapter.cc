// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/adapter.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>
#include <utility>

namespace detops {

// The same list as in core/operators.cc. An operator's adapter stands in its command.cc.
#define DETOPS_OPERATOR(op)             \
  namespace op {                        \
  const cli::Adapter& CommandAdapter(); \
  }
#include "core/operators.inc"
#undef DETOPS_OPERATOR

}  // namespace detops

namespace detops::cli {
namespace {

size_t ParameterIndex(const Adapter& adapter, std::string_view name) {
  const std::vector<Parameter>& parameters = adapter.description().parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name == name) {
      return i;
    }
  }
  throw std::logic_error(fmt::format("no parameter is called {}", name));
}

}  // namespace

std::string_view NameOf(CaseKind kind) {
  switch (kind) {
    case CaseKind::kExample:
      return "example";
    case CaseKind::kNetwork:
      return "network";
    case CaseKind::kRandom:
      return "random";
    case CaseKind::kNegative:
      return "negative";
  }
  return "?";
}

int64_t Adapter::WrittenCount(const Case& done, size_t output) const {
  return done.outputs[output].count();
}

Case Adapter::DemoCase(const Scene& /*scene*/) const {
  throw std::logic_error("this operator has no part in the demonstration");
}

Picture Adapter::DemoResult(Scene& /*scene*/, const Case& /*done*/) const {
  throw std::logic_error("this operator has no part in the demonstration");
}

const Adapter& AdapterOf(size_t index) {
#define DETOPS_OPERATOR(op) &op::CommandAdapter(),
  static const Adapter* const adapters[] = {
#include "core/operators.inc"
  };
#undef DETOPS_OPERATOR
  return *adapters[index];
}

const Adapter& FindAdapter(std::string_view name) {
  const std::vector<const Operator*>& operators = Operators();
  std::string known;
  for (size_t i = 0; i < operators.size(); ++i) {
    if (operators[i]->name == name) {
      return AdapterOf(i);
    }
    known += fmt::format("{}{}", i == 0 ? "" : ", ", operators[i]->name);
  }
  throw UserError(fmt::format("there is no operator '{}', expected one of {}", name, known));
}

Case MakeCase(const Adapter& adapter, std::string name, std::vector<Tensor> inputs) {
  Case made;
  made.name = std::move(name);
  made.op = NameOf(adapter);
  made.inputs = std::move(inputs);
  for (const Parameter& parameter : adapter.description().parameters) {
    made.parameters.push_back(parameter.value);
  }
  return made;
}

const char* NameOf(const Adapter& adapter) {
  const std::vector<const Operator*>& operators = Operators();
  for (size_t i = 0; i < operators.size(); ++i) {
    if (&AdapterOf(i) == &adapter) {
      return operators[i]->name;
    }
  }
  throw std::logic_error("an adapter without an operator");
}

double GetParameter(const Adapter& adapter, const Case& input, std::string_view name) {
  return input.parameters[ParameterIndex(adapter, name)];
}

void SetParameter(const Adapter& adapter, Case& input, std::string_view name, double value) {
  input.parameters[ParameterIndex(adapter, name)] = value;
}

}  // namespace detops::cli
