// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The number of lanes as int64_t, and masks as bits of an integer.

#if defined(DETOPS_SIMD_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_SIMD_LANES_INL_H_
#undef DETOPS_SIMD_LANES_INL_H_
#else
#define DETOPS_SIMD_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Returns the number of lanes of a vector. int64_t because indices are; the name is not Lanes
// because argument-dependent lookup would prefer Highway's function, which returns size_t.
template <class D>
HWY_INLINE int64_t LanesOf(D d) {
  return static_cast<int64_t>(hn::Lanes(d));
}

// Returns the mask as an integer: bit i is set if lane i is. For vectors of at most 16 lanes.
template <class D>
HWY_INLINE uint32_t BitsOf(D d, hn::Mask<D> mask) {
  static_assert(hn::MaxLanes(D()) <= 16);
  uint8_t bytes[8] = {};  // StoreMaskBits may write 8 bytes
  hn::StoreMaskBits(d, mask, bytes);
  return bytes[0] | uint32_t{bytes[1]} << 8;
}

// Calls body(i), with an int64_t, for each bit i that is set in `bits`, in ascending order.
template <class Body>
HWY_INLINE void ForEachSetBit(uint32_t bits, const Body& body) {
  for (; bits != 0; bits &= bits - 1) {
    body(static_cast<int64_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(bits)));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // include guard
