// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/scale_boxes/op.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/scale_boxes/kernel.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace detops::scale_boxes {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void ScaleTile(const Args& args, int64_t begin, int64_t end) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, args.factor);
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    hn::StoreU(hn::Mul(hn::LoadU(d, args.boxes + i), factor), d, args.scaled + i);
  }
  for (; i < end; ++i) {
    args.scaled[i] = args.boxes[i] * args.factor;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::scale_boxes
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::scale_boxes {

HWY_EXPORT(ScaleTile);

void Tile(const Args& args, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(ScaleTile)(args, begin, end);
}

}  // namespace detops::scale_boxes
#endif  // HWY_ONCE
