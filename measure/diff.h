// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The error measures of the acceptance tests.

#ifndef DETOPS_MEASURE_DIFF_H_
#define DETOPS_MEASURE_DIFF_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace detops {

enum class Measure { kDiff1, kDiff2, kDiff3, kDiff3_2, kDiff4 };

inline constexpr Measure kAllMeasures[] = {Measure::kDiff1, Measure::kDiff2, Measure::kDiff3,
                                           Measure::kDiff3_2, Measure::kDiff4};

inline const char* NameOf(Measure measure) {
  constexpr const char* kNames[] = {"diff1", "diff2", "diff3", "diff3_2", "diff4"};
  return kNames[static_cast<int>(measure)];
}

struct Diffs {
  double diff1 = 0;           // sum |a - b| / sum |b|
  double diff2 = 0;           // sqrt(sum (a - b)^2 / sum b^2)
  double diff3_relative = 0;  // the largest |a - b| / |b| where |b| is above the small
  double diff3_absolute = 0;  // the largest |a - b| elsewhere
  double diff3_2 = 0;         // the largest |a - b|
  int64_t above = 0;          // how many a > b
  int64_t below = 0;          // how many a < b
  int64_t unequal = 0;

  // diff4: of those that are unequal.
  double share_above() const { return Share(above); }
  double share_below() const { return Share(below); }

 private:
  double Share(int64_t count) const {
    return unequal == 0 ? 0 : static_cast<double>(count) / static_cast<double>(unequal);
  }
};

// What counts as small in diff3, for float and for half.
inline constexpr double kSmallFloat = 1e-6;
inline constexpr double kSmallHalf = 1e-4;

// Of results `a` against the right answers `b`, of which there are as many. NaN equals NaN and an
// infinity itself; any other mismatch of what is not finite makes all measures infinite.
template <class A, class B>
Diffs ComputeDiffs(const A& a, const B& b, double small = kSmallFloat) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Diffs diffs;
  double difference = 0;
  double magnitude = 0;
  double square_difference = 0;
  double square_magnitude = 0;
  bool is_mismatch = false;
  for (size_t i = 0; i < b.size(); ++i) {
    const auto found = static_cast<double>(a[i]);
    const auto expected = static_cast<double>(b[i]);
    if (found == expected) {  // infinities, too
      if (std::isfinite(expected)) {
        magnitude += std::fabs(expected);
        square_magnitude += expected * expected;
      }
      continue;
    }
    if (std::isnan(found) && std::isnan(expected)) {
      continue;
    }
    ++diffs.unequal;
    diffs.above += found > expected ? 1 : 0;
    diffs.below += found < expected ? 1 : 0;
    if (!std::isfinite(found) || !std::isfinite(expected)) {
      is_mismatch = true;
      continue;
    }
    const double error = std::fabs(found - expected);
    difference += error;
    magnitude += std::fabs(expected);
    square_difference += error * error;
    square_magnitude += expected * expected;
    diffs.diff3_2 = std::max(diffs.diff3_2, error);
    if (std::fabs(expected) > small) {
      diffs.diff3_relative = std::max(diffs.diff3_relative, error / std::fabs(expected));
    } else {
      diffs.diff3_absolute = std::max(diffs.diff3_absolute, error);
    }
  }
  const auto ratio = [](double numerator, double denominator) {
    return numerator == 0 ? 0 : numerator / denominator;
  };
  diffs.diff1 = ratio(difference, magnitude);
  diffs.diff2 = std::sqrt(ratio(square_difference, square_magnitude));
  if (is_mismatch) {
    diffs.diff1 = diffs.diff2 = kInfinity;
    diffs.diff3_relative = diffs.diff3_absolute = diffs.diff3_2 = kInfinity;
  }
  return diffs;
}

}  // namespace detops

#endif  // DETOPS_MEASURE_DIFF_H_
