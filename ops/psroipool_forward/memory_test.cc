// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Run neither reads nor writes outside its tensors and its scratch, and the scratch is small.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

#include "core/aligned_buffer.h"
#include "core/math.h"
#include "ops/psroipool_forward/test_cases.h"
#include "testing/guarded_buffer.h"

namespace detops::psroipool_forward {
namespace {

class PsRoiPoolMemory : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PsRoiPoolMemory);

// A tensor next to an unmapped page, either after its last byte or before its first one.
class GuardedTensor {
 public:
  GuardedTensor(size_t bytes, bool at_end) : buffer_(at_end ? bytes : WholePages(bytes)) {}

  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(buffer_.data());
  }

 private:
  static size_t WholePages(size_t bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return RoundUp(bytes, page);
  }

  GuardedBuffer buffer_;
};

void ExpectStaysInsideTensors(const Case& input, bool at_end, int threads) {
  const std::vector<float> memory = input.InputInMemory();
  const auto results = static_cast<size_t>(input.results());
  const GuardedTensor pixels(memory.size() * sizeof(float), at_end);
  const GuardedTensor rois(input.rois.size() * sizeof(float), at_end);
  const GuardedTensor output(results * sizeof(float), at_end);
  const GuardedTensor mapping(results * sizeof(int32_t), at_end);
  std::copy(memory.begin(), memory.end(), pixels.as<float>());
  std::copy(input.rois.begin(), input.rois.end(), rois.as<float>());
  Args args = input.args(pixels.as<float>(), output.as<float>(),
                         input.mapping ? mapping.as<int32_t>() : nullptr);
  args.rois = rois.as<float>();
  ASSERT_TRUE(RunInExactScratch(args, threads).ok());
  EXPECT_TRUE(ReadResult(input, args.output, args.mapping_channel) == RunReference(input))
      << input.ToString() << (at_end ? ", at the end of a page" : ", at the start of a page");
}

TEST_P(PsRoiPoolMemory, StaysInsideItsTensors) {
  constexpr int64_t kTwoVectors = 33;
  uint32_t number = 0;
  std::vector<int64_t> dims(std::begin(kDims), std::end(kDims));
  for (int64_t dim = 1; dim <= kTwoVectors; ++dim) {
    dims.push_back(dim);
  }
  for (const int64_t dim : dims) {
    for (const int64_t group : {1, 2, 3, 4, 7}) {
      for (const int64_t rois : {1, 20}) {
        // Between none and more than a window of columns before and after the bins.
        const Shape shape{.images = 1,
                          .height = 3,
                          .width = 1 + number % 7,
                          .group = group,
                          .dim = dim,
                          .rois = rois};
        const Kind kind = kAllKinds[number % std::size(kAllKinds)];
        Case input = RandomCase(kind, shape, 1, number);
        input.channels_first = number / 2 % 2 != 0;
        input.rounding = kRoundings[number / 4 % 2];
        input.mapping = number % 3 != 0;
        const int threads = number % 5 == 0 ? 3 : 1;
        ++number;
        for (const bool at_end : {false, true}) {
          ExpectStaysInsideTensors(input, at_end, threads);
        }
      }
    }
  }
}

// Scratch has the size that ScratchBytes returns, for few and many threads. In the last map, the
// number of rows that are packed at once does not divide the height; no row after it may be read.
TEST_P(PsRoiPoolMemory, StaysInsideItsScratch) {
  for (const Shape& shape :
       {Shape{.images = 1, .height = 1, .width = 1, .group = 1, .dim = 1, .rois = 1},
        Shape{.images = 2, .height = 30, .width = 41, .group = 3, .dim = 40, .rois = 12},
        Shape{.images = 1, .height = 14, .width = 14, .group = 7, .dim = 8, .rois = 40},
        Shape{.images = 3, .height = 20, .width = 3, .group = 5, .dim = 17, .rois = 30},
        Shape{.images = 1, .height = 23, .width = 40, .group = 2, .dim = 130, .rois = 50}}) {
    for (const int threads : {1, 2, 7, 30}) {
      for (const Kind kind : {Kind::kNetwork, Kind::kLarge}) {
        ExpectStaysInsideTensors(RandomCase(kind, shape, 0.1f, 4), true, threads);
      }
    }
  }
}

// Results may start anywhere in a cache line. Memory before and after them stays unchanged.
TEST_P(PsRoiPoolMemory, WritesToAnyAlignment) {
  constexpr std::byte kUntouched{0x5A};
  constexpr size_t kLine = 64;
  const auto is_untouched = [](std::byte byte) { return byte == kUntouched; };
  for (const Shape& shape :
       {Shape{.images = 1, .height = 4, .width = 5, .group = 1, .dim = 16, .rois = 5},
        Shape{.images = 1, .height = 4, .width = 5, .group = 3, .dim = 5, .rois = 20}}) {
    for (const bool channels_first : {false, true}) {
      Case input = RandomCase(Kind::kNetwork, shape, 1, 1);
      input.channels_first = channels_first;
      const std::vector<float> memory = input.InputInMemory();
      const Result expected = RunReference(input);
      const size_t bytes = static_cast<size_t>(input.results()) * sizeof(float);
      const AlignedBuffer output(bytes + 2 * kLine);
      const AlignedBuffer mapping(bytes + 2 * kLine);
      for (size_t shift = 0; shift < kLine; shift += sizeof(float)) {
        std::byte* const starts[] = {static_cast<std::byte*>(output.data()) + shift,
                                     static_cast<std::byte*>(mapping.data()) + kLine - shift};
        std::memset(output.data(), static_cast<int>(kUntouched), output.size());
        std::memset(mapping.data(), static_cast<int>(kUntouched), mapping.size());
        const Args args = input.args(memory.data(), reinterpret_cast<float*>(starts[0]),
                                     reinterpret_cast<int32_t*>(starts[1]));
        ASSERT_TRUE(RunInExactScratch(args, 1).ok());
        ASSERT_TRUE(ReadResult(input, args.output, args.mapping_channel) == expected)
            << input.ToString() << ", shift " << shift;
        const AlignedBuffer* const buffers[] = {&output, &mapping};
        for (int i = 0; i < 2; ++i) {
          auto* const begin = static_cast<std::byte*>(buffers[i]->data());
          ASSERT_TRUE(std::all_of(begin, starts[i], is_untouched));
          ASSERT_TRUE(std::all_of(starts[i] + bytes, begin + buffers[i]->size(), is_untouched));
        }
      }
    }
  }
}

TEST(PsRoiPoolScratch, IsSmallComparedWithTheTensors) {
  const auto scratch_of = [](const Shape& shape, int threads) {
    Case input;
    input.shape = shape;
    return ScratchBytes(input.args(nullptr, nullptr, nullptr), threads);
  };
  // Nothing is packed if a bin has too few channels for a vector, or has all of them.
  EXPECT_LT(
      scratch_of({.images = 1, .height = 800, .width = 1200, .group = 1, .dim = 3, .rois = 10},
                 1024),
      size_t{1} << 20);
  EXPECT_LT(
      scratch_of({.images = 1, .height = 800, .width = 1200, .group = 1, .dim = 256, .rois = 10},
                 1024),
      size_t{1} << 20);
  EXPECT_LT(
      scratch_of({.images = 1, .height = 40000, .width = 5000, .group = 1, .dim = 1, .rois = 1}, 2),
      size_t{1} << 20);
  // For large maps, no more than what the bins of RoIs inside the map need.
  const auto input_bytes = size_t{800} * 1200 * 49 * 21 * sizeof(float);
  EXPECT_LT(scratch_of(
                {.images = 1, .height = 800, .width = 1200, .group = 7, .dim = 21, .rois = 300}, 2),
            input_bytes / 4);
}

// The numbers of README.md: bytes per RoI, and the rings of packed rows.
TEST(PsRoiPoolScratch, HasTheDocumentedSize) {
  const auto scratch_of = [](const Shape& shape, int threads) {
    Case input;
    input.shape = shape;
    return static_cast<double>(ScratchBytes(input.args(nullptr, nullptr, nullptr), threads));
  };
  constexpr double kMillion = 1e6;
  for (const int64_t group : {1, 7, 8}) {
    const Shape shape{
        .images = 1, .height = 9, .width = 9, .group = group, .dim = 2, .rois = 1'000'000};
    EXPECT_NEAR(scratch_of(shape, 2) / kMillion, 136, 1) << group;
  }
  for (const int threads : {1, 2}) {
    const Shape network{
        .images = 1, .height = 100, .width = 150, .group = 7, .dim = 96, .rois = 10};
    EXPECT_NEAR(scratch_of(network, threads), 0x1p26, 0x1p26 / 10) << threads;
    const Shape large{.images = 1, .height = 800, .width = 1200, .group = 7, .dim = 32, .rois = 10};
    const double input_bytes = 800.0 * 1200 * 49 * 32 * 4;
    EXPECT_NEAR(scratch_of(large, threads), input_bytes / 7, input_bytes / 7 / 10) << threads;
  }
}

}  // namespace
}  // namespace detops::psroipool_forward
