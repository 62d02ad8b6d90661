// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The scalar reference against known answers.

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "ops/nms/cases.h"

namespace detops::nms {
namespace {

TEST(NmsReference, IouOfKnownBoxes) {
  const float unit[] = {0, 0, 10, 10};
  const float shifted[] = {5, 0, 15, 10};
  const float apart[] = {10, 0, 20, 10};
  EXPECT_EQ(ReferenceIou(unit, unit, 0), 1.0);
  EXPECT_EQ(ReferenceIou(unit, shifted, 0), 1.0 / 3);
  EXPECT_EQ(ReferenceIou(unit, apart, 0), 0.0);
  // With the offset, both boxes contain the column x = 10.
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

TEST(NmsReference, NonFiniteBoxesOverlapNothing) {
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

// Also if both sides are reversed, which makes the area positive.
TEST(NmsReference, BoxesWithoutAnInteriorOverlapNothing) {
  const float box[] = {0, 0, 10, 10};
  const float others[][4] = {{5, 5, 5, 9}, {5, 5, 9, 5}, {5, 5, 5, 5},
                             {8, 2, 2, 8}, {2, 8, 8, 2}, {8, 8, 2, 2}};
  for (const auto& other : others) {
    EXPECT_EQ(ReferenceIou(box, other, 0), 0.0);
    EXPECT_EQ(ReferenceIou(other, other, 0), 0.0);
  }
  // With the offset, a point is one pixel, and a side of -1 has no width.
  const float point[] = {5, 5, 5, 5};
  const float reversed_by_one[] = {5, 5, 4, 9};
  EXPECT_EQ(ReferenceIou(box, point, 1), 1.0 / 121);
  EXPECT_EQ(ReferenceIou(box, reversed_by_one, 1), 0.0);
  EXPECT_EQ(ReferenceIou(reversed_by_one, reversed_by_one, 1), 0.0);
}

}  // namespace
}  // namespace detops::nms
