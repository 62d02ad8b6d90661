// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Runs a case of an operator's fuzz target on every instruction set and several numbers of threads.

#ifndef DETOPS_TESTING_FUZZ_EVERYWHERE_H_
#define DETOPS_TESTING_FUZZ_EVERYWHERE_H_

#include <hwy/targets.h>

#include <cstdio>
#include <cstdlib>

#include "core/parallel.h"
#include "core/simd_target.h"
#include "measure/fuzz_bytes.h"
#include "testing/guarded_buffer.h"

namespace detops {

// Aborts with a message that names the result and the input unless `is_equal`.
template <class Case>
void RequireEqual(bool is_equal, const char* op, const char* what, const Case& input) {
  if (!is_equal) {
    std::fprintf(stderr, "%s: %s differs on %s: %s\n", op, what, detopsGetSimdTarget(),
                 input.ToString().c_str());
    std::abort();
  }
}

// Returns a placement with results on whole cache lines or up to 15 elements before the guard page,
// and a workspace at any address.
inline Placement TakePlacement(FuzzBytes& bytes) {
  Placement placement;
  placement.elements_after = static_cast<size_t>(bytes.TakeInRange(0, 16));
  placement.on_lines = placement.elements_after == 16;
  placement.workspace_bytes_after = static_cast<size_t>(bytes.TakeInRange(0, kAlignment));
  return placement;
}

// Calls check(threads) on every target with 1, 2 and 7 threads. With several threads work of any
// size is split, because the inputs of fuzzers are small.
template <class Check>
void Everywhere(const Check& check) {
  Threads one(1);
  Threads two(2, Split::kAlways);
  Threads seven(7, Split::kAlways);
  for (const int64_t target : SimdTargets()) {
    if (!SetSimdTarget(hwy::TargetName(target)).ok()) {
      std::abort();
    }
    for (Threads* const threads : {&one, &two, &seven}) {
      check(*threads);
    }
  }
}

}  // namespace detops

#endif  // DETOPS_TESTING_FUZZ_EVERYWHERE_H_
