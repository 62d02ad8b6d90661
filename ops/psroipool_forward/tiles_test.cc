// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The tiles of tiles.h, on every target, and the estimate that chooses between them.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "core/aligned_buffer.h"
#include "ops/psroipool_forward/test_cases.h"
#include "ops/psroipool_forward/tiles.h"

namespace detops::psroipool_forward {
namespace {

class PsRoiPoolTiles : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PsRoiPoolTiles);

// The arguments and scratch of tiles, with results that start as a known pattern.
class TileCall {
 public:
  // Results start `shift` floats after the start of a cache line.
  explicit TileCall(const Case& input, int64_t shift = 0)
      : input_(input),
        pixels_(input.InputInMemory()),
        output_(static_cast<size_t>(input.results() + shift) * sizeof(float)),
        mapping_(static_cast<size_t>(input.results() + shift) * sizeof(int32_t)),
        bins_(static_cast<size_t>(BinTable::Numbers(input.shape.rois, input.shape.group))),
        args_(
            input_.args(pixels_.data(), static_cast<float*>(output_.data()) + shift,
                        input.mapping ? static_cast<int32_t*>(mapping_.data()) + shift : nullptr)),
        means_(static_cast<size_t>(input.shape.group * input.shape.dim)),
        sums_(static_cast<size_t>(MaxPixelFloats(input.shape.dim))) {
    std::fill_n(args_.output, input.results(), -77.125f);
    if (args_.mapping_channel != nullptr) {
      std::fill_n(args_.mapping_channel, input.results(), -1);
    }
    FindBins(args_, 0, input.shape.rois, table());
  }

  const Args& args() const { return args_; }
  BinTable table() { return {bins_.data(), input_.shape.group}; }
  PoolBuffers buffers(bool stream) { return {means_.data(), sums_.data(), stream}; }
  Result result() const { return ReadResult(input_, args_.output, args_.mapping_channel); }

 private:
  const Case input_;
  const std::vector<float> pixels_;
  const AlignedBuffer output_;
  const AlignedBuffer mapping_;
  std::vector<int32_t> bins_;
  const Args args_;
  std::vector<float> means_;
  std::vector<double> sums_;
};

// Copies the means of a row of bins of some RoIs from another result.
void TakeMeans(const Args& args, const BinRow& bins, const std::vector<int32_t>& rois,
               const Result& from, Result& to) {
  for (const int32_t roi : rois) {
    for (int64_t column = bins.column_begin; column < bins.column_end; ++column) {
      for (int64_t d = 0; d < args.dim; ++d) {
        const auto at = static_cast<size_t>(
            ((roi * args.group + bins.row) * args.group + column) * args.dim + d);
        to.means[at] = from.means[at];
      }
    }
  }
}

TEST_P(PsRoiPoolTiles, FindBinsFollowsTheFormula) {
  constexpr int32_t kUntouched = -5;
  constexpr int64_t kCount = 30;
  uint32_t number = 0;
  for (const Kind kind : kAllKinds) {
    for (const float scale : {1.0f, 0.1f, 0.0625f, 7.0f}) {
      for (const int64_t group : {1, 3, 7, 8, 9, 17}) {
        for (const RoiRounding rounding : kRoundings) {
          Case input = RandomCase(
              kind,
              {.images = 1, .height = 13, .width = 10, .group = group, .dim = 1, .rois = kCount},
              scale, number++);
          input.rounding = rounding;
          std::vector<int32_t> memory(static_cast<size_t>(BinTable::Numbers(kCount, group)),
                                      kUntouched);
          const BinTable table(memory.data(), group);
          FindBins(input.args(nullptr, nullptr, nullptr), 2, kCount - 1, table);
          EXPECT_EQ(*table.row_begins(1), kUntouched);
          EXPECT_EQ(*table.row_begins(kCount - 1), kUntouched);
          for (int64_t roi = 2; roi < kCount - 1; ++roi) {
            const std::vector<Rectangle> bins = BinsOf(input, roi);
            for (int64_t p = 0; p < group; ++p) {
              const Rectangle& bin = bins[static_cast<size_t>(p * group + p)];
              const Rectangle found{table.row_begins(roi)[p], table.row_ends(roi)[p],
                                    table.column_begins(roi)[p], table.column_ends(roi)[p]};
              ASSERT_TRUE(found == bin)
                  << NameOf(kind) << ": " << input.ToString() << ", roi " << roi << ", bin " << p;
            }
          }
        }
      }
    }
  }
}

// A packed pixel has one vector after the other, of which the last one holds the last channels.
// Nothing is written between the bins.
TEST_P(PsRoiPoolTiles, PackPixelsMakesChannelsAdjacent) {
  constexpr int64_t kGap = 3;
  constexpr float kUntouched = -77.125f;
  uint32_t number = 0;
  for (const int64_t dim : kDims) {
    for (const int64_t group : {1, 2, 5, 7}) {
      Case input = RandomCase(
          Kind::kNetwork,
          {.images = 2, .height = 3, .width = 9, .group = group, .dim = dim, .rois = 1}, 1, number);
      input.channels_first = number++ % 2 != 0;
      const TileCall call(input);
      const Args& args = call.args();
      const Packing packing = PackingOf(dim);
      ASSERT_GE(packing.floats(), dim);
      ASSERT_LE(packing.floats(), MaxPixelFloats(dim));
      for (const BinRow& bins :
           {BinRow{1, 0, 0, group}, BinRow{0, group - 1, group / 2, group},
            BinRow{1, group - 1, 0, (group + 1) / 2}, BinRow{0, group / 2, group - 1, group}}) {
        for (const auto& [begin, end] : {std::pair(0, 9), std::pair(0, 1), std::pair(2, 7),
                                         std::pair(8, 9), std::pair(4, 6), std::pair(3, 3)}) {
          const int64_t bin_floats = (end - begin) * packing.floats() + kGap;
          std::vector<float> packed(static_cast<size_t>(bins.columns() * bin_floats), kUntouched);
          PackPixels(args, bins, 2, begin, end, packed.data(), bin_floats);
          for (int64_t i = 0; i < static_cast<int64_t>(packed.size()); ++i) {
            const int64_t pixel = i % bin_floats / packing.floats();
            const int64_t vector = i % bin_floats % packing.floats() / packing.lanes;
            const int64_t lane = i % bin_floats % packing.floats() % packing.lanes;
            const int64_t d = std::min(vector * packing.lanes, dim - packing.lanes) + lane;
            const int64_t channel = args.ChannelOf(bins.row, bins.column_begin + i / bin_floats, d);
            ASSERT_EQ(packed[static_cast<size_t>(i)],
                      pixel < end - begin
                          ? args.input[args.InputOffset(bins.image, 2, begin + pixel, channel)]
                          : kUntouched)
                << input.ToString() << ", columns " << begin << " to " << end << ", float " << i;
          }
        }
      }
    }
  }
}

// Pools some bins of some RoIs, from a ring that holds all rows and from the input, with streaming
// stores where possible. No other means are written.
TEST_P(PsRoiPoolTiles, PoolWritesOnlyItsBins) {
  const std::vector<int32_t> rois = {4, 1, 6, 2};
  uint32_t number = 0;
  for (const int64_t dim : kDims) {
    ForEachVariant(
        RandomCase(Kind::kLarge,
                   {.images = 1, .height = 8, .width = 9, .group = 4, .dim = dim, .rois = 8}, 1,
                   number++),
        0, [&](Case input) {
          input.mapping = false;
          const Result expected = RunReference(input);
          for (const BinRow& bins : {BinRow{0, 1, 0, 4}, BinRow{0, 3, 1, 3}, BinRow{0, 0, 3, 4}}) {
            for (const bool from_ring : {false, true}) {
              for (const bool stream : {false, true}) {
                if (stream && input.channels_first) {
                  continue;  // means of channels-first results are never streamed
                }
                TileCall call(input, number % 17);
                const Args& args = call.args();
                Result wanted = call.result();
                TakeMeans(args, bins, rois, expected, wanted);
                const auto count = static_cast<int64_t>(rois.size());
                if (from_ring) {
                  const int64_t bin_floats = args.width * PackingOf(dim).floats();
                  std::vector<float> ring(
                      static_cast<size_t>(args.height * bins.columns() * bin_floats));
                  for (int64_t y = 0; y < args.height; ++y) {
                    PackPixels(args, bins, y, 0, args.width,
                               ring.data() + y * bins.columns() * bin_floats, bin_floats);
                  }
                  PoolFromRing(args, call.table(), bins, {ring.data(), args.height}, rois.data(),
                               count, call.buffers(stream));
                } else {
                  std::vector<float> room(
                      static_cast<size_t>(CopiedPixels(args) * MaxPixelFloats(dim)));
                  PoolFromInput(args, call.table(), bins, rois.data(), count, room.data(),
                                call.buffers(stream));
                }
                ASSERT_TRUE(call.result() == wanted)
                    << input.ToString() << (from_ring ? ", from a ring" : "")
                    << (stream ? ", streamed" : "");
              }
            }
          }
        });
  }
}

// The ring has exactly the rows of a bin, which may start in any row of the ring.
TEST_P(PsRoiPoolTiles, PoolFromRingAcceptsTheSmallestRing) {
  for (const int64_t dim : {1, 5, 8, 24, 40}) {
    const Case input = RandomCase(
        Kind::kLarge, {.images = 1, .height = 17, .width = 5, .group = 3, .dim = dim, .rois = 20},
        1, 9);
    const Result expected = RunReference(input);
    TileCall call(input);
    const Args& args = call.args();
    const int64_t bin_floats = args.width * PackingOf(dim).floats();
    Result wanted = call.result();
    for (int32_t roi = 0; roi < args.roi_count; ++roi) {
      for (int64_t row = 0; row < args.group; ++row) {
        const BinRow bins{0, row, 0, args.group};
        const int64_t begin = call.table().row_begins(roi)[row];
        const int64_t end = call.table().row_ends(roi)[row];
        const int64_t rows = std::max<int64_t>(end - begin, 1);
        std::vector<float> ring(static_cast<size_t>(rows * bins.columns() * bin_floats));
        for (int64_t y = begin; y < end; ++y) {
          PackPixels(args, bins, y, 0, args.width,
                     ring.data() + y % rows * bins.columns() * bin_floats, bin_floats);
        }
        PoolFromRing(args, call.table(), bins, {ring.data(), rows}, &roi, 1, call.buffers(false));
        TakeMeans(args, bins, {roi}, expected, wanted);
      }
    }
    EXPECT_EQ(call.result().means, wanted.means) << input.ToString();
    EXPECT_EQ(call.result().means, expected.means);
  }
}

// Packing the map pays for many RoIs, if the channels of a bin are not adjacent already and are
// enough for a vector.
TEST(PsRoiPoolCost, MapsArePackedForManyRois) {
  const auto packs = [](const Shape& shape, bool channels_first = false) {
    Case input = RandomCase(Kind::kNetwork, shape, 1, 3);
    input.channels_first = channels_first;
    TileCall call(input);
    std::vector<int32_t> rois(static_cast<size_t>(shape.rois));
    std::iota(rois.begin(), rois.end(), 0);
    return ShouldPack(call.args(), call.table(), rois.data(), shape.rois, 2);
  };
  for (const bool channels_first : {false, true}) {
    EXPECT_FALSE(packs({.images = 1, .height = 38, .width = 63, .group = 7, .dim = 8, .rois = 1},
                       channels_first));
    EXPECT_FALSE(packs({.images = 1, .height = 38, .width = 63, .group = 7, .dim = 8, .rois = 20},
                       channels_first));
    EXPECT_TRUE(packs({.images = 1, .height = 38, .width = 63, .group = 7, .dim = 8, .rois = 1000},
                      channels_first));
    EXPECT_FALSE(packs({.images = 1, .height = 38, .width = 63, .group = 7, .dim = 3, .rois = 1000},
                       channels_first));
    EXPECT_TRUE(packs({.images = 1, .height = 14, .width = 14, .group = 7, .dim = 8, .rois = 320},
                      channels_first));
    EXPECT_FALSE(packs({.images = 1, .height = 38, .width = 63, .group = 1, .dim = 8, .rois = 1},
                       channels_first));
  }
  EXPECT_FALSE(packs({.images = 1, .height = 38, .width = 63, .group = 1, .dim = 8, .rois = 1000}));
  EXPECT_TRUE(
      packs({.images = 1, .height = 38, .width = 63, .group = 1, .dim = 8, .rois = 1000}, true));
}

TEST_P(PsRoiPoolTiles, WriteChannelsWritesOnlyItsRois) {
  for (const int64_t dim : {1, 4, 7, 16, 33}) {
    for (const bool stream : {false, true}) {
      for (const int64_t shift : {0, 1, 15}) {
        const Case input = RandomCase(
            Kind::kNetwork,
            {.images = 1, .height = 2, .width = 2, .group = 3, .dim = dim, .rois = 7}, 1, 9);
        TileCall call(input, shift);
        std::vector<int32_t> channels(static_cast<size_t>(input.channels()));
        for (size_t i = 0; i < channels.size(); ++i) {
          channels[i] = static_cast<int32_t>(3 * i + 1);
        }
        Result wanted = call.result();
        const std::vector<int32_t> rois = {5, 2, 3};
        for (const int32_t roi : rois) {
          std::copy(channels.begin(), channels.end(),
                    wanted.channels.begin() + roi * input.channels());
        }
        WriteChannels(call.args(), channels.data(), rois.data(), 3, stream);
        WriteChannels(call.args(), channels.data(), rois.data(), 0, stream);
        EXPECT_TRUE(call.result() == wanted) << input.ToString() << (stream ? ", streamed" : "");
      }
    }
  }
}

}  // namespace
}  // namespace detops::psroipool_forward
