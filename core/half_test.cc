// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

namespace detops {
namespace {

uint32_t Bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float FromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Returns the value of a finite half, computed from the definition of the format.
double Value(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int mantissa = bits & 0x3FF;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

bool IsFinite(uint16_t bits) { return (bits & 0x7C00) != 0x7C00; }

TEST(Half, EveryHalfConvertsExactly) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = HalfToFloat({half});
    if (IsFinite(half)) {
      ASSERT_EQ(value, Value(half)) << bits;
      ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
    } else if ((bits & 0x3FF) == 0) {
      ASSERT_EQ(value, (bits & 0x8000) != 0 ? -INFINITY : INFINITY);
    } else {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_NE(Bits(value) & 0x400000, 0u) << "the NaN must be quiet";
    }
  }
}

TEST(Half, EveryHalfSurvivesARoundTrip) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const bool is_nan = (bits & 0x7FFF) > 0x7C00;
    ASSERT_EQ(FloatToHalf(HalfToFloat({static_cast<uint16_t>(bits)})).bits,
              is_nan ? bits | 0x200 : bits);
  }
}

// Between any two neighbors: just below the midpoint, the midpoint (ties to even), just above it.
TEST(Half, RoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const auto low = static_cast<uint16_t>(bits);
    const auto high = static_cast<uint16_t>(bits + 1);
    const auto middle = static_cast<float>((Value(low) + Value(high)) / 2);
    const uint16_t even = (bits & 1) == 0 ? low : high;
    ASSERT_EQ(FloatToHalf(middle).bits, even) << bits;
    ASSERT_EQ(FloatToHalf(std::nextafter(middle, 0.0f)).bits, low) << bits;
    ASSERT_EQ(FloatToHalf(std::nextafter(middle, INFINITY)).bits, high) << bits;
    ASSERT_EQ(FloatToHalf(-middle).bits, even | 0x8000) << bits;
  }
}

TEST(Half, Extremes) {
  EXPECT_EQ(FloatToHalf(65504.0f).bits, 0x7BFF);
  EXPECT_EQ(FloatToHalf(std::nextafter(65520.0f, 0.0f)).bits, 0x7BFF);
  EXPECT_EQ(FloatToHalf(65520.0f).bits, 0x7C00);
  EXPECT_EQ(FloatToHalf(std::numeric_limits<float>::max()).bits, 0x7C00);
  EXPECT_EQ(FloatToHalf(-INFINITY).bits, 0xFC00);
  EXPECT_EQ(FloatToHalf(0x1p-25f).bits, 0);  // half of the smallest denormal: ties to even
  EXPECT_EQ(FloatToHalf(std::nextafter(0x1p-25f, 1.0f)).bits, 1);
  EXPECT_EQ(FloatToHalf(std::numeric_limits<float>::denorm_min()).bits, 0);
  EXPECT_EQ(FloatToHalf(-0.0f).bits, 0x8000);
  EXPECT_EQ(FloatToHalf(FromBits(0x7FC00000)).bits, 0x7E00);
  EXPECT_EQ(FloatToHalf(FromBits(0x7F800001)).bits, 0x7E00)
      << "a signaling NaN does not become infinity";
}

TEST(Half, GenericConversionsDependOnTheElementType) {
  EXPECT_EQ(WidenToFloat(0.1f), 0.1f);
  EXPECT_EQ(WidenToFloat(Half{0x3C00}), 1.0f);
  EXPECT_EQ(RoundTo<float>(0.1f), 0.1f);
  EXPECT_EQ(RoundTo<Half>(0.1f).bits, FloatToHalf(0.1f).bits);
}

#if defined(__FLT16_MAX__)  // GCC 12 has _Float16 on x86; Clang 14 does not
// The compiler's conversion is an independent reference.
TEST(Half, AgreesWithTheCompiler) {
  std::mt19937 random(1);
  for (int i = 0; i < 2'000'000; ++i) {
    const float value = FromBits(random());
    if (std::isnan(value)) {
      continue;
    }
    const auto expected = static_cast<_Float16>(value);
    uint16_t expected_bits;
    std::memcpy(&expected_bits, &expected, sizeof(expected_bits));
    ASSERT_EQ(FloatToHalf(value).bits, expected_bits) << value;
  }
}
#endif

}  // namespace
}  // namespace detops
