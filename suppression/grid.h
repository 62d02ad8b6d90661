// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Which boxes can lie near which. Boxes are sorted by size into levels; each level is a grid of
// cells as large as its boxes, and a box lies in the cell of its centre. Scenes of any extent need
// only as many cells as there are boxes: a grid that would be larger is cut into blocks, which are
// laid over each other, each shifted by a distance of its own, so that what is regular in a scene
// does not meet itself. What shares a cell although it is far away is told apart later.

#ifndef DETOPS_SUPPRESSION_GRID_H_
#define DETOPS_SUPPRESSION_GRID_H_

#include <cmath>
#include <cstdint>

namespace detops::suppression {

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
  static constexpr int kMaxLevels = 64;

  // At most so many cells for so many boxes.
  static int64_t MaxCells(int64_t count) { return 2 * count + kMaxLevels; }

  // Of boxes that have an inside.
  Grid(const Bounds* bounds, int64_t count);

  int64_t cells() const { return cells_; }
  int64_t CellOf(const Bounds& bounds) const;
  int LevelOf(const Bounds& bounds) const;

  // Whether boxes of one cell may lie far apart, ...
  bool HasBlocks(int level) const { return levels_[level].has_blocks(); }
  // ... and whether bounds are no larger than a few cells.
  bool IsSmall(const Bounds& bounds, int level) const;

  // Runs through the cells of all levels from `first_level` on in which boxes may lie that overlap
  // `bounds`. Levels whose boxes all have smaller bounding boxes than `least_area` are left out. A
  // cell comes once, or where blocks lie over each other perhaps again.
  class Neighbours {
   public:
    Neighbours(const Grid& grid, const Bounds& bounds, int first_level, double least_area = 0);
    bool Next(CellSpan& span);

   private:
    bool EnterNextLevel();

    const Grid& grid_;
    Bounds bounds_;
    int level_;
    double least_area_;
    bool whole_level_ = false;  // comes next
    // Cells that are left, in coordinates of the scene.
    int64_t column_ = 0, first_column_ = 0, last_column_ = -1;
    int64_t row_ = 0, last_row_ = -1;
  };

 private:
  // Cells in one direction.
  struct Axis {
    double origin;
    double cells_per_unit;
    double reach;    // how far outside of bounds the centre of a box may lie that overlaps them
    int64_t needed;  // for the whole scene
    int64_t cells;   // of a block

    int64_t Coordinate(double position) const;
  };

  struct Level {
    Axis x, y;
    double largest_area;  // of bounding boxes
    int64_t first_cell;

    bool has_blocks() const { return x.needed > x.cells || y.needed > y.cells; }
    int64_t size() const { return x.cells * y.cells; }
    // Where a cell of the scene lies.
    struct Place {
      int64_t column, row;
      int64_t columns_left;  // in a row, until the block or the grid ends
    };
    Place PlaceOf(int64_t column, int64_t row) const;
  };

  // The boxes of a binary order of magnitude, or of a level.
  struct Magnitude {
    int64_t count;
    double width, height;  // the largest of each
  };
  static constexpr int kMagnitudes = 256;

  // Where the centres of all boxes lie.
  struct Scene {
    double x_low = HUGE_VAL, y_low = HUGE_VAL, x_high = -HUGE_VAL, y_high = -HUGE_VAL;

    double width() const { return x_high - x_low; }
    double height() const { return y_high - y_low; }
  };

  static Magnitude Join(const Magnitude& a, const Magnitude& b);
  bool ShouldJoin(const Magnitude& level, const Magnitude& smaller) const;
  void ChooseLevels(const Magnitude (&magnitudes)[kMagnitudes]);
  void AddLevel(const Magnitude& boxes);

  Scene scene_;
  Level levels_[kMaxLevels];
  int level_count_ = 0;
  int64_t cells_ = 0;
  int8_t level_of_[kMagnitudes];
};

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_GRID_H_
