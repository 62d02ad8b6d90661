// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// How long stress tests run.

#ifndef DETOPS_TESTING_SOAK_H_
#define DETOPS_TESTING_SOAK_H_

#include <cstdlib>

namespace detops {

// Returns the seconds that a stress test runs: DETOPS_SOAK_SECONDS, which `make soak` sets, or
// `otherwise`.
inline double SoakSeconds(double otherwise) {
  const char* const text = std::getenv("DETOPS_SOAK_SECONDS");
  return text != nullptr ? std::strtod(text, nullptr) : otherwise;
}

}  // namespace detops

#endif  // DETOPS_TESTING_SOAK_H_
