// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/environment.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "core/log.h"

namespace detops {

std::optional<std::string_view> FromEnvironment(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr || *text == '\0' ? std::nullopt : std::optional<std::string_view>(text);
}

std::optional<int> IntegerFromEnvironment(const char* name, int low, int high) {
  const std::optional<std::string_view> text = FromEnvironment(name);
  if (!text) {
    return std::nullopt;
  }
  int value = 0;
  const auto [parsed_to, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error == std::errc() && *parsed_to == '\0' && value >= low && value <= high) {
    return value;
  }
  Log(DETOPS_LOG_ERROR, fmt::format("{} is '{}'; it must be an integer from {} to {} (ignored)",
                                    name, *text, low, high));
  return std::nullopt;
}

}  // namespace detops
