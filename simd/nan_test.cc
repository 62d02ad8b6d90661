// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Maxima of NaNs, infinities and zeros of either sign, on every target, compared bit by bit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/nan_test.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include "simd/nan-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kValues[] = {kNaN, -kNaN, kInfinity, -kInfinity, 0.0f,  -0.0f,
                             1.0f, -1.0f, 1e-45f,    -1e-45f,    3e38f, -3e38f};

uint32_t BitsOfFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

HWY_NOINLINE void TestMaxOrSecond() {
  const hn::CappedTag<float, 16> d;
  for (const float a : kValues) {
    for (const float b : kValues) {
      const float found = hn::GetLane(MaxOrSecond(hn::Set(d, a), hn::Set(d, b)));
      EXPECT_EQ(BitsOfFloat(found), BitsOfFloat(a > b ? a : b)) << a << ' ' << b;
    }
  }
}

// NaNs that callers bring are not covered: only those that a difference makes.
HWY_NOINLINE void TestClampToZero() {
  const hn::CappedTag<float, 16> d;
  for (const float a : kValues) {
    for (const float b : kValues) {
      if (a != a || b != b) {
        continue;
      }
      const auto difference = hn::Sub(hn::Set(d, a), hn::Set(d, b));
      const float expected = a - b > 0 ? a - b : 0.0f;
      EXPECT_EQ(BitsOfFloat(hn::GetLane(ClampToZero(d, difference))), BitsOfFloat(expected))
          << a << ' ' << b;
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops {

class NanHelpers : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(NanHelpers);
HWY_EXPORT_AND_TEST_P(NanHelpers, TestMaxOrSecond);
HWY_EXPORT_AND_TEST_P(NanHelpers, TestClampToZero);

}  // namespace detops
#endif  // HWY_ONCE
