// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/case_fields.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "cli/case.h"
#include "cli/case_schema.h"

namespace detops::cli {
namespace {

namespace pb = google::protobuf;

bool IsUtf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const auto byte = [&](size_t at) {
      return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
    };
    const unsigned first = byte(i);
    const size_t length = first < 0x80    ? 1
                          : first < 0xC2  ? 0
                          : first < 0xE0  ? 2
                          : first < 0xF0  ? 3
                          : first <= 0xF4 ? 4
                                          : 0;
    if (length == 0) {
      return false;
    }
    for (size_t k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xC0) != 0x80) {
        return false;
      }
    }
    const bool is_overlong =
        (first == 0xE0 && byte(i + 1) < 0xA0) || (first == 0xF0 && byte(i + 1) < 0x90);
    const bool is_invalid =
        (first == 0xED && byte(i + 1) >= 0xA0) || (first == 0xF4 && byte(i + 1) >= 0x90);
    if (is_overlong || is_invalid) {
      return false;
    }
    i += length;
  }
  return true;
}

}  // namespace

bool Has(const pb::Message& message, const char* name) {
  return message.GetReflection()->HasField(message, FieldOf(message, name));
}

int CountOf(const pb::Message& message, const char* name) {
  return message.GetReflection()->FieldSize(message, FieldOf(message, name));
}

const pb::Message& MessageIn(const pb::Message& message, const char* name) {
  return message.GetReflection()->GetMessage(message, FieldOf(message, name));
}

std::optional<int> EnumIn(const pb::Message& message, const char* name) {
  return Has(message, name)
             ? std::optional(message.GetReflection()->GetEnumValue(message, FieldOf(message, name)))
             : std::nullopt;
}

std::string TextIn(const pb::Message& message, const char* name) {
  std::string text = message.GetReflection()->GetString(message, FieldOf(message, name));
  if (!IsUtf8(text)) {
    throw UserError(fmt::format("has invalid UTF-8 in {}", name));
  }
  return text;
}

std::vector<int64_t> IntegersIn(const pb::Message& message, const char* name) {
  const auto& integers = NumbersIn<int64_t>(message, FieldOf(message, name));
  return {integers.begin(), integers.end()};
}

}  // namespace detops::cli
