// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Random floats for test inputs.

#ifndef DETOPS_MEASURE_RANDOM_FLOATS_H_
#define DETOPS_MEASURE_RANDOM_FLOATS_H_

#include <iterator>
#include <limits>
#include <random>

namespace detops {

using Random = std::mt19937;

inline float Uniform(Random& random, float low, float high) {
  return std::uniform_real_distribution<float>(low, high)(random);
}

// Returns a NaN, an infinity, a zero of either sign or a value near the limits of float or half.
inline float SpecialFloat(Random& random) {
  using Limits = std::numeric_limits<float>;
  constexpr float kLargestHalf = 65504.0f;
  constexpr float kValues[] = {Limits::quiet_NaN(),
                               Limits::infinity(),
                               -Limits::infinity(),
                               Limits::max(),
                               Limits::lowest(),
                               Limits::denorm_min(),
                               kLargestHalf,
                               1e20f,
                               -0.0f,
                               0.0f};
  return kValues[random() % std::size(kValues)];
}

}  // namespace detops

#endif  // DETOPS_MEASURE_RANDOM_FLOATS_H_
