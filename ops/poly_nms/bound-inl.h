// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// An upper bound of the IoU that takes about 16 operations per vector of pairs and rejects most of
// them.

#if defined(DETOPS_OPS_POLY_NMS_BOUND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_POLY_NMS_BOUND_INL_H_
#undef DETOPS_OPS_POLY_NMS_BOUND_INL_H_
#else
#define DETOPS_OPS_POLY_NMS_BOUND_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "ops/poly_nms/tiles.h"
#include "simd/lanes-inl.h"
#include "suppression/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace detops::poly_nms {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using detops::HWY_NAMESPACE::BitsOf;
using detops::HWY_NAMESPACE::ForEachSetBit;
using detops::HWY_NAMESPACE::LanesOf;

// Exceeds the rounding errors of the comparison.
constexpr float kFilterMargin = 1.0001f;
// Below this threshold, rounding errors of the reference can exceed the threshold although the
// bounding boxes hardly overlap. The filter then only rejects bounding boxes that do not overlap.
constexpr float kLeastThreshold = 0x1p-24f;

// Compares one box with those of the columns. The IoU exceeds the threshold t only if
// intersection * (1 + t) > t * (area1 + area2). The intersection is at most that of the bounding
// boxes. Since lobes count with their signs, it is also at most the smaller of the two larger lobes
// plus the smaller of the two smaller lobes. `kScaled` is whether the scale may differ from 1.
template <class D, bool kScaled, class V = hn::Vec<D>>
class PairFilter {
 public:
  HWY_INLINE PairFilter(const suppression::Columns& boxes, int64_t index, float threshold,
                        float scale)
      : x_low_(hn::Set(D(), boxes.array[kXLow][index])),
        y_low_(hn::Set(D(), boxes.array[kYLow][index])),
        x_high_(hn::Set(D(), boxes.array[kXHigh][index])),
        y_high_(hn::Set(D(), boxes.array[kYHigh][index])),
        area_(hn::Set(D(), boxes.array[kArea][index])),
        larger_lobe_(hn::Set(D(), boxes.array[kLargerLobe][index])),
        smaller_lobe_(hn::Set(D(), boxes.array[kSmallerLobe][index])),
        threshold_(hn::Set(D(), threshold < kLeastThreshold ? 0.0f : threshold)),
        factor_(hn::Set(D(), (1.0f + threshold) * kFilterMargin)),
        scale_(hn::Set(D(), scale)) {}

  // Calls visit(j) for the boxes of [begin, end) whose IoU with this box may exceed the threshold.
  template <class Visit>
  HWY_INLINE void ForEach(const suppression::Columns& boxes, int64_t begin, int64_t end,
                          const Visit& visit) const {
    const D d;
    const int64_t lanes = LanesOf(d);
    for (int64_t j = begin; j < end; j += lanes) {
      const auto passes = Passes(boxes, j);
      if (HWY_LIKELY(hn::AllFalse(d, passes))) {
        continue;
      }
      uint32_t bits = BitsOf(d, passes);
      if (j + lanes > end) {
        bits &= (uint32_t{1} << (end - j)) - 1;
      }
      ForEachSetBit(bits, [&](int64_t lane) HWY_ATTR { visit(j + lane); });
    }
  }

 private:
  HWY_INLINE hn::Mask<D> Passes(const suppression::Columns& boxes, int64_t j) const {
    const D d;
    const V zero = hn::Zero(d);
    const V width = hn::Sub(hn::Min(x_high_, hn::LoadU(d, boxes.array[kXHigh] + j)),
                            hn::Max(x_low_, hn::LoadU(d, boxes.array[kXLow] + j)));
    const V height = hn::Sub(hn::Min(y_high_, hn::LoadU(d, boxes.array[kYHigh] + j)),
                             hn::Max(y_low_, hn::LoadU(d, boxes.array[kYLow] + j)));
    const V lobes = hn::Add(hn::Min(larger_lobe_, hn::LoadU(d, boxes.array[kLargerLobe] + j)),
                            hn::Min(smaller_lobe_, hn::LoadU(d, boxes.array[kSmallerLobe] + j)));
    const V inter = hn::Min(hn::Mul(Scaled(width), Scaled(height)), lobes);
    const V areas = hn::Add(area_, hn::LoadU(d, boxes.array[kArea] + j));
    return hn::And(hn::Gt(hn::Min(width, height), zero),
                   hn::Ge(hn::Mul(inter, factor_), hn::Mul(threshold_, areas)));
  }

  // Returns an upper bound of the scaled length.
  HWY_INLINE V Scaled(V length) const {
    if constexpr (kScaled) {
      // The product may underflow. It is replaced by a length that is small enough to reject.
      return hn::Max(hn::Mul(length, scale_), hn::Set(D(), 0x1p-100f));
    }
    return length;
  }

  V x_low_, y_low_, x_high_, y_high_, area_, larger_lobe_, smaller_lobe_, threshold_, factor_;
  V scale_;
};

}  // namespace HWY_NAMESPACE
}  // namespace detops::poly_nms
HWY_AFTER_NAMESPACE();

#endif  // include guard
