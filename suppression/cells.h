// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Boxes of a group, sorted into the cells of a grid.

#ifndef DETOPS_SUPPRESSION_CELLS_H_
#define DETOPS_SUPPRESSION_CELLS_H_

#include <cstdint>

#include "suppression/grid.h"
#include "suppression/group.h"
#include "suppression/kernels.h"
#include "suppression/workspace.h"

namespace detops::suppression {

// Gathers the boxes that can overlap others, by rank, and keeps all others. Returns the number of
// gathered boxes.
int64_t GatherBoxes(const Group& group, const Workspace& space);

// Sorts the boxes by cell: fills cell_begin and all arrays by slot.
void SortIntoCells(const Group& group, const Workspace& space, const Grid& grid,
                   const PreparedBoxes& prepared);

// How crowded the grid is.
struct Occupancy {
  double pairs = 0;   // pairs of boxes in the same cell
  int64_t cells = 0;  // cells that hold boxes
};

Occupancy MeasureOccupancy(const Workspace& space, const Grid& grid);

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_CELLS_H_
