// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "detops/detops.hpp"
#include "ops/nms/harness.h"
#include "runtime/queue.h"
#include "suppression/grid.h"
#include "suppression/order.h"
#include "suppression/print_kept.h"
#include "testing/error_message.h"
#include "testing/guarded_buffer.h"
#include "testing/log_capture.h"

namespace detops::nms {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// ---- The reference ------------------------------------------------------------------------------

TEST(NmsReference, IouOfKnownBoxes) {
  const float unit[] = {0, 0, 10, 10};
  const float shifted[] = {5, 0, 15, 10};
  const float apart[] = {10, 0, 20, 10};
  EXPECT_EQ(ReferenceIou(unit, unit, 0), 1.0);
  EXPECT_EQ(ReferenceIou(unit, shifted, 0), 1.0 / 3);
  EXPECT_EQ(ReferenceIou(unit, apart, 0), 0.0);
  // With the offset the last column belongs to both.
  EXPECT_EQ(ReferenceIou(unit, apart, 1), 11.0 / (121 + 121 - 11));
}

TEST(NmsReference, IsSymmetricAndWithinBounds) {
  for (const Kind kind : kAllKinds) {
    const std::vector<float> boxes = RandomBoxes(kind, 60, 5);
    for (const int offset : {0, 1}) {
      for (size_t i = 0; i < boxes.size(); i += 4) {
        for (size_t j = 0; j < boxes.size(); j += 4) {
          const double iou = ReferenceIou(&boxes[i], &boxes[j], offset);
          ASSERT_EQ(iou, ReferenceIou(&boxes[j], &boxes[i], offset));
          ASSERT_TRUE(iou >= 0 && iou <= 1) << iou;
        }
      }
    }
  }
}

TEST(NmsReference, WhatIsNotFiniteMeetsNothing) {
  const float box[] = {0, 0, 10, 10};
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    for (int i = 0; i < 4; ++i) {
      float other[] = {0, 0, 10, 10};
      other[i] = value;
      EXPECT_EQ(ReferenceIou(box, other, 0), 0.0);
    }
  }
}

// ---- Kernels against the reference, on every target ---------------------------------------------

class NmsKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(NmsKernel);

TEST_P(NmsKernel, KeepsWhatTheReferenceKeeps) {
  for (const Kind kind : kAllKinds) {
    for (const int64_t count : {1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 159, 160, 161, 300}) {
      for (const float threshold : {0.0f, 0.05f, 0.25f, 0.5f, 0.7f, 0.99f, 1.0f}) {
        for (const int offset : {0, 1}) {
          Case input = RandomCase(kind, count, static_cast<uint32_t>(count));
          input.iou_threshold = threshold;
          input.offset = offset;
          ASSERT_EQ(RunOn(1, input), RunReference(input))
              << NameOf(kind) << ", " << input.ToString();
        }
      }
    }
  }
}

TEST_P(NmsKernel, ManyBoxesOnAnyNumberOfThreads) {
  for (const Kind kind : kAllKinds) {
    Case input = RandomCase(kind, 2500, 3);
    for (const int offset : {0, 1}) {
      input.offset = offset;
      input.iou_threshold = offset == 0 ? 0.3f : 0.9f;
      const Kept expected = RunReference(input);
      for (const int threads : {1, 2, 7}) {
        ASSERT_EQ(RunOn(threads, input), expected) << NameOf(kind) << ", threads " << threads;
      }
    }
  }
}

// Behind the largest float no end of a box can be told, and with the offset boxes meet that have no
// inside without it. Enough others are there that boxes are put into a grid.
TEST_P(NmsKernel, TheOffsetCountsUpToTheLargestFloat) {
  constexpr float kMax = std::numeric_limits<float>::max();
  const float before = std::nextafter(kMax, 0.0f);
  Case input = RandomCase(Kind::kScene, 500, 4);
  input.offset = 1;
  input.iou_threshold = 0.1f;
  input.scores[0] = kInfinity;  // the first and the last of them, so that it is the grid that finds
  input.scores[1] = -kInfinity;
  const std::vector<float> boxes[] = {
      {0.007f, 0, 0.006f, kMax, 0, 0, 0, kMax},
      {0, 0.007f, kMax, 0.006f, 0, 0, kMax, 0},
      {0, kMax, 0, kMax, 0.5f, kMax, 0.5f, kMax},
      {kMax, 0, kMax, 0, kMax, 0.5f, kMax, 0.5f},
      {kMax, kMax, kMax, kMax, before, before, kMax, kMax},
      {-kMax, 0, -kMax, 0, -kMax, 0.5f, -kMax, 0.5f},
  };
  for (const std::vector<float>& two : boxes) {
    ASSERT_EQ(two.size(), 8u);
    std::copy(two.begin(), two.end(), input.boxes.begin());
    ASSERT_EQ(RunOn(1, input), RunReference(input)) << testing::PrintToString(two);
  }
}

// The overlap of some pair, and the floats beside it: the error bound must not decide these.
TEST_P(NmsKernel, ThresholdsThatPairsHitAreDecidedByTheReference) {
  std::mt19937 random(11);
  int hits = 0;
  for (const Kind kind : {Kind::kImage, Kind::kIntegers, Kind::kHeap, Kind::kFar}) {
    for (int round = 0; round < 30; ++round) {
      Case input = RandomCase(kind, 60, random());
      input.offset = static_cast<int>(random() % 2);
      const auto a = 4 * (random() % 60);
      const auto b = 4 * (random() % 60);
      const auto iou =
          static_cast<float>(ReferenceIou(&input.boxes[a], &input.boxes[b], input.offset));
      if (a == b || !(iou > 0 && iou < 1)) {
        continue;
      }
      ++hits;
      for (const float threshold : {std::nextafter(iou, 0.0f), iou, std::nextafter(iou, 1.0f)}) {
        input.iou_threshold = threshold;
        ASSERT_EQ(RunOn(1, input), RunReference(input)) << input.ToString();
      }
    }
  }
  EXPECT_GT(hits, 30);
}

TEST_P(NmsKernel, AnIouThatEqualsTheThresholdIsKept) {
  Case input;
  input.boxes = {0, 0, 10, 10, 0, 0, 10, 7};  // 7/10
  input.scores = {1, 0.5f};
  input.iou_threshold = 0.7f;
  EXPECT_THAT(RunOn(1, input).output, ElementsAre(0, 1));
  input.iou_threshold = std::nextafter(0.7f, 0.0f);
  EXPECT_THAT(RunOn(1, input).output, ElementsAre(0, -1));
}

TEST_P(NmsKernel, OptionsGoTogether) {
  for (const Kind kind : {Kind::kImage, Kind::kExtremes}) {
    for (const int64_t count : {50, 700}) {
      for (const bool sort_by_score : {false, true}) {
        for (const int64_t max_outputs : {0, 5, 100000}) {
          Case input = RandomCase(kind, count, 8);
          input.has_score_threshold = true;
          input.score_threshold = 0.3f;
          input.sort_by_score = sort_by_score;
          input.max_outputs = max_outputs;
          for (int64_t i = 0; i < count; ++i) {
            input.groups.push_back(static_cast<int32_t>(i % 3) - 1);
          }
          input.image_counts = {0, static_cast<int32_t>(count / 3), 0,
                                static_cast<int32_t>(count - count / 3)};
          const Kept expected = RunReference(input);
          for (const int threads : {1, 2}) {
            ASSERT_EQ(RunOn(threads, input), expected) << input.ToString();
          }
        }
      }
    }
  }
}

// Boxes, scores, groups, results and workspace that end at unmapped pages. All boxes are as large
// as a vector, so some end a little before it, for the sake of their start.
void ExpectToStayInsideItsMemory(const Case& input, size_t slack) {
  const size_t list_bytes = input.scores.size() * sizeof(float);
  const GuardedBuffer boxes(input.boxes.size() * sizeof(float), slack);
  const GuardedBuffer scores(list_bytes);
  const GuardedBuffer groups(input.groups.size() * sizeof(int32_t));
  const GuardedBuffer output(list_bytes);
  const GuardedBuffer result_num(sizeof(int32_t));
  const GuardedBuffer workspace(WorkspaceBytes(input.count()));
  std::copy(input.boxes.begin(), input.boxes.end(), reinterpret_cast<float*>(boxes.data()));
  std::copy(input.scores.begin(), input.scores.end(), reinterpret_cast<float*>(scores.data()));
  std::copy(input.groups.begin(), input.groups.end(), reinterpret_cast<int32_t*>(groups.data()));
  Args args = input.args(reinterpret_cast<int32_t*>(output.data()),
                         reinterpret_cast<int32_t*>(result_num.data()));
  args.boxes.coordinates = reinterpret_cast<const float*>(boxes.data());
  args.call.scores = reinterpret_cast<const float*>(scores.data());
  if (!input.groups.empty()) {
    args.call.groups = reinterpret_cast<const int32_t*>(groups.data());
  }
  args.call.workspace = workspace.data();
  Threads threads(2);
  RunContext context{threads, nullptr};
  ASSERT_TRUE(nms::Run(context, args).ok());
  const Kept expected = RunReference(input);
  const int32_t kept = args.call.result_num[0];
  ASSERT_EQ(kept, expected.result_num[0]) << input.ToString();
  ASSERT_TRUE(std::equal(expected.output.begin(), expected.output.begin() + kept,
                         reinterpret_cast<const int32_t*>(output.data())))
      << input.ToString();
}

TEST_P(NmsKernel, StaysInsideItsMemory) {
  std::vector<int64_t> counts = {160, 161, 500};
  for (int64_t count = 1; count <= 2 * suppression::kMaxLanes + 1; ++count) {
    counts.push_back(count);
  }
  for (const int64_t count : counts) {
    for (const Kind kind : {Kind::kScene, Kind::kHeap, Kind::kExtremes}) {
      Case input = RandomCase(kind, count, 4);
      for (const size_t slack : {0, 4, 12}) {
        ExpectToStayInsideItsMemory(input, slack);
      }
      for (int64_t i = 0; i < count; ++i) {
        input.groups.push_back(static_cast<int32_t>(i % 3));
      }
      ExpectToStayInsideItsMemory(input, 0);
    }
  }
}

TEST_P(NmsKernel, WorkspaceMayStartAnywhereAndNothingBesideItIsWritten) {
  for (const int64_t count : {3, 400}) {
    const Case input = RandomCase(Kind::kScene, count, 5);
    const Kept expected = RunReference(input);
    const size_t bytes = WorkspaceBytes(count);
    for (const size_t shift : {0, 1, 2, 4, 31, 63, 64}) {
      std::vector<std::byte> memory(bytes + 128, std::byte{0x5A});
      const auto untouched = [](std::byte b) { return b == std::byte{0x5A}; };
      std::byte* const workspace = memory.data() + shift;
      Kept kept = Kept::Untouched(count, 1);
      Args args = input.args(kept.output.data(), kept.result_num.data());
      args.call.workspace = workspace;
      Threads threads(2);
      RunContext context{threads, nullptr};
      ASSERT_TRUE(nms::Run(context, args).ok());
      ASSERT_EQ(kept, expected) << count << ", shift " << shift;
      ASSERT_TRUE(std::all_of(memory.data(), workspace, untouched)) << shift;
      ASSERT_TRUE(std::all_of(workspace + bytes, memory.data() + memory.size(), untouched))
          << shift;
    }
  }
}

// ---- The grid and the order ---------------------------------------------------------------------

std::vector<suppression::Bounds> BoundsOf(const std::vector<float>& boxes) {
  std::vector<suppression::Bounds> all;
  for (size_t i = 0; i < boxes.size(); i += kBoxFloats) {
    const float* const box = &boxes[i];
    const bool finite = std::all_of(box, box + 4, [](float f) { return std::isfinite(f); });
    const suppression::Bounds bounds{box[0], box[1], box[2], box[3]};
    if (finite && bounds.HasInterior()) {
      all.push_back(bounds);
    }
  }
  return all;
}

bool Overlap(const suppression::Bounds& a, const suppression::Bounds& b) {
  return a.x_low < b.x_high && b.x_low < a.x_high && a.y_low < b.y_high && b.y_low < a.y_high;
}

// How often each cell is visited around some bounds.
std::vector<int> Visits(const suppression::Grid& grid, const suppression::Bounds& bounds,
                        int first_level) {
  std::vector<int> visits(static_cast<size_t>(grid.cells()));
  suppression::Grid::Neighbors neighbors(grid, bounds, first_level);
  suppression::CellSpan span;
  while (neighbors.Next(span)) {
    EXPECT_LT(span.begin, span.end);
    for (int64_t cell = span.begin; cell < span.end; ++cell) {
      ++visits.at(static_cast<size_t>(cell));
    }
  }
  return visits;
}

void ExpectGridFindsAllOverlaps(const std::string& name,
                                const std::vector<suppression::Bounds>& boxes) {
  SCOPED_TRACE(name);
  const suppression::Grid grid(boxes.data(), static_cast<int64_t>(boxes.size()));
  ASSERT_LE(grid.cells(), suppression::Grid::MaxCells(static_cast<int64_t>(boxes.size())));
  for (const suppression::Bounds& box : boxes) {
    const int level = grid.LevelOf(box);
    const std::vector<int> all = Visits(grid, box, 0);
    const std::vector<int> from_own = Visits(grid, box, level);
    // Twice only where blocks lie over each other: four of them at most meet near a box.
    ASSERT_LE(*std::max_element(all.begin(), all.end()), 4);
    ASSERT_LE(*std::max_element(from_own.begin(), from_own.end()), 4);
    for (const suppression::Bounds& other : boxes) {
      const int64_t cell = grid.CellOf(other);
      ASSERT_TRUE(cell >= 0 && cell < grid.cells());
      if (Overlap(box, other)) {
        ASSERT_GE(all[static_cast<size_t>(cell)], 1);
        ASSERT_TRUE(grid.LevelOf(other) < level || from_own[static_cast<size_t>(cell)] >= 1);
      }
    }
  }
}

TEST(NmsGrid, FindsEveryOverlapOnceInScenesOfAllKinds) {
  for (const Kind kind : kAllKinds) {
    for (const int64_t count : {1, 2, 10, 300}) {
      const std::vector<suppression::Bounds> boxes =
          BoundsOf(RandomBoxes(kind, count, static_cast<uint32_t>(count)));
      if (!boxes.empty()) {
        ExpectGridFindsAllOverlaps(NameOf(kind), boxes);
      }
    }
  }
}

// Heaps far apart, small boxes and large ones, near and very far.
TEST(NmsGrid, FindsEveryOverlapInAMixedScene) {
  std::vector<float> scene;
  const auto append = [&](const std::vector<float>& boxes, float scale, float shift) {
    for (const float coordinate : boxes) {
      scene.push_back(coordinate * scale + shift);
    }
  };
  for (int heap = 0; heap < 5; ++heap) {
    append(RandomBoxes(Kind::kHeap, 20, static_cast<uint32_t>(heap)), 1,
           1e5f * static_cast<float>(heap));
  }
  append(RandomBoxes(Kind::kSizes, 150, 1), 1, 0);
  append(RandomBoxes(Kind::kScene, 150, 2), 1, 1e6f);
  append(RandomBoxes(Kind::kScene, 100, 3), 4e27f, 0);
  append(RandomBoxes(Kind::kExtremes, 50, 4), 1, 0);
  ExpectGridFindsAllOverlaps("mixed", BoundsOf(scene));
}

// Squares of one size that touch or overlap by the last bit: the reach of a box decides.
TEST(NmsGrid, FindsNeighboursThatOverlapByALittle) {
  for (const float origin : {0.0f, -1000.0f, 1e6f}) {
    std::vector<suppression::Bounds> boxes;
    for (int i = 0; i < 15; ++i) {
      for (int j = 0; j < 15; ++j) {
        const float x = origin + 4 * static_cast<float>(i);
        const float y = origin + 4 * static_cast<float>(j);
        boxes.push_back({x, y, std::nextafter(x + 4, kInfinity), std::nextafter(y + 4, kInfinity)});
      }
    }
    ExpectGridFindsAllOverlaps("lattice", boxes);
  }
}

// Far more cells than boxes: the grid wraps around, in one direction or in both.
TEST(NmsGrid, WrapsAround) {
  std::mt19937 random(17);
  const auto uniform = [&](float limit) {
    return std::uniform_real_distribution<float>(0, limit)(random);
  };
  for (const float width : {10.0f, 1e3f, 1e6f}) {
    for (const float height : {10.0f, 1e3f, 1e6f}) {
      std::vector<suppression::Bounds> boxes;
      for (int i = 0; i < 100; ++i) {
        const float x = uniform(width);
        const float y = uniform(height);
        // And one beside it, so that there are overlaps wherever the grid ends.
        boxes.push_back({x, y, x + 1, y + 1});
        boxes.push_back({x + 0.9f, y - 0.9f, x + 1.9f, y + 0.1f});
      }
      ExpectGridFindsAllOverlaps("scattered", boxes);
    }
  }
}

TEST(NmsGrid, LooksAtFewCells) {
  const std::vector<suppression::Bounds> boxes = BoundsOf(RandomBoxes(Kind::kScene, 4000, 18));
  const suppression::Grid grid(boxes.data(), static_cast<int64_t>(boxes.size()));
  for (const suppression::Bounds& box : boxes) {
    const std::vector<int> visits = Visits(grid, box, 0);
    ASSERT_LE(std::count_if(visits.begin(), visits.end(), [](int n) { return n != 0; }), 200)
        << "of " << grid.cells();
  }
}

// Boxes in the cells around each box, on average: what the search costs.
double NeighboursOf(const std::vector<suppression::Bounds>& boxes) {
  const suppression::Grid grid(boxes.data(), static_cast<int64_t>(boxes.size()));
  std::vector<int> boxes_of(static_cast<size_t>(grid.cells()));
  for (const suppression::Bounds& box : boxes) {
    ++boxes_of[static_cast<size_t>(grid.CellOf(box))];
  }
  double sum = 0;
  for (const suppression::Bounds& box : boxes) {
    suppression::Grid::Neighbors neighbors(grid, box, grid.LevelOf(box));
    suppression::CellSpan span;
    while (neighbors.Next(span)) {
      for (int64_t cell = span.begin; cell < span.end; ++cell) {
        sum += boxes_of[static_cast<size_t>(cell)];
      }
    }
  }
  return sum / static_cast<double>(boxes.size());
}

// Scenes in which hardly anything overlaps, each of a kind that some grid does badly with.
TEST(NmsGrid, LooksAtFewBoxesInScenesOfManyKinds) {
  constexpr int kCount = 20'000;
  std::mt19937 random(23);
  const auto uniform = [&](float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(random);
  };
  const auto make = [&](const auto& box_of) {
    std::vector<suppression::Bounds> boxes(kCount);
    for (int i = 0; i < kCount; ++i) {
      boxes[static_cast<size_t>(i)] = box_of(i);
    }
    return boxes;
  };
  const auto square = [](float x, float y, float size) {
    return suppression::Bounds{x, y, x + size, y + size};
  };
  EXPECT_LT(NeighboursOf(make(
                [&](int) { return square(uniform(0, 6e5f), uniform(0, 6e5f), uniform(8, 40)); })),
            20)
      << "sparse";
  EXPECT_LT(NeighboursOf(make([&](int i) {
              const auto at = static_cast<float>(i);
              return square(100 * at, 100 * at, 40);
            })),
            20)
      << "a diagonal";
  EXPECT_LT(NeighboursOf(make([&](int i) {
              const auto y = 2 * static_cast<float>(i);
              return suppression::Bounds{uniform(0, 10), y, 1e5f, y + 1};
            })),
            20)
      << "strips";
  EXPECT_LT(NeighboursOf(make([&](int i) {
              // 200 x 200 is the size of the grid of 20,000 such boxes.
              const auto cluster = static_cast<float>(i % 64);
              return square(std::fmod(cluster, 8.0f) * 40 * 200 + uniform(0, 600),
                            std::floor(cluster / 8) * 40 * 200 + uniform(0, 600), 40);
            })),
            60)
      << "clusters as far apart as the grid repeats";
  EXPECT_LT(NeighboursOf(make([&](int i) {
              return i < 3 ? square(1e7f * static_cast<float>(i), 0, 60)
                           : square(uniform(0, 2000), uniform(0, 2000), 8);
            })),
            60)
      << "outliers";
  EXPECT_LT(NeighboursOf(make([&](int i) {
              return i < 500 ? square(0, 0, std::ldexp(1.0f, i % 25))
                             : square(uniform(0, 5e4f), uniform(0, 5e4f), 0.01f);
            })),
            700)
      << "many magnitudes";
}

TEST(NmsOrder, KeysGoFromTheHighestScoreDown) {
  constexpr float kMax = std::numeric_limits<float>::max();
  constexpr float kDenormal = std::numeric_limits<float>::denorm_min();
  const float descending[] = {kNaN, kInfinity,  kMax,    1.5f,  1.0f,  1e-30f, kDenormal,
                              0.0f, -kDenormal, -1e-30f, -1.0f, -1.5f, -kMax,  -kInfinity};
  for (size_t i = 1; i < std::size(descending); ++i) {
    EXPECT_LT(suppression::ScoreKey(descending[i - 1]), suppression::ScoreKey(descending[i]))
        << descending[i - 1] << " before " << descending[i];
  }
  EXPECT_EQ(suppression::ScoreKey(0.0f), suppression::ScoreKey(-0.0f));
  EXPECT_EQ(suppression::ScoreKey(kNaN), suppression::ScoreKey(-kNaN));
  EXPECT_EQ(suppression::ScoreKey(kNaN), suppression::ScoreKey(std::nanf("7")));
}

TEST(NmsOrder, IntegerKeysGoUp) {
  const int32_t ascending[] = {INT32_MIN, -2, -1, 0, 1, INT32_MAX};
  for (size_t i = 1; i < std::size(ascending); ++i) {
    EXPECT_LT(suppression::IntegerKey(ascending[i - 1]), suppression::IntegerKey(ascending[i]));
  }
}

// By key, and by index among equal ones; below and above the count where another algorithm starts,
// and with digits that are all the same.
TEST(NmsOrder, SortsStably) {
  std::mt19937 random(19);
  for (const uint32_t mask : {0xFFFFFFFFu, 0x7u, 0xFF00u, 0xFF0000FFu, 0u}) {
    for (const int64_t count : {0, 1, 2, 47, 48, 49, 1000}) {
      std::vector<suppression::Entry> entries;
      for (int64_t i = 0; i < count; ++i) {
        entries.push_back(
            suppression::MakeEntry(static_cast<uint32_t>(random()) & mask, static_cast<int>(i)));
      }
      std::vector<suppression::Entry> expected = entries;
      std::stable_sort(expected.begin(), expected.end(),
                       [](suppression::Entry a, suppression::Entry b) {
                         return suppression::KeyOf(a) < suppression::KeyOf(b);
                       });
      std::vector<suppression::Entry> spare(entries.size());
      suppression::SortEntries(entries.data(), spare.data(), count);
      ASSERT_EQ(entries, expected) << count << " entries, mask " << mask;
    }
  }
}

// ---- C++ ----------------------------------------------------------------------------------------

class NmsCpp : public testing::Test {
 protected:
  SuppressionResult Keep(const NmsOptions& options) const {
    return Nms({boxes_.data(), {4, 4}}, {scores_.data(), {4}}, options);
  }

  // The second overlaps the first by 0.9, the third stands alone, the fourth overlaps it by 0.5.
  const std::vector<float> boxes_ = {0, 0, 10, 10, 0, 0, 10, 9, 50, 0, 60, 10, 50, 0, 60, 5};
  const std::vector<float> scores_ = {0.5f, 0.9f, 0.3f, 0.7f};
};

TEST_F(NmsCpp, GoesFromTheHighestScoreDown) {
  EXPECT_THAT(Keep({}).indices, ElementsAre(1, 3, 2));
  EXPECT_THAT(Keep({}).counts, ElementsAre(3));
  NmsOptions options;
  options.sort_by_score = false;
  EXPECT_THAT(Keep(options).indices, ElementsAre(1, 2, 3));
  options.iou_threshold = 0.49f;
  EXPECT_THAT(Keep(options).indices, ElementsAre(1, 3));
}

TEST_F(NmsCpp, GroupsThresholdAndLimit) {
  const int32_t groups[] = {7, -1, 7, 7};
  NmsOptions options;
  options.groups = ConstTensorView(groups, {4});
  EXPECT_THAT(Keep(options).indices, ElementsAre(1, 3, 0, 2));
  options.score_threshold = 0.3f;
  EXPECT_THAT(Keep(options).indices, ElementsAre(1, 3, 0));
  options.max_outputs = 2;
  EXPECT_THAT(Keep(options).indices, ElementsAre(1, 3));
}

TEST_F(NmsCpp, ImagesDoNotMeet) {
  const int32_t image_counts[] = {1, 0, 3};
  NmsOptions options;
  options.image_counts = ConstTensorView(image_counts, {3});
  const SuppressionResult result = Keep(options);
  EXPECT_THAT(result.indices, ElementsAre(0, 1, 3, 2));
  EXPECT_THAT(result.counts, ElementsAre(1, 0, 3));
}

TEST_F(NmsCpp, WritesToMemoryOfTheCallerOnAQueue) {
  Queue queue;
  Context context;
  context.SetQueue(queue);
  int32_t output[] = {-7, -7, -7, -7};
  int32_t result_num[] = {-7};
  Nms(context, {boxes_.data(), {4, 4}}, {scores_.data(), {4}}, {output, {4}}, {result_num, {1}});
  queue.Sync();
  EXPECT_THAT(output, ElementsAre(1, 3, 2, -7));
  EXPECT_THAT(result_num, ElementsAre(3));
}

TEST_F(NmsCpp, WrongImageCountsAreAnErrorOfTheData) {
  const int32_t image_counts[] = {1, 2};
  NmsOptions options;
  options.image_counts = ConstTensorView(image_counts, {2});
  EXPECT_THROW(Keep(options), Error);
  Queue queue;
  Context context;
  context.SetQueue(queue);
  int32_t output[] = {-7, -7, -7, -7};
  int32_t result_num[] = {-7, -7};
  const LogCapture log;
  Nms(context, {boxes_.data(), {4, 4}}, {scores_.data(), {4}}, {output, {4}}, {result_num, {2}},
      options);
  EXPECT_THROW(queue.Sync(), Error);
  EXPECT_THAT(output, ElementsAre(-7, -7, -7, -7));
  EXPECT_THAT(result_num, ElementsAre(-7, -7));
}

TEST(NmsEmpty, KeepsNothing) {
  const SuppressionResult result =
      Nms({static_cast<const float*>(nullptr), {0, 4}}, {static_cast<const float*>(nullptr), {0}});
  EXPECT_THAT(result.indices, IsEmpty());
  EXPECT_THAT(result.counts, ElementsAre(0));
}

// Each wrong argument, with its message.
TEST_F(NmsCpp, NamesWhatIsWrong) {
  const LogCapture log;
  const ConstTensorView boxes(boxes_.data(), {4, 4});
  const ConstTensorView scores(scores_.data(), {4});
  const auto with = [&](const auto& change) {
    NmsOptions options;
    change(options);
    return MessageOf([&] { Nms(boxes, scores, options); });
  };
  EXPECT_EQ(MessageOf([&] {
              Nms({boxes_.data(), {16}}, scores);
            }),
            "Nms: boxes has shape float[16]; it must have rank 2");
  EXPECT_EQ(MessageOf([&] {
              Nms(boxes, {scores_.data(), {2, 2}});
            }),
            "Nms: scores has shape float[2,2]; it must have rank 1");
  EXPECT_EQ(MessageOf([&] {
              Nms({boxes_.data(), {2, 8}}, scores);
            }),
            "Nms: boxes has shape float[2,8]; dimension 1 must be 4");
  EXPECT_EQ(MessageOf([&] {
              Nms(boxes, {scores_.data(), {3}});
            }),
            "Nms: scores has shape float[3]; dimension 0 must be 4");
  EXPECT_EQ(MessageOf([&] {
              Nms({static_cast<const float*>(nullptr), {4, 4}}, scores);
            }),
            "Nms: boxes is NULL; it must be a valid pointer");
  EXPECT_EQ(with([](NmsOptions& options) { options.offset = 2; }),
            "Nms: offset is 2; it must be 0 to 1");
  EXPECT_EQ(with([](NmsOptions& options) { options.iou_threshold = -0.5f; }),
            "Nms: iou_threshold is -0.5; it must be 0 or more");
  EXPECT_EQ(with([](NmsOptions& options) {
              options.score_threshold = std::numeric_limits<float>::quiet_NaN();
            }),
            "Nms: score_threshold is NaN; it must be a number");
  EXPECT_EQ(with([](NmsOptions& options) { options.max_outputs = -1; }).substr(0, 22),
            "Nms: max_outputs is -1");
  const int32_t groups[] = {1, 2, 3};
  EXPECT_EQ(with([&](NmsOptions& options) { options.groups = ConstTensorView(groups, {3}); }),
            "Nms: groups has shape int32[3]; dimension 0 must be 4");
  EXPECT_EQ(with([&](NmsOptions& options) { options.groups = scores; }),
            "Nms: groups has type float; it must be int32");
}

TEST_F(NmsCpp, LogsEachCallAtDebugLevel) {
  Keep({});  // the first context of a process logs what the library is
  LogCapture log(DETOPS_LOG_DEBUG);
  Keep({});
  EXPECT_THAT(log.Take(),
              ElementsAre("Nms: boxes float[4,4], offset 0, iou_threshold 0.5, sorted by "
                          "score, images 1"));
}

}  // namespace
}  // namespace detops::nms
