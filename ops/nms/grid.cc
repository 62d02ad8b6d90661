// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/nms/grid.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace detops::nms {
namespace {

// A level takes in boxes that are so much smaller than its largest, ...
constexpr double kSizesInLevel = 8;
// ... when not too many of them meet in its cells: a level of their own costs about as much.
constexpr double kNeighboursInLevel = 100;

float SizeOf(const Bounds& bounds) {
  return std::max(bounds.x_high - bounds.x_low, bounds.y_high - bounds.y_low);
}

// The exponent of the size.
int MagnitudeOf(const Bounds& bounds) {
  const float size = SizeOf(bounds);
  uint32_t bits;
  std::memcpy(&bits, &size, sizeof(bits));
  return static_cast<int>(bits >> 23 & 0xFF);
}

double CentreX(const Bounds& bounds) {
  return (static_cast<double>(bounds.x_low) + bounds.x_high) / 2;
}
double CentreY(const Bounds& bounds) {
  return (static_cast<double>(bounds.y_low) + bounds.y_high) / 2;
}

// Far beyond any scene that makes sense the coordinates stop to grow: such cells are shared.
int64_t CellCoordinate(double position, double origin, double cells_per_unit) {
  constexpr double kLimit = 1e15;
  const double coordinate =
      std::min(std::max((position - origin) * cells_per_unit, -kLimit), kLimit);
  const auto towards_zero = static_cast<int64_t>(coordinate);
  return towards_zero - (static_cast<double>(towards_zero) > coordinate ? 1 : 0);
}

int64_t Wrap(int64_t coordinate, int64_t size) {
  if (coordinate >= 0 && coordinate < size) {
    return coordinate;  // nearly always
  }
  const int64_t remainder = coordinate % size;
  return remainder < 0 ? remainder + size : remainder;
}

}  // namespace

Grid::Grid(const Bounds* bounds, int64_t count) {
  Magnitude magnitudes[kMagnitudes];
  std::fill_n(magnitudes, kMagnitudes, Magnitude{0, 0, HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL});
  for (int64_t i = 0; i < count; ++i) {
    Magnitude& m = magnitudes[MagnitudeOf(bounds[i])];
    const double x = CentreX(bounds[i]);
    const double y = CentreY(bounds[i]);
    ++m.count;
    // The difference of floats may be a rounding more than its float, or too large for one.
    m.size = std::max({m.size, static_cast<double>(bounds[i].x_high) - bounds[i].x_low,
                       static_cast<double>(bounds[i].y_high) - bounds[i].y_low});
    m.x_low = std::min(m.x_low, x);
    m.y_low = std::min(m.y_low, y);
    m.x_high = std::max(m.x_high, x);
    m.y_high = std::max(m.y_high, y);
  }
  ChooseLevels(magnitudes);
}

// From the smallest boxes to the largest, as the cells are to be numbered; but what a level takes
// in depends on its largest.
void Grid::ChooseLevels(const Magnitude (&magnitudes)[kMagnitudes]) {
  Magnitude chosen[kMaxLevels];
  int level = -1;  // counted from the largest boxes
  for (int i = kMagnitudes - 1; i >= 0; --i) {
    const Magnitude& m = magnitudes[i];
    if (m.count != 0) {
      bool joins = level == kMaxLevels - 1;
      Magnitude both = m;
      if (level >= 0) {
        const Magnitude& l = chosen[level];
        both = {l.count + m.count,
                l.size,
                std::min(l.x_low, m.x_low),
                std::min(l.y_low, m.y_low),
                std::max(l.x_high, m.x_high),
                std::max(l.y_high, m.y_high)};
        const double area =
            (both.x_high - both.x_low + both.size) * (both.y_high - both.y_low + both.size);
        joins = joins || (m.size * kSizesInLevel >= l.size &&
                          static_cast<double>(both.count) * 9 * both.size * both.size <=
                              kNeighboursInLevel * area);
      }
      if (!joins) {
        ++level;
      }
      chosen[level] = joins ? both : m;
    }
    level_of_[i] = static_cast<int8_t>(std::max(level, 0));
  }
  for (int i = level; i >= 0; --i) {
    AddLevel(chosen[i]);
  }
  for (int8_t& of : level_of_) {
    of = static_cast<int8_t>(level - of);
  }
}

void Grid::AddLevel(const Magnitude& boxes) {
  const double width = std::floor((boxes.x_high - boxes.x_low) / boxes.size) + 2;
  const double height = std::floor((boxes.y_high - boxes.y_low) / boxes.size) + 2;
  const double limit = 2.0 * static_cast<double>(boxes.count);
  double columns = width;
  double rows = height;
  if (width * height > limit) {
    const double side = std::floor(std::sqrt(limit));
    columns = width <= side ? width : (height <= side ? std::floor(limit / height) : side);
    rows = std::max(1.0, std::min(height, std::floor(limit / columns)));
  }
  levels_[level_count_++] = {1 / boxes.size,
                             boxes.size * (0.5 + 1e-6),  // more than any rounding
                             boxes.x_low,
                             boxes.y_low,
                             static_cast<int64_t>(columns),
                             static_cast<int64_t>(rows),
                             cells_};
  cells_ += static_cast<int64_t>(columns) * static_cast<int64_t>(rows);
}

int Grid::LevelOf(const Bounds& bounds) const { return level_of_[MagnitudeOf(bounds)]; }

int64_t Grid::CellOf(const Bounds& bounds) const {
  const Level& level = levels_[LevelOf(bounds)];
  const int64_t column =
      Wrap(CellCoordinate(CentreX(bounds), level.x, level.cells_per_unit), level.columns);
  const int64_t row =
      Wrap(CellCoordinate(CentreY(bounds), level.y, level.cells_per_unit), level.rows);
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
  const auto coordinate = [&](double position, double origin) {
    return CellCoordinate(position, origin, level.cells_per_unit);
  };
  const int64_t left = coordinate(bounds_.x_low - level.reach, level.x);
  const int64_t right = coordinate(bounds_.x_high + level.reach, level.x);
  const int64_t top = coordinate(bounds_.y_low - level.reach, level.y);
  const int64_t bottom = coordinate(bounds_.y_high + level.reach, level.y);
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

}  // namespace detops::nms
