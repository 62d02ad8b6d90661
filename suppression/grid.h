// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A hierarchical grid that finds the boxes near a box. Boxes are sorted by width and height into
// levels. The cells of a level are as wide and as high as its boxes, and a box belongs to the cell
// of its center. The number of cells is bounded by the number of boxes, whatever the extent of the
// scene: a grid that would be larger is cut into blocks that share the same cells, each block
// shifted by a pseudo-random distance so that regular scenes do not collide. The exact test rejects
// distant boxes that share a cell.

#ifndef DETOPS_SUPPRESSION_GRID_H_
#define DETOPS_SUPPRESSION_GRID_H_

#include <cstdint>

#include "suppression/levels.h"

namespace detops::suppression {

// Consecutive cells [begin, end).
struct CellSpan {
  int64_t begin;
  int64_t end;
};

class Grid {
 public:
  static constexpr int kMaxLevels = Levels::kMost;

  // Returns an upper bound of the number of cells for `count` boxes.
  static int64_t MaxCells(int64_t count) { return 2 * count + kMaxLevels; }

  // All boxes must have an interior.
  Grid(const Bounds* bounds, int64_t count);

  int64_t cells() const { return cells_; }
  int64_t CellOf(const Bounds& bounds) const;
  int LevelOf(const Bounds& bounds) const { return chosen_.LevelOf(bounds); }

  // Returns whether boxes of one cell may be far apart, because blocks share cells.
  bool HasBlocks(int level) const { return levels_[level].has_blocks(); }
  // Returns whether the bounds cover no more than a few cells of the level.
  bool IsSmall(const Bounds& bounds, int level) const;

  // Iterates over the cells, of levels from `first_level` on, whose boxes may overlap `bounds`.
  // Skips levels whose bounding boxes are all smaller than `least_area`. A cell may come twice
  // where blocks share cells.
  class Neighbors {
   public:
    Neighbors(const Grid& grid, const Bounds& bounds, int first_level, double least_area = 0);
    bool Next(CellSpan& span);

   private:
    bool EnterNextLevel();

    const Grid& grid_;
    Bounds bounds_;
    int level_;
    double least_area_;
    bool whole_level_ = false;  // the next span is the whole level
    // The cells that remain, in coordinates of the scene.
    int64_t column_ = 0, first_column_ = 0, last_column_ = -1;
    int64_t row_ = 0, last_row_ = -1;
  };

 private:
  // The cells along one axis. A box at x is at least as wide as the distance of the floats near x,
  // so that no center is more than 2^24 cells away from 0, and the coordinates of centers are exact
  // to less than 2^-28.
  struct Axis {
    double low, high;  // extent of the centers
    double cells_per_unit;
    double reach;    // largest distance from bounds to the center of a box that overlaps them
    int64_t needed;  // cells for the whole extent
    int64_t cells;   // cells per block

    int64_t Coordinate(double position) const;
    // Sets the cells of boxes that may overlap the interval. Returns false when there are none.
    bool Reach(double from, double to, int64_t& first, int64_t& last) const;
  };

  struct Level {
    Axis x, y;
    double largest_area;  // largest bounding box
    int64_t first_cell;

    bool has_blocks() const { return x.needed > x.cells || y.needed > y.cells; }
    int64_t size() const { return x.cells * y.cells; }
    // The place in memory of a cell of the scene.
    struct Place {
      int64_t column, row;
      int64_t columns_left;  // until the block or the grid ends
    };
    Place PlaceOf(int64_t column, int64_t row) const;
  };

  static Level MakeLevel(const SizeClass& boxes, int64_t first_cell);

  const Levels chosen_;
  Level levels_[kMaxLevels];
  int64_t cells_ = 0;
};

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_GRID_H_
