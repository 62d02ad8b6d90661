// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Compares the results on every target and with several numbers of threads with the reference. All
// bits must be equal.

#include "ops/border_align_forward/harness.h"
#include "testing/fuzz_everywhere.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace op = detops::border_align_forward;
  detops::FuzzBytes bytes(data, size);
  const detops::Placement placement = detops::TakePlacement(bytes);
  const op::Case input = op::CaseFromBytes(bytes);
  const op::Problem problem(input);
  const op::Result expected = op::RunReference(input);
  detops::Everywhere([&](detops::Threads& threads) {
    detops::RequireEqual(op::RunOn(threads, problem, placement) == expected, "border_align_forward",
                         "the result", input);
  });
  return 0;
}
