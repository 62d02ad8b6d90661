// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/strategy.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/costs.h"
#include "suppression/block.h"
#include "suppression/costs.h"
#include "suppression/kept_boxes.h"

namespace detops::suppression {
namespace {

// With this share of the memory for pairs expected to be used, the search for pairs is not tried.
constexpr double kMaxUseOfPairs = 0.7;

// With twice the square root of the number of boxes, the time is proportional to that number, and a
// pair of the sample stands for half a partner of each box.
int64_t SampleSize(int64_t count) {
  const auto wanted = static_cast<int64_t>(2 * std::sqrt(static_cast<double>(count)));
  return std::min({wanted, count, kLargestBlock});
}

// Takes evenly distributed boxes of the group, by rank, as a block.
Block SampleOf(const Group& group, const Workspace& space, PreparedBoxes& prepared) {
  const int64_t size = SampleSize(group.count);
  for (int64_t i = 0; i < size; ++i) {
    space.block_slots[i] = group.ids[i * group.count / size];
  }
  const auto record_bytes = static_cast<int64_t>(group.kernels.record_bytes);
  prepared = {.boxes = group.boxes,
              .metric = group.metric,
              .ids = space.block_slots,
              .columns = space.block_columns,
              .records = space.records + (group.count - size) * record_bytes,
              .count = size};
  group.kernels.prepare(prepared, 0, size);
  return {.prepared = &prepared,
          .metric = group.metric,
          .columns = space.block_columns,
          .slot_of = nullptr,
          .count = size,
          .threshold = group.threshold,
          .rows = space.block_rows,
          .words_per_row = WordsFor(size)};
}

int64_t CountPairs(const Block& block) {
  int64_t pairs = 0;
  for (int64_t i = 0; i < block.count * block.words_per_row; ++i) {
    pairs += std::popcount(block.rows[i]);
  }
  return pairs;
}

// Counts the pairs of a sample that are close to each other. In float, which is exact enough.
class Neighbors {
 public:
  Neighbors(const Group& group, const int32_t* ids, int64_t count) {
    Bounds bounds[kLargestBlock];
    group.kernels.find_bounds(group.boxes, group.metric, ids, count, bounds);
    for (int64_t i = 0; i < count; ++i) {
      if (bounds[i].HasInterior()) {
        x_[count_] = static_cast<float>(bounds[i].CenterX());
        y_[count_] = static_cast<float>(bounds[i].CenterY());
        width_[count_] = static_cast<float>(bounds[i].Width());
        height_[count_++] = static_cast<float>(bounds[i].Height());
      }
    }
  }

  // Counts the pairs whose centers are, along both axes, less far apart than this multiple of the
  // sum of their sizes, and this multiple of the larger size.
  double Count(double of_sum, double of_larger) const {
    const auto sum = static_cast<float>(of_sum);
    const auto larger = static_cast<float>(of_larger);
    int64_t found = 0;
    for (int64_t i = 1; i < count_; ++i) {
      const float x = x_[i], y = y_[i], width = width_[i], height = height_[i];
      int32_t of_i = 0;
      for (int64_t j = 0; j < i; ++j) {
        const float reach_x = (width + width_[j]) * sum + std::max(width, width_[j]) * larger;
        const float reach_y = (height + height_[j]) * sum + std::max(height, height_[j]) * larger;
        const auto near_x = static_cast<int32_t>(std::abs(x - x_[j]) < reach_x);
        const auto near_y = static_cast<int32_t>(std::abs(y - y_[j]) < reach_y);
        of_i += near_x & near_y;
      }
      found += of_i;
    }
    return static_cast<double>(found);
  }

 private:
  int64_t count_ = 0;
  float x_[kLargestBlock];
  float y_[kLargestBlock];
  float width_[kLargestBlock];
  float height_[kLargestBlock];
};

// Returns the share of boxes that are kept: one of a box and its partners is.
double KeptShare(const Density& density) { return 1 / (1 + density.partners); }

// Returns the number of kept boxes that a candidate overlaps. On average half of them are there
// when its turn comes.
double KeptOverlaps(const Density& density) { return KeptShare(density) * density.overlaps / 2; }

// Returns the number of parallel loops until there are `growth` times as many decided boxes. Each
// block doubles their number and has two loops.
double LoopsOfBlocks(double growth) { return 2 * std::log2(growth) + 2; }

}  // namespace

Density MeasureDensity(const Group& group, const Workspace& space) {
  PreparedBoxes prepared;
  const Block sample = SampleOf(group, space, prepared);
  Threads one(1);
  CompareBlock(one, group.kernels, sample);
  // Each pair of the sample is one of two boxes.
  const auto size = static_cast<double>(sample.count);
  const double per_pair = 2 * (static_cast<double>(group.count) - 1) / (size * (size - 1));
  const Neighbors neighbors(group, space.block_slots, sample.count);
  // A search looks as far as the centers of partners are away, and on average half a cell further.
  const double distance = group.kernels.least_overlap(group.metric, group.threshold).Distance();
  return {.overlaps = per_pair * neighbors.Count(0.5, 0),
          .partners = per_pair * static_cast<double>(CountPairs(sample)),
          .in_cells = per_pair * neighbors.Count(distance, 0.5),
          .in_cells_of_kept = per_pair * neighbors.Count(distance, kBoxesPerCellOfKept / 2)};
}

KeptForecast::KeptForecast(const Progress& progress) {
  const auto decided = static_cast<double>(progress.decided);
  const double suppressed = decided - static_cast<double>(progress.kept);
  const double at_most = suppressed + 1.5 * std::sqrt(suppressed + 1);
  const double share = std::max(decided - at_most, 0.5) / decided;
  // Solves 1 - exp(-x) = share * x by Newton's method, for x = decided / objects. From the right of
  // the root, the steps never pass it.
  double x = 1 / share;
  for (int i = 0; i < 6; ++i) {
    const double power = std::exp(-x);
    x -= (1 - power - share * x) / (power - share);
  }
  objects_ = decided / std::max(x, 1e-9);
}

double KeptForecast::KeptOf(double boxes) const {
  return objects_ * -std::expm1(-boxes / objects_);
}

double KeptForecast::TestsAfter(double boxes) const {
  const double is_kept = std::exp(-boxes / objects_);
  return KeptOf(boxes) * (1 + is_kept) / 2;
}

Strategy StrategyChooser::Choose(const Progress& progress) {
  // A sample would overwrite boxes that are decided.
  if (group_.count - progress.decided < SampleSize(group_.count)) {
    return Strategy::kInOrder;
  }
  const auto rest = static_cast<double>(group_.count - progress.decided);
  const double boxes = rest + static_cast<double>(progress.kept);
  if (!has_density_) {
    // The least time that the others can take.
    constexpr Density kCrowd{
        .overlaps = 0, .partners = HUGE_VAL, .in_cells = 0, .in_cells_of_kept = 0};
    if (InOrderTime(progress) <=
        std::min(PairsTime(boxes, density_), BlocksTime(boxes, rest, kCrowd))) {
      return Strategy::kInOrder;
    }
    density_ = MeasureDensity(group_, space_);
    has_density_ = true;
  }
  const double pairs = PairsTime(boxes, density_);
  const double blocks = BlocksTime(boxes, rest, density_);
  if (InOrderTime(progress) <= std::min(pairs, blocks)) {
    return Strategy::kInOrder;
  }
  return pairs < blocks ? Strategy::kPairs : Strategy::kBlocks;
}

double StrategyChooser::TimeOf(const Cost& cost) const {
  const int threads = group_.threads.count();
  const double shared = cost.parallel / threads + cost.loops * kNanosecondsToShareLoop;
  return cost.serial + (threads == 1 ? cost.parallel : std::min(cost.parallel, shared));
}

double StrategyChooser::InOrderTime(const Progress& progress) const {
  const KeptForecast forecast(progress);
  const auto first = static_cast<double>(progress.decided);
  const auto last = static_cast<double>(group_.count);
  // Simpson's rule.
  const double tests = (forecast.TestsAfter(first) + 4 * forecast.TestsAfter((first + last) / 2) +
                        forecast.TestsAfter(last)) /
                       6;
  const Kernels& kernels = group_.kernels;
  const double per_box = kNanosecondsToFilter + kernels.nanoseconds_to_prepare +
                         tests * kernels.nanoseconds_per_test +
                         KeptOverlaps(density_) * kernels.nanoseconds_per_overlap;
  return TimeOf(
      {.serial = 0, .parallel = (last - first) * per_box, .loops = LoopsOfBlocks(last / first)});
}

double StrategyChooser::NanosecondsToSearch(const Density& density) const {
  return kNanosecondsToSearch + density.in_cells / 2 * group_.kernels.nanoseconds_per_test +
         density.overlaps / 2 * group_.kernels.nanoseconds_per_overlap;
}

double StrategyChooser::PairsTime(double boxes, const Density& density) const {
  const double pairs = density.partners / 2;
  if (pairs > kMaxUseOfPairs * kSuppressionsPerBox) {
    return HUGE_VAL;
  }
  return TimeOf(
      {.serial = boxes * (kNanosecondsToChooseLevels + kNanosecondsToCount +
                          kNanosecondsToSortIntoCells + pairs * kNanosecondsPerSuppression),
       .parallel = boxes * (kNanosecondsToGather + kNanosecondsToFindCell +
                            group_.kernels.nanoseconds_to_prepare + NanosecondsToSearch(density)),
       .loops = 4});
}

double StrategyChooser::BlocksTime(double boxes, double candidates, const Density& density) const {
  const Kernels& kernels = group_.kernels;
  const double per_box =
      kNanosecondsToGather + kNanosecondsToFindCell + kernels.nanoseconds_to_prepare;
  const double per_survivor =
      kNanosecondsPerSurvivor + density.in_cells_of_kept * kernels.nanoseconds_per_test;
  const double per_candidate = kNanosecondsToLookUp + KeptShare(density) * per_survivor +
                               KeptOverlaps(density) * kernels.nanoseconds_per_overlap;
  return TimeOf({.serial = boxes * (kNanosecondsToChooseLevels + kNanosecondsToCount),
                 .parallel = boxes * per_box + candidates * per_candidate,
                 .loops = 3 + LoopsOfBlocks(boxes / (boxes - candidates + 1))});
}

}  // namespace detops::suppression
