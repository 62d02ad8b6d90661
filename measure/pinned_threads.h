// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Threads for benchmarks, each pinned to its own core. Operating systems, above all in virtual
// machines, tend to wake a thread on the core of the thread that woke it and to move it
// milliseconds later. Until then two threads share a core, which distorts measurements.

#ifndef DETOPS_MEASURE_PINNED_THREADS_H_
#define DETOPS_MEASURE_PINNED_THREADS_H_

#include "core/parallel.h"

namespace detops {

// Also pins the calling thread, permanently: use it only in processes that do nothing but measure.
// Applies DETOPS_SIMD_TARGET, as a handle does, so that benchmarks without a handle obey it.
class PinnedThreads : public Threads {
 public:
  explicit PinnedThreads(int count);
};

}  // namespace detops

#endif  // DETOPS_MEASURE_PINNED_THREADS_H_
