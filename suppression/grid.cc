// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/grid.h"

#include <algorithm>
#include <cmath>

namespace detops::suppression {
namespace {

// Returns a pseudo-random number per block.
uint64_t Mix(int64_t block_x, int64_t block_y) {
  uint64_t mixed = static_cast<uint64_t>(block_x) * 0x9E3779B97F4A7C15u +
                   static_cast<uint64_t>(block_y) * 0xC2B2AE3D27D4EB4Fu;
  mixed ^= mixed >> 29;
  mixed *= 0xBF58476D1CE4E5B9u;
  return mixed ^ mixed >> 32;
}

}  // namespace

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
  if (!has_blocks()) {
    return {column, row, x.cells - column};
  }
  const int64_t block_x = column / x.cells;
  const int64_t block_y = row / y.cells;
  const uint64_t shift = Mix(block_x, block_y);
  const int64_t inside = column - block_x * x.cells;
  int64_t place_x =
      inside + static_cast<int64_t>((shift & 0xFFFFFFFFu) * static_cast<uint64_t>(x.cells) >> 32);
  int64_t place_y = row - block_y * y.cells +
                    static_cast<int64_t>((shift >> 32) * static_cast<uint64_t>(y.cells) >> 32);
  place_x -= place_x >= x.cells ? x.cells : 0;
  place_y -= place_y >= y.cells ? y.cells : 0;
  return {place_x, place_y, std::min(x.cells - place_x, x.cells - inside)};
}

Grid::Grid(const Bounds* bounds, int64_t count) : chosen_(bounds, count) {
  for (int i = 0; i < chosen_.count; ++i) {
    levels_[i] = MakeLevel(chosen_.boxes[i], cells_);
    cells_ += levels_[i].size();
  }
}

Grid::Level Grid::MakeLevel(const SizeClass& boxes, int64_t first_cell) {
  const auto cells_for = [](double low, double high, double size) {
    return std::floor((high - low) / size) + 2;
  };
  const double width = cells_for(boxes.x_low, boxes.x_high, boxes.width);
  const double height = cells_for(boxes.y_low, boxes.y_high, boxes.height);
  const double limit = 2.0 * static_cast<double>(boxes.count);
  double columns = width;
  double rows = height;
  if (width * height > limit) {
    const double side = std::floor(std::sqrt(limit));
    columns = width <= side ? width : (height <= side ? std::floor(limit / height) : side);
    rows = std::max(1.0, std::min(height, std::floor(limit / columns)));
  }
  const auto axis = [](double low, double high, double size, double needed, double cells) {
    const double more_than_rounding = 1e-6;
    return Axis{.low = low,
                .high = high,
                .cells_per_unit = 1 / size,
                .reach = size * (0.5 + more_than_rounding),
                .needed = static_cast<int64_t>(needed),
                .cells = static_cast<int64_t>(cells)};
  };
  return {.x = axis(boxes.x_low, boxes.x_high, boxes.width, width, columns),
          .y = axis(boxes.y_low, boxes.y_high, boxes.height, height, rows),
          .largest_area = boxes.Area(),
          .first_cell = first_cell};
}

int64_t Grid::CellOf(const Bounds& bounds) const {
  const Level& level = levels_[LevelOf(bounds)];
  const Level::Place place =
      level.PlaceOf(level.x.Coordinate(bounds.CenterX()), level.y.Coordinate(bounds.CenterY()));
  return level.first_cell + place.row * level.x.cells + place.column;
}

bool Grid::IsSmall(const Bounds& bounds, int level) const {
  constexpr double kCells = 3;
  return bounds.Width() * levels_[level].x.cells_per_unit <= kCells &&
         bounds.Height() * levels_[level].y.cells_per_unit <= kCells;
}

Grid::Neighbors::Neighbors(const Grid& grid, const Bounds& bounds, int first_level,
                           double least_area)
    : grid_(grid), bounds_(bounds), level_(first_level - 1), least_area_(least_area) {}

// Skips levels without boxes near the bounds.
inline bool Grid::Neighbors::EnterNextLevel() {
  while (++level_ < grid_.chosen_.count) {
    const Level& level = grid_.levels_[level_];
    if (level.largest_area >= least_area_ &&
        level.x.Reach(bounds_.x_low, bounds_.x_high, first_column_, last_column_) &&
        level.y.Reach(bounds_.y_low, bounds_.y_high, row_, last_row_)) {
      column_ = first_column_;
      whole_level_ = static_cast<double>(last_column_ - first_column_ + 1) *
                         static_cast<double>(last_row_ - row_ + 1) >=
                     static_cast<double>(level.size());
      return true;
    }
  }
  return false;
}

bool Grid::Neighbors::Next(CellSpan& span) {
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
