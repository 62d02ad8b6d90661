// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/levels.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace detops::suppression {
namespace {

// A class joins a level when the tests of pairs then cost less than searches of two levels. A
// search of a level visits spans of cells, each of which costs as much as this many tests.
constexpr double kTestsPerSpan = 32;
// No level may have more tests than this per box: more than this is left to other strategies.
constexpr double kTestsPerBox = 200;

// What the estimates depend on.
struct Scene {
  const PositionSample& sample;
  const LeastOverlap& least_overlap;
};

bool AreSimilar(const SizeClass& a, const SizeClass& b, const LeastOverlap& least) {
  return least.AreSimilar(a.least_width, a.width, b.least_width, b.width) &&
         least.AreSimilar(a.least_height, a.height, b.least_height, b.height);
}

// Returns the expected number of pairs that are tested when the boxes of `from` are looked for in
// the cells of `to`: those whose centers are close enough, and half a cell further.
double TestsBetween(const SizeClass& from, const SizeClass& to, const Scene& scene) {
  const double distance = scene.least_overlap.Distance();
  return static_cast<double>(from.count) * static_cast<double>(to.count) *
         scene.sample.ShareWithin((from.width + to.width) * distance + to.width / 2,
                                  (from.height + to.height) * distance + to.height / 2);
}

// Each pair of a level is tested once.
double TestsWithin(const SizeClass& boxes, const Scene& scene) {
  return TestsBetween(boxes, boxes, scene) / 2;
}

// Levels with less height are searched in higher ones: a search visits a span for each row of
// cells, however many columns it has.
bool ComesFirst(const SizeClass& a, const SizeClass& b) {
  return std::pair(a.height, a.width) < std::pair(b.height, b.width);
}

// Returns the cost of the search of one level in the other, in tests of pairs. Boxes outside the
// extent of a level do not search it, nor do boxes of another size.
double CostBetween(const SizeClass& a, const SizeClass& b, const Scene& scene) {
  if (!AreSimilar(a, b, scene.least_overlap)) {
    return 0;
  }
  const bool a_is_first = ComesFirst(a, b);
  const SizeClass& from = a_is_first ? a : b;
  const SizeClass& to = a_is_first ? b : a;
  const double distance = scene.least_overlap.Distance();
  const double reach = 2 * distance * (from.height + to.height);
  const double rows = std::min(reach, to.y_high - to.y_low) / to.height + 1;
  const double searches = static_cast<double>(from.count) *
                          scene.sample.ShareNear(to, (from.width + to.width) * distance,
                                                 (from.height + to.height) * distance);
  return TestsBetween(from, to, scene) + kTestsPerSpan * rows * searches;
}

}  // namespace

SizeClass SizeClass::Empty() {
  return {.count = 0,
          .width = 0,
          .height = 0,
          .least_width = HUGE_VAL,
          .least_height = HUGE_VAL,
          .x_low = HUGE_VAL,
          .y_low = HUGE_VAL,
          .x_high = -HUGE_VAL,
          .y_high = -HUGE_VAL};
}

void SizeClass::Add(const SizeClass& other) {
  count += other.count;
  width = std::max(width, other.width);
  height = std::max(height, other.height);
  least_width = std::min(least_width, other.least_width);
  least_height = std::min(least_height, other.least_height);
  x_low = std::min(x_low, other.x_low);
  y_low = std::min(y_low, other.y_low);
  x_high = std::max(x_high, other.x_high);
  y_high = std::max(y_high, other.y_high);
}

SizeClasses::SizeClasses() { std::fill_n(keys_, kTable, kFree); }

void SizeClasses::Insert(int index, uint32_t key) {
  keys_[index] = key;
  classes_[index] = SizeClass::Empty();
  ++used_;
}

void SizeClasses::Coarsen() {
  const SizeClasses fine = *this;
  ++shift_;
  used_ = 0;
  std::fill_n(keys_, kTable, kFree);
  for (int i = 0; i < kTable; ++i) {
    if (fine.IsUsed(i)) {
      const uint32_t key = fine.keys_[i] >> 9 << 8 | (fine.keys_[i] & 0xFF) >> 1;
      const int index = Find(key);
      if (!IsUsed(index)) {
        Insert(index, key);
      }
      classes_[index].Add(fine[i]);
    }
  }
}

// The square root of the number of boxes: the time is then proportional to that number, and
// kNeighborsInLevel is as many pairs of the sample in every scene, a dozen.
PositionSample::PositionSample(const Bounds* bounds, int64_t count) {
  const auto wanted = static_cast<int64_t>(std::sqrt(static_cast<double>(count)) / 2);
  count_ = static_cast<int>(std::clamp<int64_t>(wanted, 1, kMost));
  for (int i = 0; i < count_; ++i) {
    const Bounds& box = bounds[i * count / count_];
    x_[i] = static_cast<float>(box.CenterX());
    y_[i] = static_cast<float>(box.CenterY());
  }
}

double PositionSample::ShareWithin(double x, double y) const {
  const double pairs = 0.5 * count_ * (count_ - 1);
  int found = 0;
  for (int i = 1; i < count_; ++i) {
    const float at_x = x_[i];
    const float at_y = y_[i];
    for (int j = 0; j < i; ++j) {
      const bool near_x = std::abs(x_[j] - at_x) <= static_cast<float>(x);
      const bool near_y = std::abs(y_[j] - at_y) <= static_cast<float>(y);
      found += static_cast<int>(near_x & near_y);
    }
  }
  return pairs == 0 ? 0 : found / pairs;
}

double PositionSample::ShareNear(const SizeClass& boxes, double x, double y) const {
  int found = 0;
  for (int i = 0; i < count_; ++i) {
    found += static_cast<int>(x_[i] >= boxes.x_low - x && x_[i] <= boxes.x_high + x &&
                              y_[i] >= boxes.y_low - y && y_[i] <= boxes.y_high + y);
  }
  return static_cast<double>(found) / count_;
}

Levels::Levels(const Bounds* bounds, int64_t count_of_boxes, const LeastOverlap& least_overlap) {
  for (int64_t i = 0; i < count_of_boxes; ++i) {
    classes.Add(bounds[i]);
  }
  Choose(PositionSample(bounds, count_of_boxes), least_overlap);
  SortByHeight();
}

// Takes the most numerous classes first: the few boxes of the last ones then cannot change the
// cells of many others unless it costs less.
void Levels::Choose(const PositionSample& sample, const LeastOverlap& least_overlap) {
  const Scene scene{.sample = sample, .least_overlap = least_overlap};
  int order[SizeClasses::kTable];
  int used = 0;
  for (int i = 0; i < SizeClasses::kTable; ++i) {
    order[used] = i;
    used += classes.IsUsed(i) ? 1 : 0;
  }
  std::sort(order, order + used, [&](int a, int b) {
    return classes[a].count != classes[b].count ? classes[a].count > classes[b].count
                                                : ComesFirst(classes[a], classes[b]);
  });
  double tests[kMost];  // within each level
  for (int i = 0; i < used; ++i) {
    const SizeClass& added = classes[order[i]];
    const double tests_alone = TestsWithin(added, scene);
    int level = LevelToJoin(added);
    if (level >= 0) {
      SizeClass joined = boxes[level];
      joined.Add(added);
      const double tests_joined = TestsWithin(joined, scene);
      const double cost_apart =
          tests[level] + tests_alone + CostBetween(boxes[level], added, scene);
      const double most = kTestsPerBox * static_cast<double>(joined.count);
      if (tests_joined <= std::min(cost_apart, most) || count == kMost) {
        boxes[level] = joined;
        tests[level] = tests_joined;
        level_of[order[i]] = static_cast<int8_t>(level);
        continue;
      }
    }
    boxes[count] = added;
    tests[count] = tests_alone;
    level_of[order[i]] = static_cast<int8_t>(count++);
  }
}

// Returns the level whose cells grow least, or -1 when there is no level.
int Levels::LevelToJoin(const SizeClass& added) const {
  int best = -1;
  double best_growth = 0;
  for (int i = 0; i < count; ++i) {
    const double area =
        std::max(boxes[i].width, added.width) * std::max(boxes[i].height, added.height);
    // Compared with the cells of both: the class must fit, too.
    const double growth = area * area / (boxes[i].Area() * added.Area());
    if (best < 0 || growth < best_growth) {
      best_growth = growth;
      best = i;
    }
  }
  return best;
}

void Levels::SortByHeight() {
  int order[kMost];
  std::iota(order, order + count, 0);
  std::sort(order, order + count, [&](int a, int b) { return ComesFirst(boxes[a], boxes[b]); });
  SizeClass sorted[kMost];
  int8_t new_level[kMost] = {};
  for (int i = 0; i < count; ++i) {
    sorted[i] = boxes[order[i]];
    new_level[order[i]] = static_cast<int8_t>(i);
  }
  std::copy_n(sorted, count, boxes);
  for (int i = 0; i < SizeClasses::kTable; ++i) {
    level_of[i] = classes.IsUsed(i) ? new_level[level_of[i]] : int8_t{0};
  }
}

}  // namespace detops::suppression
