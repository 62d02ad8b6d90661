// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Suppression by blocks: takes boxes in blocks by descending score and compares each block with the
// boxes kept so far.

#ifndef DETOPS_SUPPRESSION_KEPT_BOXES_H_
#define DETOPS_SUPPRESSION_KEPT_BOXES_H_

#include <cstdint>

#include "suppression/box_tree.h"
#include "suppression/grid.h"
#include "suppression/group.h"
#include "suppression/kernels.h"
#include "suppression/workspace.h"

namespace detops::suppression {

// Where kept boxes are looked for: in the cells of a grid, in the leaves of a tree, or in one list
// when both are null.
struct Index {
  const Grid* grid = nullptr;
  const BoxTree* tree = nullptr;

  bool HasCells() const { return grid != nullptr || tree != nullptr; }
  int64_t cells() const {
    return grid != nullptr ? grid->cells() : tree != nullptr ? tree->leaves() : 1;
  }
};

// The size of cells that hold kept boxes, relative to the largest box. Hardly any of the boxes in a
// cell are kept, so cells must be large to fill a vector.
inline constexpr double kBoxesPerCellOfKept = 4;

// The boxes kept so far. The slot of a box is its rank. With cells, the workspace's cell_of,
// cell_begin and bounds must be filled.
class KeptBoxes {
 public:
  KeptBoxes(const Group& group, const Workspace& space, const PreparedBoxes& prepared,
            const Index& index, int64_t max_work = INT64_MAX);

  int64_t count() const { return count_; }

  // Adds a box that is known to be kept.
  void Keep(int32_t slot);

  // Keeps the candidates, the prepared slots [begin, end), that neither a kept box nor an earlier
  // candidate suppresses. Returns false when there is too much work; another strategy must then
  // start over.
  bool Add(int64_t begin, int64_t end);

 private:
  bool FindSuppressed(const int32_t* candidates, int64_t count);
  // Copies the candidates that are not suppressed. Returns their number.
  int64_t CopySurvivors(const int32_t* candidates, int64_t count, int32_t* survivors) const;
  void KeepOfBlock(const int32_t* slots, int64_t count);

  const Group& group_;
  const Workspace& space_;
  const PreparedBoxes& prepared_;
  const Index index_;
  Work work_;
  int64_t count_ = 0;
};

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_KEPT_BOXES_H_
