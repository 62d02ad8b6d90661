// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Prepares boxes for the search: the columns that bound the IoU of a pair, and the records that the
// IoU is computed from in float (see tiles.h).

#if defined(DETOPS_OPS_POLY_NMS_PREPARATION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_POLY_NMS_PREPARATION_INL_H_
#undef DETOPS_OPS_POLY_NMS_PREPARATION_INL_H_
#else
#define DETOPS_OPS_POLY_NMS_PREPARATION_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "ops/poly_nms/intersection-inl.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/tiles.h"
#include "simd/lanes-inl.h"
#include "suppression/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace detops::poly_nms {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using detops::HWY_NAMESPACE::LanesOf;
using suppression::kMaxLanes;

// Boxes within these limits are in scale: float arithmetic can decide about them. docs/numerics.md
// shows that nothing overflows, and that underflow is negligible.
constexpr float kMinHalfSize = 0x1p-48f;
constexpr float kMaxHalfSize = 0x1p42f;
constexpr float kMinArea = 0x1p-100f;
// Edges up to this width, relative to the half width of the box, count as vertical, because
// rounding would change their slope too much.
constexpr float kVertical = 0x1p-24f;
// Error bound of float areas, relative to half width * half height. The two products of a triangle,
// or of the diagonals, are at most 4 each, with four roundings. A lobe is a fraction of a triangle,
// so its error is at most twice that of the triangle.
constexpr float kAreaError = 0x1p-17f;
// Lower bound of the area of boxes that are out of scale: lets every pair pass. It is not an
// infinity because it may be multiplied by 0.
constexpr float kAnyArea = -0x1p100f;

template <class D>
HWY_INLINE hn::Vec<D> Infinity(D d) {
  return hn::Set(d, std::numeric_limits<float>::infinity());
}

// One box per lane.
template <class D>
struct Corners {
  hn::Vec<D> x[4], y[4];
};

HWY_INLINE const float* BoxAt(const suppression::PreparedBoxes& prepared, int64_t slot) {
  return static_cast<const float*>(prepared.boxes) + prepared.ids[slot] * kBoxFloats;
}

// Loads the boxes of the slots [begin, begin + valid), at most one vector. Lanes without a box
// repeat the last box.
template <class D>
HWY_INLINE Corners<D> LoadCorners(D d, const suppression::PreparedBoxes& prepared, int64_t begin,
                                  int64_t valid) {
  HWY_ALIGN float first_half[kMaxLanes * 4];
  HWY_ALIGN float second_half[kMaxLanes * 4];
  for (int64_t lane = 0; lane < LanesOf(d); ++lane) {
    const float* const box = BoxAt(prepared, begin + std::min(lane, valid - 1));
    std::memcpy(first_half + lane * 4, box, 4 * sizeof(float));
    std::memcpy(second_half + lane * 4, box + 4, 4 * sizeof(float));
  }
  Corners<D> c;
  hn::LoadInterleaved4(d, first_half, c.x[0], c.y[0], c.x[1], c.y[1]);
  hn::LoadInterleaved4(d, second_half, c.x[2], c.y[2], c.x[3], c.y[3]);
  return c;
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE hn::Mask<D> IsFinite(D d, const Corners<D>& c) {
  const V zero = hn::Zero(d);
  V products = zero;  // NaN if a coordinate is infinite or NaN, else 0
  for (int i = 0; i < 4; ++i) {
    products = hn::Add(products, hn::Add(hn::Mul(c.x[i], zero), hn::Mul(c.y[i], zero)));
  }
  return hn::Eq(products, zero);
}

// The range of four coordinates.
template <class D, class V = hn::Vec<D>>
struct Extent {
  V low, high;

  HWY_INLINE explicit Extent(const V (&v)[4])
      : low(hn::Min(hn::Min(v[0], v[1]), hn::Min(v[2], v[3]))),
        high(hn::Max(hn::Max(v[0], v[1]), hn::Max(v[2], v[3]))) {}

  // Returns the rounded middle, without overflow.
  HWY_INLINE V Middle() const {
    const V half = hn::Set(D(), 0.5f);
    return hn::Add(hn::Mul(low, half), hn::Mul(high, half));
  }
  // Returns the larger distance between the middle and an end.
  HWY_INLINE V HalfSize(V middle) const {
    return hn::Max(hn::Sub(high, middle), hn::Sub(middle, low));
  }
};

// Boxes relative to the middle of their bounding boxes. Everything is scaled.
template <class D, class V = hn::Vec<D>>
struct Shapes {
  Corners<D> corners;
  V x, y;  // the middle
  V half_width, half_height;
  V area;
  V area_error;
  hn::Mask<D> in_scale;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE Shapes<D> MakeShapes(D d, const Corners<D>& c, const Extent<D>& x, const Extent<D>& y,
                                hn::Mask<D> finite, V scale) {
  Shapes<D> shapes;
  const V x_middle = x.Middle();
  const V y_middle = y.Middle();
  shapes.x = hn::Mul(x_middle, scale);
  shapes.y = hn::Mul(y_middle, scale);
  shapes.half_width = hn::Mul(x.HalfSize(x_middle), scale);
  shapes.half_height = hn::Mul(y.HalfSize(y_middle), scale);
  for (int i = 0; i < 4; ++i) {
    shapes.corners.x[i] = hn::Mul(hn::Sub(c.x[i], x_middle), scale);
    shapes.corners.y[i] = hn::Mul(hn::Sub(c.y[i], y_middle), scale);
  }
  shapes.area = AreaOf(d, shapes.corners.x, shapes.corners.y);
  shapes.area_error =
      hn::Mul(hn::Set(d, kAreaError), hn::Mul(shapes.half_width, shapes.half_height));
  const V smaller = hn::Min(shapes.half_width, shapes.half_height);
  const V larger = hn::Max(shapes.half_width, shapes.half_height);
  shapes.in_scale = hn::And(
      hn::And(hn::Ge(smaller, hn::Set(d, kMinHalfSize)), hn::Le(larger, hn::Set(d, kMaxHalfSize))),
      hn::And(finite, hn::Ge(shapes.area, hn::Set(d, kMinArea))));
  return shapes;
}

// A box that crosses itself has two lobes of opposite orientation; other boxes have one. Upper
// bounds of their areas.
template <class D>
struct Lobes {
  hn::Vec<D> larger, smaller;
};

// Returns twice the area of the triangle of three corners, with the sign of its orientation.
template <class D>
HWY_INLINE hn::Vec<D> Orientation(const Corners<D>& c, int i, int j, int k) {
  return hn::Sub(hn::Mul(hn::Sub(c.x[j], c.x[i]), hn::Sub(c.y[k], c.y[i])),
                 hn::Mul(hn::Sub(c.x[k], c.x[i]), hn::Sub(c.y[j], c.y[i])));
}

// Returns the lobes of a box whose edges (i, j) and (k, l) cross at the fraction t of the first:
// the triangles of the crossing with j, k and with l, i. The arguments are the orientations of
// corner triples.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Lobes<D> CrossingLobes(D d, V ijk, V ijl, V kli, V klj) {
  const V half = hn::Set(d, 0.5f);
  const V t = hn::Div(kli, hn::Sub(kli, klj));
  const V first = hn::Mul(hn::Mul(hn::Sub(hn::Set(d, 1.0f), t), hn::Abs(ijk)), half);
  const V second = hn::Mul(hn::Mul(t, hn::Abs(ijl)), half);
  return {hn::Max(first, second), hn::Min(first, second)};
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE Lobes<D> LobesOf(D d, const Shapes<D>& shapes) {
  const Corners<D>& c = shapes.corners;
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, 1.0f);
  const V turn012 = Orientation(c, 0, 1, 2);
  const V turn123 = Orientation(c, 1, 2, 3);
  const V turn230 = Orientation(c, 2, 3, 0);
  const V turn301 = Orientation(c, 3, 0, 1);
  V positive = zero;
  V negative = zero;
  for (const V turn : {turn012, turn123, turn230, turn301}) {
    positive = hn::Add(positive, hn::IfThenElseZero(hn::Gt(turn, zero), one));
    negative = hn::Add(negative, hn::IfThenElseZero(hn::Lt(turn, zero), one));
  }
  // Three or four turns of the same orientation: the box is simple, convex or concave. Two of each:
  // it crosses itself. Edges 01 and 23 cross if corners 2 and 3 are on different sides of edge 01.
  const auto simple = hn::Ge(hn::Max(positive, negative), hn::Set(d, 3.0f));
  const auto crosses = hn::And(hn::Eq(positive, hn::Set(d, 2.0f)), hn::Eq(negative, positive));
  const auto first_crosses = hn::Xor(hn::Lt(turn012, zero), hn::Lt(turn301, zero));
  const Lobes<D> first = CrossingLobes(d, turn012, turn301, turn230, turn123);
  const Lobes<D> other = CrossingLobes(d, turn123, turn012, turn301, turn230);
  const V slack = shapes.area_error;
  const V bounding_box = hn::Mul(hn::Set(d, 4.01f), hn::Mul(shapes.half_width, shapes.half_height));
  const V larger = hn::IfThenElse(first_crosses, first.larger, other.larger);
  const V smaller = hn::IfThenElse(first_crosses, first.smaller, other.smaller);
  // In float, turns of the remaining boxes round to zero. Their bounding box is a sufficient bound.
  return {hn::IfThenElse(simple, hn::Add(shapes.area, slack),
                         hn::IfThenElse(crosses, hn::Add(larger, slack), bounding_box)),
          hn::IfThenElse(simple, slack,
                         hn::IfThenElse(crosses, hn::Add(smaller, slack), bounding_box))};
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE void StoreColumns(D d, const Shapes<D>& shapes, const Extent<D>& x, const Extent<D>& y,
                             hn::Mask<D> finite, const suppression::Columns& columns,
                             int64_t begin) {
  const auto store = [&](V value, Column column)
                         HWY_ATTR { hn::StoreU(value, d, columns.array[column] + begin); };
  // The bounding box of a box that is not finite overlaps nothing.
  const V infinity = Infinity(d);
  store(hn::IfThenElse(finite, x.low, infinity), kXLow);
  store(hn::IfThenElse(finite, y.low, infinity), kYLow);
  store(hn::IfThenElse(finite, x.high, hn::Neg(infinity)), kXHigh);
  store(hn::IfThenElse(finite, y.high, hn::Neg(infinity)), kYHigh);
  const Lobes<D> lobes = LobesOf(d, shapes);
  store(hn::IfThenElse(shapes.in_scale, hn::Sub(shapes.area, shapes.area_error),
                       hn::Set(d, kAnyArea)),
        kArea);
  store(hn::IfThenElse(shapes.in_scale, lobes.larger, infinity), kLargerLobe);
  store(hn::IfThenElse(shapes.in_scale, lobes.smaller, infinity), kSmallerLobe);
}

// Stores four fields of the records of `valid` boxes.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void StoreQuad(D d, V v0, V v1, V v2, V v3, int quad, int64_t valid, Record* records) {
  HWY_ALIGN float rows[kMaxLanes * 4];
  hn::StoreInterleaved4(v0, v1, v2, v3, d, rows);
  for (int64_t lane = 0; lane < valid; ++lane) {
    std::memcpy(records[lane].quads[quad], rows + lane * 4, 4 * sizeof(float));
  }
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE void StoreRecords(D d, const Shapes<D>& shapes, int64_t valid, Record* records) {
  const Corners<D>& c = shapes.corners;
  const V infinity = Infinity(d);
  const V narrowest =
      hn::IfThenElse(shapes.in_scale, hn::Mul(shapes.half_width, hn::Set(d, kVertical)), infinity);
  V signs[4];
  for (int i = 0; i < 4; ++i) {
    const int next = (i + 1) % 4;
    const Edge<V> edge = MakeEdge(d, c.x[i], c.y[i], c.x[next], c.y[next], narrowest);
    StoreQuad(d, edge.left, edge.right, edge.y, edge.slope, i, valid, records);
    signs[i] = edge.sign;
  }
  StoreQuad(d, signs[0], signs[1], signs[2], signs[3], Record::kSigns, valid, records);
  // An infinite size makes the error bound infinite, so that the pair is decided in double.
  StoreQuad(d, shapes.x, shapes.y, hn::IfThenElse(shapes.in_scale, shapes.half_width, infinity),
            hn::IfThenElse(shapes.in_scale, shapes.half_height, infinity), Record::kPlace, valid,
            records);
  const V zero = hn::Zero(d);
  StoreQuad(d, shapes.area, shapes.area_error, zero, zero, Record::kArea, valid, records);
}

// Prepares the slots [begin, end).
template <class D>
HWY_INLINE void PrepareBoxes(D d, const suppression::PreparedBoxes& prepared, int64_t begin,
                             int64_t end) {
  const auto scale = hn::Set(d, Scale::FactorOf(prepared.metric));
  for (int64_t slot = begin; slot < end; slot += LanesOf(d)) {
    const int64_t valid = std::min(LanesOf(d), end - slot);
    const Corners<D> corners = LoadCorners(d, prepared, slot, valid);
    const hn::Mask<D> finite = IsFinite(d, corners);
    const Extent<D> x(corners.x);
    const Extent<D> y(corners.y);
    const Shapes<D> shapes = MakeShapes(d, corners, x, y, finite, scale);
    StoreColumns(d, shapes, x, y, finite, prepared.columns, slot);
    StoreRecords(d, shapes, valid, reinterpret_cast<Record*>(prepared.records) + slot);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::poly_nms
HWY_AFTER_NAMESPACE();

#endif  // include guard
