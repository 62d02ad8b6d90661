// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Fields of a case file's messages, by name. Names must exist in the schema.

#ifndef DETOPS_CLI_CASE_FIELDS_H_
#define DETOPS_CLI_CASE_FIELDS_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/repeated_field.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace detops::cli {

bool Has(const google::protobuf::Message& message, const char* name);

// Number of elements of a repeated field.
int CountOf(const google::protobuf::Message& message, const char* name);

const google::protobuf::Message& MessageIn(const google::protobuf::Message& message,
                                           const char* name);

// Returns the number of an enumeration value; nothing when the field is absent.
std::optional<int> EnumIn(const google::protobuf::Message& message, const char* name);

// Throws UserError when the text is not valid UTF-8.
std::string TextIn(const google::protobuf::Message& message, const char* name);

std::vector<int64_t> IntegersIn(const google::protobuf::Message& message, const char* name);

// These two return the whole list where it lies in memory. Protobuf deprecates that in favor of
// access by element, but MoveValues (case_tensor.cc) must know where the numbers are.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
template <class Number>
const google::protobuf::RepeatedField<Number>& NumbersIn(
    const google::protobuf::Message& message, const google::protobuf::FieldDescriptor* field) {
  return message.GetReflection()->GetRepeatedField<Number>(message, field);
}

inline const google::protobuf::RepeatedPtrField<std::string>& TextsIn(
    const google::protobuf::Message& message, const google::protobuf::FieldDescriptor* field) {
  return message.GetReflection()->GetRepeatedPtrField<std::string>(message, field);
}
#pragma GCC diagnostic pop

}  // namespace detops::cli

#endif  // DETOPS_CLI_CASE_FIELDS_H_
