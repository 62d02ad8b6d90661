// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The kernels against the reference, on every target.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "ops/nms/cases.h"
#include "suppression/harness.h"
#include "suppression/print_kept.h"

namespace detops::nms {
namespace {

using testing::ElementsAre;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class NmsKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(NmsKernel);

TEST_P(NmsKernel, EqualsTheReference) {
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

// Beyond the largest float, the end of a box plus the offset cannot be represented; and with the
// offset, boxes overlap that have no interior without it. There are enough other boxes for a grid.
TEST_P(NmsKernel, TheOffsetAppliesUpToTheLargestFloat) {
  constexpr float kMax = std::numeric_limits<float>::max();
  const float before = std::nextafter(kMax, 0.0f);
  Case input = RandomCase(Kind::kScene, 500, 4);
  input.offset = 1;
  input.iou_threshold = 0.1f;
  // The pair is first and last in order, so that the grid must find it.
  input.scores[0] = kInfinity;
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

// Thresholds equal to the IoU of a pair, and the floats next to it: the float path must not decide
// these.
TEST_P(NmsKernel, ThresholdsThatPairsHit) {
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

// Sizes inside and outside of the range that floats decide, with equal boxes and boxes that differ
// in the last bits, at thresholds up to the largest below 1.
TEST_P(NmsKernel, AllScales) {
  std::mt19937 random(12);
  for (const Kind kind : {Kind::kHeap, Kind::kScene, Kind::kIntegers}) {
    for (const int exponent : {-140, -70, -58, -54, -50, 40, 52, 54, 56, 110}) {
      Case input = RandomCase(kind, 150, static_cast<uint32_t>(exponent + 200));
      for (size_t i = 0; i < input.boxes.size(); ++i) {
        // Every third box is nearly equal to the one before it.
        if (i / 4 % 3 == 1) {
          input.boxes[i] = input.boxes[i - 4] * (1 + 0x1p-23f * static_cast<float>(random() % 2));
        }
      }
      for (float& value : input.boxes) {
        value = std::ldexp(value, exponent);
      }
      for (const int offset : {0, 1}) {
        input.offset = offset;
        for (const float threshold : {0.0f, 0.5f, 0.9999f, 0x1.fffffcp-1f, 0x1.fffffep-1f}) {
          input.iou_threshold = threshold;
          ASSERT_EQ(RunOn(1, input), RunReference(input))
              << NameOf(kind) << " * 2^" << exponent << ", " << input.ToString();
        }
      }
    }
  }
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

TEST_P(NmsKernel, CombinesOptions) {
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

}  // namespace
}  // namespace detops::nms
