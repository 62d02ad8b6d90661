// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The vector tiles. Pairs are decided in float where a bound of the error proves the answer, and by
// the reference's own function elsewhere.

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/nms/engine.h"
#include "ops/nms/op.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/nms/kernel.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/nms/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::nms {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, kMaxLanes>;
using VF = hn::Vec<DF>;

HWY_INLINE int64_t Lanes() { return static_cast<int64_t>(hn::Lanes(DF())); }

HWY_INLINE const Boxes& BoxesOf(const Slots& slots) {
  return *static_cast<const Boxes*>(slots.boxes);
}

HWY_INLINE const float* BoxAt(const Slots& slots, int64_t slot) {
  return BoxesOf(slots).coordinates + slots.ids[slot] * kBoxFloats;
}

// ---- Preparing boxes ----------------------------------------------------------------------------

// Boxes in this range are decided in float. Others have an infinite area, which leaves all their
// pairs to the reference.
constexpr float kMinArea = 0x1p-80f;
constexpr float kMaxSize = 0x1p50f;

void PrepareTileT(const Slots& slots, int64_t begin, int64_t end) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto offset = static_cast<float>(BoxesOf(slots).offset);
  for (int64_t slot = begin; slot < end; ++slot) {
    const float* const box = BoxAt(slots, slot);
    const float width = (box[2] - box[0]) + offset;
    const float height = (box[3] - box[1]) + offset;
    const float area = width * height;
    // False also for a NaN.
    const bool in_scale = box[0] <= box[2] && box[1] <= box[3] && width <= kMaxSize &&
                          height <= kMaxSize && area >= kMinArea;
    const bool finite = std::isfinite(box[0]) && std::isfinite(box[1]) && std::isfinite(box[2]) &&
                        std::isfinite(box[3]);
    // A box that is not finite meets nothing.
    slots.columns.array[kX1][slot] = finite ? box[0] : kInfinity;
    slots.columns.array[kY1][slot] = finite ? box[1] : kInfinity;
    slots.columns.array[kX2][slot] = finite ? box[2] : -kInfinity;
    slots.columns.array[kY2][slot] = finite ? box[3] : -kInfinity;
    slots.columns.array[kArea][slot] = in_scale ? area : kInfinity;
  }
}

// ---- Pairs --------------------------------------------------------------------------------------

// Of what is computed below, in what it is computed from: at most nine roundings of 2^-24 each.
constexpr float kError = 0x1p-20f;

// For the tiles. The IoU exceeds the threshold t where inter * (1 + t) > t * (area + area).
template <class Emit>
class PairFinder {
 public:
  PairFinder(const Slots& slots, float threshold, const Emit& emit)
      : slots_(slots),
        threshold_(threshold),
        emit_(emit),
        offset_(hn::Set(DF(), static_cast<float>(BoxesOf(slots).offset))),
        // With the offset a width may be a rounding of 1 below what it is.
        least_(hn::Mul(offset_, hn::Set(DF(), -kError))) {}

  template <class SlotOf, class NameOf>
  HWY_INLINE int64_t Find(const Columns& columns, int64_t index, int32_t slot, int32_t name,
                          const Columns& others, int64_t begin, int64_t end, const SlotOf& slot_of,
                          const NameOf& name_of) {
    const DF d;
    const VF x1 = hn::Set(d, columns.array[kX1][index]);
    const VF y1 = hn::Set(d, columns.array[kY1][index]);
    const VF x2 = hn::Set(d, columns.array[kX2][index]);
    const VF y2 = hn::Set(d, columns.array[kY2][index]);
    const VF area = hn::Set(d, columns.array[kArea][index]);
    const VF threshold = hn::Set(d, threshold_);
    const VF error = hn::Set(d, kError);
    const int64_t lanes = Lanes();
    for (int64_t j = begin; j < end; j += lanes) {
      const VF width = Length(hn::Max(x1, hn::LoadU(d, others.array[kX1] + j)),
                              hn::Min(x2, hn::LoadU(d, others.array[kX2] + j)));
      const VF height = Length(hn::Max(y1, hn::LoadU(d, others.array[kY1] + j)),
                               hn::Min(y2, hn::LoadU(d, others.array[kY2] + j)));
      const VF inter = hn::Mul(width, height);
      const VF areas = hn::Add(area, hn::LoadU(d, others.array[kArea] + j));
      const VF excess =
          hn::Sub(hn::Add(inter, hn::Mul(threshold, inter)), hn::Mul(threshold, areas));
      const VF rounded =
          hn::Add(hn::Add(inter, inter), hn::Add(areas, hn::Mul(offset_, hn::Add(width, height))));
      const VF bound = hn::Mul(rounded, error);
      const auto meets = hn::And(hn::Gt(width, least_), hn::Gt(height, least_));
      // A NaN stays in.
      const auto below = hn::Lt(excess, hn::Neg(bound));
      const auto open = hn::AndNot(below, meets);
      if (HWY_LIKELY(hn::AllFalse(d, open))) {
        continue;
      }
      uint32_t bits = BitsOf(d, open);
      if (j + lanes > end) {
        bits &= (uint32_t{1} << (end - j)) - 1;
      }
      const uint32_t above = BitsOf(d, hn::Gt(excess, bound));
      for (; bits != 0; bits &= bits - 1) {
        const auto lane = static_cast<int64_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(bits));
        const bool exceeds = (above >> lane & 1) != 0 || ReferenceExceeds(slot, slot_of(j + lane));
        if (exceeds && emit_(name, name_of(j + lane))) {
          return j - begin;
        }
      }
    }
    return end - begin;
  }

  HWY_INLINE double LeastPartner(const Columns& columns, int64_t index) const {
    const double area = columns.array[kArea][index];
    // An infinite area says nothing. The margin is more than its rounding.
    return std::isfinite(area) ? 0.999 * threshold_ / (1 + threshold_) * area : 0;
  }

  void Flush() {}

 private:
  HWY_INLINE VF Length(VF low, VF high) const { return hn::Add(hn::Sub(high, low), offset_); }

  bool ReferenceExceeds(int32_t a, int32_t b) const {
    return Exceeds(ReferenceIou(BoxAt(slots_, a), BoxAt(slots_, b), BoxesOf(slots_).offset),
                   threshold_);
  }

  const Slots& slots_;
  const float threshold_;
  const Emit& emit_;
  const VF offset_;
  const VF least_;
};

void BlockTileT(const Block& block, int64_t row_begin, int64_t row_end) {
  FindInBlock<PairFinder>(block, row_begin, row_end);
}

void KeptTileT(const KeptSearch& search, int64_t begin, int64_t end) {
  FindSuppressed<PairFinder>(search, begin, end);
}

void PairTileT(const PairSearch& search, int64_t cell_begin, int64_t cell_end) {
  FindPairs<PairFinder>(search, cell_begin, cell_end);
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::nms
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::nms {

HWY_EXPORT(PrepareTileT);
HWY_EXPORT(BlockTileT);
HWY_EXPORT(KeptTileT);
HWY_EXPORT(PairTileT);

namespace {

// What a box covers together with the offset, rounded up.
float HighEnd(float value, int offset) {
  return offset == 0 ? value
                     : std::nextafter(value + static_cast<float>(offset),
                                      std::numeric_limits<float>::infinity());
}

Bounds BoundsOf(const void* boxes, int32_t id) {
  const Boxes& all = *static_cast<const Boxes*>(boxes);
  const float* const box = all.coordinates + id * kBoxFloats;
  for (int i = 0; i < kBoxFloats; ++i) {
    if (!std::isfinite(box[i])) {
      return {0, 0, 0, 0};
    }
  }
  const Bounds bounds{box[0], box[1], HighEnd(box[2], all.offset), HighEnd(box[3], all.offset)};
  return std::isfinite(bounds.x_high) && std::isfinite(bounds.y_high)
             ? bounds
             : Bounds{box[0], box[1], box[2], box[3]};
}

}  // namespace

const Kernels& BoxKernels() {
  static constexpr Kernels kKernels{
      kColumns,
      0,
      BoundsOf,
      [](const Slots& slots, int64_t begin, int64_t end) {
        HWY_DYNAMIC_DISPATCH(PrepareTileT)(slots, begin, end);
      },
      [](const Block& block, int64_t row_begin, int64_t row_end) {
        HWY_DYNAMIC_DISPATCH(BlockTileT)(block, row_begin, row_end);
      },
      [](const KeptSearch& search, int64_t begin, int64_t end) {
        HWY_DYNAMIC_DISPATCH(KeptTileT)(search, begin, end);
      },
      [](const PairSearch& search, int64_t cell_begin, int64_t cell_end) {
        HWY_DYNAMIC_DISPATCH(PairTileT)(search, cell_begin, cell_end);
      }};
  return kKernels;
}

}  // namespace detops::nms
#endif  // HWY_ONCE
