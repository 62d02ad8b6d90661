// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The formula of README.md, by examples: where samples are interpolated and where they are 0, which
// sample is the maximum, and unusual boxes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ops/border_align_forward/harness.h"

namespace detops::border_align_forward {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

// A value and the index of its sample.
using Maximum = std::pair<float, int32_t>;

TEST(BorderAlignFormula, SamplesAreInterpolatedInsideAndZeroOutside) {
  const float below_minus_one = std::nextafter(-1.0f, -2.0f);
  const float above_minus_one = std::nextafter(-1.0f, 0.0f);
  struct Row {
    float x, y, sample;
  };
  // Width 3, height 2.
  const std::vector<float> map = {1, 2,  4,  //
                                  8, 16, 32};
  // clang-format off
  const Row rows[] = {
      {0, 0, 1}, {1, 0, 2}, {2, 1, 32}, {0.5f, 0, 1.5f}, {0, 0.25f, 2.75f}, {1.5f, 0.5f, 13.5f},
      {0.25f, 0.75f, (0.75f * 1 + 0.25f * 2) * 0.25f + (0.75f * 8 + 0.25f * 16) * 0.75f},
      // Before the first column and row, up to one pixel outside.
      {-0.0f, -0.0f, 1}, {-0.5f, 0, 1}, {above_minus_one, 1, 8}, {-1, 0, 1},
      {below_minus_one, 0, 0}, {0, -0.5f, 1}, {2, above_minus_one, 4}, {0, -1, 1},
      {0, below_minus_one, 0}, {-1, -1, 1},
      // After the last column and row, up to one pixel outside.
      {2, 0, 4}, {2.5f, 0, 4}, {std::nextafter(3.0f, 0.0f), 0, 4}, {3, 0, 4},
      {std::nextafter(3.0f, 4.0f), 0, 0}, {0, 1, 8}, {0, 1.5f, 8},
      {1, std::nextafter(2.0f, 0.0f), 16}, {0, 2, 8}, {0, std::nextafter(2.0f, 3.0f), 0},
      {3, 2, 32}, {1.5f, 2, 24}, {3, 0.5f, 18},
      // Far away, and not finite.
      {1e9f, 0, 0}, {0, -kLargest, 0}, {kLargest, kLargest, 0}, {kNaN, 0, 0}, {0, kNaN, 0},
      {kInfinity, 0, 0}, {0, -kInfinity, 0},
  };
  // clang-format on
  std::vector<float> boxes;  // empty boxes: all samples of a box are the same
  for (const Row& row : rows) {
    boxes.insert(boxes.end(), {row.x, row.y, row.x, row.y});
  }
  const Case input = CaseOf(2, 3, map, boxes, 2);
  const Result result = RunOn(1, input);
  for (size_t i = 0; i < std::size(rows); ++i) {
    for (size_t border = 0; border < kBorders; ++border) {
      EXPECT_EQ(result.values[i * kBorders + border], rows[i].sample)
          << rows[i].x << ", " << rows[i].y << ", border " << border;
      EXPECT_EQ(result.samples[i * kBorders + border], 0);
    }
  }
  EXPECT_TRUE(result == RunReference(input));
}

// Each pixel of a row is a sample. The row below contains zeros.
TEST(BorderAlignFormula, TheFirstOfTheLargestSamplesWins) {
  struct Row {
    std::vector<float> pixels;
    Maximum top;
    Maximum bottom;  // the same pixels from right to left
  };
  const Row rows[] = {
      {{1, 5, 3}, {5, 1}, {5, 1}},
      {{5, 5, 1, 5}, {5, 0}, {5, 0}},
      {{1, 7, 7, 2}, {7, 1}, {7, 1}},
      {{-3, -2, -5}, {-2, 1}, {-2, 1}},
      {{0, -0.0f, 0}, {0, 0}, {0, 0}},
      // A NaN to the right of a sample has a weight of 0, which makes the sample NaN, too. Sample 0
      // stays the maximum if it is NaN; later NaNs are ignored.
      {{kNaN, 5, 7}, {kNaN, 0}, {7, 0}},
      {{1, 5, kNaN}, {1, 0}, {kNaN, 0}},
      {{1, kNaN, 5, 7}, {kNaN, 0}, {7, 0}},
      {{4, 1, kNaN, 3}, {4, 0}, {4, 3}},
      {{4, 1, kNaN, 6}, {6, 3}, {6, 0}},
      // An infinity with a weight of 0 makes the sample NaN as well.
      {{1, 2, kInfinity, 3}, {kInfinity, 2}, {kInfinity, 1}},
      {{1, kInfinity, 2, 3}, {kNaN, 0}, {kInfinity, 2}},
      {{-kInfinity, 1, 2, 0}, {2, 2}, {2, 1}},
      {{1, 2, 3, -kInfinity}, {2, 1}, {kNaN, 0}},
      {{kLargest, 0, kLargest, 0}, {kLargest, 0}, {kLargest, 1}},
  };
  for (const Row& row : rows) {
    const auto width = static_cast<int64_t>(row.pixels.size());
    std::vector<float> map = row.pixels;
    map.resize(2 * row.pixels.size());
    const auto last = static_cast<float>(width - 1);
    const Case input = CaseOf(2, width, map, {0, 0, last, 0}, static_cast<int32_t>(width - 1));
    const Result result = RunOn(1, input);
    const std::string name = testing::PrintToString(row.pixels);
    EXPECT_THAT(result.values[0], testing::NanSensitiveFloatEq(row.top.first)) << name;
    EXPECT_EQ(result.samples[0], row.top.second) << name;
    EXPECT_THAT(result.values[2], testing::NanSensitiveFloatEq(row.bottom.first)) << name;
    EXPECT_EQ(result.samples[2], row.bottom.second) << name;
    EXPECT_TRUE(result == RunReference(input)) << name;
  }
}

TEST(BorderAlignFormula, BoxesMayBeReversedHugeOrNotFinite) {
  const Case input =
      CaseOf(1, 4, {1, 2, 3, 9},
             {
                 3,         0, 0,         0,  // reversed
                 -kLargest, 0, kLargest,  0,  // the width overflows
                 0,         0, kInfinity, 0,  // the step is infinite
                 kInfinity, 0, 0,         0,  // the step is -infinity
                 0,         0, kNaN,      0,  //
                 2,         0, 1e30f,     0,  // one step leaves the map; three steps back end at 0
             },
             3);
  const Result result = RunOn(1, input);
  const auto of_border = [&](size_t border) {
    std::vector<Maximum> found;
    for (size_t box = 0; box < 6; ++box) {
      found.emplace_back(result.values[box * kBorders + border],
                         result.samples[box * kBorders + border]);
    }
    return found;
  };
  EXPECT_THAT(of_border(0), testing::ElementsAre(Maximum(9, 0), Maximum(0, 0), Maximum(1, 0),
                                                 Maximum(0, 0), Maximum(1, 0), Maximum(3, 0)));
  EXPECT_THAT(of_border(2), testing::ElementsAre(Maximum(9, 3), Maximum(0, 0), Maximum(0, 0),
                                                 Maximum(1, 0), Maximum(0, 0), Maximum(1, 3)));
  EXPECT_TRUE(result == RunReference(input));
}

}  // namespace
}  // namespace detops::border_align_forward
