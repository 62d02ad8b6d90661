// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/aligned_buffer.h"
#include "core/cache.h"
#include "detops/detops.hpp"
#include "ops/psroipool_forward/cases.h"
#include "testing/diff.h"
#include "testing/gate.h"
#include "testing/guarded_buffer.h"
#include "testing/log_capture.h"
#include "testing/random_floats.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace detops::psroipool_forward {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

constexpr RoiRounding kRoundings[] = {RoiRounding::kBeforeScaling, RoiRounding::kAfterScaling};

// Around every vector width and every number of vectors that go together.
constexpr int64_t kDims[] = {1,  2,  3,  4,  5,  7,  8,  9,  12, 15,  16,  17,
                             21, 24, 31, 33, 49, 64, 81, 96, 97, 104, 130, 200};

// Calls check(case) with both layouts and both rules of rounding. The channels are left out in half
// of them, and in the other half for the next case.
template <class Check>
void ForEachVariant(Case input, uint32_t number, const Check& check) {
  for (const bool channels_first : {false, true}) {
    for (const RoiRounding rounding : kRoundings) {
      input.channels_first = channels_first;
      input.rounding = rounding;
      input.mapping = number++ % 2 == 0;
      check(input);
    }
    ++number;
  }
}

void ExpectReferencesBits(Kind kind, const Case& input, std::initializer_list<int> threads = {1}) {
  const Result expected = RunReference(input);
  EXPECT_TRUE(expected.status.ok());
  for (const int count : threads) {
    EXPECT_TRUE(RunOn(count, input) == expected)
        << NameOf(kind) << ": " << input.ToString() << ", threads " << count;
  }
}

// Its scratch ends at an unmapped page.
Status RunInExactScratch(const Args& args, int threads) {
  const GuardedBuffer scratch(ScratchBytes(args, threads));
  Threads limit(threads);
  RunContext context{limit, scratch.data()};
  return Run(context, args);
}

// ---- Run against the reference, on every target -------------------------------------------------

class PsRoiPoolKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PsRoiPoolKernel);

TEST_P(PsRoiPoolKernel, HasTheReferencesBitsForAnyNumberOfChannels) {
  uint32_t number = 0;
  for (const Kind kind : kAllKinds) {
    for (const int64_t dim : kDims) {
      // Few rois, whose pixels are copied, and many, for which the map is packed.
      for (const int64_t rois : {2, 30}) {
        const Case input = RandomCase(kind, {1, 7, 6, 2, dim, rois}, 0.1f, number);
        ForEachVariant(input, number++, [&](const Case& variant) {
          ExpectReferencesBits(kind, variant, {1, 2});
        });
      }
    }
  }
}

TEST_P(PsRoiPoolKernel, HasTheReferencesBitsForAnyNumberOfBins) {
  uint32_t number = 0;
  for (const Kind kind : kAllKinds) {
    for (const int64_t group : {1, 2, 3, 4, 5, 7, 8, 9, 11, 16, 17}) {
      for (const int64_t dim : {1, 4, 9}) {
        for (const int64_t rois : {1, 25}) {
          const Case input = RandomCase(kind, {1, 8, 9, group, dim, rois}, 0.25f, number);
          // Another variant for each, and all of them for every group.
          const uint32_t variant = number++ % 4;
          uint32_t at = 0;
          ForEachVariant(input, number, [&](const Case& one) {
            if (at++ == variant) {
              ExpectReferencesBits(kind, one, {1, 7});
            }
          });
        }
      }
    }
  }
}

// Maps without a second row or column; maps that go through the ring as a whole, and such that go
// through it in steps of several rows and of one, with bins that are higher than it.
TEST_P(PsRoiPoolKernel, HasTheReferencesBitsOnAnyMap) {
  constexpr Shape kShapes[] = {
      {2, 1, 1, 3, 5, 4},     {1, 1, 1, 1, 1, 60},     {1, 1, 37, 2, 9, 3},  {1, 1, 37, 2, 9, 50},
      {1, 37, 1, 2, 9, 3},    {1, 37, 1, 2, 9, 50},    {1, 2, 2, 7, 4, 9},   {1, 3, 3, 4, 8, 40},
      {1, 2, 5, 2, 16, 40},   {1, 80, 5, 3, 4, 60},    {1, 23, 41, 1, 3, 9}, {1, 70, 40, 2, 40, 12},
      {1, 79, 50, 3, 17, 20}, {1, 18, 120, 2, 130, 9},
  };
  uint32_t number = 0;
  for (const Kind kind : kAllKinds) {
    for (const Shape& shape : kShapes) {
      // A shape in another variant with each kind.
      Case input = RandomCase(kind, shape, number % 3 == 0 ? 1.0f : 0.1f, number);
      input.channels_first = (number / 2 + static_cast<uint32_t>(kind)) % 2 != 0;
      input.rounding = kRoundings[(number + static_cast<uint32_t>(kind)) % 2];
      ++number;
      ExpectReferencesBits(kind, input, {1, 2});
    }
  }
}

// A network's rois, so that the rings hold most bins, with threads that share rows of bins.
TEST_P(PsRoiPoolKernel, BitsDoNotDependOnThreads) {
  for (const Kind kind : {Kind::kNetwork, Kind::kLarge, Kind::kExtremes}) {
    for (const Shape& shape :
         {Shape{1, 14, 14, 7, 8, 60}, Shape{2, 14, 14, 3, 21, 60}, Shape{1, 40, 30, 4, 33, 30},
          Shape{3, 9, 9, 2, 3, 4}, Shape{1, 30, 40, 3, 20, 1}}) {
      Case input = RandomCase(kind, shape, 0.0625f, 3);
      input.channels_first = kind == Kind::kLarge;
      ExpectReferencesBits(kind, input, {1, 2, 3, 7, 64});
    }
  }
}

TEST_P(PsRoiPoolKernel, RoisComeInAnyOrderOfImagesAndImagesMayHaveNone) {
  constexpr int64_t kRois = 40;
  // The images of the rois, over and over.
  const std::vector<std::vector<float>> orders = {{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {4},
                                                  {2, 2, 0},       {1, 3, 1, 1},    {0}};
  uint32_t number = 0;
  for (const std::vector<float>& images : orders) {
    for (const Kind kind : {Kind::kNetwork, Kind::kLarge}) {
      Case input = RandomCase(kind, {5, 10, 8, 3, 6, kRois}, 1, number++);
      for (int64_t roi = 0; roi < kRois; ++roi) {
        input.rois[static_cast<size_t>(roi * kRoiNumbers)] =
            images[static_cast<size_t>(roi) % images.size()];
      }
      ForEachVariant(input, number, [&](const Case& variant) {
        ExpectReferencesBits(kind, variant, {1, 2, 7});
      });
    }
  }
}

// Of one image so few rois that they are copied, of another so many that it is packed.
TEST_P(PsRoiPoolKernel, ImagesOfACallMayBePooledInBothWays) {
  constexpr int64_t kRois = 60;
  Case input = RandomCase(Kind::kNetwork, {3, 20, 20, 3, 9, kRois}, 1, 8);
  for (int64_t roi = 0; roi < kRois; ++roi) {
    input.rois[static_cast<size_t>(roi * kRoiNumbers)] = roi == 7 ? 1.0f : roi == 20 ? 0.0f : 2.0f;
  }
  ForEachVariant(input, 0, [&](const Case& variant) {
    ExpectReferencesBits(Kind::kNetwork, variant, {1, 2, 7});
  });
}

// Every number of rois, past the one from which on a map is packed.
TEST_P(PsRoiPoolKernel, HasTheReferencesBitsForAnyNumberOfRois) {
  for (const bool channels_first : {false, true}) {
    for (int64_t rois = 1; rois <= 40; ++rois) {
      Case input =
          RandomCase(Kind::kNetwork, {1, 12, 11, 3, 5, rois}, 0.5f, static_cast<uint32_t>(rois));
      input.channels_first = channels_first;
      ExpectReferencesBits(Kind::kNetwork, input, {1, 2});
    }
  }
}

// More results than the caches hold are written past them. So many take long to come by: on one
// target only, and read where they are.
TEST(PsRoiPoolRun, HasTheReferencesBitsWhenResultsGoPastTheCaches) {
  constexpr int64_t kBytesOfRoi = int64_t{3 * 3 * 37} * (sizeof(float) + sizeof(int32_t));
  const int64_t rois = LastLevelCacheBytes() / kBytesOfRoi + 1;
  const Case input = RandomCase(Kind::kNetwork, {1, 5, 6, 3, 37, rois}, 1, 2);
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

TEST_P(PsRoiPoolKernel, RepeatedCallsInTheSameScratchGiveTheSameBits) {
  const Case first = RandomCase(Kind::kNetwork, {2, 14, 14, 3, 21, 50}, 0.0625f, 1);
  const Case second = RandomCase(Kind::kLarge, {2, 14, 14, 3, 21, 50}, 0.0625f, 2);
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

// ---- Memory -------------------------------------------------------------------------------------

// A tensor next to an unmapped page: one that lies behind its last byte, or before its first.
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
    return (bytes + page - 1) / page * page;
  }

  GuardedBuffer buffer_;
};

void ExpectToStayInsideItsMemory(const Case& input, bool at_end, int threads) {
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

TEST_P(PsRoiPoolKernel, StaysInsideItsMemory) {
  uint32_t number = 0;
  for (const int64_t dim : kDims) {
    for (const int64_t group : {1, 2, 3, 4, 7}) {
      for (const int64_t rois : {1, 20}) {
        // Columns from none to more than a window, before and behind the bins.
        const Shape shape{1, 3, 1 + number % 7, group, dim, rois};
        const Kind kind = kAllKinds[number % std::size(kAllKinds)];
        Case input = RandomCase(kind, shape, 1, number);
        input.channels_first = number / 2 % 2 != 0;
        input.rounding = kRoundings[number / 4 % 2];
        input.mapping = number % 3 != 0;
        const int threads = number % 5 == 0 ? 3 : 1;
        ++number;
        for (const bool at_end : {false, true}) {
          ExpectToStayInsideItsMemory(input, at_end, threads);
        }
      }
    }
  }
}

// The scratch of every plan, for few and many threads, ends where it was said to end.
TEST_P(PsRoiPoolKernel, StaysInsideItsScratch) {
  for (const Shape& shape : {Shape{1, 1, 1, 1, 1, 1}, Shape{2, 30, 41, 3, 40, 12},
                             Shape{1, 14, 14, 7, 8, 40}, Shape{3, 20, 3, 5, 17, 30}}) {
    for (const int threads : {1, 2, 7, 30}) {
      for (const Kind kind : {Kind::kNetwork, Kind::kLarge}) {
        ExpectToStayInsideItsMemory(RandomCase(kind, shape, 0.1f, 4), true, threads);
      }
    }
  }
}

// Every place in a line that results can have, and what lies before and behind them stays.
TEST_P(PsRoiPoolKernel, WritesItsResultsAnywhere) {
  constexpr std::byte kUntouched{0x5A};
  constexpr size_t kLine = 64;
  const auto is_untouched = [](std::byte byte) { return byte == kUntouched; };
  for (const Shape& shape : {Shape{1, 4, 5, 1, 16, 5}, Shape{1, 4, 5, 3, 5, 20}}) {
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

// ---- The contract -------------------------------------------------------------------------------

// Pixels [begin, end) along an axis.
struct Span {
  int64_t begin, end;
};

// Along an axis of kPixels, pixel i is 2^i, so that a mean tells which pixels it is of.
constexpr int64_t kPixels = 8;

float MeanOf(const Span& span) {
  return span.begin >= span.end ? 0.0f
                                : (std::ldexp(1.0f, static_cast<int>(span.end)) -
                                   std::ldexp(1.0f, static_cast<int>(span.begin))) /
                                      static_cast<float>(span.end - span.begin);
}

// What bins along x, and along y, are of a roi from `first` to `last`: two rows, or columns, of
// kPixels. No bin has pixels of the second, which are NaN.
void ExpectBins(float first, float last, float scale, RoiRounding rounding,
                const std::vector<Span>& expected) {
  const auto group = static_cast<int64_t>(expected.size());
  for (const bool along_x : {true, false}) {
    Case input;
    input.shape = {1, along_x ? 2 : kPixels, along_x ? kPixels : 2, group, 1, 1};
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

TEST_P(PsRoiPoolKernel, CornersAreRoundedAwayFromZeroAndThenScaled) {
  const float below_half = std::nextafter(0.5f, 0.0f);
  struct Row {
    float first, last, scale;
    Span span;
  };
  // clang-format off
  const Row rows[] = {
      // Whole numbers; a pixel is added at the end.
      {0, 0, 1, {0, 1}}, {3, 3, 1, {3, 4}}, {2, 5, 1, {2, 6}}, {0, 7, 1, {0, 8}},
      // Halves go away from zero.
      {0.5f, 0.5f, 1, {1, 2}}, {1.5f, 1.5f, 1, {2, 3}}, {2.5f, 2.5f, 1, {3, 4}},
      {0, 0.5f, 1, {0, 2}}, {0, 1.5f, 1, {0, 3}}, {0, 2.5f, 1, {0, 4}}, {0, 3.5f, 1, {0, 5}},
      {-0.5f, -0.5f, 1, {0, 0}}, {-2.5f, -2.5f, 1, {0, 0}}, {-0.5f, 2.5f, 1, {0, 4}},
      {-2.5f, -0.5f, 1, {0, 0}}, {-2.5f, 0.5f, 1, {0, 2}},
      // The floats beside them do not.
      {below_half, below_half, 1, {0, 1}}, {-below_half, -below_half, 1, {0, 1}},
      {std::nextafter(2.5f, 0.0f), std::nextafter(2.5f, 3.0f), 1, {2, 4}},
      {1.4f, 2.6f, 1, {1, 4}}, {-0.0f, -0.0f, 1, {0, 1}},
      // Ends are clamped to the map.
      {-5, 20, 1, {0, 8}}, {6, 20, 1, {6, 8}}, {-5, 1, 1, {0, 2}}, {7, 7, 1, {7, 8}},
      {8, 9, 1, {0, 0}}, {-3, -1, 1, {0, 0}}, {100, 200, 1, {0, 0}}, {-1, -1, 1, {0, 0}},
      {-1, 0, 1, {0, 1}}, {7.5f, 9, 1, {0, 0}}, {7.4f, 9, 1, {7, 8}},
      // Reversed ones, and those of no size, are 0.1 long.
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

TEST_P(PsRoiPoolKernel, BinsOfARoiOverlapAndMayBeEmpty) {
  const auto before = RoiRounding::kBeforeScaling;
  ExpectBins(0, 3, 1, before, {{0, 2}, {2, 4}});
  ExpectBins(0, 4, 1, before, {{0, 3}, {2, 5}});  // of 2.5
  ExpectBins(0, 5, 1, before, {{0, 2}, {1, 3}, {3, 5}, {4, 6}});
  ExpectBins(1, 1, 1, before, {{1, 2}, {1, 2}, {1, 2}, {1, 2}});
  ExpectBins(2, 3, 1, before, {{2, 3}, {2, 3}, {3, 4}, {3, 4}});
  ExpectBins(-4, 3, 1, before, {{0, 0}, {0, 0}, {0, 2}, {2, 4}});
  ExpectBins(4, 11, 1, before, {{4, 6}, {6, 8}, {0, 0}, {0, 0}});
  ExpectBins(-8, 15, 1, before, {{0, 0}, {0, 8}, {0, 0}});
  ExpectBins(5, 2, 1, before, {{5, 6}, {5, 6}});  // of 0.05
  // From 0.5 to 2.5, and from 0.9375 to 1.0375 in halves, the second from 0.9875.
  ExpectBins(1, 4, 0.5f, before, {{0, 2}, {1, 3}});
  ExpectBins(15, 15, 0.0625f, before, {{0, 1}, {0, 2}});
}

TEST_P(PsRoiPoolKernel, CornersThatAreRoundedAfterScalingLeaveOutTheLastPixel) {
  struct Row {
    float first, last, scale;
    std::vector<Span> spans;
  };
  const Row rows[] = {
      {0, 3, 1, {{0, 3}}},
      {2, 6, 1, {{2, 6}}},
      {0, 7, 1, {{0, 7}}},
      // The last pixel never counts.
      {0, 8, 1, {{0, 7}}},
      {-5, 50, 1, {{0, 7}}},
      {7, 9, 1, {{0, 0}}},
      {6, 9, 1, {{6, 7}}},
      // At least 1 long.
      {3, 3, 1, {{3, 4}}},
      {5, 2, 1, {{5, 6}}},
      {-1, -1, 1, {{0, 0}}},
      // Halves go away from zero, after the scaling.
      {0.5f, 2.5f, 1, {{1, 3}}},
      {1.5f, 2.4f, 1, {{2, 3}}},
      {-0.5f, 1.5f, 1, {{0, 2}}},
      {-0.5f, -0.5f, 1, {{0, 0}}},
      {-2.5f, 0.5f, 1, {{0, 1}}},
      {std::nextafter(0.5f, 0.0f), 2, 1, {{0, 2}}},
      {1, 5, 0.5f, {{1, 3}}},
      {5, 9, 0.5f, {{3, 5}}},
      {24, 56, 0.0625f, {{2, 4}}},
      // Bins begin and end on whole numbers behind the start.
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

// Channels of two bins along each axis and three results, whose numbers are their values.
TEST_P(PsRoiPoolKernel, EachBinHasChannelsOfItsOwn) {
  Case input;
  input.shape = {1, 1, 1, 2, 3, 1};
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

// Which channel, bin, pixel and image a result is of, worked out for a map of two images.
TEST_P(PsRoiPoolKernel, MeansAreOfTheRoisImageRowsAndColumns) {
  Case input;
  input.shape = {2, 4, 3, 2, 1, 3};
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
      0, 0, 0, 2, 3,  // all: columns 0, 1 and 1, 2, rows 0, 1 and 2, 3
      1, 1, 2, 1, 2,  // a pixel
      1, 0, 1, 1, 3,  // columns 0 and 1, rows 1, 2 and 2, 3
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

// ---- Bins are those of plain float arithmetic ---------------------------------------------------

// Means of all results over their bins, in double.
std::vector<double> MeansInDouble(const Case& input, bool fused = false) {
  const Args args = input.args(nullptr, nullptr, nullptr);
  std::vector<double> means;
  means.reserve(static_cast<size_t>(input.results()));
  for (int64_t roi = 0; roi < input.shape.rois; ++roi) {
    const std::vector<Rectangle> bins = BinsOf(input, roi, fused);
    for (int64_t bin = 0; bin < args.bins(); ++bin) {
      for (int64_t d = 0; d < input.shape.dim; ++d) {
        means.push_back(MeanInDouble(input, roi, bins[static_cast<size_t>(bin)],
                                     args.ChannelOf(bin / args.group, bin % args.group, d)));
      }
    }
  }
  return means;
}

// With corners at whole numbers, somewhere in a map of this size.
Case CaseOfIntegers(int64_t size, int64_t group, float scale, int64_t rois) {
  Case input = RandomCase(Kind::kNetwork, {1, size, size, group, 1, rois}, scale, 23);
  for (size_t i = 0; i < input.rois.size(); ++i) {
    input.rois[i] = i % kRoiNumbers == 0 ? 0 : std::round(input.rois[i]);
  }
  return input;
}

// Leaves the rois of which bins move when products and sums are fused.
void KeepRoisThatFusingMoves(Case& input) {
  std::vector<float> kept;
  kept.reserve(input.rois.size());
  for (int64_t roi = 0; roi < input.shape.rois; ++roi) {
    if (!(BinsOf(input, roi, false) == BinsOf(input, roi, true))) {
      const auto begin = input.rois.begin() + roi * kRoiNumbers;
      kept.insert(kept.end(), begin, begin + kRoiNumbers);
    }
  }
  input.rois = kept;
  input.shape.rois = static_cast<int64_t>(kept.size()) / kRoiNumbers;
}

// The seed's defect, which every target with such an instruction could have.
TEST_P(PsRoiPoolKernel, NoFusedProductMovesABin) {
  for (const int64_t group : {3, 7}) {
    Case input = CaseOfIntegers(40, group, 0.1f, 2000);
    KeepRoisThatFusingMoves(input);
    ASSERT_GT(input.shape.rois, 10) << "too few rois for which it matters";
    const std::vector<double> expected = MeansInDouble(input);
    const std::vector<double> fused = MeansInDouble(input, true);
    for (const bool channels_first : {false, true}) {
      input.channels_first = channels_first;
      const Result result = RunOn(1, input);
      int64_t moved = 0;
      for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(result.means[i], expected[i], 1e-6) << i;
        moved += std::abs(result.means[i] - fused[i]) > 1e-5 ? 1 : 0;
      }
      EXPECT_GE(moved, input.shape.rois);
    }
  }
}

TEST(PsRoiPoolBins, FusingMovesNothingAtTheScalesOfNetworks) {
  for (const auto& [size, scale] :
       {std::pair(14, 1.0f), std::pair(60, 1.0f), std::pair(14, 0.0625f), std::pair(60, 0.0625f)}) {
    for (const int64_t group : {1, 2, 3, 4, 7, 8}) {
      Case input = CaseOfIntegers(size, group, scale, 500);
      KeepRoisThatFusingMoves(input);
      EXPECT_EQ(input.shape.rois, 0) << group << " bins, size " << size << ", scale " << scale;
    }
  }
}

// The bins of all kinds are those that cases.cc finds, which does not know the reference.
TEST(PsRoiPoolBins, TheReferenceAgreesWithTheFormulaWrittenAgain) {
  uint32_t number = 0;
  for (const Kind kind :
       {Kind::kIntegers, Kind::kNetwork, Kind::kLarge, Kind::kOutside, Kind::kHalves}) {
    for (const float scale : {1.0f, 0.0625f, 0.1f, 3.0f}) {
      for (const int64_t group : {1, 3, 7}) {
        for (const RoiRounding rounding : kRoundings) {
          Case input = RandomCase(kind, {2, 11, 9, group, 2, 60}, scale, number++);
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

// ---- Accuracy -----------------------------------------------------------------------------------

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

TEST_P(PsRoiPoolKernel, IsWithinTheContractOfDoubleForTheSeedsSizes) {
  for (const Kind kind : {Kind::kNetwork, Kind::kLarge}) {
    ExpectAccurate(RandomCase(kind, {1, 14, 14, 7, 8, 320}, 1, 1));
    ExpectAccurate(RandomCase(kind, {2, 14, 14, 3, 21, 493}, 0.0625f, 2));
  }
}

// Rois that make bins of all numbers of pixels from 1 to more than are summed in float.
Case CaseOfBinSizes() {
  constexpr int64_t kColumns = 13;
  Case input = RandomCase(Kind::kNetwork, {1, 5, kColumns, 1, 19, 0}, 1, 6);
  for (int64_t rows = 1; rows <= 5; ++rows) {
    for (int64_t columns = 1; columns <= kColumns; ++columns) {
      input.rois.insert(input.rois.end(),
                        {0, 0, 0, static_cast<float>(columns - 1), static_cast<float>(rows - 1)});
      ++input.shape.rois;
    }
  }
  return input;
}

// Up to 32 pixels are summed in float, more in double; 32 and 33 are among them.
TEST_P(PsRoiPoolKernel, HasTheReferencesBitsAndAccuracyForAnyNumberOfPixels) {
  const Case input = CaseOfBinSizes();
  ForEachVariant(input, 0,
                 [](const Case& variant) { ExpectReferencesBits(Kind::kNetwork, variant, {1}); });
  ExpectAccurate(input);
}

// What was added first would be lost in a sum of floats.
TEST_P(PsRoiPoolKernel, SumsOfManyPixelsLoseNothing) {
  for (const int64_t dim : {1, 3, 4, 8, 9, 40}) {
    Case input;
    input.shape = {1, 6, 7, 1, dim, 1};
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

TEST(PsRoiPoolAccuracy, IsWithinTheContractOfDoubleForLargeBins) {
  constexpr Shape kShape{1, 200, 200, 1, 3, 4};
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
      means.resize(9);  // of the large ones
      EXPECT_THAT(means, Each(0.1f));
    }
  }
}

// ---- What is not finite, and what is huge -------------------------------------------------------

TEST_P(PsRoiPoolKernel, ARoiThatIsNotFiniteHasEmptyBins) {
  constexpr int64_t kCopies[] = {1, 10};  // few rois, and many
  for (const float bad : {kNaN, -kNaN, kInfinity, -kInfinity}) {
    for (size_t at = 1; at < kRoiNumbers; ++at) {
      for (const int64_t copies : kCopies) {
        Case input = RandomCase(Kind::kNetwork, {1, 6, 5, 3, 5, 3 * copies}, 1, 3);
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

// A map of ones but for one pixel of one channel.
TEST_P(PsRoiPoolKernel, PixelsThatAreNotFiniteReachOnlyTheirBins) {
  constexpr int64_t kChannel = 13;
  constexpr int64_t kY = 4;
  constexpr int64_t kX = 3;
  for (const int64_t rois : {2, 40}) {
    for (const float bad : {kNaN, kInfinity, -kInfinity}) {
      Case input = RandomCase(Kind::kLarge, {1, 9, 8, 3, 5, rois}, 1, 3);
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

// Both infinities in a bin, in few pixels and in many.
TEST_P(PsRoiPoolKernel, OppositeInfinitiesAreNoNumber) {
  for (const int64_t width : {4, 40}) {
    Case input;
    input.shape = {1, 1, width, 1, 9, 1};
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

TEST_P(PsRoiPoolKernel, CoordinatesMayBeHuge) {
  constexpr Span kNone{0, 0};
  constexpr Span kAll{0, 8};
  constexpr float kTwo31 = 0x1p31f;
  const float below_two31 = std::nextafter(kTwo31, 0.0f);
  struct Row {
    float first, last, scale;
    std::vector<Span> spans;
  };
  const Row rows[] = {
      // A size that is no number of floats.
      {-3e38f, 3e38f, 1, {kNone}},
      {-3e38f, 3e38f, 1, {kNone, kNone}},
      {-kLargest, kLargest, 1, {kNone, kNone, kNone}},
      // Ends that are none.
      {0, 3e38f, 2, {kNone}},
      {3e38f, 0, 2, {kNone}},
      {-3e38f, 0, 2, {kNone}},
      {2e38f, 3e38f, 2, {kNone, kNone}},
      // Sizes and ends that are numbers.
      {0, 3e38f, 1, {kAll}},
      {0, 3e38f, 1, {kAll, kNone}},
      {3, kLargest, 1, {{3, 8}}},
      {-3e38f, 0, 1, {kNone}},  // its end is lost beside its start
      {3e38f, 0, 1, {kNone}},
      {-1e20f, 1e20f, 1, {kAll}},
      {-1e20f, 1e20f, 1, {kNone, kAll}},
      {1e20f, -1e20f, 1, {kNone}},
      {1e20f, 1e20f, 1, {kNone}},
      {0, 1e20f, 1, {kAll, kNone}},
      // Around what int32 and int64 hold.
      {-kTwo31, kTwo31, 1, {kAll}},
      {-kTwo31, kTwo31, 1, {kNone, kAll}},
      {0, kTwo31, 1, {kAll}},
      {0, below_two31, 1, {kAll}},
      {kTwo31, kTwo31, 1, {kNone}},
      {below_two31, 1e10f, 1, {kNone}},
      {5, 0x1p63f, 1, {{5, 8}}},
      {-0x1p63f, 0x1p64f, 1, {kAll}},
      {0, 0x1p24f, 1, {kAll}},
      // Tiny ones.
      {1e-45f, 1e-45f, 1, {{0, 1}}},
      {-1e-38f, 3, 1, {{0, 4}}},
      {0, 0, 1e-45f, {{0, 1}}},
      {0, 7, 1e-38f, {{0, 1}}},
      {1, 1, 3e38f, {kNone}},
  };
  for (const Row& row : rows) {
    ExpectBins(row.first, row.last, row.scale, RoiRounding::kBeforeScaling, row.spans);
  }
  constexpr Span kAllButTheLast{0, 7};
  const Row rows_after_scaling[] = {
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
  for (const Row& row : rows_after_scaling) {
    ExpectBins(row.first, row.last, row.scale, RoiRounding::kAfterScaling, row.spans);
  }
}

// ---- Images that do not exist -------------------------------------------------------------------

TEST(PsRoiPoolImages, RefusesRoisOfImagesThatDoNotExistAndWritesNothing) {
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
      Case input = RandomCase(Kind::kNetwork, {3, 6, 5, 2, 4, rois}, 1, 3);
      input.rois[static_cast<size_t>((rois - 1) * kRoiNumbers)] = row.image;
      for (const Result& result : {RunOn(1, input), RunOn(2, input), RunReference(input)}) {
        EXPECT_EQ(result.status.code(), MLUOP_STATUS_BAD_PARAM);
        EXPECT_EQ(result.status.message(), "rois[" + std::to_string(rois - 1) + "] is of image " +
                                               row.found + ", expected 0 to 2");
        EXPECT_THAT(result.means, Each(-77.125f));
        EXPECT_THAT(result.channels, Each(-1));
      }
    }
  }
}

TEST(PsRoiPoolImages, TheFirstRoiOfNoImageIsNamed) {
  Case input = RandomCase(Kind::kNetwork, {1, 6, 5, 2, 4, 9}, 1, 3);
  input.rois[4 * kRoiNumbers] = 7;
  input.rois[6 * kRoiNumbers] = -3;
  EXPECT_EQ(RunOn(1, input).status.message(), "rois[4] is of image 7, expected 0 to 0");
  EXPECT_TRUE(RunOn(2, input) == RunReference(input));
}

TEST_P(PsRoiPoolKernel, FractionsOfImageNumbersAreCutOff) {
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
  Case input = RandomCase(Kind::kIntegers, {3, 4, 4, 2, 3, std::size(rows)}, 1, 3);
  for (size_t i = 0; i < input.input.size(); ++i) {
    input.input[i] = static_cast<float>(i / (input.input.size() / 3));
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

//@@NEXT@@

}  // namespace
}  // namespace detops::psroipool_forward
