// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Run against the reference, on every target: values and sample indices must have the same bits.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include "ops/border_align_forward/test_calls.h"

namespace detops::border_align_forward {
namespace {

void ExpectMatchesReference(Kind kind, const Case& input, int threads = 1) {
  EXPECT_TRUE(RunOn(threads, input) == RunReference(input))
      << NameOf(kind) << ' ' << input.ToString() << ", threads " << threads;
}

class BorderAlignKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(BorderAlignKernel);

TEST_P(BorderAlignKernel, MatchesReferenceForAnyNumberOfChannels) {
  for (const Kind kind : kAllKinds) {
    for (const int64_t channels : kChannelCounts) {
      // The first packs planes, the second copies the pixels of each sample.
      for (const Shape& shape :
           {MakeShape({2, 3, 5, channels}, 3, 5), MakeShape({1, 7, 9, channels}, 1, 4)}) {
        ForEachVariant(RandomCase(kind, shape, static_cast<uint32_t>(channels)),
                       [&](const Case& input) { ExpectMatchesReference(kind, input); });
      }
    }
  }
}

// With few channels, the borders of up to four boxes share a vector.
TEST_P(BorderAlignKernel, MatchesReferenceForAnyNumberOfBoxesWithFewChannels) {
  for (const Kind kind : kAllKinds) {
    for (const int64_t channels : {1, 2, 3, 4, 5}) {
      for (const int64_t boxes : {1, 2, 3, 4, 5, 7, 8, 9}) {
        const Shape shape =
            MakeShape({2, 6, 5, channels}, boxes, static_cast<int32_t>(boxes + channels));
        ForEachVariant(RandomCase(kind, shape, static_cast<uint32_t>(boxes)),
                       [&](const Case& input) { ExpectMatchesReference(kind, input); });
      }
    }
  }
}

// The kernel processes 32 samples at a time.
TEST_P(BorderAlignKernel, MatchesReferenceForAnyPoolSize) {
  for (const Kind kind : kAllKinds) {
    for (const int32_t pool_size : {1, 2, 10, 31, 32, 33, 63, 64, 65, 100, 1000}) {
      for (const Shape& shape :
           {MakeShape({1, 4, 6, 1}, 5, pool_size), MakeShape({1, 4, 6, 5}, 3, pool_size),
            MakeShape({1, 40, 30, 5}, 1, pool_size)}) {
        ForEachVariant(RandomCase(kind, shape, static_cast<uint32_t>(pool_size)),
                       [&](const Case& input) { ExpectMatchesReference(kind, input); });
      }
    }
  }
}

TEST_P(BorderAlignKernel, MatchesReferenceForAnyFeatureMap) {
  constexpr Shape kShapes[] = {
      // One pixel.
      MakeShape({2, 1, 1, 17}, 3, 3),
      MakeShape({1, 1, 1, 1}, 1, 1),
      // One row.
      MakeShape({1, 1, 37, 17}, 4, 3),
      MakeShape({1, 1, 500, 17}, 1, 3),
      // One column.
      MakeShape({1, 37, 1, 17}, 4, 3),
      MakeShape({1, 500, 1, 17}, 1, 3),
      // Few pixels, and few boxes on a large map.
      MakeShape({2, 2, 2, 20}, 5, 7),
      MakeShape({1, 40, 35, 64}, 2, 10),
      // 8 and 9 pixels, while the samples read 8: both sides of the decision to pack.
      MakeShape({1, 2, 4, 16}, 1, 1),
      MakeShape({1, 3, 3, 16}, 1, 1),
      // A plane holds only a few of the channels.
      MakeShape({1, 120, 100, 48}, 3, 1000),
      // Many boxes.
      MakeShape({3, 5, 4, 32}, 40, 6),
  };
  for (const Kind kind : kAllKinds) {
    uint32_t seed = 0;
    for (const Shape& shape : kShapes) {
      Case input = RandomCase(kind, shape, seed);
      for (const bool half : {false, true}) {
        input.half = half;
        // Layouts alternate, and each kind starts with the other one.
        input.channels_first = (seed++ + static_cast<uint32_t>(kind)) % 2 != 0;
        ExpectMatchesReference(kind, input, 2);
      }
    }
  }
}

TEST_P(BorderAlignKernel, ResultsDoNotDependOnThreads) {
  // Few channels; enough blocks for all threads; boxes that must be split, with planes and without.
  for (const Shape& shape :
       {MakeShape({3, 12, 13, 1}, 201, 20), MakeShape({2, 9, 11, 96}, 50, 10),
        MakeShape({1, 12, 13, 20}, 201, 20), MakeShape({1, 60, 70, 70}, 13, 40)}) {
    for (const Kind kind : {Kind::kNetwork, Kind::kExtremes}) {
      Case input = RandomCase(kind, shape, 7);
      for (const bool half : {false, true}) {
        input.half = half;
        input.channels_first = half == (kind == Kind::kNetwork);
        const Result expected = RunReference(input);
        for (const int threads : {1, 2, 7}) {
          ASSERT_TRUE(RunOn(threads, input) == expected)
              << NameOf(kind) << ' ' << input.ToString() << ", threads " << threads;
        }
      }
    }
  }
}

}  // namespace
}  // namespace detops::border_align_forward
