// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Borders with many samples, on every target. The kernel skips samples that cannot change the
// result; the reference computes them all.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "measure/slow_build.h"
#include "ops/border_align_forward/test_calls.h"

namespace detops::border_align_forward {
namespace {

constexpr int32_t kHuge = std::numeric_limits<int32_t>::max();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class BorderAlignLongWalks : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(BorderAlignLongWalks);

// Returns a number whose magnitude is a power of two from 2^low to 2^high, or a bit more.
float AnyMagnitude(std::mt19937& random, float low, float high) {
  const float magnitude = std::exp2(std::uniform_real_distribution<float>(low, high)(random));
  return random() % 2 == 0 ? magnitude : -magnitude;
}

// Returns boxes at any distance from the map and of any size: their walks enter the map, cross it,
// leave it, or stand still because a step no longer changes the position.
std::vector<float> AnyBoxes(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> boxes;
  for (int64_t i = 0; i < count; ++i) {
    const float x = AnyMagnitude(random, -20, 6);
    const float y = AnyMagnitude(random, -20, 6);
    const float width = AnyMagnitude(random, -30, 30);
    const float height = AnyMagnitude(random, -30, 30);
    boxes.insert(boxes.end(), {x, y, x + width, y + height});
  }
  return boxes;
}

TEST_P(BorderAlignLongWalks, MatchReference) {
  constexpr int64_t kBoxCount = 22;
  for (const int32_t pool_size : {31, 32, 63, 64, 100, 1000, 10000}) {
    for (const Kind kind : {Kind::kIntegers, Kind::kExtremes}) {
      const auto seed = static_cast<uint32_t>(pool_size);
      Case input = RandomCase(kind, MakeShape({1, 4, 6, 2}, kBoxCount, pool_size), seed);
      input.boxes = AnyBoxes(kBoxCount, seed);
      for (const bool half : {false, true}) {
        input.half = half;
        EXPECT_TRUE(RunOn(1, input) == RunReference(input)) << NameOf(kind) << input.ToString();
      }
    }
  }
}

TEST_P(BorderAlignLongWalks, MatchReferenceAtTheEdges) {
  const std::vector<float> map = {-1, -2, -3, 4, -5, -6, 7, -8, -9};
  std::vector<float> boxes;
  for (const float begin : {-1.5f, -1.0f, -0.5f, 0.0f, 1.0f, 3.0f, 3.5f, kInfinity, kNan}) {
    for (const float end : {-3e7f, -1.0f, 0.0f, 1.0f, 3.0f, 3e7f, -kInfinity, kNan}) {
      boxes.insert(boxes.end(), {begin, 1, end, 2});
      boxes.insert(boxes.end(), {1, begin, 2, end});
      boxes.insert(boxes.end(), {begin, begin, end, end});
    }
  }
  for (const int32_t pool_size : {33, 100, 1000}) {
    const Case input = CaseOf(3, 3, map, boxes, pool_size);
    EXPECT_TRUE(RunOn(1, input) == RunReference(input)) << pool_size;
  }
}

// Runs a case with the largest pool size, which must not take long.
Result RunHuge(const std::vector<float>& map, const std::vector<float>& boxes) {
  const auto begin = std::chrono::steady_clock::now();
  const Result result = RunOn(1, CaseOf(4, 4, map, boxes, kHuge));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(seconds.count(), 5) << "all samples were computed";
  return result;
}

// Sums of row and column.
const std::vector<float> kSums = {0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6};

TEST_P(BorderAlignLongWalks, StopWhenStepsVanish) {
  // Each step is 2^-30. From 1 and 3 it changes nothing.
  const Result still = RunHuge(kSums, {1, 1, 3, 3});
  EXPECT_EQ(still.values, (std::vector<float>{2, 2, 6, 6}));
  EXPECT_EQ(still.samples, (std::vector<int32_t>{0, 0, 0, 0}));
  // 1024 steps lead from 2^-6 - 2^-20 to 2^-6, the first position that half a unit in the last
  // place does not change.
  const float first = 0x1p-6f - 0x1p-20f;
  const Result moves = RunHuge(kSums, {first, 0, first + 2, 0});
  EXPECT_EQ(moves.values, (std::vector<float>{0x1p-6f, first, first + 2, first + 2}));
  EXPECT_EQ(moves.samples, (std::vector<int32_t>{1024, 0, 0, 0}));
}

// Each step is slightly more than 2^-25, half of the spacing of floats below 1. So the walk from -1
// visits every multiple of 2^-24 up to -1/2, of about 2^-25 up to 1/2, and of 2^-24 up to 1, where
// the steps vanish: no walk across a map is longer. The last position has the largest sample.
TEST(BorderAlignLongestWalk, Has3Times2To24Samples) {
  if (kSlowBuild) {
    GTEST_SKIP() << "takes too long in this build";
  }
  constexpr int32_t kLongest = 3 << 24;
  const Result result = RunHuge(kSums, {-1, 0, 63 + 0x1p-17f, 0});
  EXPECT_EQ(result.values[0], 1);
  EXPECT_LE(result.samples[0], kLongest);
  EXPECT_GT(result.samples[0], kLongest - kLongest / 1000);
}

TEST_P(BorderAlignLongWalks, StopOutsideTheMap) {
  std::vector<float> negative = kSums;
  for (float& value : negative) {
    value = -1 - value;
  }
  // Each step is about 465 pixels: sample 1 is the first one outside, and 0 is the maximum.
  const Result leaves = RunHuge(negative, {0, 0, 1e12f, 1e12f});
  EXPECT_EQ(leaves.values, (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(leaves.samples, (std::vector<int32_t>{1, 1, 0, 0}));
  // The steps lead along the map, but beside it.
  const Result beside = RunHuge(negative, {0, -2, 4, 7});
  EXPECT_EQ(beside.values, (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(beside.samples, (std::vector<int32_t>{0, 0, 0, 0}));
  const Result nowhere = RunHuge(negative, {kNan, 1, 2, kInfinity});
  EXPECT_EQ(nowhere.values, (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(nowhere.samples, (std::vector<int32_t>{0, 0, 0, 0}));
}

}  // namespace
}  // namespace detops::border_align_forward
