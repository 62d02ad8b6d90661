// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Run gives the same bits as the reference, on every target.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <cstring>
#include <vector>

#include "core/aligned_buffer.h"
#include "core/cache.h"
#include "ops/psroipool_forward/test_cases.h"

namespace detops::psroipool_forward {
namespace {

class PsRoiPoolKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PsRoiPoolKernel);

TEST_P(PsRoiPoolKernel, MatchesReferenceForAnyNumberOfChannels) {
  uint32_t number = 0;
  for (const Kind kind : kAllKinds) {
    for (const int64_t dim : kDims) {
      // Few RoIs, whose pixels are copied, and many, for which the map is packed.
      for (const int64_t rois : {2, 30}) {
        const Case input = RandomCase(
            kind, {.images = 1, .height = 7, .width = 6, .group = 2, .dim = dim, .rois = rois},
            0.1f, number);
        ForEachVariant(input, number++, [&](const Case& variant) {
          ExpectMatchesReference(kind, variant, {1, 2});
        });
      }
    }
  }
}

TEST_P(PsRoiPoolKernel, MatchesReferenceForAnyNumberOfBins) {
  uint32_t number = 0;
  for (const Kind kind : kAllKinds) {
    for (const int64_t group : {1, 2, 3, 4, 5, 7, 8, 9, 11, 16, 17}) {
      for (const int64_t dim : {1, 4, 9}) {
        for (const int64_t rois : {1, 25}) {
          const Case input = RandomCase(
              kind,
              {.images = 1, .height = 8, .width = 9, .group = group, .dim = dim, .rois = rois},
              0.25f, number);
          // One variant per case; together they cover all variants for every group.
          const uint32_t variant = number++ % 4;
          uint32_t at = 0;
          ForEachVariant(input, number, [&](const Case& one) {
            if (at++ == variant) {
              ExpectMatchesReference(kind, one, {1, 7});
            }
          });
        }
      }
    }
  }
}

// Maps of one row or column; maps that fit the ring as a whole; maps that pass through it in steps
// of one or several rows, with bins that are higher than the ring.
TEST_P(PsRoiPoolKernel, MatchesReferenceForAnyMapSize) {
  constexpr Shape kShapes[] = {
      {.images = 2, .height = 1, .width = 1, .group = 3, .dim = 5, .rois = 4},
      {.images = 1, .height = 1, .width = 1, .group = 1, .dim = 1, .rois = 60},
      {.images = 1, .height = 1, .width = 37, .group = 2, .dim = 9, .rois = 3},
      {.images = 1, .height = 1, .width = 37, .group = 2, .dim = 9, .rois = 50},
      {.images = 1, .height = 37, .width = 1, .group = 2, .dim = 9, .rois = 3},
      {.images = 1, .height = 37, .width = 1, .group = 2, .dim = 9, .rois = 50},
      {.images = 1, .height = 2, .width = 2, .group = 7, .dim = 4, .rois = 9},
      {.images = 1, .height = 3, .width = 3, .group = 4, .dim = 8, .rois = 40},
      {.images = 1, .height = 2, .width = 5, .group = 2, .dim = 16, .rois = 40},
      {.images = 1, .height = 80, .width = 5, .group = 3, .dim = 4, .rois = 60},
      {.images = 1, .height = 23, .width = 41, .group = 1, .dim = 3, .rois = 9},
      {.images = 1, .height = 70, .width = 40, .group = 2, .dim = 40, .rois = 12},
      {.images = 1, .height = 79, .width = 50, .group = 3, .dim = 17, .rois = 20},
      {.images = 1, .height = 18, .width = 120, .group = 2, .dim = 130, .rois = 9},
      {.images = 1, .height = 2, .width = 3, .group = 100, .dim = 1, .rois = 9},
  };
  uint32_t number = 0;
  for (const Kind kind : kAllKinds) {
    for (const Shape& shape : kShapes) {
      // Each kind uses the shape in another variant.
      Case input = RandomCase(kind, shape, number % 3 == 0 ? 1.0f : 0.1f, number);
      input.channels_first = (number / 2 + static_cast<uint32_t>(kind)) % 2 != 0;
      input.rounding = kRoundings[(number + static_cast<uint32_t>(kind)) % 2];
      ++number;
      ExpectMatchesReference(kind, input, {1, 2});
    }
  }
}

// Bins with every first and last row, so that every number of rows occurs at every position in the
// ring, on maps of which one, a few or many rows are packed at once.
TEST_P(PsRoiPoolKernel, MatchesReferenceForAnyRowsOfBins) {
  constexpr int64_t kHeight = 23;
  for (const int64_t width : {8, 16, 28, 40, 64}) {
    Case input = RandomCase(
        Kind::kNetwork,
        {.images = 1, .height = kHeight, .width = width, .group = 2, .dim = 130, .rois = 0}, 1, 3);
    for (int64_t begin = 0; begin < kHeight; ++begin) {
      for (int64_t end = begin + 1; end <= kHeight; ++end) {
        // The first bin has these rows; the second has the same number of rows after them.
        const int64_t last = end + (end - begin) - 1;
        const auto x = static_cast<float>((begin + end) % width);
        input.rois.insert(input.rois.end(),
                          {0, x, static_cast<float>(begin), x + 1, static_cast<float>(last)});
        ++input.shape.rois;
      }
    }
    for (const bool channels_first : {false, true}) {
      input.channels_first = channels_first;
      ExpectMatchesReference(Kind::kNetwork, input, {1, 3});
    }
  }
}

// RoIs as in a network, so that the rings hold most bins; threads share rows of bins.
TEST_P(PsRoiPoolKernel, MatchesReferenceForAnyNumberOfThreads) {
  for (const Kind kind : {Kind::kNetwork, Kind::kLarge, Kind::kExtremes}) {
    for (const Shape& shape :
         {Shape{.images = 1, .height = 14, .width = 14, .group = 7, .dim = 8, .rois = 60},
          Shape{.images = 2, .height = 14, .width = 14, .group = 3, .dim = 21, .rois = 60},
          Shape{.images = 1, .height = 40, .width = 30, .group = 4, .dim = 33, .rois = 30},
          Shape{.images = 3, .height = 9, .width = 9, .group = 2, .dim = 3, .rois = 4},
          Shape{.images = 1, .height = 30, .width = 40, .group = 3, .dim = 20, .rois = 1}}) {
      Case input = RandomCase(kind, shape, 0.0625f, 3);
      input.channels_first = kind == Kind::kLarge;
      ExpectMatchesReference(kind, input, {1, 2, 3, 7, 64});
    }
  }
}

TEST_P(PsRoiPoolKernel, AcceptsAnyOrderOfImagesAndImagesWithoutRois) {
  constexpr int64_t kRois = 40;
  // The batch indices of the RoIs, repeated.
  const std::vector<std::vector<float>> orders = {{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {4},
                                                  {2, 2, 0},       {1, 3, 1, 1},    {0}};
  uint32_t number = 0;
  for (const std::vector<float>& images : orders) {
    for (const Kind kind : {Kind::kNetwork, Kind::kLarge}) {
      Case input = RandomCase(
          kind, {.images = 5, .height = 10, .width = 8, .group = 3, .dim = 6, .rois = kRois}, 1,
          number++);
      for (int64_t roi = 0; roi < kRois; ++roi) {
        input.rois[static_cast<size_t>(roi * kRoiNumbers)] =
            images[static_cast<size_t>(roi) % images.size()];
      }
      ForEachVariant(input, number, [&](const Case& variant) {
        ExpectMatchesReference(kind, variant, {1, 2, 7});
      });
    }
  }
}

// One image has few RoIs, whose pixels are copied; another has many, so it is packed.
TEST_P(PsRoiPoolKernel, PacksSomeImagesAndCopiesOthersInOneCall) {
  constexpr int64_t kRois = 60;
  Case input = RandomCase(
      Kind::kNetwork, {.images = 3, .height = 20, .width = 20, .group = 3, .dim = 9, .rois = kRois},
      1, 8);
  for (int64_t roi = 0; roi < kRois; ++roi) {
    input.rois[static_cast<size_t>(roi * kRoiNumbers)] = roi == 7 ? 1.0f : roi == 20 ? 0.0f : 2.0f;
  }
  ForEachVariant(input, 0, [&](const Case& variant) {
    ExpectMatchesReference(Kind::kNetwork, variant, {1, 2, 7});
  });
}

// Every number of RoIs up to well above the one from which the map is packed.
TEST_P(PsRoiPoolKernel, MatchesReferenceForAnyNumberOfRois) {
  for (const bool channels_first : {false, true}) {
    for (int64_t rois = 1; rois <= 40; ++rois) {
      Case input =
          RandomCase(Kind::kNetwork,
                     {.images = 1, .height = 12, .width = 11, .group = 3, .dim = 5, .rois = rois},
                     0.5f, static_cast<uint32_t>(rois));
      input.channels_first = channels_first;
      ExpectMatchesReference(Kind::kNetwork, input, {1, 2});
    }
  }
}

// Results that exceed the caches use streaming stores. As they take long to compute, this test runs
// on one target only.
TEST(PsRoiPoolRun, MatchesReferenceWithStreamingStores) {
  constexpr int64_t kBytesOfRoi = int64_t{3} * 3 * 37 * (sizeof(float) + sizeof(int32_t));
  const int64_t rois = LargestCachedResult() / kBytesOfRoi + 1;
  const Case input =
      RandomCase(Kind::kNetwork,
                 {.images = 1, .height = 5, .width = 6, .group = 3, .dim = 37, .rois = rois}, 1, 2);
  const auto results = static_cast<size_t>(input.results());
  const AlignedBuffer buffers[4] = {
      AlignedBuffer(results * sizeof(float)), AlignedBuffer(results * sizeof(int32_t)),
      AlignedBuffer(results * sizeof(float)), AlignedBuffer(results * sizeof(int32_t))};
  const auto args_of = [&](const AlignedBuffer& output, const AlignedBuffer& mapping) {
    return input.args(input.input.data(), static_cast<float*>(output.data()),
                      static_cast<int32_t*>(mapping.data()));
  };
  ASSERT_TRUE(RunInExactScratch(args_of(buffers[0], buffers[1]), 2).ok());
  ASSERT_TRUE(Reference(args_of(buffers[2], buffers[3])).ok());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(std::memcmp(buffers[i].data(), buffers[i + 2].data(), buffers[i].size()), 0);
  }
}

TEST_P(PsRoiPoolKernel, ScratchCanBeReused) {
  const Case first = RandomCase(
      Kind::kNetwork, {.images = 2, .height = 14, .width = 14, .group = 3, .dim = 21, .rois = 50},
      0.0625f, 1);
  const Case second = RandomCase(
      Kind::kLarge, {.images = 2, .height = 14, .width = 14, .group = 3, .dim = 21, .rois = 50},
      0.0625f, 2);
  std::vector<float> output(static_cast<size_t>(first.results()));
  std::vector<int32_t> mapping(output.size());
  Threads threads(2);
  const AlignedBuffer scratch(
      ScratchBytes(first.args(first.input.data(), output.data(), mapping.data()), 2));
  RunContext context{threads, scratch.data()};
  const Result expected[] = {RunReference(first), RunReference(second)};
  for (int i = 0; i < 6; ++i) {
    const Case& input = i % 2 == 0 ? first : second;
    ASSERT_TRUE(psroipool_forward::Run(
                    context, input.args(input.input.data(), output.data(), mapping.data()))
                    .ok());
    EXPECT_TRUE(ReadResult(input, output.data(), mapping.data()) == expected[i % 2]) << i;
  }
}

}  // namespace
}  // namespace detops::psroipool_forward
