// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Which boxes can lie near which. Boxes are sorted by size into levels; each level is a grid of
// cells as large as its boxes, and a box lies in the cell of its centre. The grid wraps around in
// both directions, so scenes of any extent need only as many cells as there are boxes; what shares
// a cell although it is far away is told apart later.

#ifndef DETOPS_OPS_NMS_GRID_H_
#define DETOPS_OPS_NMS_GRID_H_

#include <cstdint>

namespace detops::nms {

struct Bounds {
  float x_low, y_low, x_high, y_high;

  // Boxes without an inside meet nothing. False for NaN.
  bool HasInside() const { return x_low < x_high && y_low < y_high; }
};

// Cells [begin, end), one after the other in memory.
struct CellSpan {
  int64_t begin;
  int64_t end;
};

class Grid {
 public:
  static constexpr int kMaxLevels = 16;

  // At most so many cells for so many boxes.
  static int64_t MaxCells(int64_t count) { return 2 * count + kMaxLevels; }

  // Of boxes that have an inside.
  Grid(const Bounds* bounds, int64_t count);

  int64_t cells() const { return cells_; }
  int64_t CellOf(const Bounds& bounds) const;
  int LevelOf(const Bounds& bounds) const;

  // Runs through the cells of all levels from `first_level` on in which boxes may lie that overlap
  // `bounds`, each once.
  class Neighbours {
   public:
    Neighbours(const Grid& grid, const Bounds& bounds, int first_level);
    bool Next(CellSpan& span);

   private:
    void EnterLevel();

    const Grid& grid_;
    Bounds bounds_;
    int level_;
    int64_t row_ = 0;  // of the grid
    int64_t rows_left_ = 0;
    int64_t column_ = 0;  // the first one
    int64_t columns_ = 0;
    bool wrapped_ = false;  // the rest of the row, from its beginning, comes next
  };

 private:
  struct Level {
    double cells_per_unit;
    double reach;  // how far outside of bounds the centre of a box may lie that overlaps them
    double x, y;   // the corner of cell (0, 0)
    int64_t columns, rows;
    int64_t first_cell;
  };

  // What the boxes of one binary order of magnitude have in common.
  struct Magnitude {
    int64_t count;
    double size;                          // of the largest
    double x_low, y_low, x_high, y_high;  // where their centres lie
  };
  static constexpr int kMagnitudes = 256;

  void ChooseLevels(const Magnitude (&magnitudes)[kMagnitudes]);
  void AddLevel(const Magnitude& boxes);

  Level levels_[kMaxLevels];
  int level_count_ = 0;
  int64_t cells_ = 0;
  int8_t level_of_[kMagnitudes];
};

}  // namespace detops::nms

#endif  // DETOPS_OPS_NMS_GRID_H_
