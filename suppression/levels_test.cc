// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Usual scenes have one level, and unusual boxes do not change the level of the others.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "suppression/levels.h"

namespace detops::suppression {
namespace {

constexpr int kCount = 20'000;

// Boxes with sides of 8 to 60: sizes within a factor of 8, mixed aspect ratios.
std::vector<Bounds> UsualScene(int count) {
  std::mt19937 random(5);
  const auto uniform = [&](float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(random);
  };
  std::vector<Bounds> boxes;
  const float side = 80 * std::sqrt(static_cast<float>(count));
  for (int i = 0; i < count; ++i) {
    const float x = uniform(0, side);
    const float y = uniform(0, side);
    boxes.push_back({x, y, x + uniform(8, 60), y + uniform(8, 60)});
  }
  return boxes;
}

std::unique_ptr<Levels> LevelsOf(const std::vector<Bounds>& boxes) {
  return std::make_unique<Levels>(boxes.data(), static_cast<int64_t>(boxes.size()),
                                  LeastOverlap(0));
}

TEST(Levels, UsualScenesHaveOne) {
  for (const int count : {1, 2, 100, 1000, kCount, 200'000}) {
    EXPECT_EQ(LevelsOf(UsualScene(count))->count, 1) << count;
  }
}

TEST(Levels, UnusualBoxesDoNotChangeTheOthers) {
  const Bounds unusual[] = {
      {-4e17f, -4e17f, -3.9e17f, -3.9e17f},     // far away
      {1e30f, 0, 1.1e30f, 1e-30f},              // far away and flat
      {0, 0, 1, 1e5f},                          // tall
      {0, 0, 1e5f, 1},                          // wide
      {-3e38f, -3e38f, 3e38f, 3e38f},           // nearly all floats
      {1, 1, std::nextafter(1.0f, 2.0f), 1e4f}  // as thin as possible
  };
  for (const Bounds& box : unusual) {
    std::vector<Bounds> boxes = UsualScene(kCount);
    boxes[0] = box;
    const std::unique_ptr<Levels> levels = LevelsOf(boxes);
    EXPECT_EQ(levels->count, 2);
    const SizeClass& others = levels->boxes[levels->LevelOf(boxes[1])];
    EXPECT_EQ(others.count, kCount - 1);
    EXPECT_LE(others.width, 60.1);
    EXPECT_LE(others.height, 60.1);
    EXPECT_EQ(levels->boxes[levels->LevelOf(box)].count, 1);
  }
}

// There are far more orders of magnitude than classes and levels.
TEST(Levels, AllSizesHaveALevel) {
  std::vector<Bounds> boxes;
  for (int width = -140; width < 127; width += 2) {
    for (int height = -140; height < 127; height += 3) {
      boxes.push_back({0, 0, std::ldexp(1.0f, width), std::ldexp(1.0f, height)});
    }
  }
  const std::unique_ptr<Levels> levels = LevelsOf(boxes);
  EXPECT_GT(levels->count, 1);
  EXPECT_LE(levels->count, Levels::kMost);
  std::vector<int64_t> counts(Levels::kMost);
  for (const Bounds& box : boxes) {
    const int level = levels->LevelOf(box);
    ASSERT_TRUE(level >= 0 && level < levels->count);
    ++counts[static_cast<size_t>(level)];
    EXPECT_LE(box.Width(), levels->boxes[level].width);
    EXPECT_LE(box.Height(), levels->boxes[level].height);
  }
  for (int i = 0; i < levels->count; ++i) {
    EXPECT_EQ(levels->boxes[i].count, counts[static_cast<size_t>(i)]);
  }
}

}  // namespace
}  // namespace detops::suppression
