// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Settings from environment variables.

#ifndef DETOPS_CORE_ENVIRONMENT_H_
#define DETOPS_CORE_ENVIRONMENT_H_

#include <optional>

namespace detops {

// The variable as an integer in [low, high]; nothing when it is not set. A value that is something
// else is logged and counts as not set.
std::optional<int> IntegerFromEnvironment(const char* name, int low, int high);

}  // namespace detops

#endif  // DETOPS_CORE_ENVIRONMENT_H_
