// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What fuzz targets of operators do with a case.

#ifndef DETOPS_TESTING_FUZZ_EVERYWHERE_H_
#define DETOPS_TESTING_FUZZ_EVERYWHERE_H_

#include <hwy/targets.h>

#include <cstdio>
#include <cstdlib>

#include "core/simd_target.h"

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

// Calls check(threads) on every target for one, two and an odd number of threads.
template <class Check>
void Everywhere(const Check& check) {
  for (const int64_t target : SimdTargets()) {
    if (!SetSimdTarget(hwy::TargetName(target)).ok()) {
      std::abort();
    }
    for (const int threads : {1, 2, 7}) {
      check(threads);
    }
  }
}

}  // namespace detops

#endif  // DETOPS_TESTING_FUZZ_EVERYWHERE_H_
