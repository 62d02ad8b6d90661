// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The two pixels beside a position along an axis, and their weights. One position per lane.

#if defined(DETOPS_OPS_BORDER_ALIGN_FORWARD_NEIGHBORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_BORDER_ALIGN_FORWARD_NEIGHBORS_INL_H_
#undef DETOPS_OPS_BORDER_ALIGN_FORWARD_NEIGHBORS_INL_H_
#else
#define DETOPS_OPS_BORDER_ALIGN_FORWARD_NEIGHBORS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace detops::border_align_forward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class DF>
struct Neighbors {
  hn::Vec<hn::RebindToSigned<DF>> low, high;
  hn::Vec<DF> low_weight, high_weight;
};

// Returns whether a sample at this position is interpolated, not 0. False for NaN.
template <class DF>
HWY_INLINE hn::Mask<DF> IsInside(DF d, hn::Vec<DF> position, int64_t size) {
  return hn::And(hn::Ge(position, hn::Set(d, -1.0f)),
                 hn::Le(position, hn::Set(d, static_cast<float>(size))));
}

// Returns the neighbors of positions that are inside, for an axis of `size` pixels.
template <class DF>
HWY_INLINE Neighbors<DF> NeighborsOf(DF d, hn::Vec<DF> position, int64_t size) {
  const hn::RebindToSigned<DF> di;
  const auto inside = hn::IfThenElseZero(hn::Gt(position, hn::Zero(d)), position);
  const auto whole = hn::ConvertTo(di, inside);
  const auto last = hn::Set(di, static_cast<int32_t>(size - 1));
  const auto low = hn::Min(whole, last);
  const auto is_last = hn::RebindMask(d, hn::Eq(low, last));
  const auto weight = hn::IfThenZeroElse(is_last, hn::Sub(inside, hn::ConvertTo(d, whole)));
  return {low, hn::Min(hn::Add(low, hn::Set(di, 1)), last), hn::Sub(hn::Set(d, 1.0f), weight),
          weight};
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::border_align_forward
HWY_AFTER_NAMESPACE();

#endif  // include guard
