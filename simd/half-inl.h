// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Vector conversions between half (IEEE 754 binary16, passed as uint16_t lanes) and float, and
// loads and stores of either as float vectors. Finite values have the same bits as in core/half.h
// on every target; so do NaNs that are rounded to half.

#if defined(DETOPS_SIMD_HALF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_SIMD_HALF_INL_H_
#undef DETOPS_SIMD_HALF_INL_H_
#else
#define DETOPS_SIMD_HALF_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "detops/tensor.hpp"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// These targets convert in hardware. Highway's emulation for the others is wrong for infinities and
// NaNs and does not round ties to even.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL

template <class DF, class V16>
HWY_INLINE hn::Vec<DF> HalfToFloat(DF d, V16 bits) {
  return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, DF>(), bits));
}

template <class DF, class VF = hn::Vec<DF>>
HWY_INLINE hn::Vec<hn::Rebind<uint16_t, DF>> FloatToHalf(DF /*d*/, VF value) {
  return hn::BitCast(hn::Rebind<uint16_t, DF>(),
                     hn::DemoteTo(hn::Rebind<hwy::float16_t, DF>(), value));
}

#else

template <class DF, class V16>
HWY_INLINE hn::Vec<DF> HalfToFloat(DF d, V16 bits) {
  const hn::Rebind<uint32_t, DF> du;
  const auto half = hn::PromoteTo(du, bits);
  const auto sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(du, 0x8000u)));
  const auto magnitude = hn::ShiftLeft<13>(hn::And(half, hn::Set(du, 0x7FFFu)));
  // Multiplying by 2^112 rebiases the exponent. It is exact, also for denormals.
  const auto moved = hn::BitCast(du, hn::Mul(hn::BitCast(d, magnitude), hn::Set(d, 0x1p112f)));
  const auto exponent = hn::Set(du, 0x1Fu << 23);
  const auto special = hn::Eq(hn::And(magnitude, exponent), exponent);
  const auto infinite = hn::IfThenElseZero(special, hn::Set(du, 0x7F800000u));
  return hn::BitCast(d, hn::Or(sign, hn::Or(moved, infinite)));
}

template <class DF, class VF = hn::Vec<DF>>
HWY_INLINE hn::Vec<hn::Rebind<uint16_t, DF>> FloatToHalf(DF d, VF value) {
  const hn::Rebind<uint32_t, DF> du;
  const hn::Rebind<int32_t, DF> di;
  const auto bits = hn::BitCast(du, value);
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7FFFFFFFu));
  const auto signed_magnitude = hn::BitCast(di, magnitude);
  // The same cases as in FloatToHalf of core/half.h, computed for all lanes and then selected.
  const auto round =
      hn::Add(hn::Set(du, 0xFFFu), hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 1u)));
  const auto normal =
      hn::ShiftRight<13>(hn::Add(hn::Sub(magnitude, hn::Set(du, 112u << 23)), round));
  const auto denormal =
      hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(d, magnitude), hn::Set(d, 0.5f))),
              hn::Set(du, 0x3F000000u));
  const auto nan =
      hn::Or(hn::Set(du, 0x7E00u), hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 0x3FFu)));
  const auto is_denormal = hn::Lt(signed_magnitude, hn::Set(di, 0x38800000));
  const auto is_infinite = hn::Gt(signed_magnitude, hn::Set(di, 0x477FEFFF));
  const auto is_nan = hn::Gt(signed_magnitude, hn::Set(di, 0x7F800000));
  auto half = hn::IfThenElse(hn::RebindMask(du, is_denormal), denormal, normal);
  half = hn::IfThenElse(hn::RebindMask(du, is_infinite), hn::Set(du, 0x7C00u), half);
  half = hn::IfThenElse(hn::RebindMask(du, is_nan), nan, half);
  half = hn::Or(half, hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 0x8000u)));
  // DemoteTo saturates signed values: sign-extend the 16 bits so that it keeps them as they are.
  const auto wrapped = hn::ShiftRight<16>(hn::ShiftLeft<16>(hn::BitCast(di, half)));
  return hn::BitCast(hn::Rebind<uint16_t, DF>(), hn::DemoteTo(hn::Rebind<int16_t, DF>(), wrapped));
}

#endif

// Loads Lanes(d) elements, unaligned, as floats.
template <class DF>
HWY_INLINE hn::Vec<DF> LoadAsFloat(DF d, const float* from) {
  return hn::LoadU(d, from);
}
template <class DF>
HWY_INLINE hn::Vec<DF> LoadAsFloat(DF d, const Half* from) {
  const hn::Rebind<uint16_t, DF> d16;
  return HalfToFloat(d, hn::LoadU(d16, reinterpret_cast<const uint16_t*>(from)));
}

// Stores Lanes(d) floats, unaligned, rounded to the type of `to`.
template <class DF, class VF = hn::Vec<DF>>
HWY_INLINE void StoreRounded(VF value, DF d, float* to) {
  hn::StoreU(value, d, to);
}
template <class DF, class VF = hn::Vec<DF>>
HWY_INLINE void StoreRounded(VF value, DF d, Half* to) {
  const hn::Rebind<uint16_t, DF> d16;
  hn::StoreU(FloatToHalf(d, value), d16, reinterpret_cast<uint16_t*>(to));
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // include guard
