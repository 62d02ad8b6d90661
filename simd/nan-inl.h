// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Maxima with defined results for NaNs, as fast as Highway's Max, whose result for NaNs depends on
// the target.

#if defined(DETOPS_SIMD_NAN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_SIMD_NAN_INL_H_
#undef DETOPS_SIMD_NAN_INL_H_
#else
#define DETOPS_SIMD_NAN_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// x86's maximum returns its second operand when either is a NaN, which is exactly "a > b ? a : b".
#undef DETOPS_MAX_RETURNS_SECOND_FOR_NAN
#define DETOPS_MAX_RETURNS_SECOND_FOR_NAN \
  (HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)

// Returns a > b ? a : b in each lane. In other words: the maximum, and `b` where either is a NaN.
template <class V>
HWY_INLINE V MaxOrSecond(V a, V b) {
#if DETOPS_MAX_RETURNS_SECOND_FOR_NAN
  return hn::Max(a, b);
#else
  return hn::IfThenElse(hn::Gt(a, b), a, b);
#endif
}

// AMD's cores have two pipes for float minima, maxima and products, which limit kernels that need
// many of them; integer minima and maxima can use other pipes.
#undef DETOPS_INTEGER_MAXIMA_HELP
#define DETOPS_INTEGER_MAXIMA_HELP                                               \
  (HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || \
   HWY_TARGET == HWY_AVX3_DL)

// Returns the larger of `value` and 0 in each lane, for floats. A NaN that an arithmetic operation
// made from numbers, such as infinity - infinity, becomes 0; other NaNs may stay NaNs.
template <class DF, class VF = hn::Vec<DF>>
HWY_INLINE VF ClampToZero(DF d, VF value) {
#if DETOPS_INTEGER_MAXIMA_HELP
  // As integers: negative floats have the sign bit set, and so do the NaNs that x86 makes.
  const hn::RebindToSigned<DF> di;
  return hn::BitCast(d, hn::Max(hn::BitCast(di, value), hn::Zero(di)));
#else
  return MaxOrSecond(value, hn::Zero(d));
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // include guard
