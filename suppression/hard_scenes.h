// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Scenes that are hard to index: with outliers, bars, mixed sizes or regular patterns. Most have
// few overlaps or none.

#ifndef DETOPS_SUPPRESSION_HARD_SCENES_H_
#define DETOPS_SUPPRESSION_HARD_SCENES_H_

#include <string>
#include <vector>

#include "suppression/grid.h"

namespace detops::suppression {

struct HardScene {
  std::string name;
  std::vector<Bounds> boxes;   // all have an interior
  bool defeats_grids = false;  // whether cells of any size have many boxes, or boxes many cells
};

// Returns all scenes, with `count` boxes each or slightly fewer. `count` must be at least 1000.
std::vector<HardScene> HardScenes(int count);

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_HARD_SCENES_H_
