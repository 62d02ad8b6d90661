// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Compares the operator with the reference, in both layouts, on every instruction set and several
// numbers of threads. Any difference is an error.

#include "ops/generate_proposals_v2/harness.h"
#include "testing/fuzz_everywhere.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace op = detops::generate_proposals_v2;
  detops::FuzzBytes bytes(data, size);
  const detops::Placement placement = detops::TakePlacement(bytes);
  const op::Case input = op::CaseFromBytes(bytes);
  const op::Case channels_first = input.ChannelsFirst();
  const op::Proposals expected = op::RunReference(input);
  detops::Everywhere([&](detops::Threads& threads) {
    detops::RequireEqual(op::RunOn(threads, input, placement) == expected &&
                             op::RunOn(threads, channels_first, placement) == expected,
                         "generate_proposals_v2", "the result", input);
  });
  return 0;
}
