// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/generate_proposals_v2/kept_grid.h"

#include <cmath>

#include "ops/generate_proposals_v2/op.h"

namespace detops::generate_proposals_v2 {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Cells are laid again when the boxes extend this many times as far as the scene.
constexpr float kGrowth = 1.25f;

// Returns the largest distance of the centers of two boxes whose IoU exceeds t, along one axis, as
// a multiple of the size of one of them. The widths w and v of such boxes are both at least t times
// the other, and the centers are at most (w + v) / 2 - t * max(w, v) apart. That is largest at
// v = w or, if t is below 1/2, at v = w / t.
float ReachInSizes(float threshold) {
  const float reach = (1 - threshold) * std::max(1.0f, 0.5f / threshold);
  // The margin exceeds every rounding error; the result must be finite.
  return std::clamp(reach * 1.001f, 0.0f, std::numeric_limits<float>::max());
}

}  // namespace

KeptGrid::Space::Space(Carver& carver, int64_t boxes)
    : max_boxes(boxes), areas(carver.Take<float>(boxes)), columns{} {
  const int64_t runs = MaxRuns(boxes);
  auto* const floats = carver.Take<float>(runs * kRunFloats);
  for (int i = 0; i < nms::kColumns; ++i) {
    columns.array[i] =
        floats == nullptr ? nullptr : floats + i * kRun;  // null: the carver only adds up sizes
  }
  next = carver.Take<int32_t>(runs);
  first = carver.Take<int32_t>(MaxCells(boxes));
  last = carver.Take<int32_t>(MaxCells(boxes));
  fill = carver.Take<uint8_t>(MaxCells(boxes));
}

KeptGrid::KeptGrid(const Space& space, float threshold, int offset, const float* rois)
    : space_(space),
      threshold_(threshold),
      offset_(offset),
      rois_(rois),
      reach_(ReachInSizes(threshold)),
      least_ratio_(threshold * 0.999f),
      largest_ratio_(1 / least_ratio_),
      shared_runs_(MaxRuns(space.max_boxes) - RunsOfLastLevel(space.max_boxes)) {
  LayCells(1, 1);
}

void KeptGrid::LayCells(uint32_t columns, uint32_t rows) {
  columns_ = columns;
  rows_ = rows;
  columns_per_unit_ = static_cast<float>(columns / std::max(scene_width_, 1.0f));
  rows_per_unit_ = static_cast<float>(rows / std::max(scene_height_, 1.0f));
  levels_ = 0;
  uint32_t cells = 0;
  for (bool is_last = false; !is_last;) {
    is_last = columns == 1 && rows == 1;
    level_[levels_++] = {
        .columns = columns, .first_cell = cells, .least_area = kInfinity, .largest_area = 0};
    cells += columns * rows;
    columns = ((columns - 1) >> kLevelBits) + 1;
    rows = ((rows - 1) >> kLevelBits) + 1;
  }
  std::fill_n(space_.first, cells, -1);
  std::fill_n(space_.fill, cells, static_cast<uint8_t>(kRun));
  runs_ = 0;
}

void KeptGrid::LayCellsOverScene() {
  scene_width_ = covered_width_;
  scene_height_ = covered_height_;
  // Square cells, about one per two boxes.
  const double most = std::max<double>(static_cast<double>(space_.max_boxes) / 2, 1);
  const double width = std::max(scene_width_, 1.0f);
  const double height = std::max(scene_height_, 1.0f);
  const double columns = std::floor(
      std::clamp(std::sqrt(most * width / height), 1.0, std::min(most, kMaxCellsInLine)));
  const double rows = std::clamp(most / columns, 1.0, kMaxCellsInLine);
  LayCells(static_cast<uint32_t>(columns), static_cast<uint32_t>(rows));
}

KeptGrid::CellRange KeptGrid::ReachOf(float low, float high, float per_unit, uint32_t cells) const {
  // The second term covers the rounding errors of centers and of the borders of cells.
  const double center = (static_cast<double>(low) + high) / 2;
  const double reach =
      (static_cast<double>(high) - low + offset_) * reach_ + (std::abs(center) + 1) * 0x1p-20;
  const double largest = cells - 1;
  const auto cell = [&](double position) {
    return static_cast<uint32_t>(std::clamp(position * per_unit, 0.0, largest));
  };
  return {cell(center - reach), cell(center + reach)};
}

void KeptGrid::Add(float area) {
  const float* const roi = rois_ + count_ * kBoxFloats;
  covered_width_ = std::max(covered_width_, roi[2]);
  covered_height_ = std::max(covered_height_, roi[3]);
  space_.areas[count_] = area;
  EnterBox(count_++);
  if (count_ == next_check_) {
    next_check_ *= 2;
    if (covered_width_ > kGrowth * scene_width_ || covered_height_ > kGrowth * scene_height_) {
      LayCellsOverScene();
      for (int64_t box = 0; box < count_; ++box) {
        EnterBox(box);
      }
    }
  }
}

void KeptGrid::EnterBox(int64_t box) {
  const float* const roi = rois_ + box * kBoxFloats;
  const float area = space_.areas[box];
  const CellRange columns = ReachOf(roi[0], roi[2], columns_per_unit_, columns_);
  const CellRange rows = ReachOf(roi[1], roi[3], rows_per_unit_, rows_);
  // The remaining runs are shared equally by the boxes that may still come.
  const int64_t room = shared_runs_ - runs_ - kMaxEntries;
  const int64_t share = std::clamp<int64_t>(
      room * kRun / std::max<int64_t>(space_.max_boxes - box, 1), 1, kMaxEntries);
  int level = room < 0 ? levels_ - 1 : 0;
  const auto cells_in = [&](const CellRange& cells) {
    return int64_t{cells.last >> level * kLevelBits} - (cells.first >> level * kLevelBits) + 1;
  };
  while (level < levels_ - 1 && cells_in(columns) * cells_in(rows) > share) {
    ++level;
  }
  // A box whose area is NaN may suppress boxes of any area.
  const bool known = area > 0;
  Level& cells = level_[level];
  cells.least_area = std::min(cells.least_area, known ? area * least_ratio_ : 0);
  cells.largest_area = std::max(cells.largest_area, known ? area * largest_ratio_ : kInfinity);
  const int shift = level * kLevelBits;
  for (uint32_t row = rows.first >> shift; row <= rows.last >> shift; ++row) {
    for (uint32_t column = columns.first >> shift; column <= columns.last >> shift; ++column) {
      EnterCell(level, column, row, roi, area);
    }
  }
}

void KeptGrid::EnterCell(int level, uint32_t column, uint32_t row, const float* roi, float area) {
  const uint32_t cell = level_[level].first_cell + row * level_[level].columns + column;
  if (space_.fill[cell] == kRun) {
    const auto run = static_cast<int32_t>(runs_++);
    for (int i = 0; i < nms::kColumns; ++i) {
      std::fill_n(space_.columns.array[i] + run * kRunFloats, kRun, kOverlapsNothing[i]);
    }
    (space_.first[cell] < 0 ? space_.first[cell] : space_.next[space_.last[cell]]) = run;
    space_.next[run] = -1;
    space_.last[cell] = run;
    space_.fill[cell] = 0;
  }
  const int64_t at = space_.last[cell] * kRunFloats + space_.fill[cell]++;
  for (int i = 0; i < kBoxFloats; ++i) {
    space_.columns.array[i][at] = roi[i];
  }
  space_.columns.array[nms::kArea][at] = area;
}

}  // namespace detops::generate_proposals_v2
