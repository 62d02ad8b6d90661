// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Boxes of a group in the cells of a grid.

#ifndef DETOPS_SUPPRESSION_CELLS_H_
#define DETOPS_SUPPRESSION_CELLS_H_

#include <cstdint>

#include "suppression/grid.h"
#include "suppression/group.h"
#include "suppression/kernels.h"
#include "suppression/workspace.h"

namespace detops::suppression {

// Fills cell_of.
void FindCells(const Group& group, const Workspace& space, const Grid& grid);

// Fills cell_begin as if boxes were sorted by cell.
void CountCells(const Group& group, const Workspace& space, const Grid& grid);

// Sorts the boxes by cell: fills cell_begin and all arrays by slot.
void SortIntoCells(const Group& group, const Workspace& space, const Grid& grid,
                   const PreparedBoxes& prepared);

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_CELLS_H_
