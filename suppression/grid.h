// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A hierarchical grid that finds the boxes near a box. Boxes are sorted by width and height into
// levels. The cells of a level are as wide and as high as its boxes, and a box belongs to the cell
// of its center. The number of cells is bounded by the number of boxes, whatever the extent of the
// scene: a grid that would be larger is cut into blocks that share the same cells, each block
// shifted by a pseudo-random distance so that regular scenes do not collide. The exact test rejects
// distant boxes that share a cell.

#ifndef DETOPS_SUPPRESSION_GRID_H_
#define DETOPS_SUPPRESSION_GRID_H_

#include <algorithm>
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

  // All boxes must have an interior. Cells are `boxes_per_cell` times as wide and as high as the
  // largest box of their level.
  Grid(const Bounds* bounds, int64_t count, const LeastOverlap& least_overlap,
       double boxes_per_cell = 1);

  int64_t cells() const { return cells_; }
  int64_t CellOf(const Bounds& bounds) const;
  int LevelOf(const Bounds& bounds) const { return chosen_.LevelOf(bounds); }

  // Returns whether boxes of one cell may be far apart, because blocks share cells.
  bool HasBlocks(int level) const { return levels_[level].has_blocks(); }
  // Returns whether the bounds cover no more than a few cells of the level.
  bool IsSmall(const Bounds& bounds, int level) const;

  // What is searched for: the boxes that may exceed the threshold with one box, or with one of
  // several boxes.
  struct Query {
    double x_low, y_low, x_high, y_high;  // the bounds less the share that must be overlapped
    double least_width, most_width, least_height, most_height;
    double least_area;  // of the bounding boxes that are searched for

    void Add(const Query& other);
  };
  Query QueryOf(const Bounds& bounds, double least_area = 0) const;

  // Iterates over the cells, of levels from `first_level` on, with boxes that the query may find. A
  // cell may come twice where blocks share cells.
  class Neighbors {
   public:
    Neighbors(const Grid& grid, const Query& query, int first_level);
    bool Next(CellSpan& span);

   private:
    bool EnterNextLevel();

    const Grid& grid_;
    const Query query_;
    int level_;
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
    double reach;    // largest distance from a query to the center of a box that it finds
    int64_t needed;  // cells for the whole extent
    int64_t cells;   // cells per block

    int64_t Coordinate(double position) const;
    // Sets the cells of boxes that may overlap the interval. Returns false when there are none.
    bool Reach(double from, double to, int64_t& first, int64_t& last) const;
  };

  struct Level {
    Axis x, y;
    double least_width, most_width, least_height, most_height;
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
    Place PlaceInBlock(int64_t column, int64_t row) const;
  };

  Level MakeLevel(const SizeClass& boxes, int64_t first_cell, double boxes_per_cell) const;

  const LeastOverlap least_overlap_;
  const Levels chosen_;
  Level levels_[kMaxLevels];
  int64_t cells_ = 0;
};

// ---- Inline functions: searches spend much of their time here -----------------------------------

// Coordinates are clamped to the level, so that positions outside it lead to its outermost cells.
inline int64_t Grid::Axis::Coordinate(double position) const {
  const double coordinate = std::max((position - low) * cells_per_unit, 0.0);
  return static_cast<int64_t>(std::min(coordinate, static_cast<double>(needed - 1)));
}

inline bool Grid::Axis::Reach(double from, double to, int64_t& first, int64_t& last) const {
  if (from - reach > high || to + reach < low) {
    return false;
  }
  first = Coordinate(from - reach);
  last = Coordinate(to + reach);
  return true;
}

inline Grid::Level::Place Grid::Level::PlaceOf(int64_t column, int64_t row) const {
  return has_blocks() ? PlaceInBlock(column, row) : Place{column, row, x.cells - column};
}

inline Grid::Query Grid::QueryOf(const Bounds& bounds, double least_area) const {
  const double width = bounds.Width();
  const double height = bounds.Height();
  const double share_x = least_overlap_.share() * width;
  const double share_y = least_overlap_.share() * height;
  return {.x_low = bounds.x_low + share_x,
          .y_low = bounds.y_low + share_y,
          .x_high = bounds.x_high - share_x,
          .y_high = bounds.y_high - share_y,
          .least_width = width,
          .most_width = width,
          .least_height = height,
          .most_height = height,
          .least_area = least_area};
}

inline void Grid::Query::Add(const Query& other) {
  x_low = std::min(x_low, other.x_low);
  y_low = std::min(y_low, other.y_low);
  x_high = std::max(x_high, other.x_high);
  y_high = std::max(y_high, other.y_high);
  least_width = std::min(least_width, other.least_width);
  most_width = std::max(most_width, other.most_width);
  least_height = std::min(least_height, other.least_height);
  most_height = std::max(most_height, other.most_height);
  least_area = std::min(least_area, other.least_area);
}

inline Grid::Neighbors::Neighbors(const Grid& grid, const Query& query, int first_level)
    : grid_(grid), query_(query), level_(first_level - 1) {}

// Skips levels without boxes near the bounds.
inline bool Grid::Neighbors::EnterNextLevel() {
  while (++level_ < grid_.chosen_.count) {
    const Level& level = grid_.levels_[level_];
    if (level.largest_area >= query_.least_area &&
        grid_.least_overlap_.AreSimilar(query_.least_width, query_.most_width, level.least_width,
                                        level.most_width) &&
        grid_.least_overlap_.AreSimilar(query_.least_height, query_.most_height, level.least_height,
                                        level.most_height) &&
        level.x.Reach(query_.x_low, query_.x_high, first_column_, last_column_) &&
        level.y.Reach(query_.y_low, query_.y_high, row_, last_row_)) {
      column_ = first_column_;
      whole_level_ = static_cast<double>(last_column_ - first_column_ + 1) *
                         static_cast<double>(last_row_ - row_ + 1) >=
                     static_cast<double>(level.size());
      return true;
    }
  }
  return false;
}

inline bool Grid::Neighbors::Next(CellSpan& span) {
  if (row_ > last_row_ && !EnterNextLevel()) {
    return false;
  }
  const Level& level = grid_.levels_[level_];
  if (whole_level_) {
    span = {level.first_cell, level.first_cell + level.size()};
    row_ = last_row_ + 1;
    return true;
  }
  const Level::Place place = level.PlaceOf(column_, row_);
  const int64_t columns = std::min(place.columns_left, last_column_ - column_ + 1);
  const int64_t begin = level.first_cell + place.row * level.x.cells + place.column;
  span = {begin, begin + columns};
  column_ += columns;
  if (column_ > last_column_) {
    column_ = first_column_;
    ++row_;
  }
  return true;
}

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_GRID_H_
