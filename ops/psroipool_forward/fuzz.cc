// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Compares every target and several numbers of threads with the reference, bit by bit.

#include "ops/psroipool_forward/harness.h"
#include "testing/fuzz_everywhere.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace op = detops::psroipool_forward;
  detops::FuzzBytes bytes(data, size);
  const detops::Placement placement = detops::TakePlacement(bytes);
  const op::Case input = op::CaseFromBytes(bytes);
  const op::Result expected = op::RunReference(input);
  detops::Everywhere([&](detops::Threads& threads) {
    detops::RequireEqual(op::RunOn(threads, input, placement) == expected, "psroipool_forward",
                         "the result", input);
  });
  return 0;
}
