// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Row maxima and pairs against the reference, bit by bit, on every target.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <limits>

#include "measure/slow_build.h"
#include "ops/bbox_overlaps/harness.h"

namespace detops::bbox_overlaps {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class BboxOverlapsSearch : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(BboxOverlapsSearch);

TEST_P(BboxOverlapsSearch, RowMaximaEqualReference) {
  for (const Kind kind : kAllKinds) {
    for (const int64_t columns : {1, 2, 7, 16, 33, 100, 2100}) {
      for (const Case& input :
           Variants(RandomBoxes(kind, 70, 1), RandomBoxes(kind, columns, 2), false)) {
        const RowMaxima expected = ReferenceRowMaxima(input);
        for (const int count : {1, 2, 7}) {
          Threads threads(count);
          const RowMaxima found = RunRowMaxima(threads, input);
          ASSERT_EQ(found.columns, expected.columns) << input.ToString();
          ASSERT_EQ(found.values, expected.values) << input.ToString();
        }
      }
    }
  }
}

TEST_P(BboxOverlapsSearch, PairsEqualReference) {
  constexpr int64_t kRows = kSlowBuild ? 20 : 70;
  for (const Kind kind : kAllKinds) {
    for (const int64_t columns : {1, 7, 33, 2100}) {
      for (const float threshold : {-kInfinity, -1.0f, 0.0f, 0.5f, 2.0f, kInfinity}) {
        for (Case& input :
             Variants(RandomBoxes(kind, kRows, 1), RandomBoxes(kind, columns, 2), false)) {
          input.threshold = threshold;
          const Pairs expected = ReferencePairs(input);
          for (const int count : {1, 2}) {
            Threads threads(count);
            const Pairs found = RunPairs(threads, input);
            ASSERT_EQ(found.size(), expected.size()) << input.ToString();
            ASSERT_TRUE(found == expected) << input.ToString();
          }
        }
      }
    }
  }
}

// Boxes and results end at an inaccessible page, or one element before it.
TEST_P(BboxOverlapsSearch, StaysInsideItsMemory) {
  constexpr int64_t kTwoVectors = 33;  // twice the widest vector, and one more
  Threads threads(1);
  for (int64_t columns = 1; columns <= kTwoVectors; ++columns) {
    for (Case& input :
         Variants(RandomBoxes(Kind::kImage, 3, 1), RandomBoxes(Kind::kImage, columns, 2), false)) {
      input.threshold = 0.0f;
      const RowMaxima maxima = ReferenceRowMaxima(input);
      const Pairs pairs = ReferencePairs(input);
      for (const size_t elements_after : {0, 1}) {
        const Placement placement{.on_lines = false, .elements_after = elements_after};
        const RowMaxima found = RunRowMaxima(threads, input, placement);
        ASSERT_EQ(found.values, maxima.values) << input.ToString();
        ASSERT_EQ(found.columns, maxima.columns) << input.ToString();
        ASSERT_TRUE(RunPairs(threads, input, placement) == pairs) << input.ToString();
      }
    }
  }
}

}  // namespace
}  // namespace detops::bbox_overlaps
