// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/poly_nms/grid.h"

#include <algorithm>
#include <cmath>

namespace detops::poly_nms {
namespace {

constexpr int kMinExponent = -150;  // of the smallest float, and a bit

double SizeOf(const Bounds& bounds) {
  return std::max(static_cast<double>(bounds.x_high) - bounds.x_low,
                  static_cast<double>(bounds.y_high) - bounds.y_low);
}

// The least e with size <= 2^e, from 0.
int ExponentOf(const Bounds& bounds) {
  int exponent;
  const double mantissa = std::frexp(SizeOf(bounds), &exponent);
  return exponent - (mantissa == 0.5 ? 1 : 0) - kMinExponent;
}

double CentreX(const Bounds& bounds) {
  return (static_cast<double>(bounds.x_low) + bounds.x_high) / 2;
}
double CentreY(const Bounds& bounds) {
  return (static_cast<double>(bounds.y_low) + bounds.y_high) / 2;
}

int64_t Wrap(int64_t coordinate, int64_t size) {
  const int64_t remainder = coordinate % size;
  return remainder < 0 ? remainder + size : remainder;
}

}  // namespace

// Far beyond any scene that makes sense the coordinates stop to grow: such cells are shared.
int64_t Grid::Coordinate(double position, double origin, double cell) {
  constexpr double kLimit = 1e15;
  return static_cast<int64_t>(std::floor(std::clamp((position - origin) / cell, -kLimit, kLimit)));
}

Grid::Grid(const Bounds* bounds, int64_t count) {
  int64_t boxes_of_exponent[kExponents] = {};
  for (int64_t i = 0; i < count; ++i) {
    ++boxes_of_exponent[ExponentOf(bounds[i])];
  }
  // Exponents share a level when there would be too many.
  int shift = 0;
  for (;; ++shift) {
    level_count_ = 0;
    int previous = -1;
    for (int exponent = 0; exponent < kExponents; ++exponent) {
      if (boxes_of_exponent[exponent] != 0 && exponent >> shift != previous) {
        previous = exponent >> shift;
        ++level_count_;
      }
    }
    if (level_count_ <= kMaxLevels) {
      break;
    }
  }
  int64_t boxes_of_level[kMaxLevels] = {};
  int level = -1;
  int previous = -1;
  for (int exponent = 0; exponent < kExponents; ++exponent) {
    if (boxes_of_exponent[exponent] != 0) {
      level += exponent >> shift != previous ? 1 : 0;
      previous = exponent >> shift;
      boxes_of_level[level] += boxes_of_exponent[exponent];
    }
    level_of_exponent_[exponent] = static_cast<int8_t>(std::max(level, 0));
  }

  Bounds extent_of_level[kMaxLevels];  // of the centres
  double size_of_level[kMaxLevels] = {};
  std::fill_n(extent_of_level, kMaxLevels, Bounds{HUGE_VALF, HUGE_VALF, -HUGE_VALF, -HUGE_VALF});
  for (int64_t i = 0; i < count; ++i) {
    const int of = LevelOf(bounds[i]);
    Bounds& extent = extent_of_level[of];
    const auto x = static_cast<float>(CentreX(bounds[i]));
    const auto y = static_cast<float>(CentreY(bounds[i]));
    extent = {std::min(extent.x_low, x), std::min(extent.y_low, y), std::max(extent.x_high, x),
              std::max(extent.y_high, y)};
    size_of_level[of] = std::max(size_of_level[of], SizeOf(bounds[i]));
  }
  for (int i = 0; i < level_count_; ++i) {
    const Bounds& extent = extent_of_level[i];
    const double cell = size_of_level[i];
    const double width = std::floor((static_cast<double>(extent.x_high) - extent.x_low) / cell) + 2;
    const double height =
        std::floor((static_cast<double>(extent.y_high) - extent.y_low) / cell) + 2;
    const double limit = std::max(1.0, 2.0 * static_cast<double>(boxes_of_level[i]));
    const double side = std::floor(std::sqrt(limit));
    double columns = width;
    double rows = height;
    if (width * height > limit) {
      columns = width <= side ? width : (height <= side ? std::floor(limit / height) : side);
      rows = std::max(1.0, std::min(height, std::floor(limit / columns)));
    }
    levels_[i] = {cell,
                  extent.x_low,
                  extent.y_low,
                  static_cast<int64_t>(columns),
                  static_cast<int64_t>(rows),
                  cells_};
    cells_ += levels_[i].columns * levels_[i].rows;
  }
}

int Grid::LevelOf(const Bounds& bounds) const { return level_of_exponent_[ExponentOf(bounds)]; }

int64_t Grid::CellOf(const Bounds& bounds) const {
  const Level& level = levels_[LevelOf(bounds)];
  const int64_t column = Wrap(Coordinate(CentreX(bounds), level.x, level.cell), level.columns);
  const int64_t row = Wrap(Coordinate(CentreY(bounds), level.y, level.cell), level.rows);
  return level.first_cell + row * level.columns + column;
}

Grid::Neighbours::Neighbours(const Grid& grid, const Bounds& bounds, int first_level)
    : grid_(grid), bounds_(bounds), level_(first_level) {
  if (level_ < grid_.level_count_) {
    EnterLevel();
  }
}

void Grid::Neighbours::EnterLevel() {
  const Level& level = grid_.levels_[level_];
  // How far the centre of a box may lie outside, and more than any rounding.
  const double reach = level.cell * (0.5 + 1e-6);
  const int64_t left = Coordinate(bounds_.x_low - reach, level.x, level.cell);
  const int64_t right = Coordinate(bounds_.x_high + reach, level.x, level.cell);
  const int64_t top = Coordinate(bounds_.y_low - reach, level.y, level.cell);
  const int64_t bottom = Coordinate(bounds_.y_high + reach, level.y, level.cell);
  row_ = Wrap(top, level.rows);
  rows_left_ = std::min(bottom - top + 1, level.rows);
  column_ = Wrap(left, level.columns);
  columns_ = std::min(right - left + 1, level.columns);
  wrapped_ = false;
}

bool Grid::Neighbours::Next(CellSpan& span) {
  while (rows_left_ == 0) {
    if (++level_ >= grid_.level_count_) {
      return false;
    }
    EnterLevel();
  }
  const Level& level = grid_.levels_[level_];
  const int64_t row_begin = level.first_cell + row_ * level.columns;
  const int64_t end = column_ + columns_;
  if (!wrapped_ && end > level.columns) {
    span = {row_begin + column_, row_begin + level.columns};
    wrapped_ = true;
    return true;
  }
  span = wrapped_ ? CellSpan{row_begin, row_begin + end - level.columns}
                  : CellSpan{row_begin + column_, row_begin + end};
  wrapped_ = false;
  row_ = row_ + 1 == level.rows ? 0 : row_ + 1;
  --rows_left_;
  return true;
}

}  // namespace detops::poly_nms
