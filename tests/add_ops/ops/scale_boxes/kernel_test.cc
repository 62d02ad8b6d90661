// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The kernel against the reference, bit by bit, on every target.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include "ops/scale_boxes/harness.h"

namespace detops::scale_boxes {
namespace {

class ScaleBoxesKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(ScaleBoxesKernel);

TEST_P(ScaleBoxesKernel, EqualsTheReference) {
  for (const int64_t boxes : {1, 2, 3, 5, 17, 100'000}) {
    const Case input = RandomCase(boxes, 1);
    const Bits expected = RunReference(input);
    for (const int count : {1, 2, 7}) {
      Threads threads(count);
      ASSERT_TRUE(RunOn(threads, input) == expected)
          << input.ToString() << ", " << count << " threads";
    }
  }
}

// Results end at an inaccessible page or up to 15 elements before it.
TEST_P(ScaleBoxesKernel, StaysInsideItsMemory) {
  Threads threads(1);
  for (const int64_t boxes : {1, 2, 3, 5, 17}) {
    const Case input = RandomCase(boxes, 1);
    const Bits expected = RunReference(input);
    for (size_t elements_after = 0; elements_after < 16; ++elements_after) {
      const Placement placement{.on_lines = false, .elements_after = elements_after};
      ASSERT_EQ(RunOn(threads, input, placement), expected) << input.ToString();
    }
  }
}

}  // namespace
}  // namespace detops::scale_boxes
