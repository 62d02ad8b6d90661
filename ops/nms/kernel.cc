// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The vector tiles.

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/nms/op.h"
#include "suppression/engine.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/nms/kernel.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/nms/box_pairs-inl.h"
#include "suppression/pair_search-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::nms {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, suppression::kMaxLanes>;
using VF = hn::Vec<DF>;

HWY_INLINE int64_t Lanes() { return static_cast<int64_t>(hn::Lanes(DF())); }

HWY_INLINE const Boxes& BoxesOf(const suppression::Slots& slots) {
  return *static_cast<const Boxes*>(slots.boxes);
}

HWY_INLINE const float* BoxAt(const suppression::Slots& slots, int64_t slot) {
  return BoxesOf(slots).coordinates + slots.ids[slot] * kBoxFloats;
}

// ---- Preparing boxes ----------------------------------------------------------------------------

void PrepareTileT(const suppression::Slots& slots, int64_t begin, int64_t end) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const suppression::Columns& columns = slots.columns;
  for (int64_t slot = begin; slot < end; ++slot) {
    const float* const box = BoxAt(slots, slot);
    const bool finite = std::isfinite(box[0]) && std::isfinite(box[1]) && std::isfinite(box[2]) &&
                        std::isfinite(box[3]);
    // A box that is not finite meets nothing.
    columns.array[kX1][slot] = finite ? box[0] : kInfinity;
    columns.array[kY1][slot] = finite ? box[1] : 0;
    columns.array[kX2][slot] = finite ? box[2] : -kInfinity;
    columns.array[kY2][slot] = finite ? box[3] : 0;
  }
  const DF d;
  const VF offset = hn::Set(d, static_cast<float>(BoxesOf(slots).offset));
  const VF infinity = hn::Set(d, kInfinity);
  for (int64_t slot = begin; slot < end; slot += Lanes()) {
    const VF x1 = hn::LoadU(d, columns.array[kX1] + slot);
    const VF area = AreaOf(d, x1, hn::LoadU(d, columns.array[kY1] + slot),
                           hn::LoadU(d, columns.array[kX2] + slot),
                           hn::LoadU(d, columns.array[kY2] + slot), offset);
    hn::StoreU(hn::IfThenElse(hn::Eq(x1, infinity), infinity, area), d,
               columns.array[kArea] + slot);
  }
}

// ---- Pairs --------------------------------------------------------------------------------------

// For the tiles.
template <class Emit>
class PairFinder {
 public:
  PairFinder(const suppression::Slots& slots, float threshold, const Emit& emit)
      : threshold_(threshold), emit_(emit), pairs_(threshold, BoxesOf(slots).offset) {}

  template <class SlotOf, class NameOf>
  HWY_INLINE int64_t Find(const suppression::Columns& columns, int64_t index, int32_t /*slot*/,
                          int32_t name, const suppression::Columns& others, int64_t begin,
                          int64_t end, const SlotOf& /*slot_of*/, const NameOf& name_of) {
    const DF d;
    const BoxLanes<DF> box = RepeatBox(d, columns, index);
    const int64_t lanes = Lanes();
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
        if (emit_(name, name_of(j + lane))) {
          return j - begin;
        }
      }
    }
    return end - begin;
  }

  HWY_INLINE double LeastPartner(const suppression::Columns& columns, int64_t index) const {
    const double area = columns.array[kArea][index];
    // An area that is not finite says nothing. The margin is more than its rounding.
    return std::isfinite(area) ? 0.999 * threshold_ / (1 + threshold_) * area : 0;
  }

  void Flush() {}

 private:
  const float threshold_;
  const Emit& emit_;
  const BoxPairs<DF> pairs_;
};

// As FindInBlock does, but a vector of pairs is a few bits of one word: in heaps most pairs are
// found, and writing them one by one takes longer than finding them.
void BlockTileT(const suppression::Block& block, int64_t row_begin, int64_t row_end) {
  const DF d;
  const BoxPairs<DF> pairs(block.threshold, BoxesOf(*block.slots).offset);
  const int64_t lanes = Lanes();
  for (int64_t row = row_begin; row < row_end; ++row) {
    const BoxLanes<DF> box = RepeatBox(d, block.columns, row);
    uint64_t* const words = block.rows + row * block.words_per_row;
    for (int64_t j = (row + 1) / lanes * lanes; j < block.count; j += lanes) {
      const BoxLanes<DF> run = LoadBoxes(d, block.columns, j);
      const auto not_these = pairs.SurelyNot(box, run);
      if (HWY_LIKELY(hn::AllTrue(d, not_these))) {
        continue;
      }
      const uint32_t behind_row = ~uint32_t{0} << std::max<int64_t>(row + 1 - j, 0);
      const uint32_t before_end = (uint32_t{1} << std::min(lanes, block.count - j)) - 1;
      const uint64_t exceeds =
          pairs.Decide(box, run, ~BitsOf(d, not_these) & behind_row & before_end);
      words[j / 64] |= exceeds << (j % 64);
    }
  }
}

void KeptTileT(const suppression::KeptSearch& search, int64_t begin, int64_t end) {
  suppression::HWY_NAMESPACE::FindSuppressed<PairFinder>(search, begin, end);
}

void PairTileT(const suppression::PairSearch& search, int64_t cell_begin, int64_t cell_end) {
  suppression::HWY_NAMESPACE::FindPairs<PairFinder>(search, cell_begin, cell_end);
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

// What a box covers along an axis together with the offset, rounded up.
struct Range {
  float low, high;
};

Range RangeOf(float low, float high, int offset) {
  if (offset == 0) {
    return {low, high};
  }
  constexpr float kMax = std::numeric_limits<float>::max();
  const float end = std::nextafter(high + static_cast<float>(offset), kMax);
  // Behind the largest float there is no end: a box that begins there begins a little before.
  return {low < kMax ? low : std::nextafter(kMax, 0.0f), end};
}

suppression::Bounds BoundsOf(const void* boxes, int32_t id) {
  const Boxes& all = *static_cast<const Boxes*>(boxes);
  const float* const box = all.coordinates + id * kBoxFloats;
  for (int i = 0; i < kBoxFloats; ++i) {
    if (!std::isfinite(box[i])) {
      return {0, 0, 0, 0};
    }
  }
  const Range x = RangeOf(box[0], box[2], all.offset);
  const Range y = RangeOf(box[1], box[3], all.offset);
  return {x.low, y.low, x.high, y.high};
}

}  // namespace

const suppression::Kernels& BoxKernels() {
  static constexpr suppression::Kernels kKernels{
      kColumns,
      0,
      0.2,
      BoundsOf,
      [](const suppression::Slots& slots, int64_t begin, int64_t end) {
        HWY_DYNAMIC_DISPATCH(PrepareTileT)(slots, begin, end);
      },
      [](const suppression::Block& block, int64_t row_begin, int64_t row_end) {
        HWY_DYNAMIC_DISPATCH(BlockTileT)(block, row_begin, row_end);
      },
      [](const suppression::KeptSearch& search, int64_t begin, int64_t end) {
        HWY_DYNAMIC_DISPATCH(KeptTileT)(search, begin, end);
      },
      [](const suppression::PairSearch& search, int64_t cell_begin, int64_t cell_end) {
        HWY_DYNAMIC_DISPATCH(PairTileT)(search, cell_begin, cell_end);
      }};
  return kKernels;
}

}  // namespace detops::nms
#endif  // HWY_ONCE
