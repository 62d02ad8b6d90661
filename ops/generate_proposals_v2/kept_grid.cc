// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/generate_proposals_v2/kept_grid.h"

#include <cmath>
#include <limits>

namespace detops::generate_proposals_v2 {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// How far apart the centres of boxes may lie, in sizes of the one, when they overlap by more than
// t: of a box of width w and one of width v, both at least t times the other, the centres are at
// most (w + v) / 2 - t * max(w, v) apart. That is largest at v = w, or for t below 1/2 at v = w /
// t.
float ReachInSizes(float threshold) {
  const float reach = (1 - threshold) * std::max(1.0f, 0.5f / threshold);
  return std::max(reach, 0.0f) * 1.001f;  // more than any rounding
}

}  // namespace

KeptGrid::Space::Space(Carver& carver, int64_t boxes) : max_boxes(boxes), columns{} {
  const int64_t runs = MaxRuns(boxes);
  auto* const floats = carver.Take<float>(runs * kRunFloats);
  for (int i = 0; i < nms::kColumns; ++i) {
    columns.array[i] = floats + i * kRun;
  }
  before = carver.Take<int32_t>(runs);
  last = carver.Take<int32_t>(MaxCells(boxes));
  fill = carver.Take<uint8_t>(MaxCells(boxes));
}

KeptGrid::KeptGrid(const Space& space, float threshold, int offset, float scene_width,
                   float scene_height)
    : space_(space),
      threshold_(threshold),
      offset_(offset),
      reach_(ReachInSizes(threshold)),
      least_ratio_(threshold * 0.999f),
      largest_ratio_(1 / least_ratio_),
      free_runs_(MaxRuns(space.max_boxes) - RunsForAll(space.max_boxes)) {
  // Square cells, half as many as there may be boxes.
  const double most = std::max<double>(static_cast<double>(space.max_boxes) / 2, 1);
  const double width = std::max(scene_width, 1.0f);
  const double height = std::max(scene_height, 1.0f);
  columns_ = static_cast<uint32_t>(
      std::clamp(std::sqrt(most * width / height), 1.0, std::min(most, kMaxCellsInLine)));
  rows_ = static_cast<uint32_t>(std::clamp(most / columns_, 1.0, kMaxCellsInLine));
  columns_per_unit_ = static_cast<float>(columns_ / width);
  rows_per_unit_ = static_cast<float>(rows_ / height);
  uint32_t cells = 0;
  for (uint32_t columns = columns_, rows = rows_;;) {
    level_[levels_++] = EmptyLevel(columns, cells);
    cells += columns * rows;
    if (columns == 1 && rows == 1) {
      break;
    }
    columns = ((columns - 1) >> kLevelBits) + 1;
    rows = ((rows - 1) >> kLevelBits) + 1;
  }
  std::fill_n(space_.last, cells, -1);
  std::fill_n(space_.fill, cells, static_cast<uint8_t>(kRun));
}

KeptGrid::Cells KeptGrid::ReachOf(float low, float high, float per_unit, uint32_t cells) const {
  // A centre is a rounding away from where it is, and so is a cell's border.
  const double centre = (static_cast<double>(low) + high) / 2;
  const double reach =
      (static_cast<double>(high) - low + offset_) * reach_ + (std::abs(centre) + 1) * 0x1p-20;
  const double largest = cells - 1;
  const auto cell = [&](double position) {
    return static_cast<uint32_t>(std::clamp(position * per_unit, 0.0, largest));
  };
  return {cell(centre - reach), cell(centre + reach)};
}

void KeptGrid::Add(const float* roi, float area) {
  const Box box = {roi[0], roi[1], roi[2], roi[3], area};
  if (count_ == kFew) {
    SpreadFew();
  }
  if (count_++ < kFew) {
    Admit(level_[levels_ - 1], area);
    Enter(levels_ - 1, 0, 0, box);
  } else {
    Spread(box);
  }
}

void KeptGrid::SpreadFew() {
  // These runs are the first, and stay unused from now on.
  const int64_t runs = runs_;
  Level& last = level_[levels_ - 1];
  last = EmptyLevel(last.columns, last.first);
  space_.last[last.first] = -1;
  space_.fill[last.first] = kRun;
  for (int64_t run = 0; run < runs; ++run) {
    for (int64_t i = 0; i < kRun; ++i) {
      Box box;
      for (int column = 0; column < nms::kColumns; ++column) {
        box[column] = space_.columns.array[column][run * kRunFloats + i];
      }
      Spread(box);
    }
  }
}

void KeptGrid::Spread(const Box& box) {
  const Cells columns = ReachOf(box[nms::kX1], box[nms::kX2], columns_per_unit_, columns_);
  const Cells rows = ReachOf(box[nms::kY1], box[nms::kY2], rows_per_unit_, rows_);
  const bool has_room = runs_ + kMaxCellsOfBox <= free_runs_;
  int level = has_room ? 0 : levels_ - 1;
  const auto cells_in = [&](const Cells& cells) {
    return int64_t{cells.last >> level * kLevelBits} - (cells.first >> level * kLevelBits) + 1;
  };
  while (cells_in(columns) * cells_in(rows) > kMaxCellsOfBox) {
    ++level;
  }
  Admit(level_[level], box[nms::kArea]);
  const int shift = level * kLevelBits;
  for (uint32_t row = rows.first >> shift; row <= rows.last >> shift; ++row) {
    for (uint32_t column = columns.first >> shift; column <= columns.last >> shift; ++column) {
      Enter(level, column, row, box);
    }
  }
}

void KeptGrid::Admit(Level& level, float area) const {
  // A box whose area says nothing can suppress any.
  const bool known = area > 0;
  level.least_area = std::min(level.least_area, known ? area * least_ratio_ : 0);
  level.largest_area = std::max(level.largest_area, known ? area * largest_ratio_ : kInfinity);
}

void KeptGrid::Enter(int level, uint32_t column, uint32_t row, const Box& box) {
  constexpr Box kMeetsNothing = {kInfinity, 0, -kInfinity, 0, kInfinity};
  const Level& cells = level_[level];
  const uint32_t cell = cells.first + row * cells.columns + column;
  if (space_.fill[cell] == kRun) {
    const auto run = static_cast<int32_t>(runs_++);
    for (int i = 0; i < nms::kColumns; ++i) {
      std::fill_n(space_.columns.array[i] + run * kRunFloats, kRun, kMeetsNothing[i]);
    }
    space_.before[run] = space_.last[cell];
    space_.last[cell] = run;
    space_.fill[cell] = 0;
  }
  const int64_t at = space_.last[cell] * kRunFloats + space_.fill[cell]++;
  for (int i = 0; i < nms::kColumns; ++i) {
    space_.columns.array[i][at] = box[i];
  }
}

}  // namespace detops::generate_proposals_v2
