// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Timing of calls.

#ifndef DETOPS_MEASURE_TIMING_H_
#define DETOPS_MEASURE_TIMING_H_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace detops {

// Returns the elapsed time of call(), in seconds.
template <class Call>
double SecondsOf(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Returns the median of the samples, of which there must be at least one. Reorders them.
inline double Median(std::vector<double>& samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace detops

#endif  // DETOPS_MEASURE_TIMING_H_
