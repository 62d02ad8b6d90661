// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Bins are those of plain float arithmetic: no fused multiply-add and no reordering moves one.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "ops/psroipool_forward/test_cases.h"

namespace detops::psroipool_forward {
namespace {

class PsRoiPoolRounding : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PsRoiPoolRounding);

// Returns a case with RoIs at integer corners in a map of this size.
Case CaseOfIntegers(int64_t size, int64_t group, float scale, int64_t rois) {
  Case input = RandomCase(
      Kind::kNetwork,
      {.images = 1, .height = size, .width = size, .group = group, .dim = 1, .rois = rois}, scale,
      23);
  for (size_t i = 0; i < input.rois.size(); ++i) {
    input.rois[i] = i % kRoiNumbers == 0 ? 0 : std::round(input.rois[i]);
  }
  return input;
}

// Keeps only the RoIs with bins that move if products and sums are fused.
void KeepRoisThatFusingMoves(Fused fused, Case& input) {
  std::vector<float> kept;
  kept.reserve(input.rois.size());
  for (int64_t roi = 0; roi < input.shape.rois; ++roi) {
    if (!(BinsOf(input, roi) == BinsOf(input, roi, fused))) {
      const auto begin = input.rois.begin() + roi * kRoiNumbers;
      kept.insert(kept.end(), begin, begin + kRoiNumbers);
    }
  }
  input.rois = kept;
  input.shape.rois = static_cast<int64_t>(kept.size()) / kRoiNumbers;
}

// A target with fused multiply-add could fuse any of the three sums of a product, or all of them.
// Each of these would move bins by a pixel.
TEST_P(PsRoiPoolRounding, FusedOperationsMoveNoBin) {
  const std::pair<Fused, float> places[] = {{Fused::kSizes, 0.1f},
                                            {Fused::kBegins, 0.7f},
                                            {Fused::kEnds, 0.1f},
                                            {Fused::kAll, 0.1f},
                                            {Fused::kAll, 0.7f}};
  for (const auto& [where, scale] : places) {
    Case input = CaseOfIntegers(40, 7, scale, 2000);
    KeepRoisThatFusingMoves(where, input);
    ASSERT_GT(input.shape.rois, 5) << "too few RoIs with bins that fusing moves";
    const std::vector<double> expected = MeansInDouble(input);
    const std::vector<double> fused = MeansInDouble(input, where);
    for (const bool channels_first : {false, true}) {
      input.channels_first = channels_first;
      const Result result = RunOn(1, input);
      int64_t moved = 0;
      for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(result.means[i], expected[i], 1e-6) << i;
        moved += std::abs(result.means[i] - fused[i]) > 1e-5 ? 1 : 0;
      }
      EXPECT_GE(moved, input.shape.rois);
      EXPECT_TRUE(result == RunReference(input));
    }
  }
}

TEST(PsRoiPoolReference, FusingMovesNoBinAtUsualScales) {
  for (const auto& [size, scale] :
       {std::pair(14, 1.0f), std::pair(60, 1.0f), std::pair(14, 0.0625f), std::pair(60, 0.0625f)}) {
    for (const int64_t group : {1, 2, 3, 4, 7, 8}) {
      for (const Fused where : {Fused::kSizes, Fused::kBegins, Fused::kEnds, Fused::kAll}) {
        Case input = CaseOfIntegers(size, group, scale, 300);
        KeepRoisThatFusingMoves(where, input);
        EXPECT_EQ(input.shape.rois, 0) << group << " bins, size " << size << ", scale " << scale;
      }
    }
  }
}

// RoIs with every first column and size. With 11 and 13 bins, some bins would end a column later if
// the sums were made in another order.
TEST_P(PsRoiPoolRounding, BinsFollowTheFormulaForAnyStartAndSize) {
  constexpr int64_t kWidth = 40;
  for (const int64_t group : {11, 13}) {
    for (const RoiRounding rounding : kRoundings) {
      Case input = RandomCase(
          Kind::kNetwork,
          {.images = 1, .height = 2, .width = kWidth, .group = group, .dim = 1, .rois = 0}, 1, 4);
      input.rounding = rounding;
      for (int64_t start = 0; start < kWidth; ++start) {
        for (int64_t end = start; end <= kWidth; ++end) {
          input.rois.insert(input.rois.end(),
                            {0, static_cast<float>(start), 0, static_cast<float>(end), 0});
          ++input.shape.rois;
        }
      }
      const Result result = RunOn(1, input);
      EXPECT_TRUE(result == RunReference(input)) << input.ToString();
      const std::vector<double> expected = MeansInDouble(input);
      for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(result.means[i], expected[i], 1e-6) << input.ToString() << ", result " << i;
      }
    }
  }
}

// cases.cc computes the bins on its own, without the reference.
TEST(PsRoiPoolReference, AgreesWithAnIndependentImplementation) {
  uint32_t number = 0;
  for (const Kind kind :
       {Kind::kIntegers, Kind::kNetwork, Kind::kLarge, Kind::kOutside, Kind::kHalves}) {
    for (const float scale : {1.0f, 0.0625f, 0.1f, 3.0f}) {
      for (const int64_t group : {1, 3, 7}) {
        for (const RoiRounding rounding : kRoundings) {
          Case input = RandomCase(
              kind, {.images = 2, .height = 11, .width = 9, .group = group, .dim = 2, .rois = 60},
              scale, number++);
          input.rounding = rounding;
          const Result result = RunReference(input);
          const std::vector<double> expected = MeansInDouble(input);
          for (size_t i = 0; i < expected.size(); ++i) {
            ASSERT_NEAR(result.means[i], expected[i], 1e-6)
                << NameOf(kind) << ": " << input.ToString() << ", result " << i;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace detops::psroipool_forward
