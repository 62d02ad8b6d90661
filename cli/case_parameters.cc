// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/case_parameters.h"

#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/case_fields.h"
#include "cli/case_schema.h"

namespace detops::cli {
namespace {

namespace pb = google::protobuf;

// Returns "mode (1), aligned (2)".
std::string KnownFields(const Description& description) {
  std::string known;
  for (const Parameter& parameter : description.parameters) {
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", parameter.name, parameter.field);
  }
  return known;
}

[[noreturn]] void ThrowUnknown(const Description& description, const std::string& field) {
  throw UserError(fmt::format("{} has the unknown field {}; its fields are {}",
                              description.parameters_name, field, KnownFields(description)));
}

// Protobuf also treats a known field as unknown when its bytes are not those of its type.
void CheckFields(const ParsedCase& parsed, const pb::Message& message,
                 const Description& description) {
  const auto unknown = parsed.unknown_fields.find(message.GetDescriptor()->full_name());
  if (unknown != parsed.unknown_fields.end()) {
    ThrowUnknown(description, fmt::format("'{}'", unknown->second));
  }
  const pb::UnknownFieldSet& fields = message.GetReflection()->GetUnknownFields(message);
  if (fields.empty()) {
    return;
  }
  const int number = fields.field(0).number();
  const pb::FieldDescriptor* const known = message.GetDescriptor()->FindFieldByNumber(number);
  if (known == nullptr) {
    ThrowUnknown(description, fmt::format("{}", number));
  }
  throw UserError(fmt::format("{} has a field {} ({}) of another type; it must be {}",
                              description.parameters_name, number, known->name(),
                              known->type_name()));
}

double ValueOf(const pb::Message& message, const Parameter& parameter) {
  const pb::Reflection& reflection = *message.GetReflection();
  const pb::FieldDescriptor* const field = FieldOf(message, parameter.name);
  if (!reflection.HasField(message, field)) {
    return parameter.value;
  }
  switch (parameter.type) {
    case ParameterType::kInt:
      return reflection.GetInt32(message, field);
    case ParameterType::kFloat:
      return static_cast<double>(reflection.GetFloat(message, field));
    case ParameterType::kBool:
      return reflection.GetBool(message, field) ? 1 : 0;
  }
  return 0;
}

}  // namespace

std::vector<double> ReadParameters(const ParsedCase& parsed, const Description& description) {
  const pb::Message& message = MessageIn(*parsed.node, description.parameters_name);
  CheckFields(parsed, message, description);
  std::vector<double> values;
  for (const Parameter& parameter : description.parameters) {
    values.push_back(ValueOf(message, parameter));
  }
  return values;
}

void WriteParameters(const Case& input, const Description& description, pb::Message& node) {
  pb::Message& message =
      *node.GetReflection()->MutableMessage(&node, FieldOf(node, description.parameters_name));
  const pb::Reflection& reflection = *message.GetReflection();
  for (size_t i = 0; i < description.parameters.size(); ++i) {
    const Parameter& parameter = description.parameters[i];
    const double value = input.parameters[i];
    const pb::FieldDescriptor* const field = FieldOf(message, parameter.name);
    switch (parameter.type) {
      case ParameterType::kInt:
        reflection.SetInt32(&message, field, static_cast<int32_t>(value));
        break;
      case ParameterType::kFloat:
        reflection.SetFloat(&message, field, static_cast<float>(value));
        break;
      case ParameterType::kBool:
        reflection.SetBool(&message, field, value != 0);
    }
  }
}

}  // namespace detops::cli
