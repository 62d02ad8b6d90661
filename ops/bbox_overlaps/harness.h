// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Runs the cases of cases.h on guarded memory, for tests and the fuzz target. Results are held as
// bits, so that two of them are equal only if every NaN and every sign of zero is.

#ifndef DETOPS_OPS_BBOX_OVERLAPS_HARNESS_H_
#define DETOPS_OPS_BBOX_OVERLAPS_HARNESS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/bbox_overlaps/cases.h"
#include "testing/guarded_buffer.h"

namespace detops::bbox_overlaps {

// The boxes of a case, in guarded memory that ends `elements_after` elements before the
// inaccessible page.
class GuardedBoxes {
 public:
  GuardedBoxes(const Problem& problem, size_t elements_after);

  const Boxes& boxes() const { return boxes_; }

 private:
  size_t element() const { return boxes_.half ? 2 : 4; }

  Boxes boxes_;
  GuardedBuffer first_;
  GuardedBuffer second_;
};

// The matrix, or the overlaps of aligned pairs, in the type of the case.
using Matrix = std::vector<std::byte>;

// The best match of each row.
struct RowMaxima {
  std::vector<uint32_t> values;
  std::vector<int32_t> columns;

  bool operator==(const RowMaxima& other) const = default;
};

// Row, column and overlap of each pair above the threshold of the case.
using Pairs = std::vector<std::array<uint32_t, 3>>;

Matrix ReferenceMatrix(const Case& input);
RowMaxima ReferenceRowMaxima(const Case& input);
Pairs ReferencePairs(const Case& input);

// Aborts the program if the operator fails: it never does for valid arguments.
Matrix RunMatrix(Threads& threads, const Case& input, const Placement& placement = {});
RowMaxima RunRowMaxima(Threads& threads, const Case& input, const Placement& placement = {});
Pairs RunPairs(Threads& threads, const Case& input, const Placement& placement = {});

}  // namespace detops::bbox_overlaps

#endif  // DETOPS_OPS_BBOX_OVERLAPS_HARNESS_H_
