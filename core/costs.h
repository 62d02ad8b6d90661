// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Estimated costs that steer ParallelFor. They decide how work is split, never what is computed.
//
// `make costs` measures each constant that has a benchmark named Cost/core/<constant>
// (bench/runtime_bench.cc) and prints the result beside the value here. All values are nanoseconds.

#ifndef DETOPS_CORE_COSTS_H_
#define DETOPS_CORE_COSTS_H_

namespace detops {

// Time to start a loop on other threads and to wait for their end, per loop, on an idle machine.
// Waking a thread that sleeps takes most of it. Benchmark: Cost/core/kNanosecondsToShareLoop.
inline constexpr double kNanosecondsToShareLoop = 10'000;

// Time to hand one part of a loop to a thread, per part.
// Benchmark: Cost/core/kNanosecondsToHandOutPart.
inline constexpr double kNanosecondsToHandOutPart = 200;

// Loops that are estimated to take less than this stay on the calling thread. Two threads save at
// most half of the time, so sharing does not pay below twice its cost.
inline constexpr double kMinParallelNanoseconds = 2 * kNanosecondsToShareLoop;

// The least estimated work of a part: small enough to balance parts of uneven cost, large enough to
// keep the time to hand it out at 2 %.
inline constexpr double kMinPartNanoseconds = 50 * kNanosecondsToHandOutPart;

}  // namespace detops

#endif  // DETOPS_CORE_COSTS_H_
