// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The reference against every target and several numbers of threads: any other bit is a defect.

#include <hwy/targets.h>

#include <cstdio>
#include <cstdlib>

#include "core/simd_target.h"
#include "ops/psroipool_forward/cases.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace op = detops::psroipool_forward;
  detops::FuzzBytes bytes(data, size);
  const op::Case input = op::CaseFromBytes(bytes);
  const op::Result expected = op::RunReference(input);
  for (const int64_t target : detops::SimdTargets()) {
    if (!detops::SetSimdTarget(hwy::TargetName(target)).ok()) {
      std::abort();
    }
    for (const int threads : {1, 2, 7}) {
      if (!(op::RunOn(threads, input) == expected)) {
        std::fprintf(stderr, "psroipool_forward: the result differs on %s: %s\n",
                     detopsGetSimdTarget(), input.ToString().c_str());
        std::abort();
      }
    }
  }
  return 0;
}
