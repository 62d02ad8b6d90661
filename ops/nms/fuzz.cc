// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The reference against every target and several numbers of threads: any other box is a defect.

#include "ops/nms/harness.h"
#include "testing/fuzz_everywhere.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace op = detops::nms;
  detops::FuzzBytes bytes(data, size);
  const detops::Placement placement = detops::TakePlacement(bytes);
  const op::Case input = op::CaseFromBytes(bytes);
  const detops::Kept expected = op::RunReference(input);
  detops::Everywhere([&](detops::Threads& threads) {
    detops::RequireEqual(op::RunOn(threads, input, placement) == expected, "nms", "what is kept",
                         input);
  });
  return 0;
}
