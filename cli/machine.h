// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The machine that the command runs on.

#ifndef DETOPS_CLI_MACHINE_H_
#define DETOPS_CLI_MACHINE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "cli/results.h"

namespace detops::cli {

// Measures bandwidth and peak speed with one thread, with all, and with `also` threads unless that
// is 0 or more than the cores. Takes some tenths of a second. Pins the calling thread to a core for
// the rest of the process.
Machine MeasureMachine(int also = 0);

// Returns the display names of instruction sets, "AVX-512, AVX2, SSE4".
std::string DisplayNames(const std::vector<std::string>& simd_targets);

// Returns the bytes of memory that are available without swapping; the largest number when the
// system does not report them.
size_t AvailableMemory();

}  // namespace detops::cli

#endif  // DETOPS_CLI_MACHINE_H_
