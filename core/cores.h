// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The processor cores that this process may use.

#ifndef DETOPS_CORE_CORES_H_
#define DETOPS_CORE_CORES_H_

#include <sched.h>

#include <optional>
#include <string>

namespace detops {

// Returns the number of cores that this process may use: those of its affinity mask, at most as
// many as the CPU quota of its control group allows. Measured once.
int AvailableCores();

// Lets the calling thread run on all cores that the process may use. A new thread inherits the mask
// of the thread that starts it, which may be pinned to one core.
void UseAllCores();

// Returns the CPU quota of the process's control group in cores, rounded up, or nothing if there is
// none. The smallest quota on the way to the root counts. `root` precedes all paths (tests pass a
// folder with files of their own).
std::optional<int> QuotaOfControlGroup(const std::string& root = "");

// Makes AvailableCores return `cores`; 0 ends that. For tests only: the threads of the process are
// limited by it.
void PretendCores(int cores);

}  // namespace detops

#endif  // DETOPS_CORE_CORES_H_
