// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Compares the results on every target and with several numbers of threads with the reference. The
// kept boxes must be the same.

#include "ops/nms/cases.h"
#include "suppression/harness.h"
#include "testing/fuzz_everywhere.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace op = detops::nms;
  detops::FuzzBytes bytes(data, size);
  const detops::Placement placement = detops::TakePlacement(bytes);
  const op::Case input = op::CaseFromBytes(bytes);
  const detops::Kept expected = detops::RunReference(input);
  detops::Everywhere([&](detops::Threads& threads) {
    detops::RequireEqual(detops::RunOn(threads, input, placement) == expected, "nms", "the result",
                         input);
  });
  return 0;
}
