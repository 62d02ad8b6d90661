// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The vector tile. This file is compiled once per target; the best one is chosen at run time.

#include "ops/scale_boxes/op.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/scale_boxes/kernel.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::scale_boxes {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Scales one vector of coordinates, from the one with index i on.
template <class D>
HWY_INLINE void ScaleVector(D d, const Args& args, int64_t i) {
  hn::StoreU(hn::Mul(hn::LoadU(d, args.boxes + i), hn::Set(d, args.factor)), d, args.scaled + i);
}

void ScaleTileT(const Args& args, int64_t begin, int64_t end) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> d1;
  const int64_t lanes = detops::HWY_NAMESPACE::LanesOf(d);
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    ScaleVector(d, args, i);
  }
  for (; i < end; ++i) {
    ScaleVector(d1, args, i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::scale_boxes
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::scale_boxes {

HWY_EXPORT(ScaleTileT);

void ScaleTile(const Args& args, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(ScaleTileT)(args, begin, end);
}

}  // namespace detops::scale_boxes
#endif  // HWY_ONCE
