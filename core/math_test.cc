// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/math.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace detops {
namespace {

template <class Integer>
class IntegerMath : public testing::Test {};

using Integers = testing::Types<int, int64_t, size_t>;
TYPED_TEST_SUITE(IntegerMath, Integers);

TYPED_TEST(IntegerMath, CeilDivIsTheSmallestSufficientCount) {
  for (TypeParam b = 1; b <= 9; ++b) {
    EXPECT_EQ(CeilDiv(TypeParam{0}, b), TypeParam{0});
    for (TypeParam a = 1; a <= 40; ++a) {
      const TypeParam quotient = CeilDiv(a, b);
      EXPECT_GE(quotient * b, a);
      EXPECT_LT((quotient - 1) * b, a);
    }
  }
}

TYPED_TEST(IntegerMath, RoundUpGivesTheNextMultiple) {
  for (TypeParam unit = 1; unit <= 9; ++unit) {
    for (TypeParam value = 0; value <= 40; ++value) {
      const TypeParam rounded = RoundUp(value, unit);
      EXPECT_EQ(rounded % unit, TypeParam{0});
      EXPECT_GE(rounded, value);
      EXPECT_LT(rounded, value + unit);
    }
  }
}

TYPED_TEST(IntegerMath, LargeValuesStayExact) {
  constexpr TypeParam kMax = std::numeric_limits<TypeParam>::max();
  EXPECT_EQ(CeilDiv(kMax - 1, 2), kMax / 2);
  EXPECT_EQ(CeilDiv(kMax, 1), kMax);
  EXPECT_EQ(RoundUp(kMax / 2 + 1, 64), kMax / 2 + 1);
}

// The first argument decides the type: int64_t sizes may be combined with int constants.
TEST(CeilDiv, HasTheTypeOfItsFirstArgument) {
  static_assert(std::is_same_v<decltype(CeilDiv(int64_t{7}, 2)), int64_t>);
  static_assert(std::is_same_v<decltype(RoundUp(size_t{7}, 2)), size_t>);
  static_assert(CeilDiv(int64_t{1} << 40, 3) == 366503875926);
}

}  // namespace
}  // namespace detops
