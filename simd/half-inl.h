// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Half in memory, float in registers: the same bits as core/half.h on every target.

#if defined(DETOPS_SIMD_HALF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_SIMD_HALF_INL_H_
#undef DETOPS_SIMD_HALF_INL_H_
#else
#define DETOPS_SIMD_HALF_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Highway's conversions are the hardware's where that has one; elsewhere they are wrong for
// infinities and NaNs and do not round to even.
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
  // The exponent's bias is moved by a product, which is exact and gives denormals, too.
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
  // Each as in core/half.h.
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
  // At most 16 bits, but DemoteTo takes signed numbers and would saturate the upper half of them.
  const auto wrapped = hn::ShiftRight<16>(hn::ShiftLeft<16>(hn::BitCast(di, half)));
  return hn::BitCast(hn::Rebind<uint16_t, DF>(), hn::DemoteTo(hn::Rebind<int16_t, DF>(), wrapped));
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // include guard
