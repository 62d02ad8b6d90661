// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/grid.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace detops::suppression {
namespace {

// A level also takes smaller boxes, when all of these hold:
// - they are at most this many times smaller than its largest box;
constexpr double kSizesInLevel = 8;
// - they are at most this many times more numerous than its boxes;
constexpr int64_t kCountsInLevel = 32;
// - a box then has at most this many neighbors on average: beyond that, a level of their own is
//   cheaper.
constexpr double kNeighborsInLevel = 100;

// Returns the binary exponent of the size.
int MagnitudeOf(const Bounds& bounds) {
  const float size = std::max(bounds.x_high - bounds.x_low, bounds.y_high - bounds.y_low);
  uint32_t bits;
  std::memcpy(&bits, &size, sizeof(bits));
  return static_cast<int>(bits >> 23 & 0xFF);
}

double Width(const Bounds& bounds) { return static_cast<double>(bounds.x_high) - bounds.x_low; }
double Height(const Bounds& bounds) { return static_cast<double>(bounds.y_high) - bounds.y_low; }

double CenterX(const Bounds& bounds) {
  return (static_cast<double>(bounds.x_low) + bounds.x_high) / 2;
}
double CenterY(const Bounds& bounds) {
  return (static_cast<double>(bounds.y_low) + bounds.y_high) / 2;
}

// Returns a pseudo-random number per block.
uint64_t Mix(int64_t block_x, int64_t block_y) {
  uint64_t mixed = static_cast<uint64_t>(block_x) * 0x9E3779B97F4A7C15u +
                   static_cast<uint64_t>(block_y) * 0xC2B2AE3D27D4EB4Fu;
  mixed ^= mixed >> 29;
  mixed *= 0xBF58476D1CE4E5B9u;
  return mixed ^ mixed >> 32;
}

}  // namespace

// Coordinates are clamped to the scene, so boxes outside it share its outermost cells.
int64_t Grid::Axis::Coordinate(double position) const {
  const double coordinate = std::max((position - origin) * cells_per_unit, 0.0);
  return static_cast<int64_t>(std::min(coordinate, static_cast<double>(needed - 1)));
}

Grid::Level::Place Grid::Level::PlaceOf(int64_t column, int64_t row) const {
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

Grid::Grid(const Bounds* bounds, int64_t count) {
  Magnitude magnitudes[kMagnitudes] = {};
  Scene scene;  // local, so that it stays in registers
  for (int64_t i = 0; i < count; ++i) {
    Magnitude& m = magnitudes[MagnitudeOf(bounds[i])];
    m = Join(m, {1, Width(bounds[i]), Height(bounds[i])});
    const double x = CenterX(bounds[i]);
    const double y = CenterY(bounds[i]);
    scene.x_low = std::min(scene.x_low, x);
    scene.y_low = std::min(scene.y_low, y);
    scene.x_high = std::max(scene.x_high, x);
    scene.y_high = std::max(scene.y_high, y);
  }
  scene_ = scene;
  ChooseLevels(magnitudes);
}

Grid::Magnitude Grid::Join(const Magnitude& a, const Magnitude& b) {
  return {a.count + b.count, std::max(a.width, b.width), std::max(a.height, b.height)};
}

bool Grid::ShouldJoin(const Magnitude& level, const Magnitude& smaller) const {
  if (std::max(smaller.width, smaller.height) * kSizesInLevel <
          std::max(level.width, level.height) ||
      smaller.count > kCountsInLevel * level.count) {
    return false;
  }
  const Magnitude both = Join(level, smaller);
  const double area = (scene_.width() + both.width) * (scene_.height() + both.height);
  return static_cast<double>(both.count) * 9 * both.width * both.height <= kNeighborsInLevel * area;
}

// Levels are numbered from the smallest boxes to the largest, but chosen from the largest down:
// what a level takes depends on its largest box.
void Grid::ChooseLevels(const Magnitude (&magnitudes)[kMagnitudes]) {
  Magnitude chosen[kMaxLevels];
  int level = -1;  // counted from the largest boxes down
  for (int i = kMagnitudes - 1; i >= 0; --i) {
    const Magnitude& m = magnitudes[i];
    if (m.count != 0) {
      const bool joins = level >= 0 && (ShouldJoin(chosen[level], m) || level == kMaxLevels - 1);
      level += joins ? 0 : 1;
      chosen[level] = joins ? Join(chosen[level], m) : m;
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
  constexpr double kMostCoordinates = 1e15;
  const double width = std::min(std::floor(scene_.width() / boxes.width) + 2, kMostCoordinates);
  const double height = std::min(std::floor(scene_.height() / boxes.height) + 2, kMostCoordinates);
  const double limit = 2.0 * static_cast<double>(boxes.count);
  double columns = width;
  double rows = height;
  if (width * height > limit) {
    const double side = std::floor(std::sqrt(limit));
    columns = width <= side ? width : (height <= side ? std::floor(limit / height) : side);
    rows = std::max(1.0, std::min(height, std::floor(limit / columns)));
  }
  const auto axis = [](double origin, double size, double needed, double cells) {
    const double more_than_rounding = 1e-6;
    return Axis{origin, 1 / size, size * (0.5 + more_than_rounding), static_cast<int64_t>(needed),
                static_cast<int64_t>(cells)};
  };
  levels_[level_count_++] = {axis(scene_.x_low, boxes.width, width, columns),
                             axis(scene_.y_low, boxes.height, height, rows),
                             boxes.width * boxes.height, cells_};
  cells_ += levels_[level_count_ - 1].size();
}

int Grid::LevelOf(const Bounds& bounds) const { return level_of_[MagnitudeOf(bounds)]; }

int64_t Grid::CellOf(const Bounds& bounds) const {
  const Level& level = levels_[LevelOf(bounds)];
  const Level::Place place =
      level.PlaceOf(level.x.Coordinate(CenterX(bounds)), level.y.Coordinate(CenterY(bounds)));
  return level.first_cell + place.row * level.x.cells + place.column;
}

bool Grid::IsSmall(const Bounds& bounds, int level) const {
  constexpr double kCells = 3;
  return Width(bounds) * levels_[level].x.cells_per_unit <= kCells &&
         Height(bounds) * levels_[level].y.cells_per_unit <= kCells;
}

Grid::Neighbors::Neighbors(const Grid& grid, const Bounds& bounds, int first_level,
                           double least_area)
    : grid_(grid), bounds_(bounds), level_(first_level - 1), least_area_(least_area) {}

bool Grid::Neighbors::EnterNextLevel() {
  do {
    if (++level_ >= grid_.level_count_) {
      return false;
    }
  } while (grid_.levels_[level_].largest_area < least_area_);
  const Level& level = grid_.levels_[level_];
  first_column_ = level.x.Coordinate(bounds_.x_low - level.x.reach);
  last_column_ = level.x.Coordinate(bounds_.x_high + level.x.reach);
  row_ = level.y.Coordinate(bounds_.y_low - level.y.reach);
  last_row_ = level.y.Coordinate(bounds_.y_high + level.y.reach);
  column_ = first_column_;
  whole_level_ = static_cast<double>(last_column_ - first_column_ + 1) *
                     static_cast<double>(last_row_ - row_ + 1) >=
                 static_cast<double>(level.size());
  return true;
}

bool Grid::Neighbors::Next(CellSpan& span) {
  while (row_ > last_row_) {
    if (!EnterNextLevel()) {
      return false;
    }
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
