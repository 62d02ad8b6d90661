// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the tests of the kernels share: sizes, variants of a case and comparisons with the
// reference.

#ifndef DETOPS_OPS_PSROIPOOL_FORWARD_TEST_CASES_H_
#define DETOPS_OPS_PSROIPOOL_FORWARD_TEST_CASES_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

#include "ops/psroipool_forward/harness.h"
#include "testing/guarded_buffer.h"

namespace detops::psroipool_forward {

inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kLargestFloat = std::numeric_limits<float>::max();

inline constexpr RoiRounding kRoundings[] = {RoiRounding::kBeforeScaling,
                                             RoiRounding::kAfterScaling};

// Numbers of channels around every vector width and every number of vectors that are summed
// together.
inline constexpr int64_t kDims[] = {1,  2,  3,  4,  5,  7,  8,  9,  12, 15,  16,  17,
                                    21, 24, 31, 33, 49, 64, 81, 96, 97, 104, 130, 200};

// Calls check(case) for both layouts and both rounding rules. Half of the four calls are without
// mapping_channel; which ones depends on `seed`.
template <class Check>
void ForEachVariant(Case input, uint32_t seed, const Check& check) {
  for (const bool channels_first : {false, true}) {
    for (const RoiRounding rounding : kRoundings) {
      input.channels_first = channels_first;
      input.rounding = rounding;
      input.mapping = seed++ % 2 == 0;
      check(input);
    }
    ++seed;
  }
}

// Expects that Run gives the reference's bits with each of these numbers of threads.
inline void ExpectMatchesReference(Kind kind, const Case& input,
                                   std::initializer_list<int> threads = {1}) {
  const Result expected = RunReference(input);
  EXPECT_TRUE(expected.status.ok());
  for (const int count : threads) {
    EXPECT_TRUE(RunOn(count, input) == expected)
        << NameOf(kind) << ": " << input.ToString() << ", threads " << count;
  }
}

// Calls Run with scratch that ends at an unmapped page.
inline Status RunInExactScratch(const Args& args, int threads) {
  const GuardedBuffer scratch(ScratchBytes(args, threads));
  Threads limit(threads);
  RunContext context{limit, scratch.data()};
  return Run(context, args);
}

// Returns the means of all results over their bins, computed in double.
inline std::vector<double> MeansInDouble(const Case& input, Fused fused = Fused::kNone) {
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

}  // namespace detops::psroipool_forward

#endif  // DETOPS_OPS_PSROIPOOL_FORWARD_TEST_CASES_H_
