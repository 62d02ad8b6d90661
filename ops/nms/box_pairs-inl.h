// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Decides which pairs of axis-aligned boxes exceed a threshold. A few float operations reject most
// pairs. The others are decided in float where an error bound proves the answer, and elsewhere in
// double with the operations of the reference.

#if defined(DETOPS_OPS_NMS_BOX_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_NMS_BOX_PAIRS_INL_H_
#undef DETOPS_OPS_NMS_BOX_PAIRS_INL_H_
#else
#define DETOPS_OPS_NMS_BOX_PAIRS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "ops/nms/op.h"
#include "simd/lanes-inl.h"
#include "suppression/engine.h"
#include "suppression/pair_search-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::nms {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using detops::HWY_NAMESPACE::BitsOf;
using detops::HWY_NAMESPACE::LanesOf;

// One box per lane.
template <class D>
struct BoxLanes {
  hn::Vec<D> x1, y1, x2, y2, area;
};

template <class D>
HWY_INLINE BoxLanes<D> LoadBoxes(D d, const suppression::Columns& columns, int64_t at) {
  return {hn::LoadU(d, columns.array[kX1] + at), hn::LoadU(d, columns.array[kY1] + at),
          hn::LoadU(d, columns.array[kX2] + at), hn::LoadU(d, columns.array[kY2] + at),
          hn::LoadU(d, columns.array[kArea] + at)};
}

// Returns the same box in all lanes.
template <class D>
HWY_INLINE BoxLanes<D> RepeatBox(D d, const suppression::Columns& columns, int64_t at) {
  return {hn::Set(d, columns.array[kX1][at]), hn::Set(d, columns.array[kY1][at]),
          hn::Set(d, columns.array[kX2][at]), hn::Set(d, columns.array[kY2][at]),
          hn::Set(d, columns.array[kArea][at])};
}

// Boxes in this range are decided in float: no product overflows, and underflow is negligible. All
// others get a NaN as area, so that their pairs are decided in double.
constexpr float kMinArea = 0x1p-100f;
constexpr float kMaxSize = 0x1p60f;

template <class D, class V = hn::Vec<D>>
HWY_INLINE V AreaOf(D d, V x1, V y1, V x2, V y2, V offset) {
  const V width = hn::Add(hn::Sub(x2, x1), offset);
  const V height = hn::Add(hn::Sub(y2, y1), offset);
  const V area = hn::Mul(width, height);
  const V largest = hn::Set(d, kMaxSize);
  const auto in_order = hn::And(hn::Le(x1, x2), hn::Le(y1, y2));
  const auto not_large = hn::And(hn::Le(width, largest), hn::Le(height, largest));
  const auto not_small = hn::Ge(area, hn::Set(d, kMinArea));
  return hn::IfThenElse(hn::And(hn::And(in_order, not_large), not_small), area,
                        hn::Set(d, std::numeric_limits<float>::quiet_NaN()));
}

// Relative error bound of the expressions below: at most nine roundings of 2^-24 each.
constexpr float kError = 0x1p-20f;

// The IoU exceeds the threshold t where inter * (1 + t) > t * (area + area).
template <class D, class V = hn::Vec<D>, class M = hn::Mask<D>>
class BoxPairs {
 public:
  BoxPairs(float threshold, int offset)
      : threshold_(threshold),
        offset_(offset),
        // Reduced by the rounding error of the intersection, relative to the areas.
        least_share_(hn::Set(D(), threshold / (1 + threshold) - 2 * kError)),
        // Increased by as much. With an offset, sizes may have larger errors.
        sure_share_(hn::Set(D(), offset != 0 ? std::numeric_limits<float>::infinity()
                                             : threshold / (1 + threshold) + 2 * kError)),
        offset_lanes_(hn::Set(D(), static_cast<float>(offset))) {}

  // The lanes whose pairs surely exceed the threshold, and those whose pairs surely do not. Lanes
  // with NaN are in neither.
  struct Classes {
    M surely;
    M surely_not;
  };
  HWY_INLINE Classes Classify(const BoxLanes<D>& a, const BoxLanes<D>& b) const {
    const V inter = hn::Mul(AtLeastZero(Width(a, b)), Height(a, b));
    const V areas = hn::Add(a.area, b.area);
    return {hn::Gt(inter, hn::Mul(sure_share_, areas)),
            hn::Le(inter, hn::Mul(least_share_, areas))};
  }

  // Returns lanes whose pairs surely do not exceed the threshold. Lanes with NaN are never among
  // them.
  HWY_INLINE M SurelyNot(const BoxLanes<D>& a, const BoxLanes<D>& b) const {
    const V inter = hn::Mul(AtLeastZero(Width(a, b)), Height(a, b));
    return hn::Le(inter, hn::Mul(least_share_, hn::Add(a.area, b.area)));
  }

  // Returns the lanes, among those of `open`, whose pairs exceed the threshold; bit i is lane i.
  HWY_INLINE uint32_t Decide(const BoxLanes<D>& a, const BoxLanes<D>& b, uint32_t open) const {
    const D d;
    const V threshold = hn::Set(d, threshold_);
    const V error = hn::Set(d, kError);
    const V width = Width(a, b);
    const V height = Height(a, b);
    const V inter = hn::Mul(width, height);
    const V areas = hn::Add(a.area, b.area);
    const V excess = hn::Sub(hn::Add(inter, hn::Mul(threshold, inter)), hn::Mul(threshold, areas));
    const V rounded = hn::Add(hn::Add(inter, inter),
                              hn::Add(areas, hn::Mul(offset_lanes_, hn::Add(width, height))));
    const V bound = hn::Mul(rounded, error);
    // With the offset, a width may be too small by the rounding error of 1.
    const V least = hn::Mul(offset_lanes_, hn::Neg(error));
    const M meets = hn::And(hn::Gt(width, least), hn::Gt(height, least));
    const uint32_t above = BitsOf(d, hn::And(meets, hn::Gt(excess, bound))) & open;
    // Lanes with NaN are not below, so they stay undecided.
    const M below = hn::Lt(excess, hn::Neg(bound));
    const uint32_t unknown = BitsOf(d, hn::AndNot(below, meets)) & open & ~above;
    return HWY_LIKELY(unknown == 0) ? above : above | AskInDouble(a, b, unknown);
  }

 private:
  static HWY_INLINE V AtLeastZero(V value) {
#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2
    // On AMD cores float min and max share two pipes, which limit the search; the integer form can
    // use a third.
    const hn::RebindToSigned<D> di;
    return hn::BitCast(D(), hn::Max(hn::BitCast(di, value), hn::Zero(di)));
#else
    return hn::Max(value, hn::Zero(D()));
#endif
  }

  HWY_INLINE V Width(const BoxLanes<D>& a, const BoxLanes<D>& b) const {
    return hn::Add(hn::Sub(hn::Min(a.x2, b.x2), hn::Max(a.x1, b.x1)), offset_lanes_);
  }
  HWY_INLINE V Height(const BoxLanes<D>& a, const BoxLanes<D>& b) const {
    return hn::Add(hn::Sub(hn::Min(a.y2, b.y2), hn::Max(a.y1, b.y1)), offset_lanes_);
  }

  static void StoreBoxes(const BoxLanes<D>& boxes, BoxRows& rows) {
    const D d;
    hn::StoreU(boxes.x1, d, rows.array[kX1]);
    hn::StoreU(boxes.y1, d, rows.array[kY1]);
    hn::StoreU(boxes.x2, d, rows.array[kX2]);
    hn::StoreU(boxes.y2, d, rows.array[kY2]);
  }

  // Takes the boxes by value: references would force them into memory in every search.
  HWY_NOINLINE uint32_t AskInDouble(BoxLanes<D> a, BoxLanes<D> b, uint32_t unknown) const {
    BoxRows rows_a;
    BoxRows rows_b;
    StoreBoxes(a, rows_a);
    StoreBoxes(b, rows_b);
    return DecideInDouble(rows_a, rows_b, LanesOf(D()), offset_, threshold_) & unknown;
  }

  const float threshold_;
  const int offset_;
  const V least_share_;
  const V sure_share_;
  const V offset_lanes_;
};

}  // namespace HWY_NAMESPACE
}  // namespace detops::nms
HWY_AFTER_NAMESPACE();

#endif  // include guard
