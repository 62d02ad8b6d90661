// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Decides which pairs of boxes exceed the threshold: in float where the error bound proves the
// answer, otherwise in double with the operations of the reference.

#if defined(DETOPS_OPS_POLY_NMS_DECISION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_POLY_NMS_DECISION_INL_H_
#undef DETOPS_OPS_POLY_NMS_DECISION_INL_H_
#else
#define DETOPS_OPS_POLY_NMS_DECISION_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "ops/poly_nms/bound-inl.h"
#include "ops/poly_nms/exact_iou-inl.h"
#include "ops/poly_nms/intersection-inl.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/preparation-inl.h"
#include "ops/poly_nms/tiles.h"
#include "simd/lanes-inl.h"
#include "suppression/engine.h"

HWY_BEFORE_NAMESPACE();
namespace detops::poly_nms {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Error bound of a float intersection, relative to the product of the sums of half widths and of
// half heights. docs/numerics.md derives 680 * 2^-24; this is 1024 * 2^-24.
constexpr float kIntersectionError = 0x1p-14f;
// Error bound of the operations on areas, relative to the sum of the areas.
constexpr float kRatioError = 0x1p-19f;
// The error bound holds if neither half width is smaller than their sum by this factor.
constexpr float kMaxWidthRatio = 0x1p16f;

#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR

// Loads quads[quad] of a record per lane, and transposes them: v0 has the first float of each.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void LoadQuads(D d, const float* const* records, int64_t quad, V& v0, V& v1, V& v2,
                          V& v3) {
  HWY_ALIGN float rows[kMaxLanes * 4];
  for (int64_t lane = 0; lane < LanesOf(d); ++lane) {
    std::memcpy(rows + lane * 4, records[lane] + quad * 4, 4 * sizeof(float));
  }
  hn::LoadInterleaved4(d, rows, v0, v1, v2, v3);
}

#else

// Loads quads[quad] of every fourth record, one per 128-bit block.
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

// Loads quads[quad] of a record per lane, and transposes them: v0 has the first float of each.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void LoadQuads(D d, const float* const* records, int64_t quad, V& v0, V& v1, V& v2,
                          V& v3) {
  const V row0 = LoadBlocks(d, records, quad);
  const V row1 = LoadBlocks(d, records + 1, quad);
  const V row2 = LoadBlocks(d, records + 2, quad);
  const V row3 = LoadBlocks(d, records + 3, quad);
  const V low02 = hn::InterleaveLower(d, row0, row2);
  const V low13 = hn::InterleaveLower(d, row1, row3);
  const V high02 = hn::InterleaveUpper(d, row0, row2);
  const V high13 = hn::InterleaveUpper(d, row1, row3);
  v0 = hn::InterleaveLower(d, low02, low13);
  v1 = hn::InterleaveUpper(d, low02, low13);
  v2 = hn::InterleaveLower(d, high02, high13);
  v3 = hn::InterleaveUpper(d, high02, high13);
}

#endif

// The contents of one record per lane.
template <class D, class V = hn::Vec<D>>
struct RecordLanes {
  Edge<V> edges[4];
  V x, y, half_width, half_height;
  V area, area_error;

  HWY_INLINE explicit RecordLanes(const float* const* records) {
    const D d;
    for (int i = 0; i < Record::kEdges; ++i) {
      LoadQuads(d, records, i, edges[i].left, edges[i].right, edges[i].y, edges[i].slope);
    }
    LoadQuads(d, records, Record::kSigns, edges[0].sign, edges[1].sign, edges[2].sign,
              edges[3].sign);
    LoadQuads(d, records, Record::kPlace, x, y, half_width, half_height);
    V unused;
    LoadQuads(d, records, Record::kArea, area, area_error, unused, unused);
  }

  HWY_INLINE void MoveEdges(V dx, V dy) {
    for (Edge<V>& edge : edges) {
      edge.left = hn::Add(edge.left, dx);
      edge.right = hn::Add(edge.right, dx);
      edge.y = hn::Add(edge.y, dy);
    }
  }
};

// The pairs of a vector that surely exceed the threshold, and those that surely do not. Bit i is
// lane i. Pairs that are in neither are decided in double.
struct Decisions {
  uint32_t exceeds;
  uint32_t stays;
};

// Compares the records of each lane in float, around the middle of the first box.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Decisions DecidePairs(D d, const float* const* records_a, const float* const* records_b,
                                 float threshold) {
  const RecordLanes<D> a(records_a);
  RecordLanes<D> b(records_b);
  b.MoveEdges(hn::Sub(b.x, a.x), hn::Sub(b.y, a.y));
  const V inter = Intersection(d, a.edges, b.edges);
  const V areas = hn::Add(a.area, b.area);
  const V base = hn::Sub(areas, inter);
  // Positive where the IoU exceeds the threshold.
  const V excess = hn::Sub(inter, hn::Mul(hn::Set(d, threshold), base));
  const V reach_x = hn::Add(a.half_width, b.half_width);
  const V reach_y = hn::Add(a.half_height, b.half_height);
  const V error = hn::Add(hn::Mul(hn::Set(d, 2 * kIntersectionError), hn::Mul(reach_x, reach_y)),
                          hn::Mul(hn::Set(d, kRatioError), areas));
  const V negative_error = hn::Neg(error);
  const V narrower = hn::Min(a.half_width, b.half_width);
  const auto has_bound = hn::Lt(reach_x, hn::Mul(narrower, hn::Set(d, kMaxWidthRatio)));
  // A box whose area may be 0 suppresses nothing.
  const auto has_area = hn::And(hn::Gt(a.area, a.area_error), hn::Gt(b.area, b.area_error));
  const auto exceeds =
      hn::And(hn::And(has_bound, has_area), hn::And(hn::Gt(excess, error), hn::Gt(base, error)));
  // A negative union means that the IoU is 0 by definition. NaNs compare false and stay undecided.
  const auto stays =
      hn::And(has_bound, hn::Or(hn::Lt(excess, negative_error), hn::Lt(base, negative_error)));
  return {BitsOf(d, exceeds), BitsOf(d, stays)};
}

// Collects pairs that float arithmetic cannot decide until they fill a vector of doubles, then
// decides about all of them. Emit(name_a, name_b) is called for those that exceed the threshold.
template <class Emit>
class ExactDecider {
 public:
  ExactDecider(float threshold, const Emit& emit) : threshold_(threshold), emit_(emit) {}

  HWY_NOINLINE void Add(const float* box_a, const float* box_b, int32_t name_a, int32_t name_b) {
    a_[count_] = box_a;
    b_[count_] = box_b;
    names_[count_] = {name_a, name_b};
    if (++count_ == LanesOf(DoubleTag())) {
      Decide();
    }
  }

  HWY_INLINE void Flush() {
    if (count_ != 0) {
      // Lanes without a pair repeat the first pair; Decide ignores them.
      std::fill(a_ + count_, a_ + LanesOf(DoubleTag()), a_[0]);
      std::fill(b_ + count_, b_ + LanesOf(DoubleTag()), b_[0]);
      Decide();
    }
  }

 private:
  struct Names {
    int32_t a, b;
  };

  HWY_NOINLINE void Decide() {
    const DoubleTag d;
    const Quads<DoubleTag> a = GatherQuads(d, a_);
    const Quads<DoubleTag> b = GatherQuads(d, b_);
    HWY_ALIGN double ious[kMaxDoubleLanes] = {};
    hn::Store(IouOf(d, a, b, MayOverlap(d, a, b)), d, ious);
    for (int64_t i = 0; i < count_; ++i) {
      if (suppression::Exceeds(ious[i], threshold_)) {
        emit_(names_[i].a, names_[i].b);
      }
    }
    count_ = 0;
  }

  const float threshold_;
  const Emit& emit_;
  int64_t count_ = 0;
  Names names_[kMaxDoubleLanes];
  const float* a_[kMaxDoubleLanes];
  const float* b_[kMaxDoubleLanes];
};

// A float IoU takes as long as about this many tests of the filter.
constexpr int64_t kTestsPerIou = 32;

// The class that suppression/pair_search-inl.h builds the tiles from. Collects pairs that pass the
// filter until they fill a vector, then decides about all of them. `kScaled` is whether the scale
// may differ from 1.
template <class Emit, bool kScaled>
class PairFinder {
 public:
  PairFinder(const suppression::PreparedBoxes& prepared, float threshold, const Emit& emit)
      : prepared_(prepared),
        scale_(kScaled ? Scale::FactorOf(prepared.metric) : 1.0f),
        records_(reinterpret_cast<const Record*>(prepared.records)),
        threshold_(threshold),
        emit_(emit),
        exact_(threshold, emit) {}

  template <class SlotOf, class NameOf>
  HWY_INLINE int64_t Find(const suppression::Columns& columns, int64_t index, int32_t slot,
                          int32_t name, const suppression::Columns& others, int64_t begin,
                          int64_t end, const SlotOf& slot_of, const NameOf& name_of) {
    int64_t work = end - begin;
    const PairFilter<D, kScaled> filter(columns, index, threshold_, scale_);
    filter.ForEach(others, begin, end, [&](int64_t other) HWY_ATTR {
      Add({slot, slot_of(other), name, name_of(other)});
      work += kTestsPerIou;
    });
    return work;
  }

  HWY_INLINE double SmallestPartner(const suppression::Columns& columns, int64_t index) const {
    const double area = columns.array[kArea][index] / (double{scale_} * scale_);
    return threshold_ < kLeastThreshold ? 0 : 0.999 * threshold_ / (1 + threshold_) * area;
  }

  HWY_INLINE void Flush() {
    if (count_ != 0) {
      // Lanes without a pair repeat the first pair; EmitExceeding ignores them.
      std::fill(a_ + count_, a_ + LanesOf(D()), a_[0]);
      std::fill(b_ + count_, b_ + LanesOf(D()), b_[0]);
      Decide();
    }
    exact_.Flush();
  }

 private:
  using D = hn::CappedTag<float, kMaxLanes>;

  // Two slots, and the names under which emit(name_a, name_b) reports the pair.
  struct Pair {
    int32_t slot_a, slot_b;
    int32_t name_a, name_b;
  };

  HWY_INLINE void Add(const Pair& pair) {
    pairs_[count_] = pair;
    a_[count_] = records_[pair.slot_a].quads[0];
    b_[count_] = records_[pair.slot_b].quads[0];
    if (++count_ == LanesOf(D())) {
      Decide();
    }
  }

  HWY_NOINLINE void Decide() { EmitExceeding(DecidePairs(D(), a_, b_, threshold_)); }

  HWY_INLINE void EmitExceeding(const Decisions& decisions) {
    for (int64_t i = 0; i < count_; ++i) {
      const uint32_t bit = uint32_t{1} << i;
      const Pair& pair = pairs_[i];
      if ((decisions.exceeds & bit) != 0) {
        emit_(pair.name_a, pair.name_b);
      } else if ((decisions.stays & bit) == 0) {
        exact_.Add(BoxAt(prepared_, pair.slot_a), BoxAt(prepared_, pair.slot_b), pair.name_a,
                   pair.name_b);
      }
    }
    count_ = 0;
  }

  const suppression::PreparedBoxes& prepared_;
  const float scale_;
  const Record* const records_;
  const float threshold_;
  const Emit& emit_;
  ExactDecider<Emit> exact_;
  int64_t count_ = 0;
  // Pending pairs, and where their records begin.
  Pair pairs_[kMaxLanes];
  const float* a_[kMaxLanes];
  const float* b_[kMaxLanes];
};

}  // namespace HWY_NAMESPACE
}  // namespace detops::poly_nms
HWY_AFTER_NAMESPACE();

#endif  // include guard
