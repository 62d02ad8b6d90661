// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/grid.h"

#include <algorithm>
#include <cmath>

namespace detops::suppression {
// Returns a pseudo-random number per block.
static uint64_t Mix(int64_t block_x, int64_t block_y) {
  uint64_t mixed = static_cast<uint64_t>(block_x) * 0x9E3779B97F4A7C15u +
                   static_cast<uint64_t>(block_y) * 0xC2B2AE3D27D4EB4Fu;
  mixed ^= mixed >> 29;
  mixed *= 0xBF58476D1CE4E5B9u;
  return mixed ^ mixed >> 32;
}

Grid::Level::Place Grid::Level::PlaceInBlock(int64_t column, int64_t row) const {
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

Grid::Grid(const Bounds* bounds, int64_t count, const LeastOverlap& least_overlap,
           double boxes_per_cell)
    : least_overlap_(least_overlap), chosen_(bounds, count, least_overlap) {
  for (int i = 0; i < chosen_.count; ++i) {
    levels_[i] = MakeLevel(chosen_.boxes[i], cells_, boxes_per_cell);
    cells_ += levels_[i].size();
  }
}

Grid::Level Grid::MakeLevel(const SizeClass& boxes, int64_t first_cell,
                            double boxes_per_cell) const {
  const double cell_width = boxes.width * boxes_per_cell;
  const double cell_height = boxes.height * boxes_per_cell;
  const auto cells_for = [](double low, double high, double size) {
    return std::floor((high - low) / size) + 2;
  };
  const double width = cells_for(boxes.x_low, boxes.x_high, cell_width);
  const double height = cells_for(boxes.y_low, boxes.y_high, cell_height);
  const double limit = 2.0 * static_cast<double>(boxes.count);
  double columns = width;
  double rows = height;
  if (width * height > limit) {
    const double side = std::floor(std::sqrt(limit));
    columns = width <= side ? width : (height <= side ? std::floor(limit / height) : side);
    rows = std::max(1.0, std::min(height, std::floor(limit / columns)));
  }
  const auto axis = [this](double low, double high, double box, double cell, double needed,
                           double cells) {
    const double more_than_rounding = 1e-6;
    return Axis{.low = low,
                .high = high,
                .cells_per_unit = 1 / cell,
                .reach = box * (least_overlap_.Distance() + more_than_rounding),
                .needed = static_cast<int64_t>(needed),
                .cells = static_cast<int64_t>(cells)};
  };
  return {.x = axis(boxes.x_low, boxes.x_high, boxes.width, cell_width, width, columns),
          .y = axis(boxes.y_low, boxes.y_high, boxes.height, cell_height, height, rows),
          .least_width = boxes.least_width,
          .most_width = boxes.width,
          .least_height = boxes.least_height,
          .most_height = boxes.height,
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

}  // namespace detops::suppression
