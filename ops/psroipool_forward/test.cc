// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "core/aligned_buffer.h"
#include "core/cache.h"
#include "detops/detops.hpp"
#include "measure/channels_first.h"
#include "measure/diff.h"
#include "measure/random_floats.h"
#include "ops/psroipool_forward/harness.h"
#include "ops/psroipool_forward/tiles.h"
#include "testing/gate.h"
#include "testing/guarded_buffer.h"
#include "testing/log_capture.h"

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
      {1, 79, 50, 3, 17, 20}, {1, 18, 120, 2, 130, 9}, {1, 2, 3, 100, 1, 9},
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

// Bins that begin and end in every row, so that each number of rows meets each place in the ring,
// on maps of which one row, a few or many are packed at once.
TEST_P(PsRoiPoolKernel, HasTheReferencesBitsForBinsOfAnyRows) {
  constexpr int64_t kHeight = 23;
  for (const int64_t width : {8, 16, 28, 40, 64}) {
    Case input = RandomCase(Kind::kNetwork, {1, kHeight, width, 2, 130, 0}, 1, 3);
    for (int64_t begin = 0; begin < kHeight; ++begin) {
      for (int64_t end = begin + 1; end <= kHeight; ++end) {
        // The first bin has these rows, the second as many behind them.
        const int64_t last = end + (end - begin) - 1;
        const auto x = static_cast<float>((begin + end) % width);
        input.rois.insert(input.rois.end(),
                          {0, x, static_cast<float>(begin), x + 1, static_cast<float>(last)});
        ++input.shape.rois;
      }
    }
    for (const bool channels_first : {false, true}) {
      input.channels_first = channels_first;
      ExpectReferencesBits(Kind::kNetwork, input, {1, 3});
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
  constexpr int64_t kBytesOfRoi = int64_t{3} * 3 * 37 * (sizeof(float) + sizeof(int32_t));
  const int64_t rois = LargestCachedResult() / kBytesOfRoi + 1;
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
  constexpr int64_t kTwoVectors = 33;
  uint32_t number = 0;
  std::vector<int64_t> dims(std::begin(kDims), std::end(kDims));
  for (int64_t dim = 1; dim <= kTwoVectors; ++dim) {
    dims.push_back(dim);
  }
  for (const int64_t dim : dims) {
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

// The scratch of every plan, for few and many threads, ends where it was said to end. In the last
// of these maps the rows that are packed at once do not divide the height: none behind it is read.
TEST_P(PsRoiPoolKernel, StaysInsideItsScratch) {
  for (const Shape& shape :
       {Shape{1, 1, 1, 1, 1, 1}, Shape{2, 30, 41, 3, 40, 12}, Shape{1, 14, 14, 7, 8, 40},
        Shape{3, 20, 3, 5, 17, 30}, Shape{1, 23, 40, 2, 130, 50}}) {
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
std::vector<double> MeansInDouble(const Case& input, Fused fused = Fused::kNone) {
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

// The seed's defect, which every target with such an instruction could have, in each of the three
// places where there is a sum of a product, and in all.
TEST_P(PsRoiPoolKernel, NoFusedProductMovesABin) {
  const std::pair<Fused, float> places[] = {{Fused::kSizes, 0.1f},
                                            {Fused::kBegins, 0.7f},
                                            {Fused::kEnds, 0.1f},
                                            {Fused::kAll, 0.1f},
                                            {Fused::kAll, 0.7f}};
  for (const auto& [where, scale] : places) {
    Case input = CaseOfIntegers(40, 7, scale, 2000);
    KeepRoisThatFusingMoves(where, input);
    ASSERT_GT(input.shape.rois, 5) << "too few rois for which it matters";
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

TEST(PsRoiPoolBins, FusingMovesNothingAtTheScalesOfNetworks) {
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

// Rois from every column with every size. Of 11 and 13 bins some end where a sum in another order
// ends a column further.
TEST_P(PsRoiPoolKernel, BinsOfAnyStartAndSizeAreThoseOfTheFormula) {
  constexpr int64_t kWidth = 40;
  for (const int64_t group : {11, 13}) {
    for (const RoiRounding rounding : kRoundings) {
      Case input = RandomCase(Kind::kNetwork, {1, 2, kWidth, group, 1, 0}, 1, 4);
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
  constexpr int64_t kColumns = 17;
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

// Up to 16 pixels are summed in float, more in double; 16 and 17 are among them.
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

// Small numbers that are each lost in a sum of floats, up to the most pixels that are summed so.
TEST_P(PsRoiPoolKernel, IsWithinTheContractWhereEverySumIsRoundedDown) {
  Case input;
  input.shape = {1, 2, kMaxFloatPixels, 1, 8, 2};
  input.rois = {0, 0, 0, kMaxFloatPixels - 1, 0, 0, 0, 0, kMaxFloatPixels - 1, 1};
  for (int64_t pixel = 0; pixel < 2 * kMaxFloatPixels; ++pixel) {
    input.input.insert(input.input.end(), 8, pixel == 0 ? 1.0f : 0x1p-24f);
  }
  ExpectAccurate(input);
}

// x2 alone overflows when it is scaled: without it the bin would be around x1.
TEST_P(PsRoiPoolKernel, CornersThatOverflowGiveEmptyBins) {
  for (const auto rounding : {RoiRounding::kBeforeScaling, RoiRounding::kAfterScaling}) {
    for (const float far : {-3e38f, 3e38f}) {
      Case input;
      input.shape = {1, 40, 40, 2, 1, 5};
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

TEST(PsRoiPoolScratch, IsSmallBesideTheTensors) {
  const auto scratch_of = [](const Shape& shape, int threads) {
    Case input;
    input.shape = shape;
    return ScratchBytes(input.args(nullptr, nullptr, nullptr), threads);
  };
  // Nothing is packed of a bin that has one channel, or all of them.
  EXPECT_LT(scratch_of({1, 800, 1200, 1, 3, 10}, 1024), size_t{1} << 20);
  EXPECT_LT(scratch_of({1, 800, 1200, 1, 256, 10}, 1024), size_t{1} << 20);
  EXPECT_LT(scratch_of({1, 40000, 5000, 1, 1, 1}, 2), size_t{1} << 20);
  // Of large maps no more than bins of rois in the map need.
  const auto input_bytes = size_t{800} * 1200 * 49 * 21 * sizeof(float);
  EXPECT_LT(scratch_of({1, 800, 1200, 7, 21, 300}, 2), input_bytes / 4);
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
  // A last bin that begins at 0 and whose end overflows, since 25 * (max / 25) does.
  const float before_last = 24 * (kLargest / 25);
  ExpectBins(-before_last, kLargest - before_last, 1, RoiRounding::kBeforeScaling,
             std::vector<Span>(25, kNone));
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
        EXPECT_EQ(result.status.message(), "rois[" + std::to_string(rois - 1) +
                                               "] has batch index " + row.found +
                                               "; it must be 0 to 2");
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
  EXPECT_EQ(RunOn(1, input).status.message(), "rois[4] has batch index 7; it must be 0 to 0");
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

// ---- The C API ----------------------------------------------------------------------------------

// A tensor argument of the C API.
struct Argument {
  mluOpTensorLayout_t layout;
  mluOpDataType_t dtype;
  std::vector<int64_t> dims;
  void* data;
  std::vector<int64_t> strides;  // empty: contiguous
  bool is_set = true;
  bool is_null = false;  // the descriptor
};

// What a C program hands over: the example, until a test changes it.
struct CApiCall {
  int pooled_height = 2;
  int pooled_width = 2;
  float spatial_scale = 1;
  int group_size = 2;
  int output_dim = 3;
  Argument input{MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, {2, 2, 3, 12}, nullptr, {}};
  Argument rois{MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {3, 5}, nullptr, {}};
  void* workspace = nullptr;
  size_t workspace_size = 0;
  Argument output{MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, {3, 2, 2, 3}, nullptr, {}};
  Argument mapping_channel{MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_INT32, {3, 2, 2, 3}, nullptr, {}};
  bool has_handle = true;
  bool has_workspace = true;  // or the overload without one

  void SetGroup(int group) { pooled_height = pooled_width = group_size = group; }
};

class MluOpPsRoiPoolForward : public testing::Test {
 protected:
  MluOpPsRoiPoolForward() {
    EXPECT_EQ(mluOpCreate(&handle_), MLUOP_STATUS_SUCCESS);
    for (mluOpTensorDescriptor_t& descriptor : descriptors_) {
      EXPECT_EQ(mluOpCreateTensorDescriptor(&descriptor), MLUOP_STATUS_SUCCESS);
    }
  }
  ~MluOpPsRoiPoolForward() override {
    for (mluOpTensorDescriptor_t descriptor : descriptors_) {
      EXPECT_EQ(mluOpDestroyTensorDescriptor(descriptor), MLUOP_STATUS_SUCCESS);
    }
    EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS);
  }

  CApiCall Example() {
    CApiCall call;
    call.input.data = example_.input.data();
    call.rois.data = example_.rois.data();
    call.output.data = output_.data();
    call.mapping_channel.data = mapping_channel_.data();
    return call;
  }

  // The case's tensors, with channels last.
  static CApiCall CallOf(Case& input, float* output, int32_t* mapping_channel) {
    const Shape& shape = input.shape;
    CApiCall call;
    call.SetGroup(static_cast<int>(shape.group));
    call.output_dim = static_cast<int>(shape.dim);
    call.spatial_scale = input.scale;
    call.input.dims = {shape.images, shape.height, shape.width, input.channels()};
    call.rois.dims = {shape.rois, kRoiNumbers};
    call.output.dims =
        call.mapping_channel.dims = {shape.rois, shape.group, shape.group, shape.dim};
    call.input.data = input.input.data();
    call.rois.data = input.rois.data();
    call.output.data = output;
    call.mapping_channel.data = mapping_channel;
    return call;
  }

  mluOpStatus_t Make(const CApiCall& call) {
    const Argument* const arguments[] = {&call.input, &call.rois, &call.output,
                                         &call.mapping_channel};
    mluOpTensorDescriptor_t given[4];
    for (int i = 0; i < 4; ++i) {
      const Argument& argument = *arguments[i];
      EXPECT_EQ(mluOpResetTensorDescriptor(descriptors_[i]), MLUOP_STATUS_SUCCESS);
      const auto rank = static_cast<int>(argument.dims.size());
      if (argument.is_set && argument.strides.empty()) {
        EXPECT_EQ(mluOpSetTensorDescriptor_v2(descriptors_[i], argument.layout, argument.dtype,
                                              rank, argument.dims.data()),
                  MLUOP_STATUS_SUCCESS);
      } else if (argument.is_set) {
        EXPECT_EQ(
            mluOpSetTensorDescriptorEx_v2(descriptors_[i], argument.layout, argument.dtype, rank,
                                          argument.dims.data(), argument.strides.data()),
            MLUOP_STATUS_SUCCESS);
      }
      given[i] = argument.is_null ? nullptr : descriptors_[i];
    }
    const mluOpHandle_t handle = call.has_handle ? handle_ : nullptr;
    if (!call.has_workspace) {
      return mluOpPsRoiPoolForward(handle, call.pooled_height, call.pooled_width,
                                   call.spatial_scale, call.group_size, call.output_dim, given[0],
                                   call.input.data, given[1], call.rois.data, given[2],
                                   call.output.data, given[3], call.mapping_channel.data);
    }
    return mluOpPsRoiPoolForward(handle, call.pooled_height, call.pooled_width, call.spatial_scale,
                                 call.group_size, call.output_dim, given[0], call.input.data,
                                 given[1], call.rois.data, call.workspace, call.workspace_size,
                                 given[2], call.output.data, given[3], call.mapping_channel.data);
  }

  // The call fails with this status and one line, and writes nothing.
  void ExpectRefused(const CApiCall& call, const std::string& why,
                     mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM) {
    LogCapture log;
    EXPECT_EQ(Make(call), status) << why;
    EXPECT_THAT(log.Take(), ElementsAre("mluOpPsRoiPoolForward: " + why));
    EXPECT_EQ(detopsGetLastError(), "mluOpPsRoiPoolForward: " + why);
    ExpectUntouched();
  }
  void ExpectUntouched() {
    EXPECT_THAT(output_, Each(-7));
    EXPECT_THAT(mapping_channel_, Each(-7));
  }
  // The call gave the example's results, which are then forgotten.
  void ExpectExamplesResults() {
    EXPECT_THAT(output_, ElementsAreArray(kExampleMeans));
    EXPECT_THAT(mapping_channel_, ElementsAreArray(kExampleChannels));
    output_.assign(output_.size(), -7.0f);
    mapping_channel_.assign(mapping_channel_.size(), -7);
  }
  void ExpectReferencesBits(Case input) {
    std::vector<float> output(static_cast<size_t>(input.results()));
    std::vector<int32_t> mapping_channel(output.size(), -1);
    ASSERT_EQ(Make(CallOf(input, output.data(), mapping_channel.data())), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
    EXPECT_TRUE(ReadResult(input, output.data(), mapping_channel.data()) == RunReference(input))
        << input.ToString();
  }

  mluOpHandle_t handle_ = nullptr;
  cnrtQueue_t queue_ = nullptr;
  mluOpTensorDescriptor_t descriptors_[4] = {};
  Case example_ = ExampleCase();
  std::vector<float> output_ = std::vector<float>(36, -7.0f);
  std::vector<int32_t> mapping_channel_ = std::vector<int32_t>(36, -7);
};

TEST_F(MluOpPsRoiPoolForward, GivesTheExample) {
  ASSERT_EQ(Make(Example()), MLUOP_STATUS_SUCCESS);
  ExpectExamplesResults();
}

TEST_F(MluOpPsRoiPoolForward, HasTheReferencesBitsForTheSeedsSizes) {
  ExpectReferencesBits(RandomCase(Kind::kNetwork, {1, 14, 14, 7, 8, 320}, 1, 17));
  ExpectReferencesBits(RandomCase(Kind::kNetwork, {2, 14, 14, 3, 21, 493}, 0.0625f, 18));
}

TEST_F(MluOpPsRoiPoolForward, RefusesTheSeedsWrongNumberOfChannels) {
  CApiCall call = Example();
  call.SetGroup(3);
  call.output_dim = 21;
  call.spatial_scale = 0.0625f;
  call.input.dims = {2, 14, 14, 198};
  call.rois.dims = {493, 5};
  call.output.dims = call.mapping_channel.dims = {493, 3, 3, 21};
  ExpectRefused(call,
                "input has shape float[2,14,14,198]; dimension 3 must be group_size squared, "
                "9, times output_dim, 21");
}

TEST_F(MluOpPsRoiPoolForward, NeedsNoWorkspaceAndTakesAny) {
  CApiCall call = Example();
  std::vector<std::byte> workspace(100, std::byte{0x5A});
  for (const size_t size : {size_t{0}, workspace.size(), std::numeric_limits<size_t>::max()}) {
    for (void* const memory : {static_cast<void*>(nullptr), static_cast<void*>(&workspace[3])}) {
      call.workspace = memory;
      call.workspace_size = size;
      ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
      ExpectExamplesResults();
    }
  }
  call.has_workspace = false;
  ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
  ExpectExamplesResults();
  call.output_dim = 4;
  ExpectRefused(call,
                "input has shape float[2,2,3,12]; dimension 3 must be group_size squared, 4, "
                "times output_dim, 4");
}

using Tensor = Argument CApiCall::*;
constexpr Tensor kInput = &CApiCall::input;
constexpr Tensor kRois = &CApiCall::rois;
constexpr Tensor kOutput = &CApiCall::output;
constexpr Tensor kMapping = &CApiCall::mapping_channel;

// With their names in messages.
constexpr std::pair<Tensor, const char*> kTensors[] = {
    {kInput, "input"}, {kRois, "rois"}, {kOutput, "output"}, {kMapping, "mapping_channel"}};

TEST_F(MluOpPsRoiPoolForward, RefusesNullsAndDescriptorsThatWereNeverSet) {
  CApiCall call = Example();
  call.has_handle = false;
  ExpectRefused(call, "handle is NULL; it must be a valid pointer");
  for (const auto& [tensor, name] : kTensors) {
    call = Example();
    (call.*tensor).is_null = true;
    ExpectRefused(call, std::string(name) + "_desc is NULL; it must be a tensor descriptor");
    call = Example();
    (call.*tensor).is_set = false;
    ExpectRefused(call,
                  std::string(name) + "_desc was never set; call mluOpSetTensorDescriptor first");
    call = Example();
    (call.*tensor).data = nullptr;
    ExpectRefused(call, std::string(name) + " is NULL; it must be a valid pointer");
  }
}

TEST_F(MluOpPsRoiPoolForward, RefusesOtherTypesAndLayouts) {
  for (const auto& [tensor, name] : kTensors) {
    CApiCall call = Example();
    const bool is_mapping = tensor == kMapping;
    const std::string expected = is_mapping ? "; it must be int32" : "; it must be float";
    (call.*tensor).dtype = MLUOP_DTYPE_HALF;
    ExpectRefused(call, std::string(name) + " has type half" + expected);
    (call.*tensor).dtype = MLUOP_DTYPE_INT64;
    ExpectRefused(call, std::string(name) + " has type int64" + expected);
    (call.*tensor).dtype = is_mapping ? MLUOP_DTYPE_FLOAT : MLUOP_DTYPE_INT32;
    ExpectRefused(
        call, std::string(name) + (is_mapping ? " has type float" : " has type int32") + expected);
    if (tensor != kRois) {
      call = Example();
      (call.*tensor).layout = MLUOP_LAYOUT_NCHW;
      ExpectRefused(call, std::string(name) + " has layout NCHW; it must be NHWC");
      (call.*tensor).layout = MLUOP_LAYOUT_ARRAY;
      ExpectRefused(call, std::string(name) + " has layout ARRAY; it must be NHWC");
    }
  }
}

TEST_F(MluOpPsRoiPoolForward, RefusesParametersOutOfRange) {
  constexpr int kLeast = std::numeric_limits<int>::min();
  for (const int value : {0, -1, kLeast}) {
    const std::string found = " is " + std::to_string(value) + "; it must be at least 1";
    CApiCall call = Example();
    call.SetGroup(value);
    ExpectRefused(call, "group_size" + found);
    call = Example();
    call.output_dim = value;
    ExpectRefused(call, "output_dim" + found);
  }
  for (const int value : {0, 1, 3, -2, kLeast}) {
    const std::string found =
        " is " + std::to_string(value) + "; it must equal group_size, which is 2";
    CApiCall call = Example();
    call.pooled_height = value;
    ExpectRefused(call, "pooled_height" + found);
    call = Example();
    call.pooled_width = value;
    ExpectRefused(call, "pooled_width" + found);
  }
  CApiCall call = Example();
  call.group_size = 1;
  ExpectRefused(call, "pooled_height is 2; it must equal group_size, which is 1");
  const std::pair<float, const char*> scales[] = {{0.0f, "0"},        {-0.0f, "-0"},
                                                  {-1.0f, "-1"},      {kNaN, "nan"},
                                                  {kInfinity, "inf"}, {-kInfinity, "-inf"}};
  for (const auto& [scale, found] : scales) {
    call = Example();
    call.spatial_scale = scale;
    ExpectRefused(
        call, std::string("spatial_scale is ") + found + "; it must be a finite number above 0");
  }
}

// Numbers of bins whose square, or whose square times output_dim, is more than an int holds.
TEST_F(MluOpPsRoiPoolForward, RefusesHugeParametersWithoutOverflow) {
  struct Row {
    int group, dim;
    const char* bins;
  };
  const Row rows[] = {
      {46340, 3, "2147395600"},
      {46341, 3, "2147488281"},
      {65536, 1, "4294967296"},
      {2147483647, 1, "4611686014132420609"},
      {2147483647, 2147483647, "4611686014132420609"},
      {2, 2147483647, "4"},
      {1, 2147483647, "1"},
      {2, 1 << 30, "4"},  // their product is 0 in 32 bits
  };
  for (const Row& row : rows) {
    CApiCall call = Example();
    call.SetGroup(row.group);
    call.output_dim = row.dim;
    ExpectRefused(call, std::string("input has shape float[2,2,3,12]; dimension 3 must be "
                                    "group_size squared, ") +
                            row.bins + ", times output_dim, " + std::to_string(row.dim));
  }
}

TEST_F(MluOpPsRoiPoolForward, RefusesWrongShapes) {
  struct Row {
    Tensor tensor;
    std::vector<int64_t> dims;
    const char* why;
  };
  const Row rows[] = {
      {kInput, {12, 12}, "input has shape float[12,12]; it must have rank 4"},
      {kInput, {1, 2, 2, 3, 12}, "input has shape float[1,2,2,3,12]; it must have rank 4"},
      {kRois, {15}, "rois has shape float[15]; it must have rank 2"},
      {kRois, {1, 3, 5}, "rois has shape float[1,3,5]; it must have rank 2"},
      {kOutput, {36}, "output has shape float[36]; it must have rank 4"},
      {kMapping, {3, 4, 3}, "mapping_channel has shape int32[3,4,3]; it must have rank 4"},
      // Channels.
      {kInput,
       {2, 2, 3, 13},
       "input has shape float[2,2,3,13]; dimension 3 must be group_size squared, 4, times "
       "output_dim, 3"},
      {kInput,
       {2, 2, 3, 16},
       "input has shape float[2,2,3,16]; dimension 3 must be group_size squared, 4, times "
       "output_dim, 3"},
      {kInput,
       {2, 2, 3, 0},
       "input has shape float[2,2,3,0]; dimension 3 must be group_size squared, 4, times "
       "output_dim, 3"},
      {kInput,
       {2, 12, 2, 3},
       "input has shape float[2,12,2,3]; dimension 3 must be group_size squared, 4, times "
       "output_dim, 3"},
      // Rois.
      {kRois,
       {3, 4},
       "rois has shape float[3,4]; dimension 1 must be 5 (batch index, x1, y1, x2, y2)"},
      {kRois,
       {3, 6},
       "rois has shape float[3,6]; dimension 1 must be 5 (batch index, x1, y1, x2, y2)"},
      {kRois,
       {3, 0},
       "rois has shape float[3,0]; dimension 1 must be 5 (batch index, x1, y1, x2, y2)"},
      {kRois, {0, 5}, "rois has shape float[0,5]; it must not be empty"},
      {kRois, {4, 5}, "output has shape float[3,2,2,3]; dimension 0 must be 4"},
      // Results.
      {kOutput, {4, 2, 2, 3}, "output has shape float[4,2,2,3]; dimension 0 must be 3"},
      {kOutput, {3, 1, 2, 3}, "output has shape float[3,1,2,3]; dimension 1 must be 2"},
      {kOutput, {3, 2, 3, 2}, "output has shape float[3,2,3,2]; dimension 2 must be 2"},
      {kOutput, {3, 2, 2, 2}, "output has shape float[3,2,2,2]; dimension 3 must be 3"},
      {kOutput, {3, 2, 2, 0}, "output has shape float[3,2,2,0]; dimension 3 must be 3"},
      {kMapping, {0, 2, 2, 3}, "mapping_channel has shape int32[0,2,2,3]; dimension 0 must be 3"},
      {kMapping, {3, 3, 2, 2}, "mapping_channel has shape int32[3,3,2,2]; dimension 1 must be 2"},
      {kMapping, {3, 2, 1, 6}, "mapping_channel has shape int32[3,2,1,6]; dimension 2 must be 2"},
      {kMapping, {3, 2, 2, 4}, "mapping_channel has shape int32[3,2,2,4]; dimension 3 must be 3"},
  };
  for (const Row& row : rows) {
    CApiCall call = Example();
    (call.*row.tensor).dims = row.dims;
    ExpectRefused(call, row.why);
  }
}

TEST_F(MluOpPsRoiPoolForward, DoesNotSupportStrides) {
  struct Row {
    Tensor tensor;
    std::vector<int64_t> strides;
    const char* found;
  };
  const Row rows[] = {
      {kInput, {78, 39, 13, 1}, "input has shape float[2,2,3,12] and strides [78,39,13,1]"},
      {kRois, {6, 1}, "rois has shape float[3,5] and strides [6,1]"},
      {kOutput, {24, 12, 6, 2}, "output has shape float[3,2,2,3] and strides [24,12,6,2]"},
      {kMapping, {12, 2, 1, 4}, "mapping_channel has shape int32[3,2,2,3] and strides [12,2,1,4]"},
  };
  for (const Row& row : rows) {
    CApiCall call = Example();
    (call.*row.tensor).strides = row.strides;
    ExpectRefused(call, std::string(row.found) + "; it must be contiguous",
                  MLUOP_STATUS_NOT_SUPPORTED);
  }
}

TEST_F(MluOpPsRoiPoolForward, DoesNotSupportHugeTensors) {
  struct Row {
    std::vector<int64_t> input;
    int64_t rois;
    const char* found;
  };
  const Row rows[] = {
      {{1, 1 << 15, 1 << 14, 12}, 3, "input has shape float[1,32768,16384,12]"},
      {{2, 2, 3, 12}, 1 << 29, "rois has shape float[536870912,5]"},
      {{2, 2, 3, 12}, 1 << 28, "output has shape float[268435456,2,2,3]"},
      // Also when there is nothing to do.
      {{0, 2, 3, 12}, 1 << 28, "output has shape float[268435456,2,2,3]"},
  };
  for (const Row& row : rows) {
    CApiCall call = Example();
    call.input.dims = row.input;
    call.rois.dims = {row.rois, 5};
    call.output.dims = call.mapping_channel.dims = {row.rois, 2, 2, 3};
    ExpectRefused(call, std::string(row.found) + "; it must have fewer than 2^31 elements",
                  MLUOP_STATUS_NOT_SUPPORTED);
  }
}

// Everything is wrong; then one thing after the other is put right, in the order of the contract.
TEST_F(MluOpPsRoiPoolForward, ReportsTheFirstOfSeveralErrors) {
  struct Refusal {
    std::function<void(CApiCall&)> change;
    const char* why;
    mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM;
  };
  const Refusal refusals[] = {
      {[](CApiCall& c) { c.has_handle = false; }, "handle is NULL; it must be a valid pointer"},
      {[](CApiCall& c) { c.input.is_null = true; },
       "input_desc is NULL; it must be a tensor descriptor"},
      {[](CApiCall& c) { c.mapping_channel.is_set = false; },
       "mapping_channel_desc was never set; call mluOpSetTensorDescriptor first"},
      {[](CApiCall& c) { c.rois.dims = {15}; }, "rois has shape float[15]; it must have rank 2"},
      {[](CApiCall& c) { c.mapping_channel.dtype = MLUOP_DTYPE_UINT32; },
       "mapping_channel has type uint32; it must be int32"},
      {[](CApiCall& c) { c.mapping_channel.layout = MLUOP_LAYOUT_NCHW; },
       "mapping_channel has layout NCHW; it must be NHWC"},
      {[](CApiCall& c) { c.group_size = 0; }, "group_size is 0; it must be at least 1"},
      {[](CApiCall& c) { c.output_dim = 0; }, "output_dim is 0; it must be at least 1"},
      {[](CApiCall& c) { c.pooled_height = 3; },
       "pooled_height is 3; it must equal group_size, which is 2"},
      {[](CApiCall& c) { c.pooled_width = 4; },
       "pooled_width is 4; it must equal group_size, which is 2"},
      {[](CApiCall& c) { c.spatial_scale = 0; },
       "spatial_scale is 0; it must be a finite number above 0"},
      {[](CApiCall& c) {
         c.input.dims = {2, 2, 3, 13};
       },
       "input has shape float[2,2,3,13]; dimension 3 must be group_size squared, 4, times "
       "output_dim, 3"},
      {[](CApiCall& c) {
         c.rois.dims = {0, 4};
       },
       "rois has shape float[0,4]; dimension 1 must be 5 (batch index, x1, y1, x2, y2)"},
      {[](CApiCall& c) {
         c.rois.dims = {0, 5};
       },
       "rois has shape float[0,5]; it must not be empty"},
      {[](CApiCall& c) {
         c.output.dims = {3, 2, 3, 2};
       },
       "output has shape float[3,2,3,2]; dimension 2 must be 2"},
      {[](CApiCall& c) {
         c.mapping_channel.dims = {3, 2, 2, 4};
       },
       "mapping_channel has shape int32[3,2,2,4]; dimension 3 must be 3"},
      {[](CApiCall& c) {
         c.mapping_channel.strides = {1, 18, 9, 3};
       },
       "mapping_channel has shape int32[3,2,2,3] and strides [1,18,9,3]; it must be contiguous",
       MLUOP_STATUS_NOT_SUPPORTED},
      {[](CApiCall& c) {
         c.input.dims = {1, 1 << 15, 1 << 14, 12};
       },
       "input has shape float[1,32768,16384,12]; it must have fewer than 2^31 elements",
       MLUOP_STATUS_NOT_SUPPORTED},
      {[](CApiCall& c) { c.mapping_channel.data = nullptr; },
       "mapping_channel is NULL; it must be a valid pointer"},
      {[](CApiCall& c) {
         static const std::vector<float> rois = {0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 9, 0, 0, 0, 0};
         c.rois.data = const_cast<float*>(rois.data());
       },
       "rois[1] has batch index 2; it must be 0 to 1"},
  };
  for (size_t first = 0; first < std::size(refusals); ++first) {
    CApiCall call = Example();
    // Where two change the same, the earlier one wins.
    for (size_t i = std::size(refusals); i-- > first;) {
      refusals[i].change(call);
    }
    ExpectRefused(call, refusals[first].why, refusals[first].status);
  }
}

// Nothing to pool from: not even data is needed, and results stay as they were.
TEST_F(MluOpPsRoiPoolForward, DoesNothingWithoutInput) {
  const std::vector<std::vector<int64_t>> shapes = {
      {0, 2, 3, 12}, {2, 0, 3, 12}, {2, 2, 0, 12}, {0, 0, 0, 12}};
  for (const std::vector<int64_t>& shape : shapes) {
    CApiCall call = Example();
    call.input.dims = shape;
    const std::vector<float> no_image(15, 99);
    call.rois.data = const_cast<float*>(no_image.data());
    ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
    ExpectUntouched();
    call.input.data = call.rois.data = call.output.data = call.mapping_channel.data = nullptr;
    ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
    // The rest is checked all the same.
    call.spatial_scale = kNaN;
    ExpectRefused(call, "spatial_scale is nan; it must be a finite number above 0");
    call = Example();
    call.input.dims = shape;
    call.rois.dims = {0, 5};
    call.output.dims = call.mapping_channel.dims = {0, 2, 2, 3};
    ExpectRefused(call, "rois has shape float[0,5]; it must not be empty");
    call = Example();
    call.input.dims = shape;
    call.output.dims = {3, 2, 2, 4};
    ExpectRefused(call, "output has shape float[3,2,2,4]; dimension 3 must be 3");
  }
  CApiCall call = Example();
  call.input.dims = {0, 2, 3, 0};
  ExpectRefused(call,
                "input has shape float[0,2,3,0]; dimension 3 must be group_size squared, 4, "
                "times output_dim, 3");
}

TEST_F(MluOpPsRoiPoolForward, TakesRoisInAnyLayoutAndStridesThatMeanNothing) {
  CApiCall call = Example();
  call.rois.layout = MLUOP_LAYOUT_NHWC;
  call.input.dims = {1, 4, 3, 12};
  call.input.strides = {-5, 36, 12, 1};  // of a dimension of 1
  example_.rois = {0, 0, 0, 2, 1, 0, 2, 3, 0, 0, 0, 9, 9, 9, 9};
  call.rois.data = example_.rois.data();
  ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
  ExpectExamplesResults();
}

// Found before anything is written, whatever comes before and behind the roi.
TEST_F(MluOpPsRoiPoolForward, RefusesRoisOfImagesThatDoNotExist) {
  const std::pair<float, const char*> images[] = {
      {-1.0f, "-1"}, {2.0f, "2"}, {kNaN, "nan"}, {kInfinity, "inf"}, {1e30f, "1e+30"}};
  for (const auto& [image, found] : images) {
    for (size_t roi = 0; roi < 3; ++roi) {
      example_ = ExampleCase();
      example_.rois[roi * kRoiNumbers] = image;
      ExpectRefused(Example(), "rois[" + std::to_string(roi) + "] has batch index " + found +
                                   "; it must be 0 to 1");
    }
  }
  example_ = ExampleCase();
  example_.rois[0] = -0.5f;
  example_.rois[kRoiNumbers] = 1.5f;
  example_.rois[2 * kRoiNumbers] = 0.9f;
  ASSERT_EQ(Make(Example()), MLUOP_STATUS_SUCCESS);
  ExpectExamplesResults();
}

TEST_F(MluOpPsRoiPoolForward, RunsOnAQueueAndDescriptorsMayGo) {
  ASSERT_EQ(cnrtQueueCreate(&queue_), cnrtSuccess);
  ASSERT_EQ(mluOpSetQueue(handle_, queue_), MLUOP_STATUS_SUCCESS);
  Gate gate;
  ASSERT_TRUE(gate.Block(queue_).ok());
  ASSERT_EQ(Make(Example()), MLUOP_STATUS_SUCCESS);
  ExpectUntouched();
  for (mluOpTensorDescriptor_t& descriptor : descriptors_) {
    ASSERT_EQ(mluOpDestroyTensorDescriptor(descriptor), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(mluOpCreateTensorDescriptor(&descriptor), MLUOP_STATUS_SUCCESS);
  }
  gate.Open();
  ASSERT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  ExpectExamplesResults();
  EXPECT_EQ(cnrtQueueDestroy(queue_), cnrtSuccess);
}

// The call cannot know it yet; it is logged when it happens and reported once. Jobs behind it run.
TEST_F(MluOpPsRoiPoolForward, QueuesReportImagesThatDoNotExist) {
  ASSERT_EQ(cnrtQueueCreate(&queue_), cnrtSuccess);
  ASSERT_EQ(mluOpSetQueue(handle_, queue_), MLUOP_STATUS_SUCCESS);
  const char* const why = "mluOpPsRoiPoolForward: rois[1] has batch index 2; it must be 0 to 1";
  LogCapture log;
  std::vector<float> bad_rois = example_.rois;
  bad_rois[kRoiNumbers] = 2;
  std::vector<float> other_output(36, -7.0f);
  std::vector<int32_t> other_mapping(36, -7);
  CApiCall bad = Example();
  bad.rois.data = bad_rois.data();
  bad.output.data = other_output.data();
  bad.mapping_channel.data = other_mapping.data();
  ASSERT_EQ(Make(bad), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(Make(Example()), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtErrorArgsInvalid);
  EXPECT_STREQ(detopsGetLastError(), why);
  EXPECT_THAT(log.Take(), ElementsAre(why));
  EXPECT_THAT(other_output, Each(-7));
  EXPECT_THAT(other_mapping, Each(-7));
  ExpectExamplesResults();
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess) << "reported twice";
  ASSERT_EQ(Make(Example()), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  ExpectExamplesResults();
  EXPECT_EQ(cnrtQueueDestroy(queue_), cnrtSuccess);
}

// What the arguments show fails in the call, also with a queue.
TEST_F(MluOpPsRoiPoolForward, ChecksArgumentsBeforeAnythingIsQueued) {
  ASSERT_EQ(cnrtQueueCreate(&queue_), cnrtSuccess);
  ASSERT_EQ(mluOpSetQueue(handle_, queue_), MLUOP_STATUS_SUCCESS);
  CApiCall call = Example();
  call.output.data = nullptr;
  ExpectRefused(call, "output is NULL; it must be a valid pointer");
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  EXPECT_EQ(cnrtQueueDestroy(queue_), cnrtSuccess);
}

// Scratch follows the number of threads and the shape, up and down.
TEST_F(MluOpPsRoiPoolForward, ThreadsAndShapesMayChangeBetweenCalls) {
  const Case large = RandomCase(Kind::kNetwork, {2, 20, 30, 4, 20, 60}, 0.25f, 1);
  const Case small = RandomCase(Kind::kLarge, {1, 5, 6, 2, 9, 3}, 0.1f, 2);
  for (const bool queued : {false, true}) {
    if (queued) {
      ASSERT_EQ(cnrtQueueCreate(&queue_), cnrtSuccess);
      ASSERT_EQ(mluOpSetQueue(handle_, queue_), MLUOP_STATUS_SUCCESS);
    }
    for (const int threads : {1, 7, 2, 0}) {
      ASSERT_EQ(detopsSetThreads(handle_, threads), MLUOP_STATUS_SUCCESS);
      ExpectReferencesBits(small);
      ExpectReferencesBits(large);
    }
  }
  ASSERT_EQ(mluOpSetQueue(handle_, nullptr), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(cnrtQueueDestroy(queue_), cnrtSuccess);
}

TEST_F(MluOpPsRoiPoolForward, LogsEachCallAtDebugLevel) {
  CApiCall call = Example();
  call.spatial_scale = 0.0625f;
  LogCapture log(DETOPS_LOG_DEBUG);
  ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(log.Take(), ElementsAre("mluOpPsRoiPoolForward: input float[2,2,3,12], rois "
                                      "float[3,5], group_size 2, output_dim 3, spatial_scale "
                                      "0.0625"));
  // Also when there is nothing to do.
  call.input.dims = {0, 2, 3, 12};
  ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(log.Take(), ElementsAre("mluOpPsRoiPoolForward: input float[0,2,3,12], rois "
                                      "float[3,5], group_size 2, output_dim 3, spatial_scale "
                                      "0.0625"));
  LogCapture quiet(DETOPS_LOG_INFO);
  ASSERT_EQ(Make(Example()), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(quiet.Take(), ElementsAre());
}

#if defined(__SSE2__)
TEST_F(MluOpPsRoiPoolForward, ComputesInTheDefaultFloatModeAndRestoresTheCallers) {
  Case input = RandomCase(Kind::kLarge, {1, 9, 9, 3, 9, 50}, 0.1f, 3);
  for (size_t i = 0; i < input.input.size(); ++i) {
    input.input[i] *= i % 3 == 0 ? 1.0f : 1e-39f;  // a denormal
  }
  std::fill_n(input.input.begin(), input.input.size() / 2, 1e-40f);
  std::vector<float> output(static_cast<size_t>(input.results()));
  std::vector<int32_t> mapping_channel(output.size());
  const CApiCall call = CallOf(input, output.data(), mapping_channel.data());
  const Result expected = RunReference(input);
  for (const int threads : {1, 2}) {
    ASSERT_EQ(detopsSetThreads(handle_, threads), MLUOP_STATUS_SUCCESS);
    std::fill(output.begin(), output.end(), -7.0f);
    const uint32_t saved = _mm_getcsr();
    _mm_setcsr(saved | 0x8040 | 0x2000);  // no denormals, round down
    const uint32_t unusual = _mm_getcsr();
    const mluOpStatus_t status = Make(call);
    const uint32_t after = _mm_getcsr();
    _mm_setcsr(saved);
    EXPECT_EQ(status, MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(after, unusual);
    EXPECT_TRUE(ReadResult(input, output.data(), mapping_channel.data()) == expected);
  }
  EXPECT_THAT(output, testing::Contains(testing::AllOf(testing::Gt(0), testing::Lt(1.1e-38f))))
      << "no denormals among the results";
}
#endif

// ---- The C++ API --------------------------------------------------------------------------------

class PsRoiPoolForwardCpp : public testing::Test {
 protected:
  using Layout = mluOpTensorLayout_t;

  ConstTensorView Input(Layout layout = MLUOP_LAYOUT_ARRAY) const {
    return {example_.input.data(), {2, 2, 3, 12}, layout};
  }
  ConstTensorView InputChannelsFirst(Layout layout = MLUOP_LAYOUT_ARRAY) const {
    return {channels_first_.data(), {2, 12, 2, 3}, layout};
  }
  ConstTensorView Rois() const { return {example_.rois.data(), {3, 5}}; }
  TensorView Output(Layout layout = MLUOP_LAYOUT_ARRAY) {
    return {output_.data(), {3, 2, 2, 3}, layout};
  }
  TensorView OutputChannelsFirst(Layout layout = MLUOP_LAYOUT_ARRAY) {
    return {output_.data(), {3, 3, 2, 2}, layout};
  }
  TensorView Mapping(Layout layout = MLUOP_LAYOUT_ARRAY) {
    return {mapping_channel_.data(), {3, 2, 2, 3}, layout};
  }
  TensorView MappingChannelsFirst(Layout layout = MLUOP_LAYOUT_ARRAY) {
    return {mapping_channel_.data(), {3, 3, 2, 2}, layout};
  }

  // The call gave the example's results, which are then forgotten. With channels first they lie in
  // the order of the channels.
  void ExpectExamplesResults(bool channels_first, bool mapping = true) {
    std::vector<float> means(36);
    std::vector<int32_t> channels(36);
    for (size_t i = 0; i < 36; ++i) {
      const size_t at = channels_first ? i / 12 * 12 + static_cast<size_t>(kExampleChannels[i]) : i;
      means[at] = kExampleMeans[i];
      channels[at] = mapping ? kExampleChannels[i] : -7;
    }
    EXPECT_THAT(output_, ElementsAreArray(means));
    EXPECT_THAT(mapping_channel_, ElementsAreArray(channels));
    output_.assign(36, -7.0f);
    mapping_channel_.assign(36, -7);
  }

  void ExpectThrown(const std::string& message, const std::function<void()>& call,
                    mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM) {
    LogCapture log;
    try {
      call();
      ADD_FAILURE() << "nothing was thrown, expected " << message;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), status);
      EXPECT_EQ(error.what(), message);
      EXPECT_STREQ(error.what(), detopsGetLastError());
    }
    EXPECT_THAT(log.Take(), ElementsAre(message));
    EXPECT_THAT(output_, Each(-7));
    EXPECT_THAT(mapping_channel_, Each(-7));
  }

  Case example_ = ExampleCase();
  const std::vector<float> channels_first_ = ChannelsFirst(example_.input, 2, 6, 12);
  std::vector<float> output_ = std::vector<float>(36, -7.0f);
  std::vector<int32_t> mapping_channel_ = std::vector<int32_t>(36, -7);
  const PsRoiPoolOptions nhwc_{2, 1, ImageLayout::kNhwc, RoiRounding::kBeforeScaling};
  const PsRoiPoolOptions nchw_{2, 1, ImageLayout::kNchw, RoiRounding::kBeforeScaling};
};

TEST_F(PsRoiPoolForwardCpp, GivesTheExampleInBothLayouts) {
  PsRoiPoolForward(Input(), Rois(), Output(), Mapping(), nhwc_);
  ExpectExamplesResults(false);
  PsRoiPoolForward(InputChannelsFirst(), Rois(), OutputChannelsFirst(), MappingChannelsFirst(),
                   nchw_);
  ExpectExamplesResults(true);
  PsRoiPoolForward(Input(), Rois(), Output(), std::nullopt, nhwc_);
  ExpectExamplesResults(false, false);
  PsRoiPoolForward(InputChannelsFirst(), Rois(), OutputChannelsFirst(), std::nullopt, nchw_);
  ExpectExamplesResults(true, false);
}

TEST_F(PsRoiPoolForwardCpp, SevenBinsOfWholePixelsWithChannelsLastAreTheDefault) {
  const PsRoiPoolOptions options;
  EXPECT_EQ(options.group_size, 7);
  EXPECT_EQ(options.spatial_scale, 1);
  EXPECT_EQ(options.layout, ImageLayout::kNhwc);
  EXPECT_EQ(options.rounding, RoiRounding::kBeforeScaling);
  std::vector<float> input(98);
  for (size_t c = 0; c < input.size(); ++c) {
    input[c] = static_cast<float>(c);
  }
  const float roi[] = {0, 0, 0, 0, 0};
  std::vector<float> output(98);
  std::vector<int32_t> mapping(98);
  PsRoiPoolForward({input.data(), {1, 1, 1, 98}}, {roi, {1, 5}}, {output.data(), {1, 7, 7, 2}},
                   TensorView(mapping.data(), {1, 7, 7, 2}));
  for (size_t i = 0; i < input.size(); ++i) {
    const size_t channel = i % 2 * 49 + i / 2;
    EXPECT_EQ(output[i], static_cast<float>(channel));
    EXPECT_EQ(mapping[i], static_cast<int32_t>(channel));
  }
}

// Of the same region, the rule of torchvision leaves out the last row and column.
TEST_F(PsRoiPoolForwardCpp, TakesScaleAndRoundingFromTheOptions) {
  const float map[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
  const float rois[] = {0, 0, 0, 2, 2, 0, 1, 1, 5, 5};
  float output[2] = {};
  const auto pool = [&](float scale, RoiRounding rounding) {
    PsRoiPoolForward({map, {1, 3, 3, 1}}, {rois, {2, 5}}, {output, {2, 1, 1, 1}}, std::nullopt,
                     {1, scale, ImageLayout::kNhwc, rounding});
    return std::pair(output[0], output[1]);
  };
  EXPECT_EQ(pool(1, RoiRounding::kBeforeScaling), std::pair(511.0f / 9, 432.0f / 4));
  EXPECT_EQ(pool(1, RoiRounding::kAfterScaling), std::pair(27.0f / 4, 16.0f));
  EXPECT_EQ(pool(0.5f, RoiRounding::kBeforeScaling), std::pair(27.0f / 4, 511.0f / 9));
  EXPECT_EQ(pool(0.5f, RoiRounding::kAfterScaling), std::pair(1.0f, 16.0f));
}

TEST_F(PsRoiPoolForwardCpp, TakesViewsThatNameTheirLayout) {
  const mluOpTensorLayout_t nhwc = MLUOP_LAYOUT_NHWC;
  const mluOpTensorLayout_t nchw = MLUOP_LAYOUT_NCHW;
  PsRoiPoolForward(Input(nhwc), Rois(), Output(nhwc), Mapping(nhwc), nhwc_);
  ExpectExamplesResults(false);
  PsRoiPoolForward(InputChannelsFirst(nchw), Rois(), OutputChannelsFirst(nchw),
                   MappingChannelsFirst(nchw), nchw_);
  ExpectExamplesResults(true);
  ExpectThrown("PsRoiPoolForward: input has layout NCHW; it must be NHWC", [&] {
    PsRoiPoolForward(InputChannelsFirst(nchw), Rois(), Output(), Mapping(), nhwc_);
  });
  ExpectThrown("PsRoiPoolForward: input has layout NHWC; it must be NCHW", [&] {
    PsRoiPoolForward(Input(nhwc), Rois(), OutputChannelsFirst(), std::nullopt, nchw_);
  });
  ExpectThrown("PsRoiPoolForward: output has layout NCHW; it must be NHWC",
               [&] { PsRoiPoolForward(Input(), Rois(), Output(nchw), std::nullopt, nhwc_); });
  ExpectThrown("PsRoiPoolForward: mapping_channel has layout NHWC; it must be NCHW", [&] {
    PsRoiPoolForward(InputChannelsFirst(), Rois(), OutputChannelsFirst(),
                     MappingChannelsFirst(nhwc), nchw_);
  });
}

TEST_F(PsRoiPoolForwardCpp, ThrowsTheMessageOfTheCApi) {
  const auto with = [](int group, float scale) {
    return PsRoiPoolOptions{group, scale, ImageLayout::kNhwc, RoiRounding::kBeforeScaling};
  };
  ExpectThrown("PsRoiPoolForward: group_size is 0; it must be at least 1",
               [&] { PsRoiPoolForward(Input(), Rois(), Output(), Mapping(), with(0, 1)); });
  ExpectThrown("PsRoiPoolForward: spatial_scale is -0.5; it must be a finite number above 0",
               [&] { PsRoiPoolForward(Input(), Rois(), Output(), Mapping(), with(2, -0.5f)); });
  // How many channels a bin has is not said, so any number fits.
  ExpectThrown(
      "PsRoiPoolForward: input has shape float[2,2,3,12]; dimension 3 must be group_size "
      "squared, 25, times a positive integer",
      [&] { PsRoiPoolForward(Input(), Rois(), Output(), Mapping(), with(5, 1)); });
  ExpectThrown("PsRoiPoolForward: output has shape float[3,2,2,3]; dimension 1 must be 1",
               [&] { PsRoiPoolForward(Input(), Rois(), Output(), Mapping(), with(1, 1)); });
  ExpectThrown(
      "PsRoiPoolForward: input has shape float[2,2,3,0]; dimension 3 must be group_size "
      "squared, 4, times a positive integer",
      [&] {
        PsRoiPoolForward({example_.input.data(), {2, 2, 3, 0}}, Rois(), Output(), Mapping(), nhwc_);
      });
  ExpectThrown(
      "PsRoiPoolForward: input has shape float[2,2,3,12]; dimension 1 must be group_size "
      "squared, 4, times a positive integer",
      [&] { PsRoiPoolForward(Input(), Rois(), OutputChannelsFirst(), std::nullopt, nchw_); });
  ExpectThrown("PsRoiPoolForward: output has shape float[3,2,2,3]; dimension 1 must be 3", [&] {
    PsRoiPoolForward(InputChannelsFirst(), Rois(), Output(), std::nullopt, nchw_);
  });
  ExpectThrown(
      "PsRoiPoolForward: mapping_channel has shape int32[3,2,2,3]; dimension 1 must be 3", [&] {
        PsRoiPoolForward(InputChannelsFirst(), Rois(), OutputChannelsFirst(), Mapping(), nchw_);
      });
  ExpectThrown("PsRoiPoolForward: mapping_channel has type float; it must be int32", [&] {
    PsRoiPoolForward(Input(), Rois(), Output(), TensorView(output_.data(), {3, 2, 2, 3}), nhwc_);
  });
  ExpectThrown("PsRoiPoolForward: mapping_channel is NULL; it must be a valid pointer", [&] {
    PsRoiPoolForward(Input(), Rois(), Output(),
                     TensorView(static_cast<int32_t*>(nullptr), {3, 2, 2, 3}), nhwc_);
  });
  ExpectThrown(
      "PsRoiPoolForward: rois has shape float[-3,5]; no dimension may be negative and their "
      "product "
      "must be below 2^63",
      [&] {
        PsRoiPoolForward(Input(), {example_.rois.data(), {-3, 5}}, Output(), Mapping(), nhwc_);
      });
  ExpectThrown("PsRoiPoolForward: rois has shape float[0,5]; it must not be empty", [&] {
    PsRoiPoolForward(Input(), {example_.rois.data(), {0, 5}}, Output(), Mapping(), nhwc_);
  });
  ExpectThrown(
      "PsRoiPoolForward: input has shape float[1,12,32768,16384]; it must have fewer than 2^31 "
      "elements",
      [&] {
        PsRoiPoolForward({channels_first_.data(), {1, 12, 1 << 15, 1 << 14}}, Rois(),
                         OutputChannelsFirst(), MappingChannelsFirst(), nchw_);
      },
      MLUOP_STATUS_NOT_SUPPORTED);
}

TEST_F(PsRoiPoolForwardCpp, DoesNothingWithoutInput) {
  PsRoiPoolForward({example_.input.data(), {0, 2, 3, 12}}, Rois(), Output(), Mapping(), nhwc_);
  PsRoiPoolForward({example_.input.data(), {2, 12, 0, 3}}, Rois(), OutputChannelsFirst(),
                   std::nullopt, nchw_);
  EXPECT_THAT(output_, Each(-7));
  EXPECT_THAT(mapping_channel_, Each(-7));
}

TEST_F(PsRoiPoolForwardCpp, ThrowsWhenARoisImageDoesNotExist) {
  example_.rois[2 * kRoiNumbers] = -1;
  ExpectThrown("PsRoiPoolForward: rois[2] has batch index -1; it must be 0 to 1",
               [&] { PsRoiPoolForward(Input(), Rois(), Output(), Mapping(), nhwc_); });
  ExpectThrown("PsRoiPoolForward: rois[2] has batch index -1; it must be 0 to 1", [&] {
    PsRoiPoolForward(InputChannelsFirst(), Rois(), OutputChannelsFirst(), std::nullopt, nchw_);
  });
}

TEST_F(PsRoiPoolForwardCpp, RunsInAContextAndOnItsQueue) {
  Context context;
  PsRoiPoolForward(context, Input(), Rois(), Output(), Mapping(), nhwc_);
  ExpectExamplesResults(false);
  Queue queue;
  context.SetQueue(queue);
  Gate gate;
  ASSERT_TRUE(gate.Block(queue.get()).ok());
  PsRoiPoolForward(context, InputChannelsFirst(), Rois(), OutputChannelsFirst(), std::nullopt,
                   nchw_);
  EXPECT_THAT(output_, Each(-7)) << "written before its turn";
  gate.Open();
  queue.Sync();
  ExpectExamplesResults(true, false);
  example_.rois[0] = 5;
  ExpectThrown("PsRoiPoolForward: rois[0] has batch index 5; it must be 0 to 1", [&] {
    PsRoiPoolForward(context, Input(), Rois(), Output(), Mapping(), nhwc_);
    queue.Sync();
  });
  queue.Sync();
}

TEST_F(PsRoiPoolForwardCpp, LogsLayoutRoundingAndWhatIsLeftOut) {
  Context context;  // the first one logs a line of its own
  LogCapture log(DETOPS_LOG_DEBUG);
  PsRoiPoolForward(context, InputChannelsFirst(), Rois(), OutputChannelsFirst(), std::nullopt,
                   {2, 0.5f, ImageLayout::kNchw, RoiRounding::kAfterScaling});
  EXPECT_THAT(log.Take(),
              ElementsAre("PsRoiPoolForward: input float[2,12,2,3] NCHW, rois float[3,5], "
                          "group_size 2, output_dim 3, spatial_scale 0.5, rounded after scaling, "
                          "no mapping_channel"));
}

// ---- Tiles --------------------------------------------------------------------------------------
// What run.cc cuts the work into; apart from all other tests, since only this section knows how.

// A call whose results go where a test can see what was written.
class TileCall {
 public:
  // Results start so many floats behind a line.
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
  Output output(bool stream) { return {means_.data(), sums_.data(), stream}; }
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

// Takes the means of a row of bins of some rois over from another result.
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

TEST_P(PsRoiPoolKernel, TilesFindTheBinsOfPlainFloats) {
  constexpr int32_t kUntouched = -5;
  constexpr int64_t kCount = 30;
  uint32_t number = 0;
  for (const Kind kind : kAllKinds) {
    for (const float scale : {1.0f, 0.1f, 0.0625f, 7.0f}) {
      for (const int64_t group : {1, 3, 7, 8, 9, 17}) {
        for (const RoiRounding rounding : kRoundings) {
          Case input = RandomCase(kind, {1, 13, 10, group, 1, kCount}, scale, number++);
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

// Vectors one after the other, of which the last holds the last channels. Between the pixels of
// bins nothing is written.
TEST_P(PsRoiPoolKernel, TilesPackTheChannelsOfBinsSideBySide) {
  constexpr int64_t kGap = 3;
  constexpr float kUntouched = -77.125f;
  uint32_t number = 0;
  for (const int64_t dim : kDims) {
    for (const int64_t group : {1, 2, 5, 7}) {
      Case input = RandomCase(Kind::kNetwork, {2, 3, 9, group, dim, 1}, 1, number);
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

// Some rois and bins, from a ring with all rows and straight from the input, past the caches where
// that is possible: these means and no others.
TEST_P(PsRoiPoolKernel, TilesPoolTheirBinsAndNoOthers) {
  const std::vector<int32_t> rois = {4, 1, 6, 2};
  uint32_t number = 0;
  for (const int64_t dim : kDims) {
    ForEachVariant(RandomCase(Kind::kLarge, {1, 8, 9, 4, dim, 8}, 1, number++), 0, [&](Case input) {
      input.mapping = false;
      const Result expected = RunReference(input);
      for (const BinRow& bins : {BinRow{0, 1, 0, 4}, BinRow{0, 3, 1, 3}, BinRow{0, 0, 3, 4}}) {
        for (const bool from_ring : {false, true}) {
          for (const bool stream : {false, true}) {
            if (stream && input.channels_first) {
              continue;  // no lines of means
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
              PoolFromRing(args, call.table(), bins, {ring.data(), args.height}, rois.data(), count,
                           call.output(stream));
            } else {
              std::vector<float> room(
                  static_cast<size_t>(CopiedPixels(args) * MaxPixelFloats(dim)));
              PoolFromInput(args, call.table(), bins, rois.data(), count, room.data(),
                            call.output(stream));
            }
            ASSERT_TRUE(call.result() == wanted)
                << input.ToString() << (from_ring ? ", from a ring" : "")
                << (stream ? ", past the caches" : "");
          }
        }
      }
    });
  }
}

// A ring of just as many rows as a bin has, which begin in any of its slots.
TEST_P(PsRoiPoolKernel, TilesPoolFromRingsThatHoldTheBinsRowsOnly) {
  for (const int64_t dim : {1, 5, 8, 24, 40}) {
    const Case input = RandomCase(Kind::kLarge, {1, 17, 5, 3, dim, 20}, 1, 9);
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
        PoolFromRing(args, call.table(), bins, {ring.data(), rows}, &roi, 1, call.output(false));
        TakeMeans(args, bins, {roi}, expected, wanted);
      }
    }
    EXPECT_EQ(call.result().means, wanted.means) << input.ToString();
    EXPECT_EQ(call.result().means, expected.means);
  }
}

// Packing the map is worth its time for many rois; the channels of a bin must lie apart, and be
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
    EXPECT_FALSE(packs({1, 38, 63, 7, 8, 1}, channels_first));
    EXPECT_FALSE(packs({1, 38, 63, 7, 8, 20}, channels_first));
    EXPECT_TRUE(packs({1, 38, 63, 7, 8, 1000}, channels_first));
    EXPECT_FALSE(packs({1, 38, 63, 7, 3, 1000}, channels_first));
    EXPECT_TRUE(packs({1, 14, 14, 7, 8, 320}, channels_first));
    EXPECT_FALSE(packs({1, 38, 63, 1, 8, 1}, channels_first));
  }
  EXPECT_FALSE(packs({1, 38, 63, 1, 8, 1000}));
  EXPECT_TRUE(packs({1, 38, 63, 1, 8, 1000}, true));
}

TEST_P(PsRoiPoolKernel, TilesWriteTheChannelsOfTheirRois) {
  for (const int64_t dim : {1, 4, 7, 16, 33}) {
    for (const bool stream : {false, true}) {
      for (const int64_t shift : {0, 1, 15}) {
        const Case input = RandomCase(Kind::kNetwork, {1, 2, 2, 3, dim, 7}, 1, 9);
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
