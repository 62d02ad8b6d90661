// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Results against the same formula in double precision.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "measure/diff.h"
#include "ops/border_align_forward/harness.h"

namespace detops::border_align_forward {
namespace {

// Calls check(samples, index) for all results: the samples in double, and the index of the result
// in a Result.
template <class Check>
void ForEachResult(const Case& input, const Check& check) {
  size_t index = 0;
  for (int64_t image = 0; image < input.shape.images; ++image) {
    for (int64_t box = 0; box < input.shape.boxes_per_image; ++box) {
      for (int64_t border = 0; border < kBorders; ++border) {
        for (int64_t channel = 0; channel < input.shape.channels; ++channel) {
          check(SamplesInDouble(input, image, box, border, channel), index++);
        }
      }
    }
  }
}

TEST(BorderAlignAccuracy, IsWithinTheContractOfDouble) {
  for (const Kind kind : {Kind::kIntegers, Kind::kNetwork, Kind::kOutside, Kind::kEdges}) {
    for (const Shape& shape :
         {MakeShape({2, 10, 7, 20}, 30, 10), MakeShape({1, 25, 38, 8}, 40, 100),
          MakeShape({1, 200, 300, 8}, 10, 1000)}) {
      for (const bool half : {false, true}) {
        Case input = RandomCase(kind, shape, 11);
        input.half = half;
        const Result found = RunOn(2, input);
        std::vector<double> largest(found.values.size());
        ForEachResult(input, [&](const std::vector<double>& samples, size_t index) {
          largest[index] = *std::max_element(samples.begin(), samples.end());
          ASSERT_GE(samples[static_cast<size_t>(found.samples[index])], largest[index] - 1e-5)
              << "sample " << found.samples[index] << " is not the largest";
        });
        const Diffs diffs = ComputeDiffs(found.values, largest);
        const double limit = half ? 1e-3 : 1e-6;
        EXPECT_LE(diffs.diff1, limit) << NameOf(kind) << ' ' << input.ToString();
        EXPECT_LE(diffs.diff2, limit) << NameOf(kind) << ' ' << input.ToString();
      }
    }
  }
}

// With small integers and a power of two of steps nothing is rounded. So values are exact, and the
// index is that of the first of several equal samples.
TEST(BorderAlignAccuracy, IsExactWhereFloatIs) {
  for (const bool half : {false, true}) {
    Case input = RandomCase(Kind::kIntegers, MakeShape({2, 9, 8, 19}, 40, 4), 13);
    input.half = half;
    const Result found = RunOn(1, input);
    ForEachResult(input, [&](const std::vector<double>& samples, size_t index) {
      const auto largest = std::max_element(samples.begin(), samples.end());
      EXPECT_EQ(found.values[index], *largest) << index;
      EXPECT_EQ(found.samples[index], largest - samples.begin()) << index;
    });
  }
}

}  // namespace
}  // namespace detops::border_align_forward
