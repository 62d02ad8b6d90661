// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Properties of the scalar reference that README.md states. The kernels have its bits.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ops/bbox_overlaps/harness.h"

namespace detops::bbox_overlaps {
namespace {

constexpr int64_t kBoxes = 120;

// Returns the bits of an overlap of a matrix.
uint32_t BitsAt(const Matrix& matrix, size_t index, bool half) {
  uint32_t bits = 0;
  const size_t size = half ? 2 : 4;
  std::memcpy(&bits, &matrix[index * size], size);
  return bits;
}

bool HasNaN(const float* box) {
  return std::isnan(box[0]) || std::isnan(box[1]) || std::isnan(box[2]) || std::isnan(box[3]);
}

// Also for reversed, infinite and denormal boxes, whose formulas give 0 / 0, infinity - infinity
// and negative areas. Half coordinates that overflow are infinite, never NaN.
TEST(BboxOverlapsReference, OverlapsAreNotNegativeAndNaNOnlyForBoxesWithNaN) {
  for (const Kind kind : kAllKinds) {
    const std::vector<float> boxes1 = RandomBoxes(kind, kBoxes, 1);
    const std::vector<float> boxes2 = RandomBoxes(kind, kBoxes, 2);
    for (const Case& input : Variants(boxes1, boxes2, false)) {
      const Matrix overlaps = ReferenceMatrix(input);
      for (size_t i = 0; i < static_cast<size_t>(kBoxes * kBoxes); ++i) {
        const uint32_t bits = BitsAt(overlaps, i, input.half);
        if (HasNaN(&boxes1[i / kBoxes * 4]) || HasNaN(&boxes2[i % kBoxes * 4])) {
          ASSERT_EQ(bits, input.half ? 0x7E00u : 0x7FC00000u) << input.ToString();
        } else {
          ASSERT_LE(bits, input.half ? 0x7C00u : 0x7F800000u)
              << "negative, -0 or NaN: " << input.ToString() << ", pair " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace detops::bbox_overlaps
