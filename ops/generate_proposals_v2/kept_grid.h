// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The boxes that are kept so far, by where the centres of boxes lie that they can suppress. A box
// that overlaps another by more than the threshold has its centre near the other's; so a kept box
// is entered into every cell where such a centre can lie, and a candidate looks into the one cell
// of its own centre. Large boxes would be entered into many cells: they go to levels of larger
// cells, and a candidate looks into one cell of each level. While there are few boxes there is one
// cell; then cells are laid over what the boxes cover, and again when they cover more.

#ifndef DETOPS_OPS_GENERATE_PROPOSALS_V2_KEPT_GRID_H_
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_KEPT_GRID_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/carver.h"
#include "ops/nms/op.h"
#include "suppression/engine.h"

namespace detops::generate_proposals_v2 {

class KeptGrid {
 public:
  // Boxes of a cell lie in chains of runs, in memory column after column of each run.
  static constexpr int64_t kRun = 8;
  static constexpr int64_t kRunFloats = kRun * nms::kColumns;

  // Memory for `max_boxes` of them. It holds kMeanEntries of each: where boxes are entered more
  // often, those that come later go to larger cells.
  struct Space {
    Space(Carver& carver, int64_t max_boxes);

    int64_t max_boxes;
    float* areas;  // by box
    suppression::Columns columns;
    int32_t* next;   // by run: the one behind it in its cell
    int32_t* first;  // by cell: a run
    int32_t* last;   // by cell: a run
    uint8_t* fill;   // by cell: of its last run
  };

  // For boxes that lie one after the other from `rois` on, their coordinates not negative.
  KeptGrid(const Space& space, float threshold, int offset, const float* rois);

  // The next of the boxes.
  void Add(float area);

  float threshold() const { return threshold_; }
  int offset() const { return offset_; }
  const suppression::Columns& columns() const { return space_.columns; }

  // The cell of a centre, in the finest level.
  struct Cell {
    uint32_t column, row;
  };
  Cell CellOf(float centre_x, float centre_y) const {
    return {static_cast<uint32_t>(Clamp(centre_x * columns_per_unit_, columns_)),
            static_cast<uint32_t>(Clamp(centre_y * rows_per_unit_, rows_))};
  }

  int levels() const { return levels_; }
  // The runs that may hold boxes which suppress one of that area with its centre in that cell: the
  // first one and those behind it, until it is negative. (Boxes of the highest scores are in the
  // first, and suppress most.) A run's boxes are at kRunFloats times its number in the columns; its
  // free places hold boxes that meet nothing.
  int32_t FirstRun(int level, Cell cell, float area) const {
    const Level& cells = level_[level];
    const int shift = level * kLevelBits;
    return area < cells.least_area || area > cells.largest_area
               ? -1
               : space_.first[cells.first + (cell.row >> shift) * cells.columns +
                              (cell.column >> shift)];
  }
  int32_t RunBehind(int32_t run) const { return space_.next[run]; }

 private:
  // As many boxes are looked through faster than cells are found.
  static constexpr int64_t kFewBoxes = 128;
  // Cells of a level are four times as wide and as high as those of the one before.
  static constexpr int kLevelBits = 2;
  static constexpr int kMaxLevels = 16;
  // In a row or column; floats count so far.
  static constexpr double kMaxCellsInLine = 1 << 23;
  // Cells that a box is entered into, at most and in the mean.
  static constexpr int64_t kMaxEntries = 16;
  static constexpr int64_t kMeanEntries = 5;

  struct Level {
    uint32_t columns;
    uint32_t first;  // cell
    // Of candidates that its boxes can suppress: an IoU is no larger than the ratio of areas.
    float least_area;
    float largest_area;
  };

  // Cells of the finest level: [first, last].
  struct Cells {
    uint32_t first, last;
  };

  static int64_t MaxCells(int64_t max_boxes) { return max_boxes + int64_t{2} * kMaxLevels; }
  // Room for the last level, which takes what the others have no room for.
  static int64_t RunsOfLastLevel(int64_t max_boxes) { return max_boxes / kRun + 1; }
  static int64_t MaxRuns(int64_t max_boxes) {
    // Every other cell may have a run that is not full.
    return MaxCells(max_boxes) / 2 + max_boxes * kMeanEntries / kRun + RunsOfLastLevel(max_boxes);
  }

  // A cell's number from a scaled position, which is not NaN.
  static float Clamp(float position, uint32_t cells) {
    const float not_above = std::min(position, static_cast<float>(cells - 1));
    return not_above > 0 ? not_above : 0;
  }

  // Lays that many cells over the scene, and forgets what was entered.
  void LayCells(uint32_t columns, uint32_t rows);
  void LayCellsOverScene();
  // Where centres of boxes can lie that a box overlaps by more than the threshold.
  Cells ReachOf(float low, float high, float per_unit, uint32_t cells) const;
  // Into all cells that can need it, of one level, ...
  void EnterBox(int64_t box);
  // ... and into one of them.
  void EnterCell(int level, uint32_t column, uint32_t row, const float* roi, float area);

  const Space space_;
  const float threshold_;
  const int offset_;
  const float* const rois_;
  const float reach_;        // of centres, in sizes
  const float least_ratio_;  // of areas
  const float largest_ratio_;
  const int64_t free_runs_;  // for all levels but the last

  int64_t count_ = 0;
  int64_t next_look_ = kFewBoxes;  // whether boxes still lie in the scene
  float covered_width_ = 0;
  float covered_height_ = 0;
  float scene_width_ = 0;
  float scene_height_ = 0;

  uint32_t columns_;
  uint32_t rows_;
  float columns_per_unit_;
  float rows_per_unit_;
  int levels_;
  Level level_[kMaxLevels];
  int64_t runs_;
};

}  // namespace detops::generate_proposals_v2

#endif  // DETOPS_OPS_GENERATE_PROPOSALS_V2_KEPT_GRID_H_
