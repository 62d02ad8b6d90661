// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Threads for benchmarks: each stays on a core of its own. Kernels, above all in virtual machines,
// like to wake a thread on the core of the one that woke it and move it milliseconds later; until
// then two threads take turns on one core, and what is measured is that.

#ifndef DETOPS_MEASURE_PINNED_THREADS_H_
#define DETOPS_MEASURE_PINNED_THREADS_H_

#include "core/parallel.h"

namespace detops {

// Pins the calling thread, too, and for good: for processes that only measure.
class PinnedThreads : public Threads {
 public:
  explicit PinnedThreads(int count);
};

}  // namespace detops

#endif  // DETOPS_MEASURE_PINNED_THREADS_H_
