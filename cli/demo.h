// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The demonstration: runs the operators one after the other on a scene, as a detector does.

#ifndef DETOPS_CLI_DEMO_H_
#define DETOPS_CLI_DEMO_H_

#include <vector>

#include "cli/results.h"

namespace detops::cli {

// Runs the steps of all operators that have one, in their order, and returns the results.
std::vector<DemoPart> RunDemo(const Machine& machine);

}  // namespace detops::cli

#endif  // DETOPS_CLI_DEMO_H_
