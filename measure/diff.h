// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The error measures by which MLU-OPS accepts an operator: DIFF1 to DIFF4.

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

// Returns the name that the command uses, for example "diff3_2".
inline const char* NameOf(Measure measure) {
  constexpr const char* kNames[] = {"diff1", "diff2", "diff3", "diff3_2", "diff4"};
  return kNames[static_cast<int>(measure)];
}

// All measures of a result `a` against the expected values `b`.
struct Diffs {
  double diff1 = 0;           // sum |a - b| / sum |b|
  double diff2 = 0;           // sqrt(sum (a - b)^2 / sum b^2)
  double diff3_relative = 0;  // max |a - b| / |b| where |b| > small
  double diff3_absolute = 0;  // max |a - b| elsewhere
  double diff3_2 = 0;         // max |a - b|
  int64_t above = 0;          // number of elements with a > b
  int64_t below = 0;          // number of elements with a < b
  int64_t unequal = 0;        // number of elements with a != b

  // diff4: the shares of `above` and `below` in the unequal elements.
  double share_above() const { return Share(above); }
  double share_below() const { return Share(below); }

 private:
  double Share(int64_t count) const {
    return unequal == 0 ? 0 : static_cast<double>(count) / static_cast<double>(unequal);
  }
};

// The values of `small` in diff3 for float and half.
inline constexpr double kSmallFloat = 1e-6;
inline constexpr double kSmallHalf = 1e-4;

// Compares results `a` with the expected values `b`, which must have the same size. A NaN equals a
// NaN, and an infinity equals itself; any other difference that involves a NaN or an infinity makes
// all measures infinite.
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
    if (found == expected) {  // also equal infinities
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
