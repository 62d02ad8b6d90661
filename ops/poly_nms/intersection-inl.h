// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Areas of quadrilaterals and of their intersections, one pair per lane, in float or double.
// reference.cc explains the formulas. The operations and their order are those of the reference, so
// that results in double have the same bits.

#if defined(DETOPS_OPS_POLY_NMS_INTERSECTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_POLY_NMS_INTERSECTION_INL_H_
#undef DETOPS_OPS_POLY_NMS_INTERSECTION_INL_H_
#else
#define DETOPS_OPS_POLY_NMS_INTERSECTION_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace detops::poly_nms {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// An edge as a function of x.
template <class V>
struct Edge {
  V left, right;  // the x interval that it covers
  V y;            // at the left end
  V slope;
  V sign;  // 0 if the edge runs from left to right, -0 if from right to left
};

// Returns the edge between two corners. An edge that is not wider than `narrowest` counts as
// vertical and covers an empty interval.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Edge<V> MakeEdge(D d, V x0, V y0, V x1, V y1, V narrowest) {
  const auto forward = hn::Lt(x0, x1);
  Edge<V> edge;
  edge.left = hn::IfThenElse(forward, x0, x1);
  const V right = hn::IfThenElse(forward, x1, x0);
  edge.y = hn::IfThenElse(forward, y0, y1);
  const V width = hn::Sub(right, edge.left);
  const V rise = hn::Sub(hn::IfThenElse(forward, y1, y0), edge.y);
  const auto is_wide = hn::Gt(width, narrowest);
  edge.slope = hn::IfThenElseZero(is_wide, hn::Div(rise, width));
  edge.right = hn::IfThenElse(is_wide, right, edge.left);
  edge.sign = hn::IfThenElse(forward, hn::Zero(d), hn::Set(d, -0.0f));
  return edge;
}

// Returns the area: half the cross product of the diagonals.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V AreaOf(D d, const V (&x)[4], const V (&y)[4]) {
  return hn::Mul(hn::Abs(hn::Sub(hn::Mul(hn::Sub(x[2], x[0]), hn::Sub(y[3], y[1])),
                                 hn::Mul(hn::Sub(x[3], x[1]), hn::Sub(y[2], y[0])))),
                 hn::Set(d, 0.5f));
}

// Returns twice the integral of |a - b| over the x that both edges cover, with the product of the
// edges' signs.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V SignedGap(D d, const Edge<V>& a, const Edge<V>& b) {
  const V zero = hn::Zero(d);
  const V left = hn::Max(a.left, b.left);
  const V width = hn::Sub(hn::Min(a.right, b.right), left);
  const V gap_left = hn::Sub(hn::Add(a.y, hn::Mul(hn::Sub(left, a.left), a.slope)),
                             hn::Add(b.y, hn::Mul(hn::Sub(left, b.left), b.slope)));
  const V gap_right = hn::Add(gap_left, hn::Mul(width, hn::Sub(a.slope, b.slope)));
  const V sum = hn::Add(hn::Abs(gap_left), hn::Abs(gap_right));
  const V crossing = hn::Min(hn::Mul(gap_left, gap_right), zero);
  // Avoids 0 / 0 where the edges coincide. Positive sums below the smallest normal number do not
  // occur in double, since coordinates are floats; in float, the gap is then at most the sum.
  const V divisor = hn::Max(sum, hn::Set(d, std::numeric_limits<hn::TFromD<D>>::min()));
  const V gap = hn::Add(sum, hn::Div(hn::Add(crossing, crossing), divisor));
  // Edges without a common x interval yield garbage or NaN above; mask them out.
  const V term = hn::IfThenElseZero(hn::Gt(width, zero), hn::Mul(width, gap));
  return hn::Xor(term, hn::Xor(a.sign, b.sign));
}

// Returns the area of the intersection. The order of the additions makes it symmetric in `a` and
// `b`, bit for bit.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Intersection(D d, const Edge<V> (&a)[4], const Edge<V> (&b)[4]) {
  V sum = hn::Zero(d);
  for (int i = 0; i < 4; ++i) {
    sum = hn::Add(sum, SignedGap(d, a[i], b[i]));
    for (int j = i + 1; j < 4; ++j) {
      sum = hn::Add(sum, hn::Add(SignedGap(d, a[i], b[j]), SignedGap(d, a[j], b[i])));
    }
  }
  return hn::Mul(hn::Abs(sum), hn::Set(d, 0.25f));
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::poly_nms
HWY_AFTER_NAMESPACE();

#endif  // include guard
