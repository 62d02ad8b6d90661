// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/cells.h"

#include "core/counting_sort.h"
#include "suppression/costs.h"

namespace detops::suppression {

int64_t GatherBoxes(const Group& group, const Workspace& space) {
  ParallelFor(group.threads, group.count, kNanosecondsToPrepare, [&](int64_t begin, int64_t end) {
    for (int64_t rank = begin; rank < end; ++rank) {
      space.bounds[rank] = group.kernels.bounds(group.boxes, group.metric, group.ids[rank]);
    }
  });
  int64_t count = 0;
  for (int64_t rank = 0; rank < group.count; ++rank) {
    if (space.bounds[rank].HasInterior()) {
      space.rank_bounds[count] = space.bounds[rank];
      space.gathered_ids[count++] = group.ids[rank];
    } else {
      group.kept[group.ids[rank]] = 1;
    }
  }
  return count;
}

void SortIntoCells(const Group& group, const Workspace& space, const Grid& grid,
                   const PreparedBoxes& prepared) {
  ParallelFor(group.threads, prepared.count, kNanosecondsToPrepare,
              [&](int64_t begin, int64_t end) {
                for (int64_t rank = begin; rank < end; ++rank) {
                  space.cell_of[rank] = static_cast<int32_t>(grid.CellOf(space.rank_bounds[rank]));
                }
              });
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

Occupancy MeasureOccupancy(const Workspace& space, const Grid& grid) {
  Occupancy occupancy;
  for (int64_t cell = 0; cell < grid.cells(); ++cell) {
    const double boxes = space.cell_begin[cell + 1] - space.cell_begin[cell];
    occupancy.pairs += boxes * boxes / 2;
    occupancy.cells += boxes != 0 ? 1 : 0;
  }
  return occupancy;
}

}  // namespace detops::suppression
