// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The demonstration: the operators one after the other on a scene, as a detector runs them.

#ifndef DETOPS_CLI_DEMO_H_
#define DETOPS_CLI_DEMO_H_

#include <vector>

#include "cli/results.h"

namespace detops::cli {

// Each operator that has a part, in the order of their stages.
std::vector<DemoPart> RunDemo(const Machine& machine);

}  // namespace detops::cli

#endif  // DETOPS_CLI_DEMO_H_
