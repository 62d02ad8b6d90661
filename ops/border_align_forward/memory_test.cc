// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The memory that a call reads, writes and uses as scratch.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/aligned_buffer.h"
#include "core/half.h"
#include "ops/border_align_forward/test_calls.h"
#include "ops/border_align_forward/tiles.h"

namespace detops::border_align_forward {
namespace {

constexpr size_t kLine = 64;

// Memory for a result that can start at any offset in a cache line.
class ShiftedResult {
 public:
  explicit ShiftedResult(size_t bytes) : bytes_(bytes), buffer_(bytes + 2 * kLine) {}

  // Fills the memory and returns the start of the result.
  std::byte* Place(size_t shift) {
    std::fill(begin(), end(), kUntouched);
    result_ = begin() + shift;
    return result_;
  }
  // Returns whether all bytes around the result are still untouched.
  bool IsUntouchedAround() const {
    const auto is_untouched = [](std::byte byte) { return byte == kUntouched; };
    return std::all_of(begin(), result_, is_untouched) &&
           std::all_of(result_ + bytes_, end(), is_untouched);
  }

 private:
  static constexpr std::byte kUntouched{0x5A};

  std::byte* begin() const { return static_cast<std::byte*>(buffer_.data()); }
  std::byte* end() const { return begin() + buffer_.size(); }

  size_t bytes_;
  AlignedBuffer buffer_;
  std::byte* result_ = nullptr;
};

class BorderAlignMemory : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(BorderAlignMemory);

// Streaming stores require whole cache lines, so results are tried at every offset in a line.
TEST_P(BorderAlignMemory, ResultsMayStartAnywhere) {
  for (const int64_t channels : {16, 24, 64, 80}) {
    Case input = RandomCase(Kind::kNetwork, MakeShape({1, 4, 5, channels}, 3, 3), 1);
    for (const bool half : {false, true}) {
      input.half = half;
      const Problem problem(input);
      ShiftedResult output(static_cast<size_t>(problem.output_bytes()));
      ShiftedResult argmax(static_cast<size_t>(input.results()) * sizeof(int32_t));
      const Result expected = RunReference(input);
      for (size_t shift = 0; shift < kLine; shift += half ? sizeof(Half) : sizeof(float)) {
        for (const size_t argmax_shift : {size_t{0}, shift / 4 * 4, kLine - 4}) {
          const Args args = problem.args(output.Place(shift),
                                         reinterpret_cast<int32_t*>(argmax.Place(argmax_shift)));
          RunOnOneThread(args);
          ASSERT_TRUE(ReadResult(input, args.output, args.argmax_idx) == expected)
              << input.ToString() << ", output at " << shift << ", argmax_idx at " << argmax_shift;
          ASSERT_TRUE(output.IsUntouchedAround()) << input.ToString() << ", output at " << shift;
          ASSERT_TRUE(argmax.IsUntouchedAround())
              << input.ToString() << ", argmax_idx at " << argmax_shift;
        }
      }
    }
  }
}

// All tensors end at an inaccessible page, which makes them start at many different alignments. A
// box is as large as a vector of four floats: with odd channel counts the boxes end one element
// before the page, so that they are not aligned to it.
TEST_P(BorderAlignMemory, AccessesOnlyItsTensors) {
  constexpr int64_t kTwoVectors = 33;
  std::vector<int64_t> all_channels(std::begin(kChannelCounts), std::end(kChannelCounts));
  for (int64_t channels = 1; channels <= kTwoVectors; ++channels) {
    all_channels.push_back(channels);
  }
  for (const int64_t channels : all_channels) {
    for (const Shape& shape :
         {MakeShape({1, 3, 3, channels}, 2, 3), MakeShape({1, 3, 3, channels}, 5, 3),
          MakeShape({1, 6, 7, channels}, 1, 3)}) {
      ForEachVariant(
          RandomCase(Kind::kEdges, shape, static_cast<uint32_t>(channels)), [&](const Case& input) {
            const Problem problem(input);
            const GuardedBuffer pixels(problem.input().size());
            const size_t slack = channels % 2 == 0 ? 0 : input.half ? sizeof(Half) : sizeof(float);
            const GuardedBuffer boxes(problem.boxes().size(), slack);
            const GuardedBuffer output(static_cast<size_t>(problem.output_bytes()));
            const GuardedBuffer argmax(static_cast<size_t>(input.results()) * sizeof(int32_t));
            std::memcpy(pixels.data(), problem.input().data(), pixels.size());
            std::memcpy(boxes.data(), problem.boxes().data(), boxes.size());
            const Args args =
                input.args(pixels.data(), boxes.data(), output.data(),
                           input.argmax ? reinterpret_cast<int32_t*>(argmax.data()) : nullptr);
            RunOnOneThread(args);
            ASSERT_TRUE(ReadResult(input, output.data(), args.argmax_idx) == RunReference(input))
                << input.ToString();
          });
    }
  }
}

// A map that only a few boxes touch is not packed; a map that many boxes share is. The order of the
// boxes takes scratch memory as well, but little for so few boxes.
TEST(BorderAlignScratch, HasPlanesForMapsThatManyBoxesShare) {
  constexpr size_t kBoxOrderBytes = 256;
  const auto scratch_of = [](const Shape& shape) {
    Case input;
    input.shape = shape;
    return ScratchBytes(input.args(nullptr, nullptr, nullptr, nullptr), 2);
  };
  EXPECT_LT(scratch_of(MakeShape({1, 1000, 1000, 64}, 3, 10)), kBoxOrderBytes);
  EXPECT_LT(scratch_of(MakeShape({1, 7, 9, 64}, 1, 4)), kBoxOrderBytes);
  EXPECT_GT(scratch_of(MakeShape({2, 25, 38, 256}, 950, 10)), sizeof(float) * 25 * 38 * 256);
  EXPECT_GT(scratch_of(MakeShape({2, 3, 5, 17}, 3, 5)), sizeof(float) * 3 * 5 * 17);
  EXPECT_EQ(scratch_of(MakeShape({2, 3, 5, 1}, 3, 5)), 0) << "few channels are read in place";
}

// README.md: a plane of at most 1 MB, or of 16 channels, and two integers per box, for each thread.
TEST(BorderAlignScratch, IsAPlaneAndTwoIntegersPerBox) {
  for (const Shape& shape :
       {MakeShape({2, 25, 38, 256}, 950, 10), MakeShape({1, 50, 68, 256}, 3000, 10),
        MakeShape({1, 200, 304, 64}, 20'000, 10), MakeShape({1, 800, 1200, 16}, 100'000, 10),
        MakeShape({4, 7, 9, 1024}, 500, 10)}) {
    Case input;
    input.shape = shape;
    const Args args = input.args(nullptr, nullptr, nullptr, nullptr);
    const auto plane = static_cast<size_t>(PlaneFloats(args, kChannelUnit)) * sizeof(float);
    const auto lists = static_cast<size_t>(2 * shape.boxes_per_image) * sizeof(int32_t);
    const auto lines = static_cast<size_t>(std::max(shape.height, shape.width)) * sizeof(int32_t);
    for (const size_t threads : {1, 7}) {
      EXPECT_LE(ScratchBytes(args, static_cast<int>(threads)),
                threads * (std::max(plane, size_t{1} << 20) + lists + lines + 4 * kAlignment))
          << input.ToString();
    }
  }
}

}  // namespace
}  // namespace detops::border_align_forward
