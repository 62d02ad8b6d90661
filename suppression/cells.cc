// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/cells.h"

#include "core/counting_sort.h"
#include "suppression/costs.h"

namespace detops::suppression {

void FindCells(const Group& group, const Workspace& space, const Grid& grid) {
  ParallelFor(group.threads, group.count, kNanosecondsToFindCell, [&](int64_t begin, int64_t end) {
    for (int64_t rank = begin; rank < end; ++rank) {
      space.cell_of[rank] = static_cast<int32_t>(grid.CellOf(space.rank_bounds[rank]));
    }
  });
}

void CountCells(const Group& group, const Workspace& space, const Grid& grid) {
  CountKeys(
      group.count, [&](int64_t rank) { return space.cell_of[rank]; }, grid.cells(),
      space.cell_begin);
  space.cell_begin[grid.cells()] = CountsToBegins(space.cell_begin, grid.cells());
}

void SortIntoCells(const Group& group, const Workspace& space, const Grid& grid,
                   const PreparedBoxes& prepared) {
  SortByKey(
      prepared.count, [&](int64_t rank) { return space.cell_of[rank]; }, grid.cells(),
      space.cell_begin,
      [&](int64_t rank, int32_t slot) {
        space.slot_of_rank[rank] = slot;
        space.slot_ranks[slot] = static_cast<int32_t>(rank);
        space.bounds[slot] = space.rank_bounds[rank];
        prepared.ids[slot] = group.ids[rank];
      });
}

}  // namespace detops::suppression
