// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Estimated costs of the loops that measure the machine. They decide how finely the work is split.
// `make costs` prints the measured value beside the one here.

#ifndef DETOPS_MEASURE_COSTS_H_
#define DETOPS_MEASURE_COSTS_H_

#include <cstdint>

namespace detops {

// The unit in which memory is read and written, in bytes.
inline constexpr int64_t kMemoryBlockBytes = int64_t{1} << 16;

// Nanoseconds to read one block and stream another, on one thread.
// Benchmark: Cost/measure/kNanosecondsPerMemoryBlock in bench/runtime_bench.cc.
inline constexpr double kNanosecondsPerMemoryBlock = 5000;

}  // namespace detops

#endif  // DETOPS_MEASURE_COSTS_H_
