// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// NaNs and infinities in RoIs and maps, and batch indices that are fractions or out of range.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ops/psroipool_forward/test_cases.h"

namespace detops::psroipool_forward {
namespace {

using testing::Each;

class PsRoiPoolSpecialValues : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PsRoiPoolSpecialValues);

TEST_P(PsRoiPoolSpecialValues, NonFiniteRoisHaveEmptyBins) {
  constexpr int64_t kCopies[] = {1, 10};  // few and many RoIs
  for (const float bad : {kNaN, -kNaN, kInfinity, -kInfinity}) {
    for (size_t at = 1; at < kRoiNumbers; ++at) {
      for (const int64_t copies : kCopies) {
        Case input = RandomCase(
            Kind::kNetwork,
            {.images = 1, .height = 6, .width = 5, .group = 3, .dim = 5, .rois = 3 * copies}, 1, 3);
        for (int64_t roi = 1; roi < input.shape.rois; roi += 3) {
          input.rois[static_cast<size_t>(roi * kRoiNumbers) + at] = bad;
        }
        ForEachVariant(input, 0, [&](Case variant) {
          variant.mapping = true;
          const Result result = RunOn(1, variant);
          const Args args = variant.args(nullptr, nullptr, nullptr);
          for (int64_t i = 0; i < variant.results(); ++i) {
            const int64_t bin = i / args.dim % args.bins();
            ASSERT_EQ(result.channels[static_cast<size_t>(i)],
                      args.ChannelOf(bin / args.group, bin % args.group, i % args.dim));
            if (i / args.channels() % 3 == 1) {
              ASSERT_EQ(result.means[static_cast<size_t>(i)], 0) << variant.ToString();
              ASSERT_FALSE(std::signbit(result.means[static_cast<size_t>(i)]));
            }
          }
          ASSERT_TRUE(result == RunReference(variant)) << variant.ToString();
        });
      }
    }
  }
}

// All pixels are 1, except one pixel of one channel.
TEST_P(PsRoiPoolSpecialValues, NonFinitePixelsAffectOnlyTheirBins) {
  constexpr int64_t kChannel = 13;
  constexpr int64_t kY = 4;
  constexpr int64_t kX = 3;
  for (const int64_t rois : {2, 40}) {
    for (const float bad : {kNaN, kInfinity, -kInfinity}) {
      Case input = RandomCase(
          Kind::kLarge, {.images = 1, .height = 9, .width = 8, .group = 3, .dim = 5, .rois = rois},
          1, 3);
      const float whole_map[] = {0, 0, 0, 7, 8};
      std::copy_n(whole_map, kRoiNumbers, input.rois.begin());
      std::fill(input.input.begin(), input.input.end(), 1.0f);
      input.input[static_cast<size_t>((kY * 8 + kX) * input.channels() + kChannel)] = bad;
      int64_t reached = 0;
      ForEachVariant(input, 0, [&](Case variant) {
        variant.mapping = true;
        const Result result = RunOn(1, variant);
        for (int64_t i = 0; i < variant.results(); ++i) {
          const std::vector<Rectangle> bins = BinsOf(variant, i / input.channels());
          const Rectangle& bin = bins[static_cast<size_t>(i / 5 % 9)];
          const bool has_pixel =
              kY >= bin.y_begin && kY < bin.y_end && kX >= bin.x_begin && kX < bin.x_end;
          const bool has_bad = has_pixel && result.channels[static_cast<size_t>(i)] == kChannel;
          reached += has_bad ? 1 : 0;
          ASSERT_THAT(result.means[static_cast<size_t>(i)],
                      testing::NanSensitiveFloatEq(has_bad       ? bad
                                                   : bin.empty() ? 0.0f
                                                                 : 1.0f))
              << variant.ToString() << ", result " << i;
        }
      });
      EXPECT_GT(reached, 0);
    }
  }
}

// Both infinities in one bin, of few and of many pixels.
TEST_P(PsRoiPoolSpecialValues, OppositeInfinitiesGiveNaN) {
  for (const int64_t width : {4, 40}) {
    Case input;
    input.shape = {.images = 1, .height = 1, .width = width, .group = 1, .dim = 9, .rois = 1};
    input.input.assign(static_cast<size_t>(width * 9), 1.0f);
    input.rois = {0, 0, 0, static_cast<float>(width - 1), 0};
    input.input[4] = kInfinity;
    input.input[9 + 4] = -kInfinity;
    input.input[2 * 9 + 5] = -kInfinity;
    const Result result = RunOn(1, input);
    for (size_t d = 0; d < 9; ++d) {
      EXPECT_THAT(result.means[d], testing::NanSensitiveFloatEq(d == 4   ? kNaN
                                                                : d == 5 ? -kInfinity
                                                                         : 1.0f));
    }
  }
}

TEST(PsRoiPoolBatchIndex, OutOfRangeIsRefusedBeforeAnythingIsWritten) {
  struct Row {
    float image;
    const char* found;
  };
  const Row rows[] = {
      {-1, "-1"},
      {3, "3"},
      {kNaN, "nan"},
      {kInfinity, "inf"},
      {-kInfinity, "-inf"},
      {1e30f, "1e+30"},
      {-1.5f, "-1.5"},
      {3.25f, "3.25"},
      {-0x1p31f, "-2147483600"},
      {0x1p32f, "4294967300"},
      {-1e30f, "-1e+30"},
  };
  for (const Row& row : rows) {
    for (const int64_t rois : {2, 40}) {
      Case input = RandomCase(
          Kind::kNetwork,
          {.images = 3, .height = 6, .width = 5, .group = 2, .dim = 4, .rois = rois}, 1, 3);
      input.rois[static_cast<size_t>((rois - 1) * kRoiNumbers)] = row.image;
      for (const Result& result : {RunOn(1, input), RunOn(2, input), RunReference(input)}) {
        EXPECT_EQ(result.status.code(), MLUOP_STATUS_BAD_PARAM);
        EXPECT_EQ(result.status.message(), "rois[" + std::to_string(rois - 1) +
                                               "] has batch index " + row.found +
                                               "; it must be 0 to 2");
        EXPECT_THAT(result.means, Each(-77.125f));
        EXPECT_THAT(result.channels, Each(-1));
      }
    }
  }
}

TEST(PsRoiPoolBatchIndex, TheFirstInvalidOneIsReported) {
  Case input =
      RandomCase(Kind::kNetwork,
                 {.images = 1, .height = 6, .width = 5, .group = 2, .dim = 4, .rois = 9}, 1, 3);
  input.rois[4 * kRoiNumbers] = 7;
  input.rois[6 * kRoiNumbers] = -3;
  EXPECT_EQ(RunOn(1, input).status.message(), "rois[4] has batch index 7; it must be 0 to 0");
  EXPECT_TRUE(RunOn(2, input) == RunReference(input));
}

TEST_P(PsRoiPoolSpecialValues, BatchIndicesAreTruncated) {
  struct Row {
    float image, means;
  };
  const Row rows[] = {{0.9f, 0},
                      {-0.5f, 0},
                      {std::nextafter(-1.0f, 0.0f), 0},
                      {-0.0f, 0},
                      {1e-40f, 0},
                      {1, 1},
                      {std::nextafter(1.0f, 0.0f), 0},
                      {2.5f, 2},
                      {1.99999f, 1},
                      {std::nextafter(3.0f, 0.0f), 2}};
  Case input = RandomCase(
      Kind::kIntegers,
      {.images = 3, .height = 4, .width = 4, .group = 2, .dim = 3, .rois = std::size(rows)}, 1, 3);
  for (size_t i = 0; i < input.input.size(); ++i) {
    const size_t image = i / (input.input.size() / 3);
    input.input[i] = static_cast<float>(image);
  }
  for (size_t i = 0; i < std::size(rows); ++i) {
    const float roi[] = {rows[i].image, 0, 0, 3, 3};
    std::copy_n(roi, kRoiNumbers, input.rois.begin() + static_cast<int64_t>(i) * kRoiNumbers);
  }
  const Result result = RunOn(1, input);
  for (size_t i = 0; i < result.means.size(); ++i) {
    EXPECT_EQ(result.means[i], rows[i / 12].means) << rows[i / 12].image;
  }
  EXPECT_TRUE(result == RunReference(input));
}

}  // namespace
}  // namespace detops::psroipool_forward
