// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The machine that the command runs on.

#ifndef DETOPS_CLI_MACHINE_H_
#define DETOPS_CLI_MACHINE_H_

#include "cli/results.h"

namespace detops::cli {

// Measures what it can do, which takes some tenths of a second and pins the calling thread and its
// workers to cores. `also` is a number of threads to measure besides one and all; 0: none. Numbers
// above that of the cores are not measured.
Machine MeasureMachine(int also = 0);

// Bytes of memory that can be had without pushing others out; more than any case needs where the
// system does not tell.
size_t AvailableMemory();

}  // namespace detops::cli

#endif  // DETOPS_CLI_MACHINE_H_
