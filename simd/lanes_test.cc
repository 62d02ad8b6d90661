// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Counts of lanes and bits of masks, on every target.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/lanes_test.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace {

HWY_NOINLINE void TestLanesOf() {
  const hn::CappedTag<float, 16> d;
  EXPECT_EQ(LanesOf(d), static_cast<int64_t>(hn::Lanes(d)));
  static_assert(std::is_same_v<decltype(LanesOf(d)), int64_t>);
}

template <class T>
void TestBits() {
  const hn::CappedTag<T, 16> d;
  const auto lanes = static_cast<uint32_t>(LanesOf(d));
  HWY_ALIGN T marks[16];
  for (const uint32_t pattern : {0x0000u, 0xFFFFu, 0x5A31u, 0x0001u, 0x8000u, 0xA5CEu}) {
    const uint32_t expected = pattern & ((uint32_t{1} << lanes) - 1);
    for (uint32_t i = 0; i < lanes; ++i) {
      marks[i] = static_cast<T>(expected >> i & 1);
    }
    const auto mask = hn::Gt(hn::Load(d, marks), hn::Zero(d));
    EXPECT_EQ(BitsOf(d, mask), expected) << sizeof(T);
  }
}

HWY_NOINLINE void TestBitsOf() {
  TestBits<float>();
  TestBits<int32_t>();
  TestBits<int16_t>();
#if HWY_HAVE_FLOAT64
  TestBits<double>();
#endif
}

HWY_NOINLINE void TestForEachSetBit() {
  std::vector<int64_t> visited;
  const auto visit = [&](int64_t i) HWY_ATTR { visited.push_back(i); };
  ForEachSetBit(0, visit);
  EXPECT_TRUE(visited.empty());
  ForEachSetBit(0x80008005u, visit);
  EXPECT_THAT(visited, testing::ElementsAre(0, 2, 15, 31));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops {

class LaneHelpers : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(LaneHelpers);
HWY_EXPORT_AND_TEST_P(LaneHelpers, TestLanesOf);
HWY_EXPORT_AND_TEST_P(LaneHelpers, TestBitsOf);
HWY_EXPORT_AND_TEST_P(LaneHelpers, TestForEachSetBit);

}  // namespace detops
#endif  // HWY_ONCE
