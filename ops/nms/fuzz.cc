// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The reference against every target and several numbers of threads: any other box is a defect.

#include <hwy/targets.h>

#include <cstdio>
#include <cstdlib>

#include "core/simd_target.h"
#include "ops/nms/cases.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  detops::FuzzBytes bytes(data, size);
  const detops::nms::Case input = detops::nms::CaseFromBytes(bytes);
  const detops::Kept expected = detops::nms::RunReference(input);
  for (const int64_t target : detops::SimdTargets()) {
    if (!detops::SetSimdTarget(hwy::TargetName(target)).ok()) {
      std::abort();
    }
    for (const int threads : {1, 2, 7}) {
      if (!(detops::nms::RunOn(threads, input) == expected)) {
        std::fprintf(stderr, "nms: what is kept differs on %s: %s\n", detopsGetSimdTarget(),
                     input.ToString().c_str());
        std::abort();
      }
    }
  }
  return 0;
}
