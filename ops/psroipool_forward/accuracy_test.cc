// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Accuracy of the means against double precision.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <cmath>
#include <vector>

#include "measure/diff.h"
#include "ops/psroipool_forward/test_cases.h"

namespace detops::psroipool_forward {
namespace {

class PsRoiPoolAccuracy : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PsRoiPoolAccuracy);

void ExpectAccurate(const Case& input) {
  const Result result = RunOn(2, input);
  const Args args = input.args(nullptr, nullptr, nullptr);
  const Diffs diffs = ComputeDiffs(result.means, MeansInDouble(input));
  EXPECT_LE(diffs.diff1, 1e-6) << input.ToString();
  EXPECT_LE(diffs.diff2, 1e-6) << input.ToString();
  ASSERT_EQ(static_cast<int64_t>(result.channels.size()), input.results());
  for (int64_t i = 0; i < input.results(); ++i) {
    const int64_t bin = i / args.dim % args.bins();
    ASSERT_EQ(result.channels[static_cast<size_t>(i)],
              args.ChannelOf(bin / args.group, bin % args.group, i % args.dim))
        << i;
  }
}

TEST_P(PsRoiPoolAccuracy, IsAccurateForTypicalSizes) {
  for (const Kind kind : {Kind::kNetwork, Kind::kLarge}) {
    ExpectAccurate(RandomCase(
        kind, {.images = 1, .height = 14, .width = 14, .group = 7, .dim = 8, .rois = 320}, 1, 1));
    ExpectAccurate(RandomCase(
        kind, {.images = 2, .height = 14, .width = 14, .group = 3, .dim = 21, .rois = 493}, 0.0625f,
        2));
  }
}

// Returns RoIs whose bins have every number of pixels from 1 to well above kMaxFloatPixels.
Case CaseOfBinSizes() {
  constexpr int64_t kColumns = 17;
  Case input = RandomCase(
      Kind::kNetwork,
      {.images = 1, .height = 5, .width = kColumns, .group = 1, .dim = 19, .rois = 0}, 1, 6);
  for (int64_t rows = 1; rows <= 5; ++rows) {
    for (int64_t columns = 1; columns <= kColumns; ++columns) {
      input.rois.insert(input.rois.end(),
                        {0, 0, 0, static_cast<float>(columns - 1), static_cast<float>(rows - 1)});
      ++input.shape.rois;
    }
  }
  return input;
}

// Up to 16 pixels are summed in float, more in double. The sizes include 16 and 17.
TEST_P(PsRoiPoolAccuracy, IsAccurateForAnyNumberOfPixels) {
  const Case input = CaseOfBinSizes();
  ForEachVariant(input, 0,
                 [](const Case& variant) { ExpectMatchesReference(Kind::kNetwork, variant, {1}); });
  ExpectAccurate(input);
}

// The small values would be lost beside 2^30 in a float sum.
TEST_P(PsRoiPoolAccuracy, LargeBinsAreSummedInDouble) {
  for (const int64_t dim : {1, 3, 4, 8, 9, 40}) {
    Case input;
    input.shape = {.images = 1, .height = 6, .width = 7, .group = 1, .dim = dim, .rois = 1};
    input.rois = {0, 0, 0, 6, 5};
    for (int pixel = 0; pixel < 42; ++pixel) {
      for (int64_t d = 0; d < dim; ++d) {
        const float value = pixel == 1 ? 0x1p30f : pixel == 40 ? -0x1p30f : static_cast<float>(d);
        input.input.push_back(value);
      }
    }
    ForEachVariant(input, 0, [&](const Case& variant) {
      if (variant.rounding == RoiRounding::kBeforeScaling) {
        const Result result = RunOn(1, variant);
        for (int64_t d = 0; d < dim; ++d) {
          EXPECT_EQ(result.means[static_cast<size_t>(d)], static_cast<float>(40.0 * d / 42))
              << variant.ToString();
        }
      }
    });
  }
}

// Each of the small values is rounded away in a float sum of the largest number of pixels.
TEST_P(PsRoiPoolAccuracy, IsAccurateWhenEverySumIsRoundedDown) {
  Case input;
  input.shape = {
      .images = 1, .height = 2, .width = kMaxFloatPixels, .group = 1, .dim = 8, .rois = 2};
  input.rois = {0, 0, 0, kMaxFloatPixels - 1, 0, 0, 0, 0, kMaxFloatPixels - 1, 1};
  for (int64_t pixel = 0; pixel < 2 * kMaxFloatPixels; ++pixel) {
    input.input.insert(input.input.end(), 8, pixel == 0 ? 1.0f : 0x1p-24f);
  }
  ExpectAccurate(input);
}

TEST(PsRoiPoolLargeBins, AreAccurate) {
  constexpr Shape kShape{.images = 1, .height = 200, .width = 200, .group = 1, .dim = 3, .rois = 4};
  for (const bool constant : {false, true}) {
    Case input = RandomCase(Kind::kNetwork, kShape, 1, 5);
    for (float& pixel : input.input) {
      pixel = constant ? 0.1f : std::abs(pixel);
    }
    input.rois = {0, 0,   0, 199, 199,  // 40,000 pixels
                  0, -50, 9, 300, 100, 0, 17, 30, 80, 190, 0, 3, 3, 8, 9};
    ExpectAccurate(input);
    input.rounding = RoiRounding::kAfterScaling;
    ExpectAccurate(input);
    if (constant) {
      std::vector<float> means = RunOn(1, input).means;
      means.resize(9);  // those of the large bins
      EXPECT_THAT(means, testing::Each(0.1f));
    }
  }
}

}  // namespace
}  // namespace detops::psroipool_forward
