// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Scalar conversions between IEEE 754 binary16 (Half) and float. Half is a storage type: all
// arithmetic is in float. Kernels convert whole vectors with simd/half-inl.h, to the same bits.

#ifndef DETOPS_CORE_HALF_H_
#define DETOPS_CORE_HALF_H_

#include <cstdint>
#include <cstring>

#include "detops/tensor.hpp"

namespace detops {

// Exact. A NaN keeps its payload and becomes quiet, as in hardware.
inline float HalfToFloat(Half half) {
  const uint32_t sign = static_cast<uint32_t>(half.bits & 0x8000u) << 16;
  const uint32_t exponent = (half.bits >> 10) & 0x1Fu;
  const uint32_t mantissa = half.bits & 0x3FFu;
  uint32_t bits;
  if (exponent == 0x1F) {
    bits = sign | 0x7F800000u | (mantissa << 13) | (mantissa != 0 ? 0x400000u : 0);
  } else if (exponent != 0) {
    bits = sign | ((exponent + 112) << 23) | (mantissa << 13);
  } else {
    // Zero or denormal: mantissa * 2^-24, which float holds exactly.
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    std::memcpy(&bits, &magnitude, sizeof(bits));
    bits |= sign;
  }
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

// Rounds to nearest, ties to even. Values that are too large become infinity. A NaN becomes quiet
// and keeps the upper bits of its payload.
inline Half FloatToHalf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) {
    return {static_cast<uint16_t>(sign | 0x7E00u | ((magnitude >> 13) & 0x3FFu))};
  }
  if (magnitude >= 0x477FF000u) {  // 65520, halfway between the largest half and 2^16
    return {static_cast<uint16_t>(sign | 0x7C00u)};
  }
  if (magnitude < 0x38800000u) {  // below 2^-14: the result is denormal
    // In the sum with 0.5 the unit in the last place is 2^-24, that of a denormal half, so the
    // addition rounds correctly.
    float absolute;
    std::memcpy(&absolute, &magnitude, sizeof(absolute));
    const float shifted = absolute + 0.5f;
    uint32_t shifted_bits;
    std::memcpy(&shifted_bits, &shifted, sizeof(shifted_bits));
    return {static_cast<uint16_t>(sign | (shifted_bits - 0x3F000000u))};
  }
  const uint32_t round = 0xFFFu + ((magnitude >> 13) & 1u);
  return {static_cast<uint16_t>(sign | ((magnitude - (112u << 23) + round) >> 13))};
}

// For code that is generic in its element type, float or Half.
inline float WidenToFloat(float value) { return value; }
inline float WidenToFloat(Half value) { return HalfToFloat(value); }

template <class T>
T RoundTo(float value);
template <>
inline float RoundTo<float>(float value) {
  return value;
}
template <>
inline Half RoundTo<Half>(float value) {
  return FloatToHalf(value);
}

}  // namespace detops

#endif  // DETOPS_CORE_HALF_H_
