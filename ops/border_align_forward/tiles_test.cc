// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The kernels of tiles.h on their own, on every target.

#include "ops/border_align_forward/tiles.h"

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <cstring>
#include <vector>

#include "core/aligned_buffer.h"
#include "ops/border_align_forward/test_calls.h"

namespace detops::border_align_forward {
namespace {

class BorderAlignTiles : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(BorderAlignTiles);

TEST_P(BorderAlignTiles, PlanesHoldTheBlocksChannelsAndZeros) {
  for (const int64_t channels : {1, 5, 16, 33, 64}) {
    Case input = RandomCase(Kind::kIntegers, MakeShape({2, 9, 11, channels + 20}, 1, 1), 3);
    for (const bool channels_first : {false, true}) {
      for (const bool half : {false, true}) {
        input.channels_first = channels_first;
        input.half = half;
        const Problem problem(input);
        const Args args = problem.args(nullptr, nullptr);
        const ChannelBlock block{1, 2, 16, channels};
        const int64_t padded = block.padded_channels();
        std::vector<float> plane(static_cast<size_t>(PlaneFloats(args, padded)), -7.0f);
        PackPlane(args, block, plane.data());
        for (int64_t pixel = 0; pixel <= args.pixels(); ++pixel) {
          for (int64_t c = 0; c < padded; ++c) {
            const bool is_input = pixel < args.pixels() && c < channels;
            ASSERT_EQ(plane[static_cast<size_t>(pixel * padded + c)],
                      is_input ? InputAt(input, 1, pixel, 2, 16 + c) : 0)
                << input.ToString() << ", pixel " << pixel << ", channel " << c;
          }
        }
      }
    }
  }
}

// Runs AlignBoxes and checks that exactly the results of these boxes and channels were written.
void ExpectWritesOnly(const Case& input, const ChannelBlock& block,
                      const std::vector<int32_t>& box_ids, bool packed, bool stream) {
  const Problem problem(input);
  const auto results = static_cast<size_t>(input.results());
  const AlignedBuffer output(results * sizeof(float));
  const AlignedBuffer argmax(results * sizeof(int32_t));
  std::memset(output.data(), 0x5A, output.size());
  std::memset(argmax.data(), 0x5A, argmax.size());
  const Args args =
      problem.args(output.data(), input.argmax ? static_cast<int32_t*>(argmax.data()) : nullptr);
  const Result untouched = ReadResult(input, output.data(), args.argmax_idx);
  const AlignedBuffer plane(static_cast<size_t>(PlaneFloats(args, block.padded_channels())) *
                            sizeof(float));
  if (packed) {
    PackPlane(args, block, static_cast<float*>(plane.data()));
  }
  AlignBoxes(args, block, packed ? static_cast<float*>(plane.data()) : nullptr, box_ids.data(),
             static_cast<int64_t>(box_ids.size()), stream);
  const Result reference = RunReference(input);
  const Shape& shape = input.shape;
  Result expected = untouched;
  for (const int32_t box : box_ids) {
    for (int64_t c = block.first_channel; c < block.first_channel + block.channels; ++c) {
      const auto at = static_cast<size_t>(
          ((block.image * shape.boxes_per_image + box) * kBorders + block.border) * shape.channels +
          c);
      expected.values[at] = reference.values[at];
      expected.samples[at] = reference.samples[at];
    }
  }
  ASSERT_TRUE(ReadResult(input, output.data(), args.argmax_idx) == expected)
      << input.ToString() << (packed ? ", packed" : "") << (stream ? ", streamed" : "");
}

TEST_P(BorderAlignTiles, WriteOnlyTheResultsOfTheirBoxes) {
  const ChannelBlock block{1, 3, 16, 48};
  // More than are processed together.
  const std::vector<int32_t> box_ids = {4, 1, 6, 2, 5, 8, 11, 9, 13, 10};
  // Samples of one round and of two.
  for (const int32_t pool_size : {31, 33}) {
    ForEachVariant(RandomCase(Kind::kExtremes, MakeShape({2, 6, 5, 80}, 14, pool_size), 5),
                   [&](const Case& input) {
                     for (const bool packed : {false, true}) {
                       ExpectWritesOnly(input, block, box_ids, packed, false);
                       if (!input.half && !input.channels_first) {
                         ExpectWritesOnly(input, block, box_ids, packed, true);
                       }
                     }
                   });
  }
}

// Returns the case's results with those of the image's boxes [begin, end) replaced.
Result WithResultsOf(Result results, const Result& other, const Shape& shape, int64_t image,
                     int64_t begin, int64_t end) {
  const int64_t results_per_box = kBorders * shape.channels;
  for (int64_t i = begin * results_per_box; i < end * results_per_box; ++i) {
    const auto at = static_cast<size_t>(image * shape.boxes_per_image * results_per_box + i);
    results.values[at] = other.values[at];
    results.samples[at] = other.samples[at];
  }
  return results;
}

TEST_P(BorderAlignTiles, FewChannelsWriteOnlyTheResultsOfTheirBoxes) {
  for (int64_t channels = 1; channels <= kMaxFewChannels; ++channels) {
    const Shape shape = MakeShape({3, 6, 5, channels}, 8, 33);
    ForEachVariant(RandomCase(Kind::kExtremes, shape, 5), [&](const Case& input) {
      const Problem problem(input);
      const AlignedBuffer output(static_cast<size_t>(problem.output_bytes()));
      const AlignedBuffer argmax(static_cast<size_t>(input.results()) * sizeof(int32_t));
      std::memset(output.data(), 0x5A, output.size());
      std::memset(argmax.data(), 0x5A, argmax.size());
      const Args args = problem.args(output.data(),
                                     input.argmax ? static_cast<int32_t*>(argmax.data()) : nullptr);
      const Result untouched = ReadResult(input, output.data(), args.argmax_idx);
      AlignFewChannels(args, 1, 1, 7);
      ASSERT_TRUE(ReadResult(input, output.data(), args.argmax_idx) ==
                  WithResultsOf(untouched, RunReference(input), shape, 1, 1, 7))
          << input.ToString();
    });
  }
}

}  // namespace
}  // namespace detops::border_align_forward
