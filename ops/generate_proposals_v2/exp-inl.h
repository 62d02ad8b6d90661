// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The exponential function of exp.h on vectors, with the same bits.

#if defined(DETOPS_OPS_GENERATE_PROPOSALS_V2_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_GENERATE_PROPOSALS_V2_EXP_INL_H_
#undef DETOPS_OPS_GENERATE_PROPOSALS_V2_EXP_INL_H_
#else
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_EXP_INL_H_
#endif

#include <hwy/highway.h>

#include "ops/generate_proposals_v2/exp.h"

HWY_BEFORE_NAMESPACE();
namespace detops::generate_proposals_v2 {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Returns e^x of doubles that are not below ExpConstants::kLowest.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOfDoubles(D d, V x) {
  using C = ExpConstants;
  const hn::RebindToSigned<D> di;
  const V to_integer = hn::Set(d, C::kToInteger);
  const V shifted = hn::Add(hn::Mul(x, hn::Set(d, C::kLog2E)), to_integer);
  const V r = hn::Sub(x, hn::Mul(hn::Sub(shifted, to_integer), hn::Set(d, C::kLn2)));
  V series = hn::Set(d, C::kTaylor[0]);
  for (int i = 1; i < C::kTerms; ++i) {
    series = hn::Add(hn::Mul(series, r), hn::Set(d, C::kTaylor[i]));
  }
  const auto exponent = hn::ShiftLeft<C::kMantissaBits>(
      hn::Add(hn::BitCast(di, shifted), hn::Set(di, C::kExponentBias)));
  return hn::Mul(series, hn::BitCast(d, exponent));
}

// Returns e^x of floats, computed in double half a vector at a time.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOfFloats(D d, V x) {
  const V lowest = hn::Set(d, ExpConstants::kLowest);
  const V clamped = hn::IfThenElse(hn::Lt(x, lowest), lowest, x);
#if HWY_TARGET == HWY_SCALAR
  const hn::Rebind<double, D> dd;
  return hn::DemoteTo(d, ExpOfDoubles(dd, hn::PromoteTo(dd, clamped)));
#else
  const hn::Half<D> half;
  const hn::Rebind<double, hn::Half<D>> dd;
  const auto low = ExpOfDoubles(dd, hn::PromoteTo(dd, hn::LowerHalf(half, clamped)));
  const auto high = ExpOfDoubles(dd, hn::PromoteTo(dd, hn::UpperHalf(half, clamped)));
  return hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::generate_proposals_v2
HWY_AFTER_NAMESPACE();

#endif  // include guard
