// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Settings from environment variables.

#ifndef DETOPS_CORE_ENVIRONMENT_H_
#define DETOPS_CORE_ENVIRONMENT_H_

#include <optional>
#include <string_view>

namespace detops {

// Returns the value of the environment variable `name`, or nothing if it is not set or empty. The
// text ends with '\0' and is valid until the program changes its environment.
std::optional<std::string_view> FromEnvironment(const char* name);

// Returns the value of the environment variable `name` as an integer in [low, high], or nothing if
// it is not set or empty. Any other value is logged and ignored.
std::optional<int> IntegerFromEnvironment(const char* name, int low, int high);

}  // namespace detops

#endif  // DETOPS_CORE_ENVIRONMENT_H_
