// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The error of decoded boxes, and that of the exponential function.

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "core/simd_target.h"
#include "measure/diff.h"
#include "measure/random_floats.h"
#include "measure/slow_build.h"
#include "ops/generate_proposals_v2/exp.h"
#include "ops/generate_proposals_v2/harness.h"
#include "ops/generate_proposals_v2/op.h"
#include "ops/generate_proposals_v2/test_scenes.h"
#include "ops/generate_proposals_v2/tiles.h"

namespace detops::generate_proposals_v2 {
namespace {

class GenerateProposalsAccuracy : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(GenerateProposalsAccuracy);

// Decodes the boxes of the proposals in double, with the formula of README.md, from the same
// floats.
std::vector<double> DecodeInDouble(const Case& input, const Proposals& proposals) {
  std::vector<double> boxes;
  const double offset = input.pixel_offset ? 1 : 0;
  const auto axis = [&](int64_t image, int64_t anchor, int64_t side) {
    const auto at = static_cast<size_t>(anchor * kBoxFloats + side);
    const auto delta_at = static_cast<size_t>(image * input.scores_per_image() * kBoxFloats) + at;
    const double size = double{input.anchors[at + 2]} - input.anchors[at] + offset;
    const double center = input.anchors[at] + 0.5 * size;
    const double new_center = center + double{input.deltas[delta_at]} * size * input.variances[at];
    const double growth = double{input.deltas[delta_at + 2]} * input.variances[at + 2];
    const double new_size = std::exp(std::min(growth, std::log(1000.0 / 16))) * size;
    const double limit = input.im_shape[static_cast<size_t>(2 * image + 1 - side)] - offset;
    const auto clip = [&](double x) { return std::max(std::min(x, limit), 0.0); };
    return std::pair(clip(new_center - new_size / 2), clip(new_center + new_size / 2 - offset));
  };
  size_t row = 0;
  for (int64_t image = 0; image < input.images; ++image) {
    for (int32_t i = 0; i < proposals.counts[static_cast<size_t>(image)]; ++i) {
      const int32_t anchor = proposals.anchor_indices[row++];
      const auto [x1, x2] = axis(image, anchor, 0);
      const auto [y1, y2] = axis(image, anchor, 1);
      boxes.insert(boxes.end(), {x1, y1, x2, y2});
    }
  }
  return boxes;
}

TEST_P(GenerateProposalsAccuracy, DiffsAreWithinTheContract) {
  for (const Kind kind : {Kind::kTrained, Kind::kUniform, Kind::kTies, Kind::kSkewed}) {
    for (const float size : {4.0f, 32.0f, 300.0f, 1e6f}) {
      for (const bool pixel_offset : {false, true}) {
        Case input = RandomCase(kind, {2, 30, 30, 3}, size / 4, size, 20);
        Random random(21);
        for (float& variance : input.variances) {
          variance = Uniform(random, 0.05f, 3);
        }
        for (float& delta : input.deltas) {
          delta *= random() % 8 == 0 ? 4.0f : 1.0f;  // some exceed the limit of the exponent
        }
        input.nms_thresh = 0.8f;
        input.pixel_offset = pixel_offset;
        const Proposals found = RunOn(2, input);
        const std::vector<double> expected = DecodeInDouble(input, found);
        ASSERT_GT(expected.size(), 400u);
        const Diffs diffs = ComputeDiffs(found.rois, expected);
        EXPECT_LE(diffs.diff1, 1e-6) << NameOf(kind) << ' ' << input.ToString();
        EXPECT_LE(diffs.diff2, 1e-6) << NameOf(kind) << ' ' << input.ToString();
      }
    }
  }
}

// Returns the error of e^x in ulps of the result.
double ErrorOf(float x, float found) {
  const double expected = std::exp(double{x});
  uint64_t bits;
  std::memcpy(&bits, &expected, sizeof(bits));
  // 2^(23 - exponent). Denormal floats have the ulp of the smallest exponent.
  const uint64_t exponent = std::max<uint64_t>(bits >> 52, 1023 - 126);
  bits = (2 * 1023 + 23 - exponent) << 52;
  double per_ulp;
  std::memcpy(&per_ulp, &bits, sizeof(per_ulp));
  return std::abs(found - expected) * per_ulp;
}

// More than three quarters of all floats are below 2^-26 in magnitude, where the result is 1. The
// best target is tested with each of them, the others with every kTinyStep-th.
constexpr float kTiny = 0x1p-26f;
constexpr uint32_t kTinyStep = 61;

constexpr uint32_t kExpStep = kSlowBuild ? 997 : 1;

// Evaluates exp.h and every target for all floats of an interval.
class ExpSweep {
 public:
  // Returns the largest error of exp.h in [first, last], in ulps, and checks that all targets have
  // its bits. Both ends must have the same sign, and `first` must be nearer to 0.
  double LargestError(float first, float last, uint32_t step) {
    double largest = 0;
    for (FloatInterval interval(first, last, step);
         interval.left > 0 && !testing::Test::HasFailure();) {
      double errors[kChunks] = {};
      ForEachChunk([&](int64_t chunk) {
        interval.Fill(chunk * kChunk, kChunk, x_);
        for (int64_t i = chunk * kChunk; i < (chunk + 1) * kChunk; ++i) {
          expected_[i] = Exp(x_[i]);
          errors[chunk] = std::max(errors[chunk], ErrorOf(x_[i], expected_[i]));
        }
      });
      largest = std::max(largest, *std::max_element(errors, errors + kChunks));
      ExpectTargetsAgree();
      interval.Skip(kChunks * kChunk);
    }
    return largest;
  }

  // Checks that the best target returns 1 for the whole interval.
  void ExpectOnes(float first, float last) {
    for (FloatInterval interval(first, last, kExpStep); interval.left > 0;
         interval.Skip(kChunks * kChunk)) {
      bool wrong[kChunks] = {};
      ForEachChunk([&](int64_t chunk) {
        interval.Fill(chunk * kChunk, kChunk, x_);
        float* const found = found_ + chunk * kChunk;
        ComputeExp(x_ + chunk * kChunk, kChunk, found);
        wrong[chunk] = std::count(found, found + kChunk, 1.0f) != kChunk;
      });
      ASSERT_EQ(std::count(wrong, wrong + kChunks, true), 0) << "from " << FloatOf(interval.first);
    }
  }

 private:
  // A chunk fits in a core's cache. The target is a global setting, so it only changes after all
  // threads together have evaluated kChunks chunks.
  static constexpr int64_t kChunk = 8192;
  static constexpr int64_t kChunks = 32;

  struct FloatInterval {
    FloatInterval(float from, float last, uint32_t step_in)
        : first(BitsOf(from)), step(step_in), left((BitsOf(last) - first) / step + 1) {}

    // Repeats the last float after the end of the interval.
    void Fill(int64_t begin, int64_t count, float* x) const {
      for (int64_t i = begin; i < begin + count; ++i) {
        x[i] = FloatOf(first + static_cast<uint32_t>(std::min(i, left - 1)) * step);
      }
    }
    void Skip(int64_t count) {
      first += static_cast<uint32_t>(count) * step;
      left -= count;
    }

    uint32_t first;
    uint32_t step;
    int64_t left;
  };

  template <class Body>
  void ForEachChunk(const Body& body) {
    ParallelFor(threads_, kChunks, 10.0 * kChunk, [&](int64_t begin, int64_t end) {
      for (int64_t chunk = begin; chunk < end; ++chunk) {
        body(chunk);
      }
    });
  }

  void ExpectTargetsAgree() {
    for (const int64_t target : SimdTargets()) {
      bool differ[kChunks] = {};
      ASSERT_TRUE(SetSimdTarget(hwy::TargetName(target)).ok());
      ForEachChunk([&](int64_t chunk) {
        float* const found = found_ + chunk * kChunk;
        ComputeExp(x_ + chunk * kChunk, kChunk, found);
        differ[chunk] = !std::equal(found, found + kChunk, expected_ + chunk * kChunk,
                                    [](float a, float b) { return BitsOf(a) == BitsOf(b); });
      });
      ResetSimdTarget();
      ASSERT_EQ(std::count(differ, differ + kChunks, true), 0)
          << hwy::TargetName(target) << ", from " << x_[0];
    }
  }

  Threads threads_{2};
  float x_[kChunks * kChunk];
  float expected_[kChunks * kChunk];
  float found_[kChunks * kChunk];
};

// From 0 to the largest argument that the decoder uses, and down to where all results are 0.
TEST(GenerateProposalsExp, ErrorIsBoundedAndAllTargetsHaveTheSameBits) {
  const auto sweep = std::make_unique<ExpSweep>();
  sweep->ExpectOnes(0.0f, kTiny);
  sweep->ExpectOnes(-0.0f, -kTiny);
  const double error = std::max({sweep->LargestError(0.0f, kTiny, kTinyStep * kExpStep),
                                 sweep->LargestError(-0.0f, -kTiny, kTinyStep * kExpStep),
                                 sweep->LargestError(kTiny, kLargestDelta, kExpStep),
                                 sweep->LargestError(-kTiny, -151.0f, kExpStep)});
  RecordProperty("largest_error_in_ulps", std::to_string(error));
  std::printf("the largest error is %.6f ulp\n", error);
  EXPECT_LT(error, 0.5002);  // 0.500106 over all floats
}

TEST(GenerateProposalsExp, SpecialArguments) {
  for (const float x : {-150.0f, -150.5f, -200.0f, -1e4f, -1e20f, -kLargestFloat, -kInfinity}) {
    EXPECT_EQ(BitsOf(Exp(x)), 0u) << x;
  }
  for (const float x : {kNaN, -kNaN, std::nanf("7")}) {
    EXPECT_TRUE(std::isnan(Exp(x)));
  }
  EXPECT_EQ(Exp(0.0f), 1.0f);
  EXPECT_EQ(Exp(-0.0f), 1.0f);
}

class GenerateProposalsExpKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(GenerateProposalsExpKernel);

TEST_P(GenerateProposalsExpKernel, SpecialArgumentsInAnyLane) {
  const float specials[] = {
      kNaN,  -kInfinity, -kLargestFloat, -150.0f, std::nextafter(-150.0f, 0.0f),
      -0.0f, -1e-45f,    kLargestDelta};
  for (const float special : specials) {
    for (size_t lane = 0; lane < suppression::kMaxLanes; ++lane) {
      std::vector<float> x(suppression::kMaxLanes, 1.0f);
      x[lane] = special;
      std::vector<float> found(suppression::kMaxLanes);
      ComputeExp(x.data(), suppression::kMaxLanes, found.data());
      for (size_t i = 0; i < x.size(); ++i) {
        const float expected = Exp(x[i]);
        EXPECT_TRUE(BitsOf(found[i]) == BitsOf(expected) ||
                    (std::isnan(found[i]) && std::isnan(expected)))
            << x[i] << " in lane " << i << ": " << found[i];
      }
    }
  }
}

}  // namespace
}  // namespace detops::generate_proposals_v2
