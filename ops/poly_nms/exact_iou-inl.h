// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The IoU in double, one pair per lane: the operations of the reference in the same order, and so
// the same bits.

#if defined(DETOPS_OPS_POLY_NMS_EXACT_IOU_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_POLY_NMS_EXACT_IOU_INL_H_
#undef DETOPS_OPS_POLY_NMS_EXACT_IOU_INL_H_
#else
#define DETOPS_OPS_POLY_NMS_EXACT_IOU_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

#include "ops/poly_nms/intersection-inl.h"
#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::poly_nms {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using detops::HWY_NAMESPACE::LanesOf;

constexpr int64_t kMaxDoubleLanes = 8;
using DoubleTag = hn::CappedTag<double, kMaxDoubleLanes>;

// One quadrilateral per lane, with its bounding box.
template <class D, class V = hn::Vec<D>>
struct Quads {
  V x[4], y[4];
  V x_low, y_low, x_high, y_high;
};

template <class D>
HWY_INLINE void SetBounds(Quads<D>& quads) {
  quads.x_low = hn::Min(hn::Min(quads.x[0], quads.x[1]), hn::Min(quads.x[2], quads.x[3]));
  quads.y_low = hn::Min(hn::Min(quads.y[0], quads.y[1]), hn::Min(quads.y[2], quads.y[3]));
  quads.x_high = hn::Max(hn::Max(quads.x[0], quads.x[1]), hn::Max(quads.x[2], quads.x[3]));
  quads.y_high = hn::Max(hn::Max(quads.y[0], quads.y[1]), hn::Max(quads.y[2], quads.y[3]));
}

// Loads a quadrilateral per lane from its 8 floats.
template <class D>
HWY_INLINE Quads<D> GatherQuads(D d, const float* const* polygons) {
  const hn::Rebind<float, D> df;
  HWY_ALIGN float first_half[kMaxDoubleLanes * 4];
  HWY_ALIGN float second_half[kMaxDoubleLanes * 4];
  for (int64_t lane = 0; lane < LanesOf(d); ++lane) {
    std::memcpy(first_half + lane * 4, polygons[lane], 4 * sizeof(float));
    std::memcpy(second_half + lane * 4, polygons[lane] + 4, 4 * sizeof(float));
  }
  hn::Vec<decltype(df)> x[4];
  hn::Vec<decltype(df)> y[4];
  hn::LoadInterleaved4(df, first_half, x[0], y[0], x[1], y[1]);
  hn::LoadInterleaved4(df, second_half, x[2], y[2], x[3], y[3]);
  Quads<D> quads;
  for (int corner = 0; corner < 4; ++corner) {
    quads.x[corner] = hn::PromoteTo(d, x[corner]);
    quads.y[corner] = hn::PromoteTo(d, y[corner]);
  }
  SetBounds(quads);
  return quads;
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE void MakeEdges(D d, const Quads<D>& quads, V origin_x, V origin_y, Edge<V> (&edges)[4]) {
  for (int i = 0; i < 4; ++i) {
    const int next = (i + 1) % 4;
    edges[i] =
        MakeEdge(d, hn::Sub(quads.x[i], origin_x), hn::Sub(quads.y[i], origin_y),
                 hn::Sub(quads.x[next], origin_x), hn::Sub(quads.y[next], origin_y), hn::Zero(d));
  }
}

// Returns the lanes where the bounding boxes overlap and all coordinates are finite. The IoU of the
// others is 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE hn::Mask<D> MayOverlap(D d, const Quads<D>& a, const Quads<D>& b) {
  const V zero = hn::Zero(d);
  V products = zero;  // NaN if a coordinate is infinite or NaN, else 0
  for (int i = 0; i < 4; ++i) {
    products = hn::Add(products, hn::Add(hn::Mul(a.x[i], zero), hn::Mul(a.y[i], zero)));
    products = hn::Add(products, hn::Add(hn::Mul(b.x[i], zero), hn::Mul(b.y[i], zero)));
  }
  const auto overlap = hn::And(hn::And(hn::Lt(a.x_low, b.x_high), hn::Lt(b.x_low, a.x_high)),
                               hn::And(hn::Lt(a.y_low, b.y_high), hn::Lt(b.y_low, a.y_high)));
  return hn::And(overlap, hn::Eq(products, zero));
}

// Returns the bound of the rounding error of an intersection: the operations of the reference.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V IntersectionError(D d, const Quads<D>& a, const Quads<D>& b) {
  const V overlap_x = hn::Sub(hn::Min(a.x_high, b.x_high), hn::Max(a.x_low, b.x_low));
  const V overlap_y = hn::Sub(hn::Min(a.y_high, b.y_high), hn::Max(a.y_low, b.y_low));
  const V both_x = hn::Sub(hn::Max(a.x_high, b.x_high), hn::Min(a.x_low, b.x_low));
  const V both_y = hn::Sub(hn::Max(a.y_high, b.y_high), hn::Min(a.y_low, b.y_low));
  return hn::Mul(hn::Set(d, 0x1p-50), hn::Add(hn::Mul(hn::Set(d, 21), hn::Mul(overlap_x, both_y)),
                                              hn::Mul(both_x, overlap_y)));
}

template <class D, class V = hn::Vec<D>>
HWY_NOINLINE V IouOf(D d, const Quads<D>& a, const Quads<D>& b, hn::Mask<D> may_overlap) {
  const V zero = hn::Zero(d);
  const V half = hn::Set(d, 0.5);
  const V origin_x = hn::Mul(hn::Add(hn::Max(a.x_low, b.x_low), hn::Min(a.x_high, b.x_high)), half);
  const V origin_y = hn::Mul(hn::Add(hn::Max(a.y_low, b.y_low), hn::Min(a.y_high, b.y_high)), half);
  Edge<V> edges_a[4];
  Edge<V> edges_b[4];
  MakeEdges(d, a, origin_x, origin_y, edges_a);
  MakeEdges(d, b, origin_x, origin_y, edges_b);
  const V area_a = AreaOf(d, a.x, a.y);
  const V area_b = AreaOf(d, b.x, b.y);
  const V inter = Intersection(d, edges_a, edges_b);
  const V base = hn::Sub(hn::Add(area_a, area_b), inter);
  const auto is_real = hn::And(may_overlap, hn::Gt(inter, IntersectionError(d, a, b)));
  const auto is_defined = hn::And(hn::And(is_real, hn::Gt(base, zero)),
                                  hn::And(hn::Gt(area_a, zero), hn::Gt(area_b, zero)));
  return hn::IfThenElseZero(is_defined, hn::Min(hn::Div(inter, base), hn::Set(d, 1.0)));
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::poly_nms
HWY_AFTER_NAMESPACE();

#endif  // include guard
