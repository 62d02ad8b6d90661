// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The error against double precision, within the limits that README.md states.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/half.h"
#include "measure/diff.h"
#include "ops/bbox_overlaps/harness.h"

namespace detops::bbox_overlaps {
namespace {

constexpr size_t kRows = 200;
constexpr size_t kColumns = 300;

// The formula in double precision, for boxes without NaN.
double OverlapInDouble(const float* a, const float* b, OverlapMode mode, double offset) {
  const double width =
      std::max(0.0, double{std::min(a[2], b[2])} - double{std::max(a[0], b[0])} + offset);
  const double height =
      std::max(0.0, double{std::min(a[3], b[3])} - double{std::max(a[1], b[1])} + offset);
  const double inter = width * height;
  const double area_a = (double{a[2]} - a[0] + offset) * (double{a[3]} - a[1] + offset);
  const double area_b = (double{b[2]} - b[0] + offset) * (double{b[3]} - b[1] + offset);
  const double overlap =
      inter / std::max(mode == OverlapMode::kIou ? area_a + area_b - inter : area_a, offset);
  return std::isnan(overlap) ? 0.0 : overlap;
}

// Returns the coordinates as the operator reads them.
std::vector<float> AsRead(std::vector<float> boxes, bool half) {
  if (half) {
    std::transform(boxes.begin(), boxes.end(), boxes.begin(),
                   [](float value) { return HalfToFloat(FloatToHalf(value)); });
  }
  return boxes;
}

std::vector<double> ExpectedOverlaps(const Case& input) {
  const std::vector<float> boxes1 = AsRead(input.boxes1, input.half);
  const std::vector<float> boxes2 = AsRead(input.boxes2, input.half);
  std::vector<double> expected;
  for (size_t row = 0; row < kRows; ++row) {
    for (size_t column = 0; column < kColumns; ++column) {
      expected.push_back(
          OverlapInDouble(&boxes1[row * 4], &boxes2[column * 4], input.mode, input.offset));
    }
  }
  return expected;
}

std::vector<float> ComputedOverlaps(const Case& input) {
  Threads threads(2);
  const Matrix matrix = RunMatrix(threads, input);
  std::vector<float> overlaps(kRows * kColumns);
  for (size_t i = 0; i < overlaps.size(); ++i) {
    if (input.half) {
      Half half;
      std::memcpy(&half, &matrix[i * 2], 2);
      overlaps[i] = HalfToFloat(half);
    } else {
      std::memcpy(&overlaps[i], &matrix[i * 4], 4);
    }
  }
  return overlaps;
}

TEST(BboxOverlapsAccuracy, IsWithinLimitsOfDoublePrecision) {
  for (const Kind kind : {Kind::kGrid, Kind::kImage, Kind::kWide}) {
    for (uint32_t seed = 0; seed < 5; ++seed) {
      const std::vector<float> boxes1 = RandomBoxes(kind, kRows, 2 * seed);
      std::vector<float> boxes2 = RandomBoxes(kind, kColumns, 2 * seed + 1);
      // Boxes that are in both lists overlap, even where random boxes are far apart.
      std::copy_n(boxes1.begin(), 400, boxes2.begin());
      for (const Case& input : Variants(boxes1, boxes2, false)) {
        if (input.half && kind == Kind::kWide) {
          continue;  // out of the range of half
        }
        const Diffs diffs = ComputeDiffs(ComputedOverlaps(input), ExpectedOverlaps(input));
        const double limit = input.half ? 1e-3 : 1e-6;
        EXPECT_LE(diffs.diff1, limit) << input.ToString() << ", seed " << seed;
        EXPECT_LE(diffs.diff2, limit) << input.ToString() << ", seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace detops::bbox_overlaps
