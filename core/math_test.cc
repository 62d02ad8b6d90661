// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/math.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace detops {
namespace {

template <class Integer>
void TestCeilDiv() {
  for (Integer b = 1; b <= 9; ++b) {
    EXPECT_EQ(CeilDiv(Integer{0}, b), Integer{0});
    for (Integer a = 1; a <= 40; ++a) {
      const Integer quotient = CeilDiv(a, b);
      EXPECT_GE(quotient * b, a);
      EXPECT_LT((quotient - 1) * b, a);
    }
  }
}

template <class Integer>
void TestRoundUp() {
  for (Integer unit = 1; unit <= 9; ++unit) {
    for (Integer value = 0; value <= 40; ++value) {
      const Integer rounded = RoundUp(value, unit);
      EXPECT_EQ(rounded % unit, Integer{0});
      EXPECT_GE(rounded, value);
      EXPECT_LT(rounded, value + unit);
    }
  }
}

template <class Integer>
void TestLargeValues() {
  constexpr Integer kMax = std::numeric_limits<Integer>::max();
  EXPECT_EQ(CeilDiv(kMax - 1, 2), kMax / 2);
  EXPECT_EQ(CeilDiv(kMax, 1), kMax);
  EXPECT_EQ(RoundUp(kMax / 2 + 1, 64), kMax / 2 + 1);
}

TEST(IntegerMath, CeilDivIsTheSmallestSufficientCount) {
  TestCeilDiv<int>();
  TestCeilDiv<int64_t>();
  TestCeilDiv<size_t>();
}

TEST(IntegerMath, RoundUpGivesTheNextMultiple) {
  TestRoundUp<int>();
  TestRoundUp<int64_t>();
  TestRoundUp<size_t>();
}

TEST(IntegerMath, LargeValuesStayExact) {
  TestLargeValues<int>();
  TestLargeValues<int64_t>();
  TestLargeValues<size_t>();
}

// The first argument decides the type: int64_t sizes may be combined with int constants.
TEST(IntegerMath, ResultsHaveTheTypeOfTheFirstArgument) {
  static_assert(std::is_same_v<decltype(CeilDiv(int64_t{7}, 2)), int64_t>);
  static_assert(std::is_same_v<decltype(RoundUp(size_t{7}, 2)), size_t>);
  static_assert(CeilDiv(int64_t{1} << 40, 3) == 366503875926);
}

}  // namespace
}  // namespace detops
