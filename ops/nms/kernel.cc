// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The vector tiles.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/read_once.h"
#include "ops/nms/costs.h"
#include "ops/nms/op.h"
#include "suppression/engine.h"

namespace detops::nms {

// Defined once, below: they have no vectors.
void FindBounds(const void* boxes, const void* metric, const int32_t* ids, int64_t count,
                suppression::Bounds* bounds);
suppression::LeastOverlap LeastOverlapOf(const void* metric, float threshold);

}  // namespace detops::nms

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/nms/kernel.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/nms/box_pairs-inl.h"
#include "ops/nms/kept_list-inl.h"
#include "suppression/pair_search-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::nms {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using detops::HWY_NAMESPACE::BitsOf;
using detops::HWY_NAMESPACE::LanesOf;
using suppression::PreparedBoxes;

using DF = hn::CappedTag<float, suppression::kMaxLanes>;
using VF = hn::Vec<DF>;

HWY_INLINE int OffsetOf(const void* metric) { return static_cast<const Metric*>(metric)->offset; }

HWY_INLINE const float* BoxAt(const PreparedBoxes& prepared, int64_t slot) {
  return static_cast<const float*>(prepared.boxes) + prepared.ids[slot] * kBoxFloats;
}

// ---- Preparing boxes ----------------------------------------------------------------------------

void PrepareTileT(const PreparedBoxes& prepared, int64_t begin, int64_t end) {
  const suppression::Columns& columns = prepared.columns;
  for (int64_t slot = begin; slot < end; ++slot) {
    const float* const box = BoxAt(prepared, slot);
    for (int i = 0; i < kBoxFloats; ++i) {
      columns.array[i][slot] = box[i];
    }
  }
  const DF d;
  const VF offset = hn::Set(d, static_cast<float>(OffsetOf(prepared.metric)));
  const VF infinity = hn::Set(d, std::numeric_limits<float>::infinity());
  for (int64_t slot = begin; slot < end; slot += LanesOf(DF())) {
    const VF x1 = hn::LoadU(d, columns.array[kX1] + slot);
    const VF y1 = hn::LoadU(d, columns.array[kY1] + slot);
    const VF x2 = hn::LoadU(d, columns.array[kX2] + slot);
    const VF y2 = hn::LoadU(d, columns.array[kY2] + slot);
    const auto finite = hn::And(hn::And(hn::IsFinite(x1), hn::IsFinite(y1)),
                                hn::And(hn::IsFinite(x2), hn::IsFinite(y2)));
    // Boxes with non-finite coordinates overlap nothing.
    hn::StoreU(hn::IfThenElse(finite, x1, infinity), d, columns.array[kX1] + slot);
    hn::StoreU(hn::IfThenElseZero(finite, y1), d, columns.array[kY1] + slot);
    hn::StoreU(hn::IfThenElse(finite, x2, hn::Neg(infinity)), d, columns.array[kX2] + slot);
    hn::StoreU(hn::IfThenElseZero(finite, y2), d, columns.array[kY2] + slot);
    hn::StoreU(hn::IfThenElse(finite, AreaOf(d, x1, y1, x2, y2, offset), infinity), d,
               columns.array[kArea] + slot);
  }
}

// ---- Pairs --------------------------------------------------------------------------------------

// Compares one box with runs of others, for the tiles of suppression/pair_search-inl.h.
template <class Emit>
class PairFinder {
 public:
  PairFinder(const PreparedBoxes& prepared, float threshold, const Emit& emit)
      : emit_(emit), pairs_(threshold, OffsetOf(prepared.metric)) {}

  template <class SlotOf, class NameOf>
  HWY_INLINE int64_t Find(const suppression::Columns& columns, int64_t index, int32_t /*slot*/,
                          int32_t name, const suppression::Columns& others, int64_t begin,
                          int64_t end, const SlotOf& /*slot_of*/, const NameOf& name_of) {
    const DF d;
    const BoxLanes<DF> box = RepeatBox(d, columns, index);
    const int64_t lanes = LanesOf(DF());
    for (int64_t j = begin; j < end; j += lanes) {
      const BoxLanes<DF> run = LoadBoxes(d, others, j);
      const auto not_these = pairs_.SurelyNot(box, run);
      if (HWY_LIKELY(hn::AllTrue(d, not_these))) {
        continue;
      }
      const auto count = static_cast<uint32_t>(std::min(lanes, end - j));
      const uint32_t all = (uint32_t{1} << count) - 1;
      uint32_t exceeds = pairs_.Decide(box, run, ~BitsOf(d, not_these) & all);
      for (; exceeds != 0; exceeds &= exceeds - 1) {
        const auto lane = static_cast<int64_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(exceeds));
        emit_(name, name_of(j + lane));
      }
    }
    return end - begin;
  }

  void Flush() {}

 private:
  const Emit& emit_;
  const BoxPairs<DF> pairs_;
};

// Same result as FindInBlock, but stores the bits of a whole vector at once: in crowded blocks most
// pairs exceed the threshold, and storing them one by one would take longer than finding them.
void BlockTileT(const suppression::Block& block, int64_t row_begin, int64_t row_end) {
  const DF d;
  const BoxPairs<DF> pairs(block.threshold, OffsetOf(block.metric));
  const int64_t lanes = LanesOf(DF());
  for (int64_t row = row_begin; row < row_end; ++row) {
    const BoxLanes<DF> box = RepeatBox(d, block.columns, row);
    uint64_t* const words = block.rows + row * block.words_per_row;
    for (int64_t j = (row + 1) / lanes * lanes; j < block.count; j += lanes) {
      const BoxLanes<DF> run = LoadBoxes(d, block.columns, j);
      const auto not_these = pairs.SurelyNot(box, run);
      if (HWY_LIKELY(hn::AllTrue(d, not_these))) {
        continue;
      }
      const uint32_t after_row = ~uint32_t{0} << std::max<int64_t>(row + 1 - j, 0);
      const uint32_t before_end = (uint32_t{1} << std::min(lanes, block.count - j)) - 1;
      const uint64_t exceeds =
          pairs.Decide(box, run, ~BitsOf(d, not_these) & after_row & before_end);
      words[j / 64] |= exceeds << (j % 64);
    }
  }
}

void KeptTileT(const suppression::KeptSearch& search, int64_t begin, int64_t end) {
  FindSuppressedByLists(DF(), search, begin, end);
}

// ---- Pairs that float cannot decide -------------------------------------------------------------

using DD = hn::CappedTag<double, suppression::kMaxLanes / 2>;
using VD = hn::Vec<DD>;

HWY_INLINE VD LoadDoubles(const float* row) {
  return hn::PromoteTo(DD(), hn::LoadU(hn::Rebind<float, DD>(), row));
}

HWY_INLINE VD Length(VD low, VD high, VD offset) { return hn::Add(hn::Sub(high, low), offset); }

// Returns the IoUs of the pairs from `at` on. Boxes that are not finite have a width of -infinity.
HWY_INLINE VD IouInDouble(const BoxRows& a, const BoxRows& b, int64_t at, VD offset) {
  const VD zero = hn::Zero(DD());
  const VD ax1 = LoadDoubles(a.array[kX1] + at);
  const VD ay1 = LoadDoubles(a.array[kY1] + at);
  const VD ax2 = LoadDoubles(a.array[kX2] + at);
  const VD ay2 = LoadDoubles(a.array[kY2] + at);
  const VD bx1 = LoadDoubles(b.array[kX1] + at);
  const VD by1 = LoadDoubles(b.array[kY1] + at);
  const VD bx2 = LoadDoubles(b.array[kX2] + at);
  const VD by2 = LoadDoubles(b.array[kY2] + at);
  const VD width = Length(hn::Max(ax1, bx1), hn::Min(ax2, bx2), offset);
  const VD height = Length(hn::Max(ay1, by1), hn::Min(ay2, by2), offset);
  const VD inter = hn::Mul(width, height);
  const VD area_a = hn::Mul(Length(ax1, ax2, offset), Length(ay1, ay2, offset));
  const VD area_b = hn::Mul(Length(bx1, bx2, offset), Length(by1, by2, offset));
  const VD iou = hn::Div(inter, hn::Sub(hn::Add(area_a, area_b), inter));
  return hn::IfThenElseZero(hn::And(hn::Gt(width, zero), hn::Gt(height, zero)), iou);
}

uint32_t DecideInDoubleT(const BoxRows& a, const BoxRows& b, int64_t count, int offset,
                         float threshold) {
  const hn::Rebind<float, DD> df;
  uint32_t exceeds = 0;
  for (int64_t at = 0; at < count; at += LanesOf(DD())) {
    const auto iou = hn::DemoteTo(df, IouInDouble(a, b, at, hn::Set(DD(), offset)));
    exceeds |= BitsOf(df, hn::Gt(iou, hn::Set(df, threshold))) << at;
  }
  return exceeds;
}

const suppression::Kernels& KernelsT() {
  static constexpr suppression::Kernels kKernels{
      .columns = kColumns,
      .record_bytes = 0,
      .rows_at_once = 16,
      .single_rows = 4,
      .nanoseconds_per_pair = kNanosecondsPerPair,
      .nanoseconds_per_test = kNanosecondsPerTest,
      .nanoseconds_per_overlap = kNanosecondsPerOverlap,
      .nanoseconds_to_prepare = kNanosecondsToPrepare,
      .find_bounds = FindBounds,
      .least_overlap = LeastOverlapOf,
      .prepare = PrepareTileT,
      .block_tile = BlockTileT,
      .kept_tile = KeptTileT,
      .pair_tile = suppression::HWY_NAMESPACE::FindPairs<PairFinder>};
  return kKernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::nms
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::nms {

HWY_EXPORT(KernelsT);
HWY_EXPORT(DecideInDoubleT);

uint32_t DecideInDouble(const BoxRows& a, const BoxRows& b, int64_t count, int offset,
                        float threshold) {
  return HWY_DYNAMIC_DISPATCH(DecideInDoubleT)(a, b, count, offset, threshold);
}

const suppression::Kernels& BoxKernels() { return HWY_DYNAMIC_DISPATCH(KernelsT)(); }

namespace {

// The extent of a box along an axis, including the offset, rounded up.
struct Interval {
  float low, high;
};

Interval IntervalOf(float low, float high, int offset) {
  if (offset == 0) {
    return {low, high};
  }
  constexpr float kMax = std::numeric_limits<float>::max();
  const float end = std::nextafter(high + static_cast<float>(offset), kMax);
  // No float exceeds kMax: a box that begins there gets a begin slightly below it.
  return {low < kMax ? low : std::nextafter(kMax, 0.0f), end};
}

suppression::Bounds BoundsOf(const float* from, int offset) {
  // The bounds steer memory access: the grid computes cells from them, which requires that they are
  // finite.
  const float x1 = ReadOnce(from[0]);
  const float y1 = ReadOnce(from[1]);
  const float x2 = ReadOnce(from[2]);
  const float y2 = ReadOnce(from[3]);
  if (!std::isfinite(x1) || !std::isfinite(y1) || !std::isfinite(x2) || !std::isfinite(y2)) {
    return {0, 0, 0, 0};
  }
  const Interval x = IntervalOf(x1, x2, offset);
  const Interval y = IntervalOf(y1, y2, offset);
  return {x.low, y.low, x.high, y.high};
}

}  // namespace

void FindBounds(const void* boxes, const void* metric, const int32_t* ids, int64_t count,
                suppression::Bounds* bounds) {
  const int offset = static_cast<const Metric*>(metric)->offset;
  for (int64_t i = 0; i < count; ++i) {
    bounds[i] = BoundsOf(static_cast<const float*>(boxes) + ids[i] * kBoxFloats, offset);
  }
}

// An IoU above t means that the intersection is larger than t / (1 + t) of the sum of the areas. It
// is at most as high as the lower box. So it is at least as wide as t / (1 + t) of the sum of the
// widths, and the same holds for heights. With an offset, bounds may be much larger than the box:
// x2
// + 1 is rounded up.
suppression::LeastOverlap LeastOverlapOf(const void* metric, float threshold) {
  constexpr double kLessThanRounding = 1 - 1e-5;
  const double t = threshold;
  const bool has_offset = static_cast<const Metric*>(metric)->offset != 0;
  return suppression::LeastOverlap(has_offset ? 0 : kLessThanRounding * t / (1 + t));
}

}  // namespace detops::nms
#endif  // HWY_ONCE
