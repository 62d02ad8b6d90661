// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Compares the vector conversions with the scalar ones of core/half.h, on every target.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>

#include "core/half.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/half_test.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include "simd/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace {

uint32_t BitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// NaNs are equal if their signs are; their payloads may differ.
bool SameFloat(float a, float b) {
  return BitsOf(a) == BitsOf(b) || (a != a && b != b && (BitsOf(a) >> 31) == (BitsOf(b) >> 31));
}

HWY_NOINLINE void TestEveryHalf() {
  const hn::CappedTag<float, 16> d;
  const hn::Rebind<uint16_t, decltype(d)> d16;
  const size_t lanes = hn::Lanes(d);
  HWY_ALIGN uint16_t halves[16];
  HWY_ALIGN float floats[16];
  for (uint32_t bits = 0; bits <= 0xFFFF; bits += static_cast<uint32_t>(lanes)) {
    for (size_t i = 0; i < lanes; ++i) {
      halves[i] = static_cast<uint16_t>(bits + i);
    }
    hn::StoreU(HalfToFloat(d, hn::LoadU(d16, halves)), d, floats);
    for (size_t i = 0; i < lanes; ++i) {
      ASSERT_TRUE(SameFloat(floats[i], detops::HalfToFloat({halves[i]}))) << halves[i];
    }
  }
}

HWY_NOINLINE void TestManyFloats() {
  const hn::CappedTag<float, 16> d;
  const hn::Rebind<uint16_t, decltype(d)> d16;
  const size_t lanes = hn::Lanes(d);
  HWY_ALIGN uint16_t halves[16];
  HWY_ALIGN float floats[16];
  std::mt19937 random(1);
  for (int round = 0; round < 200'000; ++round) {
    for (size_t i = 0; i < lanes; ++i) {
      // Any bits in even rounds; in odd rounds, values around the midpoint between two halves,
      // where rounding decides.
      uint32_t bits = random();
      if (round % 2 == 1) {
        const float middle = detops::HalfToFloat({static_cast<uint16_t>(bits % 0x7C00)});
        bits = BitsOf(middle) + 0x1000 + bits / 0x7C00 % 3 - 1;
      }
      std::memcpy(&floats[i], &bits, sizeof(bits));
    }
    hn::StoreU(FloatToHalf(d, hn::LoadU(d, floats)), d16, halves);
    for (size_t i = 0; i < lanes; ++i) {
      ASSERT_EQ(halves[i], detops::FloatToHalf(floats[i]).bits) << BitsOf(floats[i]);
    }
  }
}

template <class T>
void TestLoadAndStore() {
  const hn::CappedTag<float, 16> d;
  const size_t lanes = hn::Lanes(d);
  T in[16 + 2];
  T out[16 + 2];
  for (size_t i = 0; i < lanes + 2; ++i) {
    in[i] = RoundTo<T>(0.1f * static_cast<float>(i));
    out[i] = RoundTo<T>(-7.0f);
  }
  StoreRounded(LoadAsFloat(d, in + 1), d, out + 1);
  EXPECT_EQ(WidenToFloat(out[0]), -7.0f);
  for (size_t i = 1; i <= lanes; ++i) {
    EXPECT_EQ(WidenToFloat(out[i]), WidenToFloat(in[i])) << i;
  }
  EXPECT_EQ(WidenToFloat(out[lanes + 1]), -7.0f) << "only whole vectors are written";
}

HWY_NOINLINE void TestLoadAndStoreFloat() { TestLoadAndStore<float>(); }
HWY_NOINLINE void TestLoadAndStoreHalf() { TestLoadAndStore<Half>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops {

class HalfVectors : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(HalfVectors);
HWY_EXPORT_AND_TEST_P(HalfVectors, TestEveryHalf);
HWY_EXPORT_AND_TEST_P(HalfVectors, TestManyFloats);
HWY_EXPORT_AND_TEST_P(HalfVectors, TestLoadAndStoreFloat);
HWY_EXPORT_AND_TEST_P(HalfVectors, TestLoadAndStoreHalf);

}  // namespace detops
#endif  // HWY_ONCE
