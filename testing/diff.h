// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The error measures of the acceptance tests.

#ifndef DETOPS_TESTING_DIFF_H_
#define DETOPS_TESTING_DIFF_H_

#include <cmath>
#include <cstddef>
#include <limits>

namespace detops {

struct Diffs {
  double diff1;  // sum |a - b| / sum |b|
  double diff2;  // sqrt(sum (a - b)^2 / sum b^2)
};

// Of results `a` against the right answers `b`. NaN equals NaN and an infinity itself; any other
// mismatch of what is not finite makes both infinite.
template <class A, class B>
Diffs ComputeDiffs(const A& a, const B& b) {
  double difference = 0;
  double magnitude = 0;
  double square_difference = 0;
  double square_magnitude = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    const auto found = static_cast<double>(a[i]);
    const auto expected = static_cast<double>(b[i]);
    if (std::isfinite(found) && std::isfinite(expected)) {
      difference += std::fabs(found - expected);
      magnitude += std::fabs(expected);
      square_difference += (found - expected) * (found - expected);
      square_magnitude += expected * expected;
    } else if (found != expected && !(std::isnan(found) && std::isnan(expected))) {
      return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    }
  }
  const auto ratio = [](double numerator, double denominator) {
    return numerator == 0 ? 0 : numerator / denominator;
  };
  return {ratio(difference, magnitude), std::sqrt(ratio(square_difference, square_magnitude))};
}

}  // namespace detops

#endif  // DETOPS_TESTING_DIFF_H_
