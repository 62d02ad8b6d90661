// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The vector tiles. A pair of boxes passes three stages: a bound of its IoU from bounding boxes and
// areas (eight and more pairs a time, most end here), the IoU in float with a bound of its error
// (full vectors of pairs), and where the threshold lies within the error, the reference's own
// function.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "ops/poly_nms/costs.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/poly_nms/kernel.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "suppression/pair_search-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::poly_nms {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using suppression::Columns;
using suppression::kMaxLanes;
using suppression::PreparedBoxes;
using detops::HWY_NAMESPACE::BitsOf;

using DF = hn::CappedTag<float, kMaxLanes>;
using VF = hn::Vec<DF>;
using MF = hn::Mask<DF>;

HWY_INLINE int64_t Lanes() { return static_cast<int64_t>(hn::Lanes(DF())); }

// ---- The intersection, of floats or doubles -----------------------------------------------------

// Edges as functions of x, one polygon in each lane.
template <class V>
struct Edge {
  V left, right;  // where it lies
  V y;            // at the left end
  V slope;
  V sign;  // 0 when it is passed from left to right, -0 from right to left
};

// From one corner to the next. An edge that is not wider than `narrowest` counts as vertical: it
// covers no x.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Edge<V> MakeEdge(D d, V x0, V y0, V x1, V y1, V narrowest) {
  const auto forward = hn::Lt(x0, x1);
  Edge<V> edge;
  edge.left = hn::IfThenElse(forward, x0, x1);
  const V right = hn::IfThenElse(forward, x1, x0);
  edge.y = hn::IfThenElse(forward, y0, y1);
  const V width = hn::Sub(right, edge.left);
  const V rise = hn::Sub(hn::IfThenElse(forward, y1, y0), edge.y);
  const auto counts = hn::Gt(width, narrowest);
  edge.slope = hn::IfThenElseZero(counts, hn::Div(rise, width));
  edge.right = hn::IfThenElse(counts, right, edge.left);
  edge.sign = hn::IfThenElse(forward, hn::Zero(d), hn::Set(d, -0.0f));
  return edge;
}

// Half the cross product of the diagonals.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V AreaOf(D d, const V (&x)[4], const V (&y)[4]) {
  return hn::Mul(hn::Abs(hn::Sub(hn::Mul(hn::Sub(x[2], x[0]), hn::Sub(y[3], y[1])),
                                 hn::Mul(hn::Sub(x[3], x[1]), hn::Sub(y[2], y[0])))),
                 hn::Set(d, 0.5f));
}

// Twice the integral of |a - b| over the x that both edges cover, with the edges' signs. The
// reference explains it.
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
  // When the edges coincide, 0 / 0 would be no number. A sum that is smaller, which doubles made of
  // floats never have, makes a gap that is still smaller.
  const V divisor = hn::Max(sum, hn::Set(d, std::numeric_limits<hn::TFromD<D>>::min()));
  const V gap = hn::Add(sum, hn::Div(hn::Add(crossing, crossing), divisor));
  // Edges that are apart have made any number, or none.
  const V term = hn::IfThenElseZero(hn::Gt(width, zero), hn::Mul(width, gap));
  return hn::Xor(term, hn::Xor(a.sign, b.sign));
}

// In an order that exchanging the polygons does not change.
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

// ---- Preparing boxes ----------------------------------------------------------------------------

// Boxes as large as this, in both directions, are computed in float.
constexpr float kMinHalfSize = 0x1p-30f;
constexpr float kMaxHalfSize = 0x1p30f;
constexpr float kMinArea = 0x1p-80f;
// An edge this narrow, in half sizes, counts as vertical: its slope might not be a float.
constexpr float kVertical = 0x1p-40f;
// Errors of areas that were computed in float, in products of half sizes. The two products of a
// triangle or of the diagonals are at most 4 of them each, with four roundings; a lobe is a share
// of a triangle, which is no more uncertain than twice that.
constexpr float kAreaError = 0x1p-17f;
// "Anything goes" for the filter's lower bound of the area. Not an infinity: it is multiplied by 0.
constexpr float kNoArea = -0x1p100f;

struct Corners {
  VF x[4], y[4];
};

HWY_INLINE VF Infinity() { return hn::Set(DF(), std::numeric_limits<float>::infinity()); }

// Twice the area of a triangle, with the sign of its rotation.
HWY_INLINE VF Orientation(const Corners& c, int i, int j, int k) {
  return hn::Sub(hn::Mul(hn::Sub(c.x[j], c.x[i]), hn::Sub(c.y[k], c.y[i])),
                 hn::Mul(hn::Sub(c.x[k], c.x[i]), hn::Sub(c.y[j], c.y[i])));
}

// The parts of a box that are turned round in one sense and, where it crosses itself, in the other:
// upper bounds of both areas.
struct Lobes {
  VF larger, smaller;
};

// Of a box whose edges (i, j) and (k, l) cross, at the share t of the first: the triangles of the
// crossing and j, k, and of the crossing and l, i.
HWY_INLINE Lobes CrossingLobes(const VF& ijk, const VF& ijl, const VF& kli, const VF& klj) {
  const VF half = hn::Set(DF(), 0.5f);
  const VF t = hn::Div(kli, hn::Sub(kli, klj));
  const VF first = hn::Mul(hn::Mul(hn::Sub(hn::Set(DF(), 1.0f), t), hn::Abs(ijk)), half);
  const VF second = hn::Mul(hn::Mul(t, hn::Abs(ijl)), half);
  return {hn::Max(first, second), hn::Min(first, second)};
}

// Four fields of the records of a vector of boxes.
HWY_INLINE void StoreQuad(VF a, VF b, VF c, VF e, int quad, int64_t valid, Record* records) {
  HWY_ALIGN float rows[kMaxLanes * 4];
  hn::StoreInterleaved4(a, b, c, e, DF(), rows);
  for (int64_t lane = 0; lane < valid; ++lane) {
    std::memcpy(records[lane].quads[quad], rows + lane * 4, 4 * sizeof(float));
  }
}

HWY_INLINE const float* BoxAt(const PreparedBoxes& prepared, int64_t slot) {
  return static_cast<const float*>(prepared.boxes) + prepared.ids[slot] * kBoxFloats;
}

// The boxes of slots [begin, begin + valid), at most a vector. Lanes without a box repeat the last.
HWY_INLINE Corners LoadCorners(const PreparedBoxes& prepared, int64_t begin, int64_t valid) {
  HWY_ALIGN float first[kMaxLanes * 4];
  HWY_ALIGN float last[kMaxLanes * 4];
  for (int64_t lane = 0; lane < Lanes(); ++lane) {
    const float* const box = BoxAt(prepared, begin + std::min(lane, valid - 1));
    std::memcpy(first + lane * 4, box, 4 * sizeof(float));
    std::memcpy(last + lane * 4, box + 4, 4 * sizeof(float));
  }
  Corners c;
  hn::LoadInterleaved4(DF(), first, c.x[0], c.y[0], c.x[1], c.y[1]);
  hn::LoadInterleaved4(DF(), last, c.x[2], c.y[2], c.x[3], c.y[3]);
  return c;
}

HWY_INLINE MF IsFinite(const Corners& c) {
  const VF zero = hn::Zero(DF());
  VF nothing = zero;  // not 0 when a coordinate is not finite
  for (int i = 0; i < 4; ++i) {
    nothing = hn::Add(nothing, hn::Add(hn::Mul(c.x[i], zero), hn::Mul(c.y[i], zero)));
  }
  return hn::Eq(nothing, zero);
}

// Low and high end of four numbers.
struct Extent {
  VF low, high;

  HWY_INLINE explicit Extent(const VF (&v)[4])
      : low(hn::Min(hn::Min(v[0], v[1]), hn::Min(v[2], v[3]))),
        high(hn::Max(hn::Max(v[0], v[1]), hn::Max(v[2], v[3]))) {}

  // The middle, rounded. Large numbers do not overflow.
  HWY_INLINE VF Middle() const {
    const VF half = hn::Set(DF(), 0.5f);
    return hn::Add(hn::Mul(low, half), hn::Mul(high, half));
  }
  // The larger part on either side of the middle.
  HWY_INLINE VF HalfSize(VF middle) const {
    return hn::Max(hn::Sub(high, middle), hn::Sub(middle, low));
  }
};

// What is known of boxes around their middles.
struct Shapes {
  Corners corners;
  VF x, y;  // the middles
  VF half_width, half_height;
  VF area;
  VF area_error;
  MF in_scale;  // whether floats can decide about it
};

HWY_INLINE Shapes MakeShapes(const Corners& c, const Extent& x, const Extent& y, MF finite) {
  const DF d;
  Shapes shapes;
  shapes.x = x.Middle();
  shapes.y = y.Middle();
  shapes.half_width = x.HalfSize(shapes.x);
  shapes.half_height = y.HalfSize(shapes.y);
  for (int i = 0; i < 4; ++i) {
    shapes.corners.x[i] = hn::Sub(c.x[i], shapes.x);
    shapes.corners.y[i] = hn::Sub(c.y[i], shapes.y);
  }
  shapes.area = AreaOf(d, shapes.corners.x, shapes.corners.y);
  shapes.area_error =
      hn::Mul(hn::Set(d, kAreaError), hn::Mul(shapes.half_width, shapes.half_height));
  const VF smaller = hn::Min(shapes.half_width, shapes.half_height);
  const VF larger = hn::Max(shapes.half_width, shapes.half_height);
  shapes.in_scale = hn::And(
      hn::And(hn::Ge(smaller, hn::Set(d, kMinHalfSize)), hn::Le(larger, hn::Set(d, kMaxHalfSize))),
      hn::And(finite, hn::Ge(shapes.area, hn::Set(d, kMinArea))));
  return shapes;
}

HWY_INLINE Lobes LobesOf(const Shapes& shapes) {
  const DF d;
  const Corners& c = shapes.corners;
  const VF zero = hn::Zero(d);
  const VF one = hn::Set(d, 1.0f);
  const VF t012 = Orientation(c, 0, 1, 2);
  const VF t123 = Orientation(c, 1, 2, 3);
  const VF t230 = Orientation(c, 2, 3, 0);
  const VF t301 = Orientation(c, 3, 0, 1);
  VF positive = zero;
  VF negative = zero;
  for (const VF t : {t012, t123, t230, t301}) {
    positive = hn::Add(positive, hn::IfThenElseZero(hn::Gt(t, zero), one));
    negative = hn::Add(negative, hn::IfThenElseZero(hn::Lt(t, zero), one));
  }
  // Three turns in one sense: convex, or one corner lies inside. Two and two: it crosses itself,
  // the edges 01 and 23 when 2 and 3 lie on either side of 01.
  const auto simple = hn::Ge(hn::Max(positive, negative), hn::Set(d, 3.0f));
  const auto crosses = hn::And(hn::Eq(positive, hn::Set(d, 2.0f)), hn::Eq(negative, positive));
  const auto first_crosses = hn::Xor(hn::Lt(t012, zero), hn::Lt(t301, zero));
  const Lobes first = CrossingLobes(t012, t301, t230, t123);
  const Lobes other = CrossingLobes(t123, t012, t301, t230);
  const VF slack = shapes.area_error;
  const VF anything = hn::Mul(hn::Set(d, 4.01f), hn::Mul(shapes.half_width, shapes.half_height));
  const VF larger = hn::IfThenElse(first_crosses, first.larger, other.larger);
  const VF smaller = hn::IfThenElse(first_crosses, first.smaller, other.smaller);
  // What is neither has turns that are none, in float: the bounding box is bound enough.
  return {
      hn::IfThenElse(simple, hn::Add(shapes.area, slack),
                     hn::IfThenElse(crosses, hn::Add(larger, slack), anything)),
      hn::IfThenElse(simple, slack, hn::IfThenElse(crosses, hn::Add(smaller, slack), anything))};
}

HWY_INLINE void StoreColumns(const Shapes& shapes, const Extent& x, const Extent& y, MF finite,
                             const Columns& columns, int64_t begin) {
  const DF d;
  const auto store = [&](VF value, Column column)
                         HWY_ATTR { hn::StoreU(value, d, columns.array[column] + begin); };
  // A box that is not finite meets nothing.
  store(hn::IfThenElse(finite, x.low, Infinity()), kXLow);
  store(hn::IfThenElse(finite, y.low, Infinity()), kYLow);
  store(hn::IfThenElse(finite, x.high, hn::Neg(Infinity())), kXHigh);
  store(hn::IfThenElse(finite, y.high, hn::Neg(Infinity())), kYHigh);
  const Lobes lobes = LobesOf(shapes);
  store(
      hn::IfThenElse(shapes.in_scale, hn::Sub(shapes.area, shapes.area_error), hn::Set(d, kNoArea)),
      kArea);
  store(hn::IfThenElse(shapes.in_scale, lobes.larger, Infinity()), kLargerLobe);
  store(hn::IfThenElse(shapes.in_scale, lobes.smaller, Infinity()), kSmallerLobe);
}

HWY_INLINE void StoreRecords(const Shapes& shapes, int64_t valid, Record* records) {
  const DF d;
  const Corners& c = shapes.corners;
  const VF narrowest = hn::IfThenElse(
      shapes.in_scale, hn::Mul(shapes.half_width, hn::Set(d, kVertical)), Infinity());
  VF signs[4];
  for (int i = 0; i < 4; ++i) {
    const int next = (i + 1) % 4;
    const Edge<VF> edge = MakeEdge(d, c.x[i], c.y[i], c.x[next], c.y[next], narrowest);
    StoreQuad(edge.left, edge.right, edge.y, edge.slope, i, valid, records);
    signs[i] = edge.sign;
  }
  StoreQuad(signs[0], signs[1], signs[2], signs[3], Record::kSigns, valid, records);
  // An infinite size makes an infinite error, and so the reference decides.
  StoreQuad(shapes.x, shapes.y, hn::IfThenElse(shapes.in_scale, shapes.half_width, Infinity()),
            hn::IfThenElse(shapes.in_scale, shapes.half_height, Infinity()), Record::kPlace, valid,
            records);
  const VF zero = hn::Zero(d);
  StoreQuad(shapes.area, shapes.area_error, zero, zero, Record::kArea, valid, records);
}

void PrepareTileT(const PreparedBoxes& prepared, int64_t begin, int64_t end) {
  for (int64_t slot = begin; slot < end; slot += Lanes()) {
    const int64_t valid = std::min(Lanes(), end - slot);
    const Corners corners = LoadCorners(prepared, slot, valid);
    const MF finite = IsFinite(corners);
    const Extent x(corners.x);
    const Extent y(corners.y);
    const Shapes shapes = MakeShapes(corners, x, y, finite);
    StoreColumns(shapes, x, y, finite, prepared.columns, slot);
    StoreRecords(shapes, valid, reinterpret_cast<Record*>(prepared.records) + slot);
  }
}

// ---- The first stage: bounds --------------------------------------------------------------------

// More than the rounding of what is compared.
constexpr float kFilterMargin = 1.0001f;
// Below this the reference's own rounding can exceed the threshold where bounding boxes hardly
// overlap.
constexpr float kLeastThreshold = 0x1p-24f;

// One box, against those of the filter's arrays. The IoU exceeds the threshold t only when
// intersection * (1 + t) > t * (area + area). The intersection is at most that of the bounding
// boxes; and because lobes count with their signs, at most that of the larger lobes and of the
// smaller.
class Filter {
 public:
  HWY_INLINE Filter(const Columns& boxes, int64_t index, float threshold)
      : x_low_(hn::Set(DF(), boxes.array[kXLow][index])),
        y_low_(hn::Set(DF(), boxes.array[kYLow][index])),
        x_high_(hn::Set(DF(), boxes.array[kXHigh][index])),
        y_high_(hn::Set(DF(), boxes.array[kYHigh][index])),
        area_(hn::Set(DF(), boxes.array[kArea][index])),
        larger_lobe_(hn::Set(DF(), boxes.array[kLargerLobe][index])),
        smaller_lobe_(hn::Set(DF(), boxes.array[kSmallerLobe][index])),
        threshold_(hn::Set(DF(), threshold < kLeastThreshold ? 0.0f : threshold)),
        factor_(hn::Set(DF(), (1.0f + threshold) * kFilterMargin)) {}

  // Calls visit(j) for the boxes of [begin, end) that may exceed the threshold with this one.
  template <class Visit>
  HWY_INLINE void ForEach(const Columns& boxes, int64_t begin, int64_t end,
                          const Visit& visit) const {
    const DF d;
    const int64_t lanes = Lanes();
    for (int64_t j = begin; j < end; j += lanes) {
      const auto passes = Passes(boxes, j);
      if (HWY_LIKELY(hn::AllFalse(d, passes))) {
        continue;
      }
      uint32_t bits = BitsOf(d, passes);
      if (j + lanes > end) {
        bits &= (uint32_t{1} << (end - j)) - 1;
      }
      for (; bits != 0; bits &= bits - 1) {
        visit(j + static_cast<int64_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(bits)));
      }
    }
  }

 private:
  HWY_INLINE MF Passes(const Columns& boxes, int64_t j) const {
    const DF d;
    const VF zero = hn::Zero(d);
    const VF width = hn::Sub(hn::Min(x_high_, hn::LoadU(d, boxes.array[kXHigh] + j)),
                             hn::Max(x_low_, hn::LoadU(d, boxes.array[kXLow] + j)));
    const VF height = hn::Sub(hn::Min(y_high_, hn::LoadU(d, boxes.array[kYHigh] + j)),
                              hn::Max(y_low_, hn::LoadU(d, boxes.array[kYLow] + j)));
    const VF lobes = hn::Add(hn::Min(larger_lobe_, hn::LoadU(d, boxes.array[kLargerLobe] + j)),
                             hn::Min(smaller_lobe_, hn::LoadU(d, boxes.array[kSmallerLobe] + j)));
    const VF inter = hn::Min(hn::Mul(width, height), lobes);
    const VF areas = hn::Add(area_, hn::LoadU(d, boxes.array[kArea] + j));
    return hn::And(hn::Gt(hn::Min(width, height), zero),
                   hn::Ge(hn::Mul(inter, factor_), hn::Mul(threshold_, areas)));
  }

  VF x_low_, y_low_, x_high_, y_high_, area_, larger_lobe_, smaller_lobe_, threshold_, factor_;
};

// ---- The second and third: the IoU --------------------------------------------------------------

// The error of an intersection that was computed in float, in products of the sums of half widths
// and half heights. README.md derives a smaller one.
constexpr float kIntersectionError = 0x1p-14f;
// And of what is computed from the areas, in their sum.
constexpr float kRatioError = 0x1p-19f;

// Four floats of each of a vector of records, as one vector for each of the four.
#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR

HWY_INLINE void LoadQuads(const float* const* records, int64_t quad, VF& a, VF& b, VF& c, VF& e) {
  HWY_ALIGN float rows[kMaxLanes * 4];
  for (int64_t lane = 0; lane < Lanes(); ++lane) {
    std::memcpy(rows + lane * 4, records[lane] + quad * 4, 4 * sizeof(float));
  }
  hn::LoadInterleaved4(DF(), rows, a, b, c, e);
}

#else

// Each block of 16 bytes is one record's, four records apart.
template <class D>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const float* const* records, int64_t quad) {
  if constexpr (hn::MaxLanes(D()) <= 4) {
    return hn::Load(d, records[0] + quad * 4);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, LoadBlocks(half, records + hn::MaxLanes(D()) / 2, quad),
                       LoadBlocks(half, records, quad));
  }
}

HWY_INLINE void LoadQuads(const float* const* records, int64_t quad, VF& a, VF& b, VF& c, VF& e) {
  const DF d;
  const VF row0 = LoadBlocks(d, records, quad);
  const VF row1 = LoadBlocks(d, records + 1, quad);
  const VF row2 = LoadBlocks(d, records + 2, quad);
  const VF row3 = LoadBlocks(d, records + 3, quad);
  const VF low02 = hn::InterleaveLower(d, row0, row2);
  const VF low13 = hn::InterleaveLower(d, row1, row3);
  const VF high02 = hn::InterleaveUpper(d, row0, row2);
  const VF high13 = hn::InterleaveUpper(d, row1, row3);
  a = hn::InterleaveLower(d, low02, low13);
  b = hn::InterleaveUpper(d, low02, low13);
  c = hn::InterleaveLower(d, high02, high13);
  e = hn::InterleaveUpper(d, high02, high13);
}

#endif

// An IoU takes as long as so many tests of the filter.
constexpr int64_t kTestsPerIou = 32;

// For the tiles. Collects pairs until they fill a vector, and then says which exceed the threshold.
template <class Emit>
class PairFinder {
 public:
  PairFinder(const PreparedBoxes& prepared, float threshold, const Emit& emit)
      : prepared_(prepared),
        records_(reinterpret_cast<const Record*>(prepared.records)),
        threshold_(threshold),
        emit_(emit) {}

  template <class SlotOf, class NameOf>
  HWY_INLINE int64_t Find(const Columns& columns, int64_t index, int32_t slot, int32_t name,
                          const Columns& others, int64_t begin, int64_t end, const SlotOf& slot_of,
                          const NameOf& name_of) {
    int64_t work = end - begin;
    const Filter filter(columns, index, threshold_);
    filter.ForEach(others, begin, end, [&](int64_t other) HWY_ATTR {
      Add(slot, slot_of(other), name, name_of(other));
      work += kTestsPerIou;
    });
    return work;
  }

  HWY_INLINE double SmallestPartner(const Columns& columns, int64_t index) const {
    const double area = columns.array[kArea][index];
    return threshold_ < kLeastThreshold ? 0 : 0.999 * threshold_ / (1 + threshold_) * area;
  }

  HWY_INLINE void Flush() {
    if (count_ != 0) {
      // Lanes without a pair repeat the first.
      std::fill(a_ + count_, a_ + Lanes(), a_[0]);
      std::fill(b_ + count_, b_ + Lanes(), b_[0]);
      Decide();
    }
  }

 private:
  // The boxes of two prepared, and the names under which emit(name_a, name_b) gets them.
  HWY_INLINE void Add(int32_t slot_a, int32_t slot_b, int32_t name_a, int32_t name_b) {
    pairs_[count_] = {slot_a, slot_b, name_a, name_b};
    a_[count_] = records_[slot_a].quads[0];
    b_[count_] = records_[slot_b].quads[0];
    if (++count_ == Lanes()) {
      Decide();
    }
  }

  HWY_INLINE void LoadEdges(const float* const* records, Edge<VF> (&edges)[4]) const {
    for (int i = 0; i < Record::kEdges; ++i) {
      LoadQuads(records, i, edges[i].left, edges[i].right, edges[i].y, edges[i].slope);
    }
    LoadQuads(records, Record::kSigns, edges[0].sign, edges[1].sign, edges[2].sign, edges[3].sign);
  }

  HWY_NOINLINE void Decide() {
    const DF d;
    Edge<VF> edges_a[4];
    Edge<VF> edges_b[4];
    LoadEdges(a_, edges_a);
    LoadEdges(b_, edges_b);
    VF x_a, y_a, half_width_a, half_height_a;
    VF x_b, y_b, half_width_b, half_height_b;
    LoadQuads(a_, Record::kPlace, x_a, y_a, half_width_a, half_height_a);
    LoadQuads(b_, Record::kPlace, x_b, y_b, half_width_b, half_height_b);
    VF area_a, area_error_a, area_b, area_error_b, unused;
    LoadQuads(a_, Record::kArea, area_a, area_error_a, unused, unused);
    LoadQuads(b_, Record::kArea, area_b, area_error_b, unused, unused);
    const VF x = hn::Sub(x_b, x_a);
    const VF y = hn::Sub(y_b, y_a);
    for (Edge<VF>& edge : edges_b) {
      edge.left = hn::Add(edge.left, x);
      edge.right = hn::Add(edge.right, x);
      edge.y = hn::Add(edge.y, y);
    }
    const VF inter = Intersection(d, edges_a, edges_b);
    const VF areas = hn::Add(area_a, area_b);
    const VF base = hn::Sub(areas, inter);
    // Above 0 where the IoU exceeds the threshold.
    const VF excess = hn::Sub(inter, hn::Mul(hn::Set(d, threshold_), base));
    const VF error = hn::Add(
        hn::Mul(hn::Set(d, 2 * kIntersectionError), hn::Mul(hn::Add(half_width_a, half_width_b),
                                                            hn::Add(half_height_a, half_height_b))),
        hn::Mul(hn::Set(d, kRatioError), areas));
    const VF negative_error = hn::Neg(error);
    // A box that may be without area suppresses nothing.
    const auto has_area = hn::And(hn::Gt(area_a, area_error_a), hn::Gt(area_b, area_error_b));
    const auto exceeds = hn::And(has_area, hn::And(hn::Gt(excess, error), hn::Gt(base, error)));
    // Less than the threshold; or no base at all, which counts as 0. A NaN is neither.
    const auto stays = hn::Or(hn::Lt(excess, negative_error), hn::Lt(base, negative_error));
    Finish(BitsOf(d, exceeds), BitsOf(d, stays));
  }

  HWY_INLINE void Finish(uint32_t exceeds, uint32_t stays) {
    for (int64_t i = 0; i < count_; ++i) {
      const uint32_t bit = uint32_t{1} << i;
      const Pair& pair = pairs_[i];
      if ((exceeds & bit) != 0 ||
          ((stays & bit) == 0 && ReferenceExceeds(pair.slot_a, pair.slot_b))) {
        emit_(pair.name_a, pair.name_b);
      }
    }
    count_ = 0;
  }

  bool ReferenceExceeds(int32_t a, int32_t b) const {
    return suppression::Exceeds(ReferencePolygonIou(BoxAt(prepared_, a), BoxAt(prepared_, b)),
                                threshold_);
  }

  struct Pair {
    int32_t slot_a, slot_b;
    int32_t name_a, name_b;
  };

  const PreparedBoxes& prepared_;
  const Record* const records_;
  const float threshold_;
  const Emit& emit_;
  int64_t count_ = 0;
  Pair pairs_[kMaxLanes];
  const float* a_[kMaxLanes];
  const float* b_[kMaxLanes];
};

void BlockTileT(const suppression::Block& block, int64_t row_begin, int64_t row_end) {
  suppression::HWY_NAMESPACE::FindInBlock<PairFinder>(block, row_begin, row_end);
}

void KeptTileT(const suppression::KeptSearch& search, int64_t begin, int64_t end) {
  suppression::HWY_NAMESPACE::FindSuppressed<PairFinder>(search, begin, end);
}

void PairTileT(const suppression::PairSearch& search, int64_t cell_begin, int64_t cell_end) {
  suppression::HWY_NAMESPACE::FindPairs<PairFinder>(search, cell_begin, cell_end);
}

// ---- IoU as a result ----------------------------------------------------------------------------

// In double, the reference's operations in the reference's order: the same bits.
using DD = hn::CappedTag<double, kMaxLanes / 2>;
using VD = hn::Vec<DD>;
using MD = hn::Mask<DD>;

HWY_INLINE int64_t DoubleLanes() { return static_cast<int64_t>(hn::Lanes(DD())); }

struct Quads {
  VD x[4], y[4];
  VD x_low, y_low, x_high, y_high;
};

HWY_INLINE void SetBounds(Quads& quads) {
  quads.x_low = hn::Min(hn::Min(quads.x[0], quads.x[1]), hn::Min(quads.x[2], quads.x[3]));
  quads.y_low = hn::Min(hn::Min(quads.y[0], quads.y[1]), hn::Min(quads.y[2], quads.y[3]));
  quads.x_high = hn::Max(hn::Max(quads.x[0], quads.x[1]), hn::Max(quads.x[2], quads.x[3]));
  quads.y_high = hn::Max(hn::Max(quads.y[0], quads.y[1]), hn::Max(quads.y[2], quads.y[3]));
}

HWY_INLINE void MakeEdges(const Quads& quads, VD origin_x, VD origin_y, Edge<VD> (&edges)[4]) {
  const DD d;
  for (int i = 0; i < 4; ++i) {
    const int next = (i + 1) % 4;
    edges[i] =
        MakeEdge(d, hn::Sub(quads.x[i], origin_x), hn::Sub(quads.y[i], origin_y),
                 hn::Sub(quads.x[next], origin_x), hn::Sub(quads.y[next], origin_y), hn::Zero(d));
  }
}

// Whether bounding boxes overlap and all coordinates are finite.
HWY_INLINE MD CanMeet(const Quads& a, const Quads& b) {
  const DD d;
  const VD zero = hn::Zero(d);
  VD nothing = zero;
  for (int i = 0; i < 4; ++i) {
    nothing = hn::Add(nothing, hn::Add(hn::Mul(a.x[i], zero), hn::Mul(a.y[i], zero)));
    nothing = hn::Add(nothing, hn::Add(hn::Mul(b.x[i], zero), hn::Mul(b.y[i], zero)));
  }
  const auto overlap = hn::And(hn::And(hn::Lt(a.x_low, b.x_high), hn::Lt(b.x_low, a.x_high)),
                               hn::And(hn::Lt(a.y_low, b.y_high), hn::Lt(b.y_low, a.y_high)));
  return hn::And(overlap, hn::Eq(nothing, zero));
}

HWY_NOINLINE VD IouOf(const Quads& a, const Quads& b, MD can_meet) {
  const DD d;
  const VD zero = hn::Zero(d);
  const VD half = hn::Set(d, 0.5);
  const VD origin_x =
      hn::Mul(hn::Add(hn::Max(a.x_low, b.x_low), hn::Min(a.x_high, b.x_high)), half);
  const VD origin_y =
      hn::Mul(hn::Add(hn::Max(a.y_low, b.y_low), hn::Min(a.y_high, b.y_high)), half);
  Edge<VD> edges_a[4];
  Edge<VD> edges_b[4];
  MakeEdges(a, origin_x, origin_y, edges_a);
  MakeEdges(b, origin_x, origin_y, edges_b);
  const VD area_a = AreaOf(d, a.x, a.y);
  const VD area_b = AreaOf(d, b.x, b.y);
  const VD inter = Intersection(d, edges_a, edges_b);
  const VD base = hn::Sub(hn::Add(area_a, area_b), inter);
  const auto counts = hn::And(hn::And(can_meet, hn::Gt(base, zero)),
                              hn::And(hn::Gt(area_a, zero), hn::Gt(area_b, zero)));
  return hn::IfThenElseZero(counts, hn::Min(hn::Div(inter, base), hn::Set(d, 1.0)));
}

// Polygons in memory, one array for each coordinate.
struct PackedQuads {
  static constexpr int64_t kCapacity = 128;
  HWY_ALIGN double x[4][kCapacity];
  HWY_ALIGN double y[4][kCapacity];

  HWY_INLINE void Pack(const float* polygons, int64_t stride, int64_t count) {
    const int64_t padded = (count + DoubleLanes() - 1) / DoubleLanes() * DoubleLanes();
    for (int64_t i = 0; i < padded; ++i) {
      const float* const polygon = polygons + std::min(i, count - 1) * stride;
      for (int64_t corner = 0; corner < 4; ++corner) {
        x[corner][i] = polygon[2 * corner];
        y[corner][i] = polygon[2 * corner + 1];
      }
    }
  }

  HWY_INLINE Quads Load(int64_t i) const {
    Quads quads;
    for (int corner = 0; corner < 4; ++corner) {
      quads.x[corner] = hn::Load(DD(), x[corner] + i);
      quads.y[corner] = hn::Load(DD(), y[corner] + i);
    }
    SetBounds(quads);
    return quads;
  }
};

HWY_INLINE Quads Broadcast(const float* polygon) {
  Quads quads;
  for (int64_t corner = 0; corner < 4; ++corner) {
    quads.x[corner] = hn::Set(DD(), polygon[2 * corner]);
    quads.y[corner] = hn::Set(DD(), polygon[2 * corner + 1]);
  }
  SetBounds(quads);
  return quads;
}

HWY_INLINE void StoreIous(const Quads& a, const Quads& b, int64_t valid, float* ious) {
  const DD d;
  const MD can_meet = CanMeet(a, b);
  HWY_ALIGN double values[kMaxLanes] = {};
  if (!hn::AllFalse(d, can_meet)) {
    hn::Store(IouOf(a, b, can_meet), d, values);
  }
  for (int64_t lane = 0; lane < std::min(valid, DoubleLanes()); ++lane) {
    ious[lane] = static_cast<float>(values[lane]);
  }
}

void AlignedTile(const IouArgs& args, int64_t begin, int64_t end) {
  PackedQuads rows;
  PackedQuads columns;
  for (int64_t first = begin; first < end; first += PackedQuads::kCapacity) {
    const int64_t packed = std::min(PackedQuads::kCapacity, end - first);
    rows.Pack(args.first + first * args.first_stride, args.first_stride, packed);
    columns.Pack(args.second + first * args.second_stride, args.second_stride, packed);
    for (int64_t j = 0; j < packed; j += DoubleLanes()) {
      StoreIous(rows.Load(j), columns.Load(j), packed - j, args.ious + first + j);
    }
  }
}

void MatrixTile(const IouArgs& args, const IouTile& tile) {
  PackedQuads columns;
  for (int64_t first = tile.column_begin; first < tile.column_end;
       first += PackedQuads::kCapacity) {
    const int64_t packed = std::min(PackedQuads::kCapacity, tile.column_end - first);
    columns.Pack(args.second + first * args.second_stride, args.second_stride, packed);
    for (int64_t i = tile.row_begin; i < tile.row_end; ++i) {
      const Quads row = Broadcast(args.first + i * args.first_stride);
      for (int64_t j = 0; j < packed; j += DoubleLanes()) {
        StoreIous(row, columns.Load(j), packed - j, args.ious + i * args.columns + first + j);
      }
    }
  }
}

void ComputeIousT(const IouArgs& args, const IouTile& tile) {
  if (args.aligned) {
    AlignedTile(args, tile.row_begin, tile.row_end);
  } else {
    MatrixTile(args, tile);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::poly_nms
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::poly_nms {

HWY_EXPORT(PrepareTileT);
HWY_EXPORT(BlockTileT);
HWY_EXPORT(KeptTileT);
HWY_EXPORT(PairTileT);
HWY_EXPORT(ComputeIousT);

namespace {

suppression::Bounds BoundsOf(const void* boxes, const void* /*metric*/, int32_t id) {
  const float* const box = static_cast<const float*>(boxes) + id * kBoxFloats;
  suppression::Bounds bounds{box[0], box[1], box[0], box[1]};
  for (int i = 0; i < 8; i += 2) {
    if (!std::isfinite(box[i]) || !std::isfinite(box[i + 1])) {
      return {0, 0, 0, 0};
    }
    bounds = {std::min(bounds.x_low, box[i]), std::min(bounds.y_low, box[i + 1]),
              std::max(bounds.x_high, box[i]), std::max(bounds.y_high, box[i + 1])};
  }
  return bounds;
}

}  // namespace

const suppression::Kernels& NmsKernels() {
  static constexpr suppression::Kernels kKernels{
      .columns = kColumns,
      .record_bytes = sizeof(Record),
      .nanoseconds_per_pair = kNanosecondsPerPair,
      .bounds = BoundsOf,
      .prepare = [](const suppression::PreparedBoxes& prepared, int64_t begin,
                    int64_t end) { HWY_DYNAMIC_DISPATCH(PrepareTileT)
                                   (prepared, begin, end); },
      .block_tile =
          [](const suppression::Block& block, int64_t row_begin, int64_t row_end) {
            HWY_DYNAMIC_DISPATCH(BlockTileT)(block, row_begin, row_end);
          },
      .kept_tile = [](const suppression::KeptSearch& search, int64_t begin,
                      int64_t end) { HWY_DYNAMIC_DISPATCH(KeptTileT)
                                     (search, begin, end); },
      .pair_tile =
          [](const suppression::PairSearch& search, int64_t cell_begin, int64_t cell_end) {
            HWY_DYNAMIC_DISPATCH(PairTileT)(search, cell_begin, cell_end);
          }};
  static_assert(kColumns <= suppression::kMaxColumns &&
                sizeof(Record) <= suppression::kMaxRecordBytes);
  return kKernels;
}

void ComputeIous(const IouArgs& args, const IouTile& tile) {
  HWY_DYNAMIC_DISPATCH(ComputeIousT)(args, tile);
}

}  // namespace detops::poly_nms
#endif  // HWY_ONCE
