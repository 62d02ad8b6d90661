// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What fuzz targets of operators do with a case.

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

// Ends the program, and says what differs of which input, unless `is_equal`.
template <class Case>
void RequireEqual(bool is_equal, const char* op, const char* what, const Case& input) {
  if (!is_equal) {
    std::fprintf(stderr, "%s: %s differs on %s: %s\n", op, what, detopsGetSimdTarget(),
                 input.ToString().c_str());
    std::abort();
  }
}

// Results on whole lines, at the very end of their memory or a few elements before it; workspaces
// that begin anywhere.
inline Placement TakePlacement(FuzzBytes& bytes) {
  Placement placement;
  placement.elements_behind = static_cast<size_t>(bytes.TakeInRange(0, 16));
  placement.on_lines = placement.elements_behind == 16;
  placement.workspace_bytes_behind = static_cast<size_t>(bytes.TakeInRange(0, kAlignment));
  return placement;
}

// Calls check(threads) on every target for one, two and an odd number of threads, which split work
// of any size: that of fuzzers is small.
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
