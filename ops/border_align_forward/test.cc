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
#include "core/half.h"
#include "detops/detops.hpp"
#include "measure/diff.h"
#include "ops/border_align_forward/harness.h"
#include "ops/border_align_forward/tiles.h"
#include "testing/gate.h"
#include "testing/guarded_buffer.h"
#include "testing/log_capture.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace detops::border_align_forward {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

// Around every vector width and group of channels.
constexpr int64_t kChannelCounts[] = {1, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 70, 130};

// Calls check(case) with float and half, both layouts, with and without argmax.
template <class Check>
void ForEachVariant(Case input, const Check& check) {
  for (const bool half : {false, true}) {
    for (const bool channels_first : {false, true}) {
      for (const bool argmax : {false, true}) {
        input.half = half;
        input.channels_first = channels_first;
        input.argmax = argmax;
        check(input);
      }
    }
  }
}

void ExpectReferencesBits(Kind kind, const Case& input, int threads = 1) {
  EXPECT_TRUE(RunOn(threads, input) == RunReference(input))
      << NameOf(kind) << ' ' << input.ToString() << ", threads " << threads;
}

// Its scratch ends at an unmapped page.
void RunOnOneThread(const Args& args) {
  const GuardedBuffer scratch((ScratchBytes(args, 1) + kAlignment - 1) / kAlignment * kAlignment);
  Threads threads(1);
  RunContext context{threads, scratch.data()};
  ASSERT_TRUE(Run(context, args).ok());
}

// ---- Run against the reference, on every target -------------------------------------------------

class BorderAlignKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(BorderAlignKernel);

TEST_P(BorderAlignKernel, HasTheReferencesBitsForAnyNumberOfChannels) {
  for (const Kind kind : kAllKinds) {
    for (const int64_t channels : kChannelCounts) {
      // Planes are packed for the first, pixels fetched for the second.
      for (const Shape& shape : {Shape{2, 3, 5, channels, 3, 5}, Shape{1, 7, 9, channels, 1, 4}}) {
        ForEachVariant(RandomCase(kind, shape, static_cast<uint32_t>(channels)),
                       [&](const Case& input) { ExpectReferencesBits(kind, input); });
      }
    }
  }
}

// Samples come in parts.
TEST_P(BorderAlignKernel, HasTheReferencesBitsForAnyPoolSize) {
  for (const Kind kind : kAllKinds) {
    for (const int32_t pool_size : {1, 2, 10, 31, 32, 33, 63, 64, 65, 100, 1000}) {
      for (const Shape& shape :
           {Shape{1, 4, 6, 5, 3, pool_size}, Shape{1, 40, 30, 5, 1, pool_size}}) {
        ForEachVariant(RandomCase(kind, shape, static_cast<uint32_t>(pool_size)),
                       [&](const Case& input) { ExpectReferencesBits(kind, input); });
      }
    }
  }
}

TEST_P(BorderAlignKernel, HasTheReferencesBitsOnAnyMap) {
  constexpr Shape kShapes[] = {
      {2, 1, 1, 17, 3, 3},        {1, 1, 1, 1, 1, 1},      // a pixel
      {1, 1, 37, 17, 4, 3},       {1, 1, 500, 17, 1, 3},   // a row
      {1, 37, 1, 17, 4, 3},       {1, 500, 1, 17, 1, 3},   // a column
      {2, 2, 2, 20, 5, 7},        {1, 40, 35, 64, 2, 10},  // few boxes on a large map
      {1, 2, 4, 16, 1, 1},        {1, 3, 3, 16, 1, 1},     // 8 and 9 pixels, 8 of them needed
      {1, 120, 100, 48, 3, 1000},                          // a plane of few channels
      {3, 5, 4, 32, 40, 6},                                // many boxes
  };
  for (const Kind kind : kAllKinds) {
    uint32_t seed = 0;
    for (const Shape& shape : kShapes) {
      Case input = RandomCase(kind, shape, seed);
      for (const bool half : {false, true}) {
        input.half = half;
        // Each shape in one layout with one kind and in the other with the next.
        input.channels_first = (seed++ + static_cast<uint32_t>(kind)) % 2 != 0;
        ExpectReferencesBits(kind, input, 2);
      }
    }
  }
}

TEST_P(BorderAlignKernel, BitsDoNotDependOnThreads) {
  // Work for several threads: groups for all of them; boxes to be split, with planes and without.
  for (const Shape& shape :
       {Shape{2, 9, 11, 96, 50, 10}, Shape{1, 12, 13, 3, 201, 20}, Shape{1, 60, 70, 70, 13, 40}}) {
    for (const Kind kind : {Kind::kNetwork, Kind::kExtremes}) {
      Case input = RandomCase(kind, shape, 7);
      for (const bool half : {false, true}) {
        input.half = half;
        input.channels_first = half == (kind == Kind::kNetwork);
        const Result expected = RunReference(input);
        for (const int threads : {1, 2, 7}) {
          ASSERT_TRUE(RunOn(threads, input) == expected)
              << NameOf(kind) << ' ' << input.ToString() << ", threads " << threads;
        }
      }
    }
  }
}

// Lines are only written past the caches where they are whole: every place that results can have,
// and what lies before and behind them stays.
TEST_P(BorderAlignKernel, WritesItsResultsAnywhere) {
  constexpr std::byte kUntouched{0x5A};
  constexpr size_t kLine = 64;
  const auto is_untouched = [](std::byte byte) { return byte == kUntouched; };
  for (const int64_t channels : {16, 24, 64, 80}) {
    Case input = RandomCase(Kind::kNetwork, {1, 4, 5, channels, 3, 3}, 1);
    for (const bool half : {false, true}) {
      input.half = half;
      const Problem problem(input);
      const auto output_bytes = static_cast<size_t>(problem.output_bytes());
      const size_t argmax_bytes = static_cast<size_t>(input.results()) * sizeof(int32_t);
      const AlignedBuffer output(output_bytes + 2 * kLine);
      const AlignedBuffer argmax(argmax_bytes + 2 * kLine);
      const Result expected = RunReference(input);
      for (size_t shift = 0; shift < kLine; shift += half ? sizeof(Half) : sizeof(float)) {
        for (const size_t argmax_shift : {size_t{0}, shift / 4 * 4, kLine - 4}) {
          std::memset(output.data(), 0x5A, output.size());
          std::memset(argmax.data(), 0x5A, argmax.size());
          auto* const at = static_cast<std::byte*>(output.data()) + shift;
          auto* const argmax_at = static_cast<std::byte*>(argmax.data()) + argmax_shift;
          const Args args = problem.args(at, reinterpret_cast<int32_t*>(argmax_at));
          RunOnOneThread(args);
          ASSERT_TRUE(ReadResult(input, at, args.argmax_idx) == expected)
              << input.ToString() << ", output at " << shift << ", argmax_idx at " << argmax_shift;
          for (const auto& [begin, from, bytes, buffer] :
               {std::tuple(output.data(), at, output_bytes, &output),
                std::tuple(argmax.data(), argmax_at, argmax_bytes, &argmax)}) {
            ASSERT_TRUE(std::all_of(static_cast<std::byte*>(begin), from, is_untouched));
            ASSERT_TRUE(std::all_of(from + bytes, static_cast<std::byte*>(begin) + buffer->size(),
                                    is_untouched));
          }
        }
      }
    }
  }
}

// Tensors that end at an unmapped page, and start wherever that makes them start.
// Boxes are as large as a vector, so some end a little before it, for the sake of their start.
TEST_P(BorderAlignKernel, StaysInsideItsMemory) {
  constexpr int64_t kTwoVectors = 33;
  std::vector<int64_t> all_channels(std::begin(kChannelCounts), std::end(kChannelCounts));
  for (int64_t channels = 1; channels <= kTwoVectors; ++channels) {
    all_channels.push_back(channels);
  }
  for (const int64_t channels : all_channels) {
    for (const Shape& shape : {Shape{1, 3, 3, channels, 2, 3}, Shape{1, 6, 7, channels, 1, 3}}) {
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

// Both ways to the pixels are taken: a map that few boxes touch is not copied, one that many share
// is.
// The numbers of the boxes take scratch, too; of so few, little.
TEST(BorderAlignScratch, HasPlanesForMapsThatManyBoxesShare) {
  constexpr size_t kNumbers = 256;
  const auto scratch_of = [](const Shape& shape) {
    Case input;
    input.shape = shape;
    return ScratchBytes(input.args(nullptr, nullptr, nullptr, nullptr), 2);
  };
  EXPECT_LT(scratch_of({1, 1000, 1000, 64, 3, 10}), kNumbers);
  EXPECT_LT(scratch_of({1, 7, 9, 64, 1, 4}), kNumbers);
  EXPECT_GT(scratch_of({2, 25, 38, 256, 950, 10}), sizeof(float) * 25 * 38 * 256);
  EXPECT_GT(scratch_of({2, 3, 5, 1, 3, 5}), sizeof(float) * 3 * 5 * kGroupUnit);
}

// ---- Tiles --------------------------------------------------------------------------------------

TEST_P(BorderAlignKernel, PlanesHoldTheGroupsChannelsAndZeros) {
  for (const int64_t channels : {1, 5, 16, 33, 64}) {
    Case input = RandomCase(Kind::kIntegers, {2, 9, 11, channels + 20, 1, 1}, 3);
    for (const bool channels_first : {false, true}) {
      for (const bool half : {false, true}) {
        input.channels_first = channels_first;
        input.half = half;
        const Args args = Problem(input).args(nullptr, nullptr);
        const Problem problem(input);
        const Group group{1, 2, 16, channels};
        std::vector<float> plane(static_cast<size_t>(PlaneFloats(args, group.padded())), -7.0f);
        PackPlane(problem.args(nullptr, nullptr), group, plane.data());
        for (int64_t pixel = 0; pixel <= args.pixels(); ++pixel) {
          for (int64_t c = 0; c < group.padded(); ++c) {
            const bool is_input = pixel < args.pixels() && c < channels;
            ASSERT_EQ(plane[static_cast<size_t>(pixel * group.padded() + c)],
                      is_input ? InputAt(input, 1, pixel, 2, 16 + c) : 0)
                << input.ToString() << ", pixel " << pixel << ", channel " << c;
          }
        }
      }
    }
  }
}

// Some boxes of a group, with and without a plane, streamed where that is possible: these results
// and no others.
TEST_P(BorderAlignKernel, TilesWriteTheirBoxesAndNoOthers) {
  const Group group{1, 3, 16, 48};
  const std::vector<int32_t> boxes = {4, 1, 6, 2, 5};  // more than go through a step together
  ForEachVariant(RandomCase(Kind::kExtremes, {2, 6, 5, 80, 7, 33}, 5), [&](const Case& input) {
    const Problem problem(input);
    const Result expected = RunReference(input);
    for (const bool packed : {false, true}) {
      for (const bool stream : {false, true}) {
        if (stream && (input.half || input.channels_first)) {
          continue;  // no lines of floats
        }
        const auto results = static_cast<size_t>(input.results());
        const AlignedBuffer output(results * sizeof(float));
        const AlignedBuffer argmax(results * sizeof(int32_t));
        std::memset(output.data(), 0x5A, output.size());
        std::memset(argmax.data(), 0x5A, argmax.size());
        const Args args = problem.args(
            output.data(), input.argmax ? static_cast<int32_t*>(argmax.data()) : nullptr);
        const Result untouched = ReadResult(input, output.data(), args.argmax_idx);
        const AlignedBuffer plane(static_cast<size_t>(PlaneFloats(args, group.padded())) *
                                  sizeof(float));
        if (packed) {
          PackPlane(args, group, static_cast<float*>(plane.data()));
        }
        AlignBoxes(args, group, packed ? static_cast<float*>(plane.data()) : nullptr, boxes.data(),
                   static_cast<int64_t>(boxes.size()), stream);
        Result wanted = untouched;
        for (const int32_t box : boxes) {
          for (int64_t c = group.first_channel; c < group.first_channel + group.channels; ++c) {
            const auto at =
                static_cast<size_t>(((group.image * 7 + box) * kBorders + group.border) * 80 + c);
            wanted.values[at] = expected.values[at];
            wanted.samples[at] = expected.samples[at];
          }
        }
        ASSERT_TRUE(ReadResult(input, output.data(), args.argmax_idx) == wanted)
            << input.ToString() << (packed ? ", packed" : "") << (stream ? ", streamed" : "");
      }
    }
  });
}

// ---- The contract -------------------------------------------------------------------------------

// Calls check(samples in double, number of the result) for all results.
template <class Check>
void ForEachResult(const Case& input, const Check& check) {
  size_t at = 0;
  for (int64_t image = 0; image < input.shape.images; ++image) {
    for (int64_t box = 0; box < input.shape.boxes_per_image; ++box) {
      for (int64_t border = 0; border < kBorders; ++border) {
        for (int64_t channel = 0; channel < input.shape.channels; ++channel) {
          check(SamplesInDouble(input, image, box, border, channel), at++);
        }
      }
    }
  }
}

TEST(BorderAlignAccuracy, IsWithinTheContractOfDouble) {
  for (const Kind kind : {Kind::kIntegers, Kind::kNetwork, Kind::kOutside, Kind::kEdges}) {
    for (const Shape& shape : {Shape{2, 10, 7, 20, 30, 10}, Shape{1, 25, 38, 8, 40, 100},
                               Shape{1, 200, 300, 8, 10, 1000}}) {
      for (const bool half : {false, true}) {
        Case input = RandomCase(kind, shape, 11);
        input.half = half;
        const Result found = RunOn(2, input);
        std::vector<double> largest(found.values.size());
        ForEachResult(input, [&](const std::vector<double>& samples, size_t at) {
          largest[at] = *std::max_element(samples.begin(), samples.end());
          ASSERT_GE(samples[static_cast<size_t>(found.samples[at])], largest[at] - 1e-5)
              << "sample " << found.samples[at] << " is not the largest";
        });
        const Diffs diffs = ComputeDiffs(found.values, largest);
        const double limit = half ? 1e-3 : 1e-6;
        EXPECT_LE(diffs.diff1, limit) << NameOf(kind) << ' ' << input.ToString();
        EXPECT_LE(diffs.diff2, limit) << NameOf(kind) << ' ' << input.ToString();
      }
    }
  }
}

// Quarters of integers have no error, so values and the first of equal samples are known.
TEST(BorderAlignAccuracy, IsExactWhereFloatIs) {
  for (const bool half : {false, true}) {
    Case input = RandomCase(Kind::kIntegers, {2, 9, 8, 19, 40, 4}, 13);
    input.half = half;
    const Result found = RunOn(1, input);
    ForEachResult(input, [&](const std::vector<double>& samples, size_t at) {
      const auto largest = std::max_element(samples.begin(), samples.end());
      EXPECT_EQ(found.values[at], *largest) << at;
      EXPECT_EQ(found.samples[at], largest - samples.begin()) << at;
    });
  }
}

TEST(BorderAlignContract, SamplesAreInterpolatedInsideAndZeroOutside) {
  const float below_minus_one = std::nextafter(-1.0f, -2.0f);
  const float above_minus_one = std::nextafter(-1.0f, 0.0f);
  struct Row {
    float x, y, sample;
  };
  // Of a map of width 3 and height 2.
  const std::vector<float> map = {1, 2,  4,  //
                                  8, 16, 32};
  // clang-format off
  const Row rows[] = {
      {0, 0, 1}, {1, 0, 2}, {2, 1, 32}, {0.5f, 0, 1.5f}, {0, 0.25f, 2.75f}, {1.5f, 0.5f, 13.5f},
      {0.25f, 0.75f, (0.75f * 1 + 0.25f * 2) * 0.25f + (0.75f * 8 + 0.25f * 16) * 0.75f},
      // Before the map, and where that ends to count.
      {-0.0f, -0.0f, 1}, {-0.5f, 0, 1}, {above_minus_one, 1, 8}, {-1, 0, 1},
      {below_minus_one, 0, 0}, {0, -0.5f, 1}, {2, above_minus_one, 4}, {0, -1, 1},
      {0, below_minus_one, 0}, {-1, -1, 1},
      // Behind the last column and row.
      {2, 0, 4}, {2.5f, 0, 4}, {std::nextafter(3.0f, 0.0f), 0, 4}, {3, 0, 4},
      {std::nextafter(3.0f, 4.0f), 0, 0}, {0, 1, 8}, {0, 1.5f, 8},
      {1, std::nextafter(2.0f, 0.0f), 16}, {0, 2, 8}, {0, std::nextafter(2.0f, 3.0f), 0},
      {3, 2, 32}, {1.5f, 2, 24}, {3, 0.5f, 18},
      // Far away and nowhere.
      {1e9f, 0, 0}, {0, -kLargest, 0}, {kLargest, kLargest, 0}, {kNaN, 0, 0}, {0, kNaN, 0},
      {kInfinity, 0, 0}, {0, -kInfinity, 0},
  };
  // clang-format on
  std::vector<float> boxes;  // of no size: every sample is the same
  for (const Row& row : rows) {
    boxes.insert(boxes.end(), {row.x, row.y, row.x, row.y});
  }
  const Case input = CaseOf(2, 3, map, boxes, 2);
  const Result result = RunOn(1, input);
  for (size_t i = 0; i < std::size(rows); ++i) {
    for (size_t border = 0; border < kBorders; ++border) {
      EXPECT_EQ(result.values[i * kBorders + border], rows[i].sample)
          << rows[i].x << ", " << rows[i].y << ", border " << border;
      EXPECT_EQ(result.samples[i * kBorders + border], 0);
    }
  }
  EXPECT_TRUE(result == RunReference(input));
}

// The strongest of some pixels in a row, each a sample of its own. Below them lies a row of zeros.
TEST(BorderAlignContract, TheFirstOfTheStrongestCounts) {
  struct Row {
    std::vector<float> pixels;
    float top;
    int32_t top_sample;
    float bottom;  // the same pixels from the right
    int32_t bottom_sample;
  };
  const Row rows[] = {
      {{1, 5, 3}, 5, 1, 5, 1},
      {{5, 5, 1, 5}, 5, 0, 5, 0},
      {{1, 7, 7, 2}, 7, 1, 7, 1},
      {{-3, -2, -5}, -2, 1, -2, 1},
      {{0, -0.0f, 0}, 0, 0, 0, 0},
      // A sample is also NaN where its right neighbour is, with a weight of 0. The first one stays
      // and later ones are passed over.
      {{kNaN, 5, 7}, kNaN, 0, 7, 0},
      {{1, 5, kNaN}, 1, 0, kNaN, 0},
      {{1, kNaN, 5, 7}, kNaN, 0, 7, 0},
      {{4, 1, kNaN, 3}, 4, 0, 4, 3},
      {{4, 1, kNaN, 6}, 6, 3, 6, 0},
      // So does an infinity with a weight of 0.
      {{1, 2, kInfinity, 3}, kInfinity, 2, kInfinity, 1},
      {{1, kInfinity, 2, 3}, kNaN, 0, kInfinity, 2},
      {{-kInfinity, 1, 2, 0}, 2, 2, 2, 1},
      {{1, 2, 3, -kInfinity}, 2, 1, kNaN, 0},
      {{kLargest, 0, kLargest, 0}, kLargest, 0, kLargest, 1},
  };
  for (const Row& row : rows) {
    const auto width = static_cast<int64_t>(row.pixels.size());
    std::vector<float> map = row.pixels;
    map.resize(2 * row.pixels.size());
    const auto last = static_cast<float>(width - 1);
    const Case input = CaseOf(2, width, map, {0, 0, last, 0}, static_cast<int32_t>(width - 1));
    const Result result = RunOn(1, input);
    const std::string name = testing::PrintToString(row.pixels);
    EXPECT_THAT(result.values[0], testing::NanSensitiveFloatEq(row.top)) << name;
    EXPECT_EQ(result.samples[0], row.top_sample) << name;
    EXPECT_THAT(result.values[2], testing::NanSensitiveFloatEq(row.bottom)) << name;
    EXPECT_EQ(result.samples[2], row.bottom_sample) << name;
    EXPECT_TRUE(result == RunReference(input)) << name;
  }
}

// Sums that overflow, and boxes that run backwards.
TEST(BorderAlignContract, BoxesOfAnyKind) {
  const Case input = CaseOf(
      1, 4, {1, 2, 3, 9},
      {
          3,         0, 0,         0,  // reversed
          -kLargest, 0, kLargest,  0,  // a width that is no number of floats
          0,         0, kInfinity, 0,  // the step is infinite
          kInfinity, 0, 0,         0,  // and backwards
          0,         0, kNaN,      0,  //
          2,         0, 1e30f,     0,  // one step leaves the map, and three steps back end at 0
      },
      3);
  const Result result = RunOn(1, input);
  const auto of_border = [&](size_t border) {
    std::vector<std::pair<float, int32_t>> found;
    for (size_t box = 0; box < 6; ++box) {
      found.emplace_back(result.values[box * kBorders + border],
                         result.samples[box * kBorders + border]);
    }
    return found;
  };
  using Found = std::pair<float, int32_t>;
  EXPECT_THAT(of_border(0), ElementsAre(Found(9, 0), Found(0, 0), Found(1, 0), Found(0, 0),
                                        Found(1, 0), Found(3, 0)));
  EXPECT_THAT(of_border(2), ElementsAre(Found(9, 3), Found(0, 0), Found(0, 0), Found(1, 0),
                                        Found(0, 0), Found(1, 3)));
  EXPECT_TRUE(result == RunReference(input));
}

// ---- The seed's lists ---------------------------------------------------------------------------

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

// What a C program hands over: the seed's example, until a test changes it.
struct CApiCall {
  Argument input{MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, {1, 3, 4, 4}, nullptr, {}};
  Argument boxes{MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {1, 12, 4}, nullptr, {}};
  int32_t pool_size = 1;
  Argument output{MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, {1, 12, 4, 1}, nullptr, {}};
  Argument argmax_idx{MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_INT32, {1, 12, 4, 1}, nullptr, {}};
  bool has_handle = true;
};

class MluOpBorderAlignForward : public testing::Test {
 protected:
  MluOpBorderAlignForward() {
    EXPECT_EQ(mluOpCreate(&handle_), MLUOP_STATUS_SUCCESS);
    for (mluOpTensorDescriptor_t& descriptor : descriptors_) {
      EXPECT_EQ(mluOpCreateTensorDescriptor(&descriptor), MLUOP_STATUS_SUCCESS);
    }
  }
  ~MluOpBorderAlignForward() override {
    for (mluOpTensorDescriptor_t descriptor : descriptors_) {
      EXPECT_EQ(mluOpDestroyTensorDescriptor(descriptor), MLUOP_STATUS_SUCCESS);
    }
    EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS);
  }

  CApiCall Example() {
    CApiCall call;
    call.input.data = example_.input.data();
    call.boxes.data = example_.boxes.data();
    call.output.data = output_.data();
    call.argmax_idx.data = argmax_idx_.data();
    return call;
  }

  // The case's tensors, which `problem` holds.
  static CApiCall CallOf(const Case& input, const Problem& problem, void* output,
                         int32_t* argmax_idx) {
    const Args args = problem.args(output, argmax_idx);
    const Shape& shape = input.shape;
    CApiCall call;
    const mluOpDataType_t dtype = input.half ? MLUOP_DTYPE_HALF : MLUOP_DTYPE_FLOAT;
    call.input.dtype = call.boxes.dtype = call.output.dtype = dtype;
    call.input.dims = {shape.images, shape.height, shape.width, kBorders * shape.channels};
    call.boxes.dims = {shape.images, shape.boxes_per_image, 4};
    call.output.dims =
        call.argmax_idx.dims = {shape.images, shape.boxes_per_image, 4, shape.channels};
    call.pool_size = shape.pool_size;
    call.input.data = const_cast<void*>(args.input);
    call.boxes.data = const_cast<void*>(args.boxes);
    call.output.data = output;
    call.argmax_idx.data = argmax_idx;
    return call;
  }

  mluOpStatus_t Make(const CApiCall& call) {
    const Argument* const arguments[] = {&call.input, &call.boxes, &call.output, &call.argmax_idx};
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
    return mluOpBorderAlignForward(call.has_handle ? handle_ : nullptr, given[0], call.input.data,
                                   given[1], call.boxes.data, call.pool_size, given[2],
                                   call.output.data, given[3], call.argmax_idx.data);
  }

  // The call fails with this status and one line, and writes nothing.
  void ExpectRefused(const CApiCall& call, const std::string& why,
                     mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM) {
    LogCapture log;
    EXPECT_EQ(Make(call), status) << why;
    EXPECT_THAT(log.Take(), ElementsAre("mluOpBorderAlignForward: " + why));
    EXPECT_EQ(detopsGetLastError(), "mluOpBorderAlignForward: " + why);
    ExpectUntouched();
  }
  void ExpectUntouched() {
    EXPECT_THAT(output_, Each(-7));
    EXPECT_THAT(argmax_idx_, Each(-7));
  }
  void ExpectExamplesResults() {
    EXPECT_THAT(output_, ElementsAreArray(SeedsResult().values));
    EXPECT_THAT(argmax_idx_, ElementsAreArray(SeedsResult().samples));
  }
  void ExpectReferencesBits(const Case& input) {
    const Problem problem(input);
    std::vector<std::byte> output(static_cast<size_t>(problem.output_bytes()));
    std::vector<int32_t> argmax_idx(static_cast<size_t>(input.results()), -1);
    ASSERT_EQ(Make(CallOf(input, problem, output.data(), argmax_idx.data())), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
    EXPECT_TRUE(ReadResult(input, output.data(), argmax_idx.data()) == RunReference(input))
        << input.ToString();
  }

  mluOpHandle_t handle_ = nullptr;
  cnrtQueue_t queue_ = nullptr;
  mluOpTensorDescriptor_t descriptors_[4] = {};
  Case example_ = SeedsExample();
  std::vector<float> output_ = std::vector<float>(48, -7.0f);
  std::vector<int32_t> argmax_idx_ = std::vector<int32_t>(48, -7);
};

TEST_F(MluOpBorderAlignForward, GivesTheSeedsExample) {
  ASSERT_EQ(Make(Example()), MLUOP_STATUS_SUCCESS);
  ExpectExamplesResults();
}

TEST_F(MluOpBorderAlignForward, HasTheReferencesBitsForTheSeedsSizes) {
  constexpr Shape kShapes[] = {
      // Of networks.
      {2, 7, 10, 256, 70, 10},
      {2, 25, 38, 256, 950, 10},
      {2, 10, 7, 128, 70, 10},
      // The random list, and what its impossible shapes may have meant.
      {3, 10, 10, 1, 5, 8},
      {3, 8, 10, 102, 80, 2},
      {3, 8, 100, 2, 800, 1},
  };
  for (const Shape& shape : kShapes) {
    for (const bool half : {false, true}) {
      Case input = RandomCase(Kind::kNetwork, shape, 17);
      input.half = half;
      ExpectReferencesBits(input);
    }
  }
}

TEST_F(MluOpBorderAlignForward, RefusesTheSeedsWrongShapes) {
  struct Row {
    std::vector<int64_t> input, boxes;
    int32_t pool_size;
    const char* why;
  };
  const Row rows[] = {
      {{10, 8, 10, 410},
       {3, 80, 4},
       2,
       "input has shape float[10,8,10,410]; dimension 3 must be a multiple of 4"},
      {{10, 8, 100, 8}, {3, 800, 4}, 1, "boxes has shape float[3,800,4]; dimension 0 must be 10"},
      {{3, 1, 2, 1, 256}, {3, 5, 4}, 5, "input has shape float[3,1,2,1,256]; it must have rank 4"},
      {{3, 9, 2, 10}, {3, 4}, 10, "boxes has shape float[3,4]; it must have rank 3"},
      {{3, 1, 0, 1}, {13, 5, 3}, 6, "input has shape float[3,1,0,1]; it must not be empty"},
  };
  for (const Row& row : rows) {
    CApiCall call = Example();
    call.input.dims = row.input;
    call.boxes.dims = row.boxes;
    call.pool_size = row.pool_size;
    ExpectRefused(call, row.why);
  }
}

// ---- The C API ----------------------------------------------------------------------------------

using Tensor = Argument CApiCall::*;
constexpr Tensor kInput = &CApiCall::input;
constexpr Tensor kBoxes = &CApiCall::boxes;
constexpr Tensor kOutput = &CApiCall::output;
constexpr Tensor kArgmax = &CApiCall::argmax_idx;

// With their names in messages.
constexpr std::pair<Tensor, const char*> kTensors[] = {
    {kInput, "input"}, {kBoxes, "boxes"}, {kOutput, "output"}, {kArgmax, "argmax_idx"}};

TEST_F(MluOpBorderAlignForward, RefusesNullsAndDescriptorsThatWereNeverSet) {
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

TEST_F(MluOpBorderAlignForward, RefusesOtherTypesLayoutsAndPoolSizes) {
  struct Row {
    Tensor tensor;
    mluOpDataType_t dtype;
    const char* why;
  };
  const Row types[] = {
      {kInput, MLUOP_DTYPE_INT32, "input has type int32; it must be float or half"},
      {kInput, MLUOP_DTYPE_BFLOAT16, "input has type bfloat16; it must be float or half"},
      {kInput, MLUOP_DTYPE_HALF, "boxes has type float; it must be half"},
      {kBoxes, MLUOP_DTYPE_HALF, "boxes has type half; it must be float"},
      {kOutput, MLUOP_DTYPE_HALF, "output has type half; it must be float"},
      {kArgmax, MLUOP_DTYPE_FLOAT, "argmax_idx has type float; it must be int32"},
      {kArgmax, MLUOP_DTYPE_INT64, "argmax_idx has type int64; it must be int32"},
  };
  for (const Row& row : types) {
    CApiCall call = Example();
    (call.*row.tensor).dtype = row.dtype;
    ExpectRefused(call, row.why);
  }
  for (const auto& [tensor, name] : kTensors) {
    if (tensor != kBoxes) {
      CApiCall call = Example();
      (call.*tensor).layout = MLUOP_LAYOUT_NCHW;
      ExpectRefused(call, std::string(name) + " has layout NCHW; it must be NHWC");
      (call.*tensor).layout = MLUOP_LAYOUT_ARRAY;
      ExpectRefused(call, std::string(name) + " has layout ARRAY; it must be NHWC");
    }
  }
  for (const int32_t pool_size : {0, -1, std::numeric_limits<int32_t>::min()}) {
    CApiCall call = Example();
    call.pool_size = pool_size;
    ExpectRefused(call, "pool_size is " + std::to_string(pool_size) + "; it must be at least 1");
  }
}

TEST_F(MluOpBorderAlignForward, RefusesWrongShapes) {
  struct Row {
    Tensor tensor;
    std::vector<int64_t> dims;
    const char* why;
  };
  const Row rows[] = {
      {kInput, {12, 4}, "input has shape float[12,4]; it must have rank 4"},
      {kBoxes, {1, 48}, "boxes has shape float[1,48]; it must have rank 3"},
      {kOutput, {48}, "output has shape float[48]; it must have rank 4"},
      {kArgmax, {48}, "argmax_idx has shape int32[48]; it must have rank 4"},
      // No elements.
      {kInput, {0, 3, 4, 4}, "input has shape float[0,3,4,4]; it must not be empty"},
      {kInput, {1, 3, 4, 0}, "input has shape float[1,3,4,0]; it must not be empty"},
      {kBoxes, {1, 0, 4}, "boxes has shape float[1,0,4]; it must not be empty"},
      {kOutput, {1, 12, 4, 0}, "output has shape float[1,12,4,0]; it must not be empty"},
      {kArgmax, {1, 0, 4, 1}, "argmax_idx has shape int32[1,0,4,1]; it must not be empty"},
      // Shapes that do not fit.
      {kInput, {1, 3, 4, 6}, "input has shape float[1,3,4,6]; dimension 3 must be a multiple of 4"},
      {kInput, {2, 3, 4, 4}, "boxes has shape float[1,12,4]; dimension 0 must be 2"},
      {kBoxes, {1, 12, 5}, "boxes has shape float[1,12,5]; dimension 2 must be 4"},
      {kOutput, {2, 12, 4, 1}, "output has shape float[2,12,4,1]; dimension 0 must be 1"},
      {kOutput, {1, 11, 4, 1}, "output has shape float[1,11,4,1]; dimension 1 must be 12"},
      {kOutput, {1, 12, 1, 4}, "output has shape float[1,12,1,4]; dimension 2 must be 4"},
      {kInput, {1, 3, 4, 8}, "output has shape float[1,12,4,1]; dimension 3 must be 2"},
      {kArgmax, {1, 12, 4, 2}, "argmax_idx has shape int32[1,12,4,2]; dimension 3 must be 1"},
  };
  for (const Row& row : rows) {
    CApiCall call = Example();
    (call.*row.tensor).dims = row.dims;
    ExpectRefused(call, row.why);
  }
}

TEST_F(MluOpBorderAlignForward, DoesNotSupportStrides) {
  struct Row {
    Tensor tensor;
    std::vector<int64_t> strides;
    const char* found;
  };
  const Row rows[] = {
      {kInput, {60, 20, 5, 1}, "input has shape float[1,3,4,4] and strides [60,20,5,1]"},
      {kBoxes, {48, 1, 12}, "boxes has shape float[1,12,4] and strides [48,1,12]"},
      {kOutput, {96, 8, 2, 1}, "output has shape float[1,12,4,1] and strides [96,8,2,1]"},
      {kArgmax, {48, 1, 12, 1}, "argmax_idx has shape int32[1,12,4,1] and strides [48,1,12,1]"},
  };
  for (const Row& row : rows) {
    CApiCall call = Example();
    (call.*row.tensor).strides = row.strides;
    ExpectRefused(call, std::string(row.found) + "; it must be contiguous",
                  MLUOP_STATUS_NOT_SUPPORTED);
  }
}

TEST_F(MluOpBorderAlignForward, DoesNotSupportHugeTensors) {
  struct Row {
    std::vector<int64_t> input, boxes, results;
    const char* found;
  };
  const Row rows[] = {
      {{1, 1 << 15, 1 << 14, 4}, {1, 12, 4}, {1, 12, 4, 1}, "input is float[1,32768,16384,4]"},
      {{1, 3, 4, 4}, {1, 1 << 29, 4}, {1, 1 << 29, 4, 1}, "boxes is float[1,536870912,4]"},
      {{1, 1, 1, 1 << 16},
       {1, 1 << 15, 4},
       {1, 1 << 15, 4, 1 << 14},
       "output is float[1,32768,4,16384]"},
  };
  for (const Row& row : rows) {
    CApiCall call = Example();
    call.input.dims = row.input;
    call.boxes.dims = row.boxes;
    call.output.dims = call.argmax_idx.dims = row.results;
    ExpectRefused(call,
                  std::string(row.found) + ", of 2147483648 elements, expected fewer than 2^31",
                  MLUOP_STATUS_NOT_SUPPORTED);
  }
}

// Everything is wrong; then one thing after the other is put right, in the order of the contract.
TEST_F(MluOpBorderAlignForward, ReportsTheFirstOfSeveralErrors) {
  struct Refusal {
    std::function<void(CApiCall&)> change;
    const char* why;
    mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM;
  };
  const Refusal refusals[] = {
      {[](CApiCall& c) { c.has_handle = false; }, "handle is NULL; it must be a valid pointer"},
      {[](CApiCall& c) { c.argmax_idx.is_set = false; },
       "argmax_idx_desc was never set; call mluOpSetTensorDescriptor first"},
      {[](CApiCall& c) {
         c.boxes.dims = {12, 4};
       },
       "boxes has shape float[12,4]; it must have rank 3"},
      {[](CApiCall& c) { c.argmax_idx.dtype = MLUOP_DTYPE_FLOAT; },
       "argmax_idx has type float; it must be int32"},
      {[](CApiCall& c) { c.input.layout = MLUOP_LAYOUT_NCHW; },
       "input has layout NCHW; it must be NHWC"},
      {[](CApiCall& c) { c.pool_size = 0; }, "pool_size is 0; it must be at least 1"},
      {[](CApiCall& c) {
         c.argmax_idx.dims = {1, 12, 4, 0};
       },
       "argmax_idx has shape int32[1,12,4,0]; it must not be empty"},
      {[](CApiCall& c) {
         c.input.dims = {1, 3, 4, 6};
       },
       "input has shape float[1,3,4,6]; dimension 3 must be a multiple of 4"},
      {[](CApiCall& c) {
         c.boxes.dims = {2, 12, 3};
       },
       "boxes has shape float[2,12,3]; dimension 0 must be 1"},
      {[](CApiCall& c) {
         c.output.dims = {1, 12, 5, 1};
       },
       "output has shape float[1,12,5,1]; dimension 2 must be 4"},
      {[](CApiCall& c) {
         c.argmax_idx.strides = {48, 1, 12, 1};
       },
       "argmax_idx has shape int32[1,12,4,1] and strides [48,1,12,1]; it must be contiguous",
       MLUOP_STATUS_NOT_SUPPORTED},
      {[](CApiCall& c) {
         c.input.dims = {1, 1 << 15, 1 << 14, 4};
       },
       "input has shape float[1,32768,16384,4]; it must have fewer than 2^31 elements",
       MLUOP_STATUS_NOT_SUPPORTED},
      {[](CApiCall& c) { c.output.data = nullptr; }, "output is NULL; it must be a valid pointer"},
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

TEST_F(MluOpBorderAlignForward, TakesBoxesInAnyLayoutAndStridesThatMeanNothing) {
  CApiCall call = Example();
  call.boxes.layout = MLUOP_LAYOUT_NTC;
  call.input.strides = {-5, 16, 4, 1};  // of a dimension of 1
  call.output.strides = {7, 4, 1, 9};
  ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
  ExpectExamplesResults();
}

TEST_F(MluOpBorderAlignForward, RunsOnAQueueAndDescriptorsMayGo) {
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

// Scratch follows the number of threads and the shape, up and down.
TEST_F(MluOpBorderAlignForward, ThreadsAndShapesMayChangeBetweenCalls) {
  const Case large = RandomCase(Kind::kNetwork, {2, 20, 30, 64, 60, 10}, 1);
  const Case small = RandomCase(Kind::kNetwork, {1, 5, 6, 20, 9, 3}, 2);
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

TEST_F(MluOpBorderAlignForward, LogsEachCallAtDebugLevel) {
  CApiCall call = Example();
  call.pool_size = 3;
  LogCapture log(DETOPS_LOG_DEBUG);
  ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(log.Take(),
              ElementsAre("mluOpBorderAlignForward: input float[1,3,4,4], boxes float[1,12,4], "
                          "pool_size 3"));
  LogCapture quiet(DETOPS_LOG_INFO);
  ASSERT_EQ(Make(Example()), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(quiet.Take(), ElementsAre());
}

#if defined(__SSE2__)
TEST_F(MluOpBorderAlignForward, ComputesInTheDefaultFloatModeAndRestoresTheCallers) {
  Case input = RandomCase(Kind::kNetwork, {1, 9, 9, 64, 50, 7}, 3);
  for (size_t i = 0; i < input.input.size(); i += 2) {
    input.input[i] *= 1e-39f;  // a denormal
  }
  const Problem problem(input);
  std::vector<float> output(static_cast<size_t>(input.results()));
  std::vector<int32_t> argmax_idx(output.size());
  const CApiCall call = CallOf(input, problem, output.data(), argmax_idx.data());
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
    EXPECT_TRUE(ReadResult(input, output.data(), argmax_idx.data()) == expected);
  }
}
#endif

// ---- The C++ API --------------------------------------------------------------------------------

class BorderAlignForwardCpp : public testing::Test {
 protected:
  using Layout = mluOpTensorLayout_t;

  // The example as mmcv has it, and with channels last.
  ConstTensorView InputChannelsFirst(Layout layout = MLUOP_LAYOUT_ARRAY) const {
    return {channels_first_.data(), {1, 4, 3, 4}, layout};
  }
  ConstTensorView Input(Layout layout = MLUOP_LAYOUT_ARRAY) const {
    return {example_.input.data(), {1, 3, 4, 4}, layout};
  }
  ConstTensorView Boxes() const { return {example_.boxes.data(), {1, 12, 4}}; }
  TensorView OutputChannelsFirst(Layout layout = MLUOP_LAYOUT_ARRAY) {
    return {output_.data(), {1, 1, 12, 4}, layout};
  }
  TensorView Output(Layout layout = MLUOP_LAYOUT_ARRAY) {
    return {output_.data(), {1, 12, 4, 1}, layout};
  }
  TensorView ArgmaxChannelsFirst(Layout layout = MLUOP_LAYOUT_ARRAY) {
    return {argmax_idx_.data(), {1, 1, 12, 4}, layout};
  }
  TensorView Argmax(Layout layout = MLUOP_LAYOUT_ARRAY) {
    return {argmax_idx_.data(), {1, 12, 4, 1}, layout};
  }

  // The call gave the example's results, which are then forgotten.
  void ExpectExamplesResults(bool argmax = true) {
    EXPECT_THAT(output_, ElementsAreArray(SeedsResult().values));
    if (argmax) {
      EXPECT_THAT(argmax_idx_, ElementsAreArray(SeedsResult().samples));
    } else {
      EXPECT_THAT(argmax_idx_, Each(-7));
    }
    output_.assign(48, -7.0f);
    argmax_idx_.assign(48, -7);
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
    EXPECT_THAT(argmax_idx_, Each(-7));
  }

  const Case example_ = SeedsExample();
  const std::vector<float> channels_first_ = ChannelsFirst(example_);
  std::vector<float> output_ = std::vector<float>(48, -7.0f);
  std::vector<int32_t> argmax_idx_ = std::vector<int32_t>(48, -7);
  const BorderAlignOptions nhwc_{1, ImageLayout::kNhwc};
  const BorderAlignOptions nchw_{1, ImageLayout::kNchw};
};

TEST_F(BorderAlignForwardCpp, GivesTheSeedsExampleInBothLayouts) {
  BorderAlignForward(InputChannelsFirst(), Boxes(), OutputChannelsFirst(), ArgmaxChannelsFirst(),
                     nchw_);
  ExpectExamplesResults();
  BorderAlignForward(Input(), Boxes(), Output(), Argmax(), nhwc_);
  ExpectExamplesResults();
  BorderAlignForward(InputChannelsFirst(), Boxes(), OutputChannelsFirst(), std::nullopt, nchw_);
  ExpectExamplesResults(false);
  BorderAlignForward(Input(), Boxes(), Output(), std::nullopt, nhwc_);
  ExpectExamplesResults(false);
}

TEST_F(BorderAlignForwardCpp, TenStepsAndChannelsLastAreTheDefault) {
  const BorderAlignOptions options;
  EXPECT_EQ(options.pool_size, 10);
  EXPECT_EQ(options.layout, ImageLayout::kNhwc);
  const float input[] = {0, 0, 0, 0, 10, 10, 10, 10};
  const float boxes[] = {0, 0, 1, 0};
  int32_t argmax[4];
  float output[4];
  BorderAlignForward({input, {1, 1, 2, 4}}, {boxes, {1, 1, 4}}, {output, {1, 1, 4, 1}},
                     TensorView(argmax, {1, 1, 4, 1}));
  EXPECT_THAT(argmax, ElementsAre(10, 0, 0, 0));
}

TEST_F(BorderAlignForwardCpp, TakesViewsThatNameTheirLayout) {
  const mluOpTensorLayout_t nhwc = MLUOP_LAYOUT_NHWC;
  const mluOpTensorLayout_t nchw = MLUOP_LAYOUT_NCHW;
  BorderAlignForward(Input(nhwc), Boxes(), Output(nhwc), Argmax(nhwc), nhwc_);
  ExpectExamplesResults();
  BorderAlignForward(InputChannelsFirst(nchw), Boxes(), OutputChannelsFirst(nchw),
                     ArgmaxChannelsFirst(nchw), nchw_);
  ExpectExamplesResults();
  ExpectThrown("BorderAlignForward: input has layout NCHW; it must be NHWC", [&] {
    BorderAlignForward(InputChannelsFirst(nchw), Boxes(), Output(), Argmax(), nhwc_);
  });
  ExpectThrown("BorderAlignForward: input has layout NHWC; it must be NCHW", [&] {
    BorderAlignForward(Input(nhwc), Boxes(), OutputChannelsFirst(), std::nullopt, nchw_);
  });
  ExpectThrown("BorderAlignForward: output has layout NCHW; it must be NHWC",
               [&] { BorderAlignForward(Input(), Boxes(), Output(nchw), std::nullopt, nhwc_); });
  ExpectThrown("BorderAlignForward: argmax_idx has layout NHWC; it must be NCHW", [&] {
    BorderAlignForward(InputChannelsFirst(), Boxes(), OutputChannelsFirst(),
                       ArgmaxChannelsFirst(nhwc), nchw_);
  });
}

TEST_F(BorderAlignForwardCpp, ThrowsTheMessageOfTheCApi) {
  ExpectThrown("BorderAlignForward: pool_size is 0; it must be at least 1", [&] {
    BorderAlignForward(Input(), Boxes(), Output(), Argmax(), {0, ImageLayout::kNhwc});
  });
  ExpectThrown(
      "BorderAlignForward: input has shape float[1,3,4,4]; dimension 1 must be a multiple of 4",
      [&] { BorderAlignForward(Input(), Boxes(), OutputChannelsFirst(), std::nullopt, nchw_); });
  ExpectThrown("BorderAlignForward: output has shape float[1,12,4,1]; dimension 1 must be 1", [&] {
    BorderAlignForward(InputChannelsFirst(), Boxes(), Output(), Argmax(), nchw_);
  });
  ExpectThrown(
      "BorderAlignForward: argmax_idx has shape int32[1,12,4,1]; dimension 1 must be 1", [&] {
        BorderAlignForward(InputChannelsFirst(), Boxes(), OutputChannelsFirst(), Argmax(), nchw_);
      });
  ExpectThrown("BorderAlignForward: argmax_idx is NULL; it must be a valid pointer", [&] {
    BorderAlignForward(Input(), Boxes(), Output(),
                       TensorView(static_cast<int32_t*>(nullptr), {1, 12, 4, 1}), nhwc_);
  });
  ExpectThrown("BorderAlignForward: boxes: dimSize[2] is -4, expected 0 or more", [&] {
    BorderAlignForward(Input(), {example_.boxes.data(), {1, 12, -4}}, Output(), Argmax(), nhwc_);
  });
  ExpectThrown(
      "BorderAlignForward: input is float[1,4,32768,16384], of 2147483648 elements, expected fewer "
      "than 2^31",
      [&] {
        BorderAlignForward({channels_first_.data(), {1, 4, 1 << 15, 1 << 14}}, Boxes(),
                           OutputChannelsFirst(), ArgmaxChannelsFirst(), nchw_);
      },
      MLUOP_STATUS_NOT_SUPPORTED);
}

TEST_F(BorderAlignForwardCpp, RunsInAContextAndOnItsQueue) {
  Context context;
  BorderAlignForward(context, Input(), Boxes(), Output(), Argmax(), nhwc_);
  ExpectExamplesResults();
  Queue queue;
  context.SetQueue(queue);
  Gate gate;
  ASSERT_TRUE(gate.Block(queue.get()).ok());
  BorderAlignForward(context, InputChannelsFirst(), Boxes(), OutputChannelsFirst(), std::nullopt,
                     nchw_);
  EXPECT_THAT(output_, Each(-7)) << "written before its turn";
  gate.Open();
  queue.Sync();
  ExpectExamplesResults(false);
}

TEST_F(BorderAlignForwardCpp, LogsLayoutAndWhatIsLeftOut) {
  Context context;  // the first one logs a line of its own
  LogCapture log(DETOPS_LOG_DEBUG);
  BorderAlignForward(context, InputChannelsFirst(), Boxes(), OutputChannelsFirst(), std::nullopt,
                     nchw_);
  EXPECT_THAT(log.Take(), ElementsAre("BorderAlignForward: input float[1,4,3,4] NCHW, boxes "
                                      "float[1,12,4], pool_size 1, no argmax_idx"));
}

}  // namespace
}  // namespace detops::border_align_forward
