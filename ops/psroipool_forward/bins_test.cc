// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The pixels and channels of bins, worked out by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ops/psroipool_forward/test_cases.h"

namespace detops::psroipool_forward {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

class PsRoiPoolBins : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PsRoiPoolBins);

// Pixels [begin, end) along an axis.
struct Span {
  int64_t begin, end;
};

// Length of an axis. Pixel i has the value 2^i, so a mean identifies the pixels it is made of.
constexpr int64_t kPixels = 8;

float MeanOf(const Span& span) {
  return span.begin >= span.end ? 0.0f
                                : (std::ldexp(1.0f, static_cast<int>(span.end)) -
                                   std::ldexp(1.0f, static_cast<int>(span.begin))) /
                                      static_cast<float>(span.end - span.begin);
}

// Expects these bins, along x and then along y, for a RoI from `first` to `last`. The map is two
// pixels wide across the axis; the second row or column is NaN, as no bin may contain it.
void ExpectBins(float first, float last, float scale, RoiRounding rounding,
                const std::vector<Span>& expected) {
  const auto group = static_cast<int64_t>(expected.size());
  for (const bool along_x : {true, false}) {
    Case input;
    input.shape = {.images = 1,
                   .height = along_x ? 2 : kPixels,
                   .width = along_x ? kPixels : 2,
                   .group = group,
                   .dim = 1,
                   .rois = 1};
    input.scale = scale;
    input.rounding = rounding;
    for (int64_t y = 0; y < input.shape.height; ++y) {
      for (int64_t x = 0; x < input.shape.width; ++x) {
        const int64_t along = along_x ? x : y;
        const int64_t across = along_x ? y : x;
        const float value = across == 0 ? std::ldexp(1.0f, static_cast<int>(along)) : kNaN;
        input.input.insert(input.input.end(), static_cast<size_t>(input.channels()), value);
      }
    }
    input.rois = along_x ? std::vector<float>{0, first, 0, last, 0}
                         : std::vector<float>{0, 0, first, 0, last};
    for (const Result& result : {RunOn(1, input), RunReference(input)}) {
      for (int64_t p = 0; p < group; ++p) {
        const int64_t at = along_x ? p : p * group;
        EXPECT_EQ(result.means[static_cast<size_t>(at)], MeanOf(expected[static_cast<size_t>(p)]))
            << first << " to " << last << " at scale " << scale << ", bin " << p << " along "
            << (along_x ? 'x' : 'y');
      }
    }
  }
}

TEST_P(PsRoiPoolBins, RoundsHalvesAwayFromZeroBeforeScaling) {
  const float below_half = std::nextafter(0.5f, 0.0f);
  struct Row {
    float first, last, scale;
    Span span;
  };
  // clang-format off
  const Row rows[] = {
      // Integers; a pixel is added at the end.
      {0, 0, 1, {0, 1}}, {3, 3, 1, {3, 4}}, {2, 5, 1, {2, 6}}, {0, 7, 1, {0, 8}},
      // Halves are rounded away from zero.
      {0.5f, 0.5f, 1, {1, 2}}, {1.5f, 1.5f, 1, {2, 3}}, {2.5f, 2.5f, 1, {3, 4}},
      {0, 0.5f, 1, {0, 2}}, {0, 1.5f, 1, {0, 3}}, {0, 2.5f, 1, {0, 4}}, {0, 3.5f, 1, {0, 5}},
      {-0.5f, -0.5f, 1, {0, 0}}, {-2.5f, -2.5f, 1, {0, 0}}, {-0.5f, 2.5f, 1, {0, 4}},
      {-2.5f, -0.5f, 1, {0, 0}}, {-2.5f, 0.5f, 1, {0, 2}},
      // The floats next to them are not.
      {below_half, below_half, 1, {0, 1}}, {-below_half, -below_half, 1, {0, 1}},
      {std::nextafter(2.5f, 0.0f), std::nextafter(2.5f, 3.0f), 1, {2, 4}},
      {1.4f, 2.6f, 1, {1, 4}}, {-0.0f, -0.0f, 1, {0, 1}},
      // Ends are clamped to the map.
      {-5, 20, 1, {0, 8}}, {6, 20, 1, {6, 8}}, {-5, 1, 1, {0, 2}}, {7, 7, 1, {7, 8}},
      {8, 9, 1, {0, 0}}, {-3, -1, 1, {0, 0}}, {100, 200, 1, {0, 0}}, {-1, -1, 1, {0, 0}},
      {-1, 0, 1, {0, 1}}, {7.5f, 9, 1, {0, 0}}, {7.4f, 9, 1, {7, 8}},
      // Reversed and empty extents become 0.1 long.
      {5, 2, 1, {5, 6}}, {3, 2, 1, {3, 4}}, {7, -9, 1, {7, 8}}, {-1, -9, 1, {0, 0}},
      {15, 15, 0.0625f, {0, 2}},  // from 0.9375 to 1.0375 instead of 1
      {14, 14, 0.0625f, {0, 1}},  // from 0.875 to 0.975
      {0, 0, 0.0625f, {0, 1}},
      // Scaled.
      {0, 3, 0.5f, {0, 2}}, {1, 3, 0.5f, {0, 2}}, {1, 2, 0.5f, {0, 2}}, {2, 2, 0.5f, {1, 2}},
      {3, 3, 0.5f, {1, 2}}, {3, 4, 0.5f, {1, 3}}, {16, 47, 0.0625f, {1, 3}},
      {16, 48, 0.0625f, {1, 4}}, {1.5f, 2.5f, 0.5f, {1, 2}}, {40, 99, 0.1f, {4, 8}},
  };
  // clang-format on
  for (const Row& row : rows) {
    ExpectBins(row.first, row.last, row.scale, RoiRounding::kBeforeScaling, {row.span});
  }
}

TEST_P(PsRoiPoolBins, BinsOverlapAndMayBeEmpty) {
  const auto before = RoiRounding::kBeforeScaling;
  ExpectBins(0, 3, 1, before, {{0, 2}, {2, 4}});
  ExpectBins(0, 4, 1, before, {{0, 3}, {2, 5}});  // bins of 2.5 pixels
  ExpectBins(0, 5, 1, before, {{0, 2}, {1, 3}, {3, 5}, {4, 6}});
  ExpectBins(1, 1, 1, before, {{1, 2}, {1, 2}, {1, 2}, {1, 2}});
  ExpectBins(2, 3, 1, before, {{2, 3}, {2, 3}, {3, 4}, {3, 4}});
  ExpectBins(-4, 3, 1, before, {{0, 0}, {0, 0}, {0, 2}, {2, 4}});
  ExpectBins(4, 11, 1, before, {{4, 6}, {6, 8}, {0, 0}, {0, 0}});
  ExpectBins(-8, 15, 1, before, {{0, 0}, {0, 8}, {0, 0}});
  ExpectBins(5, 2, 1, before, {{5, 6}, {5, 6}});  // bins of 0.05 pixels
  // From 0.5 to 2.5; from 0.9375 to 1.0375, where the second half starts at 0.9875.
  ExpectBins(1, 4, 0.5f, before, {{0, 2}, {1, 3}});
  ExpectBins(15, 15, 0.0625f, before, {{0, 1}, {0, 2}});
}

TEST_P(PsRoiPoolBins, RoundingAfterScalingExcludesTheLastPixel) {
  struct Row {
    float first, last, scale;
    std::vector<Span> spans;
  };
  const Row rows[] = {
      {0, 3, 1, {{0, 3}}},
      {2, 6, 1, {{2, 6}}},
      {0, 7, 1, {{0, 7}}},
      // The last pixel is never included.
      {0, 8, 1, {{0, 7}}},
      {-5, 50, 1, {{0, 7}}},
      {7, 9, 1, {{0, 0}}},
      {6, 9, 1, {{6, 7}}},
      // Extents are at least 1 long.
      {3, 3, 1, {{3, 4}}},
      {5, 2, 1, {{5, 6}}},
      {-1, -1, 1, {{0, 0}}},
      // Halves are rounded away from zero, after scaling.
      {0.5f, 2.5f, 1, {{1, 3}}},
      {1.5f, 2.4f, 1, {{2, 3}}},
      {-0.5f, 1.5f, 1, {{0, 2}}},
      {-0.5f, -0.5f, 1, {{0, 0}}},
      {-2.5f, 0.5f, 1, {{0, 1}}},
      {std::nextafter(0.5f, 0.0f), 2, 1, {{0, 2}}},
      {1, 5, 0.5f, {{1, 3}}},
      {5, 9, 0.5f, {{3, 5}}},
      {24, 56, 0.0625f, {{2, 4}}},
      // Bins begin and end at integer distances from the start.
      {1, 4, 1, {{1, 3}, {2, 4}}},
      {0, 1, 1, {{0, 1}, {0, 1}}},
      {0, 6, 1, {{0, 2}, {1, 3}, {3, 5}, {4, 6}}},
      {-4, 4, 1, {{0, 0}, {0, 0}, {0, 2}, {2, 4}}},
      {3, 11, 1, {{3, 5}, {5, 7}, {0, 0}, {0, 0}}},
      {3, 3, 1, {{3, 4}, {3, 4}, {3, 4}, {3, 4}}},
  };
  for (const Row& row : rows) {
    ExpectBins(row.first, row.last, row.scale, RoiRounding::kAfterScaling, row.spans);
  }
}

// 2 x 2 bins of three channels each; the value of a channel is its index.
TEST_P(PsRoiPoolBins, EachBinReadsItsOwnChannels) {
  Case input;
  input.shape = {.images = 1, .height = 1, .width = 1, .group = 2, .dim = 3, .rois = 1};
  input.rois = {0, 0, 0, 0, 0};
  for (int c = 0; c < 12; ++c) {
    input.input.push_back(static_cast<float>(c));
  }
  const Args shape = input.args(nullptr, nullptr, nullptr);
  std::vector<float> output(12);
  std::vector<int32_t> mapping(12);
  const auto run = [&](bool channels_first) {
    Args args = shape;
    args.channels_first = channels_first;
    args.input = input.input.data();
    args.output = output.data();
    args.mapping_channel = mapping.data();
    ASSERT_TRUE(RunInExactScratch(args, 1).ok());
  };
  run(false);
  EXPECT_THAT(mapping, ElementsAre(0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11));
  EXPECT_THAT(output, ElementsAreArray(mapping));
  run(true);
  EXPECT_THAT(mapping, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_THAT(output, ElementsAreArray(mapping));
}

// Each pixel value encodes its image, row, column and channel; the means are worked out by hand.
TEST_P(PsRoiPoolBins, ReadsTheImageRowsAndColumnsOfTheRoi) {
  Case input;
  input.shape = {.images = 2, .height = 4, .width = 3, .group = 2, .dim = 1, .rois = 3};
  for (int image = 0; image < 2; ++image) {
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 3; ++x) {
        for (int c = 0; c < 4; ++c) {
          input.input.push_back(static_cast<float>(1000 * image + 100 * y + 10 * x + c));
        }
      }
    }
  }
  input.rois = {
      0, 0, 0, 2, 3,  // everything: columns 0-1 and 1-2, rows 0-1 and 2-3
      1, 1, 2, 1, 2,  // one pixel
      1, 0, 1, 1, 3,  // columns 0 and 1, rows 1-2 and 2-3
  };
  const std::vector<float> expected = {55,   66,   257,  268,   //
                                       1210, 1211, 1212, 1213,  //
                                       1150, 1161, 1252, 1263};
  ForEachVariant(input, 0, [&](const Case& variant) {
    if (variant.rounding == RoiRounding::kBeforeScaling) {
      EXPECT_THAT(RunOn(1, variant).means, ElementsAreArray(expected)) << variant.ToString();
      EXPECT_THAT(RunReference(variant).means, ElementsAreArray(expected)) << variant.ToString();
    }
  });
}

// A RoI from `first` to `last` along an axis, and the pixels of its bins.
struct HugeRoi {
  float first, last, scale;
  std::vector<Span> spans;
};

constexpr Span kNone{0, 0};
constexpr float kTwo31 = 0x1p31f;

TEST_P(PsRoiPoolBins, CoordinatesMayBeHuge) {
  constexpr Span kAll{0, 8};
  const float below_two31 = std::nextafter(kTwo31, 0.0f);
  const HugeRoi rows[] = {
      // The size overflows.
      {-3e38f, 3e38f, 1, {kNone}},
      {-3e38f, 3e38f, 1, {kNone, kNone}},
      {-kLargestFloat, kLargestFloat, 1, {kNone, kNone, kNone}},
      // An end overflows.
      {0, 3e38f, 2, {kNone}},
      {3e38f, 0, 2, {kNone}},
      {-3e38f, 0, 2, {kNone}},
      {2e38f, 3e38f, 2, {kNone, kNone}},
      // Huge, but nothing overflows.
      {0, 3e38f, 1, {kAll}},
      {0, 3e38f, 1, {kAll, kNone}},
      {3, kLargestFloat, 1, {{3, 8}}},
      {-3e38f, 0, 1, {kNone}},  // the size is rounded away next to the start
      {3e38f, 0, 1, {kNone}},
      {-1e20f, 1e20f, 1, {kAll}},
      {-1e20f, 1e20f, 1, {kNone, kAll}},
      {1e20f, -1e20f, 1, {kNone}},
      {1e20f, 1e20f, 1, {kNone}},
      {0, 1e20f, 1, {kAll, kNone}},
      // Around the limits of int32 and int64.
      {-kTwo31, kTwo31, 1, {kAll}},
      {-kTwo31, kTwo31, 1, {kNone, kAll}},
      {0, kTwo31, 1, {kAll}},
      {0, below_two31, 1, {kAll}},
      {kTwo31, kTwo31, 1, {kNone}},
      {below_two31, 1e10f, 1, {kNone}},
      {5, 0x1p63f, 1, {{5, 8}}},
      {-0x1p63f, 0x1p64f, 1, {kAll}},
      {0, 0x1p24f, 1, {kAll}},
      // Tiny values.
      {1e-45f, 1e-45f, 1, {{0, 1}}},
      {-1e-38f, 3, 1, {{0, 4}}},
      {0, 0, 1e-45f, {{0, 1}}},
      {0, 7, 1e-38f, {{0, 1}}},
      {1, 1, 3e38f, {kNone}},
  };
  for (const HugeRoi& row : rows) {
    ExpectBins(row.first, row.last, row.scale, RoiRounding::kBeforeScaling, row.spans);
  }
  // The last bin begins at 0, and its end overflows because 25 * (max / 25) does.
  const float before_last = 24 * (kLargestFloat / 25);
  ExpectBins(-before_last, kLargestFloat - before_last, 1, RoiRounding::kBeforeScaling,
             std::vector<Span>(25, kNone));
}

TEST_P(PsRoiPoolBins, CoordinatesMayBeHugeAfterScaling) {
  constexpr Span kAllButTheLast{0, 7};
  const float below_two31 = std::nextafter(kTwo31, 0.0f);
  const HugeRoi rows[] = {
      {-3e38f, 3e38f, 1, {kNone}},
      {0, 3e38f, 2, {kNone}},
      {3e38f, 0, 2, {kNone}},
      {0, 3e38f, 1, {kAllButTheLast}},
      {0, 3e38f, 1, {kAllButTheLast, kNone}},
      {-1e20f, 1e20f, 1, {kNone, kAllButTheLast}},
      {-kTwo31, kTwo31, 1, {kNone, kAllButTheLast}},
      {0, below_two31, 1, {kAllButTheLast}},
      {5, 0x1p63f, 1, {{5, 7}}},
      {1e20f, 1e20f, 1, {kNone}},
      {1e-45f, 1e-45f, 1, {{0, 1}}},
  };
  for (const HugeRoi& row : rows) {
    ExpectBins(row.first, row.last, row.scale, RoiRounding::kAfterScaling, row.spans);
  }
}

// Only one corner overflows when it is scaled; the bin must not fall back to the other corner.
TEST_P(PsRoiPoolBins, OverflowingCornersGiveEmptyBins) {
  for (const auto rounding : {RoiRounding::kBeforeScaling, RoiRounding::kAfterScaling}) {
    for (const float far : {-3e38f, 3e38f}) {
      Case input;
      input.shape = {.images = 1, .height = 40, .width = 40, .group = 2, .dim = 1, .rois = 5};
      input.scale = 10;
      input.rounding = rounding;
      input.rois = {0, 1, 1, far, 2,   0, 1, 1, 2, far, 0, far, 1,
                    2, 2, 0, 1,   far, 2, 2, 0, 1, 1,   2, 2};
      input.input.assign(size_t{40} * 40 * 4, 1.0f);
      const Result result = RunOn(1, input);
      ASSERT_TRUE(result == RunReference(input));
      EXPECT_TRUE(std::all_of(result.means.begin(), result.means.end() - 4, [](float mean) {
        return mean == 0;
      })) << far;
      EXPECT_TRUE(std::all_of(result.means.end() - 4, result.means.end(),
                              [](float mean) { return mean == 1; }));
    }
  }
}

}  // namespace
}  // namespace detops::psroipool_forward
