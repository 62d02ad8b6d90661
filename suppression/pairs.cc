// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/pairs.h"

#include <algorithm>
#include <atomic>

#include "core/counting_sort.h"
#include "suppression/prepare.h"

namespace detops::suppression {

int64_t FindSuppressions(const Group& group, const Workspace& space, const Grid& grid,
                         const PreparedBoxes& prepared, double nanoseconds_per_box) {
  std::atomic<int64_t> found{0};
  Work work{.limit = kWorkPerBox * prepared.count};
  const PairSearch search{.prepared = &prepared,
                          .grid = &grid,
                          .cell_begin = space.cell_begin,
                          .bounds = space.bounds,
                          .ranks = space.slot_ranks,
                          .threshold = group.threshold,
                          .suppressions = space.suppressions,
                          .capacity = kSuppressionsPerBox * prepared.count,
                          .found = &found,
                          .work = &work};
  const double boxes_per_cell =
      static_cast<double>(prepared.count) / static_cast<double>(grid.cells());
  ParallelFor(group.threads, grid.cells(), boxes_per_cell * nanoseconds_per_box,
              [&](int64_t begin, int64_t end) { group.kernels.pair_tile(search, begin, end); });
  ReportWork(group, work.done);
  return search.Exhausted() ? -1 : found.load();
}

void ResolveSuppressions(const Group& group, const Workspace& space, const PreparedBoxes& prepared,
                         int64_t found) {
  int32_t* const begin = space.victims_begin;
  SortByKey(
      found, [&](int64_t i) { return space.suppressions[i].by; }, prepared.count, begin,
      [&](int64_t i, int32_t position) { space.victims[position] = space.suppressions[i].of; });
  std::fill_n(space.suppressed, prepared.count, uint8_t{0});
  for (int64_t rank = 0; rank < prepared.count; ++rank) {
    const int32_t slot = space.slot_of_rank[rank];
    if (space.suppressed[slot] == 0) {
      group.kept[prepared.ids[slot]] = 1;
      for (int32_t i = begin[slot]; i < begin[slot + 1]; ++i) {
        space.suppressed[space.victims[i]] = 1;
      }
    }
  }
}

}  // namespace detops::suppression
