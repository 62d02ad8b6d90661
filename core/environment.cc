// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/environment.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "core/log.h"

namespace detops {

std::optional<int> IntegerFromEnvironment(const char* name, int low, int high) {
  const char* const text = std::getenv(name);
  if (text == nullptr) {
    return std::nullopt;
  }
  int value = 0;
  const char* const end = text + std::strlen(text);
  const auto [parsed_to, error] = std::from_chars(text, end, value);
  if (error == std::errc() && parsed_to == end && value >= low && value <= high) {
    return value;
  }
  Log(DETOPS_LOG_ERROR, fmt::format("{} is '{}'; it must be an integer from {} to {} (ignored)",
                                    name, text, low, high));
  return std::nullopt;
}

}  // namespace detops
