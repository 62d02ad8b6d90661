// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Pairs that exceed a threshold overlap by at least the share that the grid relies on.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "ops/nms/cases.h"
#include "ops/nms/op.h"

namespace detops::nms {
namespace {

using suppression::Bounds;

bool OverlapsBy(double share, double a_low, double a_high, double b_low, double b_high) {
  const double common = std::min(a_high, b_high) - std::max(a_low, b_low);
  return common >= share * (a_high - a_low + b_high - b_low);
}

// Checks all pairs, with the largest threshold that each of them exceeds. Returns how many overlap.
int CheckPairs(const std::vector<float>& boxes, int offset) {
  const auto count = static_cast<int32_t>(boxes.size() / kBoxFloats);
  const Metric metric{.offset = offset};
  const suppression::Kernels& kernels = BoxKernels();
  const auto bounds_of = [&](int32_t id) {
    Bounds bounds;
    kernels.find_bounds(boxes.data(), &metric, &id, 1, &bounds);
    return bounds;
  };
  int overlapping = 0;
  for (int32_t i = 0; i < count; ++i) {
    for (int32_t j = 0; j < i; ++j) {
      const auto iou =
          static_cast<float>(ReferenceIou(&boxes[i * kBoxFloats], &boxes[j * kBoxFloats], offset));
      if (!(iou > 0)) {
        continue;
      }
      ++overlapping;
      const float threshold = std::nextafter(iou, 0.0f);
      const double share = kernels.least_overlap(&metric, threshold).share();
      const Bounds a = bounds_of(i);
      const Bounds b = bounds_of(j);
      EXPECT_TRUE(OverlapsBy(share, a.x_low, a.x_high, b.x_low, b.x_high) &&
                  OverlapsBy(share, a.y_low, a.y_high, b.y_low, b.y_high))
          << "boxes " << i << " and " << j << ", IoU " << iou << ", offset " << offset;
    }
  }
  return overlapping;
}

TEST(NmsLeastOverlap, HoldsForEveryPairThatExceedsTheThreshold) {
  for (const Kind kind : kAllKinds) {
    for (const int offset : {0, 1}) {
      const int overlapping = CheckPairs(RandomBoxes(kind, 400, 3), offset);
      EXPECT_GT(overlapping, 100) << NameOf(kind);
    }
  }
}

TEST(NmsLeastOverlap, IsTightWithoutAnOffset) {
  const Metric without{.offset = 0};
  const Metric with{.offset = 1};
  const auto share = [](const Metric& metric, float threshold) {
    return BoxKernels().least_overlap(&metric, threshold).share();
  };
  EXPECT_NEAR(share(without, 0.5f), 1.0 / 3, 1e-5);
  EXPECT_NEAR(share(without, 1.0f), 0.5, 1e-5);
  EXPECT_LT(share(without, 1.0f), 0.5);
  EXPECT_EQ(share(without, 0.0f), 0);
  EXPECT_EQ(share(with, 0.5f), 0);
}

}  // namespace
}  // namespace detops::nms
