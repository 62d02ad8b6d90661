// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Compares every target and several numbers of threads with the reference, bit by bit.

#include "ops/bbox_overlaps/harness.h"
#include "testing/fuzz_everywhere.h"

namespace detops::bbox_overlaps {
namespace {

void Check(const Case& input, const Placement& placement) {
  const auto require = [&](bool is_equal, const char* what) {
    RequireEqual(is_equal, "bbox_overlaps", what, input);
  };
  // Entry points return early if the result has no elements.
  const bool has_result = input.count() != 0;
  // Row maxima and pairs compare all boxes with all, which takes too long for long aligned lists.
  const bool can_search = !input.aligned;
  const Matrix matrix = ReferenceMatrix(input);
  const RowMaxima maxima = can_search ? ReferenceRowMaxima(input) : RowMaxima{};
  const Pairs pairs = can_search ? ReferencePairs(input) : Pairs{};
  Everywhere([&](Threads& threads) {
    if (has_result) {
      require(RunMatrix(threads, input, placement) == matrix, "the matrix");
    }
    if (can_search) {
      require(RunRowMaxima(threads, input, placement) == maxima, "the row maximum");
      require(RunPairs(threads, input, placement) == pairs, "the list of pairs");
    }
  });
}

}  // namespace
}  // namespace detops::bbox_overlaps

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  detops::FuzzBytes bytes(data, size);
  const detops::Placement placement = detops::TakePlacement(bytes);
  const detops::bbox_overlaps::Case input = detops::bbox_overlaps::CaseFromBytes(bytes);
  detops::bbox_overlaps::Check(input, placement);
  return 0;
}
