// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Calls with another floating-point mode than the default one.

#ifndef DETOPS_TESTING_FLOAT_MODE_H_
#define DETOPS_TESTING_FLOAT_MODE_H_

#include <gtest/gtest.h>

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace detops {

// Returns call(), which runs while denormals are zero and results are rounded down. Checks that the
// call leaves the mode as it was, then restores the default mode. On processors other than x86 the
// mode is not changed.
template <class Call>
auto CallInUnusualFloatMode(const Call& call) {
#if defined(__SSE2__)
  constexpr uint32_t kDenormalsAreZero = 0x8040;
  constexpr uint32_t kRoundDown = 0x2000;
  const uint32_t saved = _mm_getcsr();
  _mm_setcsr(saved | kDenormalsAreZero | kRoundDown);
  const uint32_t unusual = _mm_getcsr();
  auto result = call();
  const uint32_t after = _mm_getcsr();
  _mm_setcsr(saved);
  EXPECT_EQ(after, unusual) << "the call changed the floating-point mode";
  return result;
#else
  return call();
#endif
}

}  // namespace detops

#endif  // DETOPS_TESTING_FLOAT_MODE_H_
