// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A grid of the boxes kept so far that finds the ones that may suppress a candidate.
//
// If two boxes overlap by more than the threshold, their centers are close. A kept box is therefore
// entered into every cell in which the center of a box that it suppresses can lie, and a candidate
// looks into a single cell, that of its own center. Large boxes would be entered into many cells:
// they go to levels of larger cells, and a candidate looks into one cell per level. The first boxes
// share one cell. After that, cells are laid over the area that the boxes cover, and again when the
// area has grown.
//
// suppression::Grid is the opposite: it is built once from all boxes, stores a box in the one cell
// of its center, and a search visits all cells nearby. Here boxes are added one at a time, and
// there are many more searches than kept boxes.

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
  // The boxes of a cell are stored in a linked list of runs of kRun boxes. A run stores its columns
  // one after the other.
  static constexpr int64_t kRun = 8;
  static constexpr int64_t kRunFloats = kRun * nms::kColumns;
  // The columns of a box that overlaps no other.
  static constexpr float kOverlapsNothing[nms::kColumns] = {
      std::numeric_limits<float>::infinity(), 0, -std::numeric_limits<float>::infinity(), 0,
      std::numeric_limits<float>::infinity()};

  // Memory for `max_boxes` boxes, each entered into kMeanEntries cells on average. If the first
  // boxes are entered more often, later ones go to levels of larger cells.
  struct Space {
    Space(Carver& carver, int64_t max_boxes);

    int64_t max_boxes;
    float* areas;  // per box
    suppression::Columns columns;
    int32_t* next;   // per run: the next run of its cell, or -1
    int32_t* first;  // per cell: its first run, or -1
    int32_t* last;   // per cell: its last run
    uint8_t* fill;   // per cell: number of boxes in its last run
  };

  // Boxes are read from `rois`, in the order in which they are added. No coordinate may be
  // negative.
  KeptGrid(const Space& space, float threshold, int offset, const float* rois);

  // Adds the next box of `rois`.
  void Add(float area);

  float threshold() const { return threshold_; }
  int offset() const { return offset_; }
  const suppression::Columns& columns() const { return space_.columns; }

  // A cell of the finest level.
  struct Cell {
    uint32_t column, row;
  };
  Cell CellOf(float center_x, float center_y) const {
    return {static_cast<uint32_t>(Clamp(center_x * columns_per_unit_, columns_)),
            static_cast<uint32_t>(Clamp(center_y * rows_per_unit_, rows_))};
  }

  int levels() const { return levels_; }
  // Returns the first run of a level that may suppress a box of this area whose center lies in the
  // cell; negative if there is none. NextRun returns the following ones. Runs are in the order in
  // which their boxes were added: boxes with high scores, which suppress most, come first. Run r
  // starts at index r * kRunFloats of the columns; its unused entries hold boxes that overlap
  // nothing.
  int32_t FirstRun(int level, Cell cell, float area) const {
    const Level& cells = level_[level];
    const int shift = level * kLevelBits;
    return area < cells.least_area || area > cells.largest_area
               ? -1
               : space_.first[cells.first_cell + (cell.row >> shift) * cells.columns +
                              (cell.column >> shift)];
  }
  int32_t NextRun(int32_t run) const { return space_.next[run]; }

 private:
  // Up to this number of boxes, testing all of them is faster than finding cells.
  static constexpr int64_t kFewBoxes = 128;
  // The cells of a level are 2^kLevelBits times as wide and as high as those of the previous one.
  static constexpr int kLevelBits = 2;
  static constexpr int kMaxLevels = 16;
  // Largest number of columns or rows. A float holds every integer up to this one.
  static constexpr double kMaxCellsInLine = 1 << 23;
  // Largest and mean number of cells that a box is entered into.
  static constexpr int64_t kMaxEntries = 16;
  static constexpr int64_t kMeanEntries = 5;

  struct Level {
    uint32_t columns;
    uint32_t first_cell;
    // Areas of the candidates that the boxes of this level can suppress: an IoU never exceeds the
    // ratio of the areas.
    float least_area;
    float largest_area;
  };

  // Columns, or rows, of the finest level: [first, last].
  struct CellRange {
    uint32_t first, last;
  };

  static int64_t MaxCells(int64_t max_boxes) { return max_boxes + int64_t{2} * kMaxLevels; }
  // Runs that are reserved for the last level, which takes all boxes when the others are full.
  static int64_t RunsOfLastLevel(int64_t max_boxes) { return max_boxes / kRun + 1; }
  static int64_t MaxRuns(int64_t max_boxes) {
    // Half of the cells may have a run that is not full.
    return MaxCells(max_boxes) / 2 + max_boxes * kMeanEntries / kRun + RunsOfLastLevel(max_boxes);
  }

  // Clamps a scaled position, which must not be NaN, to [0, cells - 1].
  static float Clamp(float position, uint32_t cells) {
    const float not_above = std::min(position, static_cast<float>(cells - 1));
    return not_above > 0 ? not_above : 0;
  }

  // Lays this number of cells over the scene. All of them are empty.
  void LayCells(uint32_t columns, uint32_t rows);
  void LayCellsOverScene();
  // Returns the cells, along one axis, in which the centers of boxes can lie that overlap a box
  // from `low` to `high` by more than the threshold.
  CellRange ReachOf(float low, float high, float per_unit, uint32_t cells) const;
  // Enters a box into all cells of one level in which candidates may need it.
  void EnterBox(int64_t box);
  void EnterCell(int level, uint32_t column, uint32_t row, const float* roi, float area);

  const Space space_;
  const float threshold_;
  const int offset_;
  const float* const rois_;
  const float reach_;        // largest distance of centers, as a multiple of the kept box's size
  const float least_ratio_;  // of the areas of two boxes that exceed the threshold
  const float largest_ratio_;
  const int64_t shared_runs_;  // number of runs for all levels except for the last

  int64_t count_ = 0;
  int64_t next_check_ = kFewBoxes;  // count at which to check whether the scene has grown
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
