// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The overlap of one vector of boxes with another, one pair of boxes per lane. The order of the
// operations is that of the reference, so the results have the same bits.

#if defined(DETOPS_OPS_BBOX_OVERLAPS_OVERLAP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_BBOX_OVERLAPS_OVERLAP_INL_H_
#undef DETOPS_OPS_BBOX_OVERLAPS_OVERLAP_INL_H_
#else
#define DETOPS_OPS_BBOX_OVERLAPS_OVERLAP_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

#include "ops/bbox_overlaps/op.h"
#include "simd/lanes-inl.h"
#include "simd/nan-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::bbox_overlaps {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors are at most as long as a cache line, so that a line consists of whole vectors.
using DF = hn::CappedTag<float, kLineFloats>;
using DI = hn::Rebind<int32_t, DF>;
using VF = hn::Vec<DF>;

constexpr int64_t kMaxLanes = kLineFloats;

HWY_INLINE int64_t VectorLanes() { return detops::HWY_NAMESPACE::LanesOf(DF()); }

HWY_INLINE VF QuietNaN() { return hn::BitCast(DF(), hn::Set(DI(), 0x7FC00000)); }

// One box per lane.
struct BoxVectors {
  VF x1, y1, x2, y2;
};

// Returns high - low + kOffset. Adding an offset of 0 would not change any result.
template <int kOffset>
HWY_INLINE VF Length(VF low, VF high) {
  const VF length = hn::Sub(high, low);
  return kOffset == 0 ? length : hn::Add(length, hn::Set(DF(), 1.0f));
}

template <int kOffset>
HWY_INLINE VF Area(const BoxVectors& box) {
  return hn::Mul(Length<kOffset>(box.x1, box.x2), Length<kOffset>(box.y1, box.y2));
}

// Returns the lanes whose boxes are proper: x1 <= x2, y1 <= y2, and a finite area. Boxes with a NaN
// are not proper. Infinite coordinates make the area infinite or NaN, so such boxes are not,
// either.
HWY_INLINE hn::Mask<DF> IsProper(const BoxVectors& box, VF area) {
  const VF infinity = hn::Set(DF(), std::numeric_limits<float>::infinity());
  return hn::And(hn::And(hn::Le(box.x1, box.x2), hn::Le(box.y1, box.y2)), hn::Lt(area, infinity));
}

// Returns 0 in lanes whose boxes have no NaN and a quiet NaN in the others. Adding this to an
// overlap makes it the NaN that the contract requires.
HWY_INLINE VF NaNMark(const BoxVectors& box) {
  const auto is_nan = hn::Or(hn::Or(hn::IsNaN(box.x1), hn::IsNaN(box.y1)),
                             hn::Or(hn::IsNaN(box.x2), hn::IsNaN(box.y2)));
  return hn::IfThenElseZero(is_nan, QuietNaN());
}

// Returns whether all lanes have a clear sign bit: integers order such floats as floats do.
HWY_INLINE bool HaveNoSign(VF a, VF b) {
  return hn::AllFalse(DI(), hn::Lt(hn::BitCast(DI(), hn::Or(a, b)), hn::Zero(DI())));
}

// Returns the length that two intervals have in common, or less than 0. With kNoSign, their ends
// have no sign bit, and the pipes of integers can compute minimum and maximum.
template <int kOffset, bool kNoSign>
HWY_INLINE VF CommonLength(VF low1, VF high1, VF low2, VF high2) {
#if DETOPS_INTEGER_MAXIMA_HELP
  if (kNoSign) {
    const DF d;
    const auto bits = [](VF value) HWY_ATTR { return hn::BitCast(DI(), value); };
    return Length<kOffset>(hn::BitCast(d, hn::Max(bits(low1), bits(low2))),
                           hn::BitCast(d, hn::Min(bits(high1), bits(high2))));
  }
#endif
  return Length<kOffset>(hn::Max(low1, low2), hn::Min(high1, high2));
}

// An overlap before the division.
struct Fraction {
  VF inter;
  VF base;
};

// Returns the fraction of boxes without NaN coordinates. If coordinates are infinite, a width or
// height may be NaN; the overlap is 0 then, whether the NaN is replaced by 0 or not.
//
// With kProper, all boxes are proper. Then the base is never below the offset and need not be
// raised: inter exceeds neither area, and each area is at least offset * offset. docs/numerics.md
// shows that this survives rounding.
//
// With kNoSign, no x coordinate has a sign bit. Integer minima and maxima for both axes would be
// slower than for one: then the pipes of floats would idle.
template <OverlapMode kMode, int kOffset, bool kProper, bool kNoSign>
HWY_INLINE Fraction MakeFraction(const BoxVectors& a, VF area_a, const BoxVectors& b, VF area_b) {
  using detops::HWY_NAMESPACE::ClampToZero;
  const DF d;
  const VF width = ClampToZero(d, CommonLength<kOffset, kNoSign>(a.x1, a.x2, b.x1, b.x2));
  const VF height = ClampToZero(d, CommonLength<kOffset, false>(a.y1, a.y2, b.y1, b.y2));
  const VF inter = hn::Mul(width, height);
  VF base = kMode == OverlapMode::kIou ? hn::Sub(hn::Add(area_a, area_b), inter) : area_a;
  if (!kProper) {
    // Keeps a NaN in the base.
    base = detops::HWY_NAMESPACE::MaxOrSecond(hn::Set(d, static_cast<float>(kOffset)), base);
  }
  return {inter, base};
}

// Returns inter / base, or 0 where that is NaN.
//
// With kProper, all boxes are proper and the area of the first is above 0 (Row::is_proper). Then
// inter is finite and the base is above 0, so the quotient is never NaN (docs/numerics.md).
template <bool kProper>
HWY_INLINE VF Divide(const Fraction& fraction) {
  const VF quotient = hn::Div(fraction.inter, fraction.base);
  return kProper ? quotient : detops::HWY_NAMESPACE::MaxOrSecond(quotient, hn::Zero(DF()));
}

// Returns whether the overlap in any lane may exceed `floor`, which must not be negative. Saves the
// division where it returns false. Rounding is monotonic: if the rounded quotient exceeds the
// floor, so does the exact one, and inter is not below the rounded product. NaNs exceed nothing.
HWY_INLINE bool MayExceed(const Fraction& fraction, VF floor) {
  const DF d;
  return !hn::AllFalse(d, hn::And(hn::Ge(fraction.inter, hn::Mul(floor, fraction.base)),
                                  hn::Gt(fraction.inter, hn::Zero(d))));
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::bbox_overlaps
HWY_AFTER_NAMESPACE();

#endif  // include guard
