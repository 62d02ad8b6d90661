// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The rows and columns of the bins of RoIs. All float operations are those of reference.cc, in the
// same order, so the bins are the same on every target.

#if defined(DETOPS_OPS_PSROIPOOL_FORWARD_BINS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_PSROIPOOL_FORWARD_BINS_INL_H_
#undef DETOPS_OPS_PSROIPOOL_FORWARD_BINS_INL_H_
#else
#define DETOPS_OPS_PSROIPOOL_FORWARD_BINS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ops/psroipool_forward/op.h"
#include "ops/psroipool_forward/tiles.h"
#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::psroipool_forward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using detops::HWY_NAMESPACE::LanesOf;

// Rounds to the nearest integer and halves away from zero, like std::round.
template <class D>
HWY_INLINE hn::Vec<D> RoundAwayFromZero(D d, hn::Vec<D> value) {
  const auto whole = hn::Trunc(value);
  const auto rounds_away = hn::Ge(hn::Abs(hn::Sub(value, whole)), hn::Set(d, 0.5f));
  const auto away = hn::CopySign(hn::Set(d, 1.0f), value);
  return hn::IfThenElse(rounds_away, hn::Add(whole, away), whole);
}

// A RoI along one axis of the map, in pixels of the map.
struct Extent {
  float start;
  float bin_size;
};

// Computes both extents of a RoI, x first. A start is not finite if a corner overflows.
HWY_INLINE void ComputeExtents(const Args& args, const float* roi, Extent (&extents)[2]) {
  const hn::CappedTag<float, 4> d;
  const auto scale = hn::Set(d, args.scale);
  alignas(16) float starts[4];
  alignas(16) float stops[4];
  for (int64_t i = 0; i < 4; i += LanesOf(d)) {
    const auto corner = hn::LoadU(d, roi + 1 + i);
    if (args.rounding == RoiRounding::kBeforeScaling) {
      const auto rounded = RoundAwayFromZero(d, corner);
      hn::Store(hn::Mul(rounded, scale), d, starts + i);
      hn::Store(hn::Mul(hn::Add(rounded, hn::Set(d, 1.0f)), scale), d, stops + i);
    } else {
      const auto rounded = RoundAwayFromZero(d, hn::Mul(corner, scale));
      hn::Store(rounded, d, starts + i);
      hn::Store(rounded, d, stops + i);
    }
  }
  const float min_size = args.rounding == RoiRounding::kBeforeScaling ? 0.1f : 1.0f;
  for (int axis = 0; axis < 2; ++axis) {
    const float stop = stops[2 + axis];
    const float size = stop - starts[axis];
    extents[axis] = {std::isfinite(stop) ? starts[axis] : stop,
                     (size > min_size ? size : min_size) / static_cast<float>(args.group)};
  }
}

// Returns whether the extent is so small that no bin of it can overflow.
HWY_INLINE bool CannotOverflow(const Args& args, const Extent& extent) {
  constexpr float kLimit = 0x1p100f;
  return std::abs(extent.start) < kLimit &&
         extent.bin_size * static_cast<float>(args.group) < kLimit;
}

// Computes the bins along one axis of the map, which has `size` rows or columns. Writes whole
// vectors: the lists have room for a multiple of BinTable::kUnit.
template <bool kMayOverflow>
HWY_INLINE void FindBinsOfAxis(const Args& args, const Extent& extent, int64_t size,
                               int32_t* begins, int32_t* ends) {
  const hn::CappedTag<float, 8> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto start = hn::Set(d, extent.start);
  const auto bin_size = hn::Set(d, extent.bin_size);
  const bool before_scaling = args.rounding == RoiRounding::kBeforeScaling;
  const auto map_end = hn::Set(di, static_cast<int32_t>(before_scaling ? size : size - 1));
  for (int64_t p = 0; p < args.group; p += LanesOf(d)) {
    // Not Iota(d, p): compilers build that in memory, one number at a time.
    const auto index = hn::Add(hn::Iota(d, 0), hn::Set(d, static_cast<float>(p)));
    const auto next = hn::Add(index, hn::Set(d, 1.0f));
    auto begin = hn::Mul(index, bin_size);
    auto end = hn::Mul(next, bin_size);
    if (before_scaling) {
      begin = hn::Floor(hn::Add(begin, start));
      end = hn::Ceil(hn::Add(end, start));
    } else {
      begin = hn::Add(hn::Floor(begin), start);
      end = hn::Add(hn::Ceil(end), start);
    }
    if constexpr (kMayOverflow) {
      const auto is_finite = hn::And(hn::IsFinite(begin), hn::IsFinite(end));
      begin = hn::IfThenElseZero(is_finite, begin);
      end = hn::IfThenElseZero(is_finite, end);
    }
    // Maps every float into the map, NaN and infinities included: another thread may have changed
    // the RoI after it was checked.
    const auto clamped = [&](hn::Vec<decltype(d)> position) HWY_ATTR {
      return hn::Min(hn::ConvertTo(di, hn::Max(position, hn::Zero(d))), map_end);
    };
    hn::StoreU(clamped(begin), di, begins + p);
    hn::StoreU(clamped(end), di, ends + p);
  }
}

HWY_INLINE void BinsOfAxis(const Args& args, const Extent& extent, int64_t size, int32_t* begins,
                           int32_t* ends) {
  if (HWY_LIKELY(CannotOverflow(args, extent))) {
    FindBinsOfAxis<false>(args, extent, size, begins, ends);
  } else {
    FindBinsOfAxis<true>(args, extent, size, begins, ends);
  }
}

// Returns whether all corners of the RoI are finite.
HWY_INLINE bool HasFiniteCorners(const float* roi) {
  const hn::CappedTag<float, 4> d;
  bool is_finite = true;
  for (int64_t i = 0; i < 4; i += LanesOf(d)) {
    is_finite = is_finite && hn::AllTrue(d, hn::IsFinite(hn::LoadU(d, roi + 1 + i)));
  }
  return is_finite;
}

inline void FindBinsT(const Args& args, int64_t begin, int64_t end, const BinTable& table) {
  for (int64_t i = begin; i < end; ++i) {
    const float* const roi = args.rois + i * kRoiNumbers;
    if (!HasFiniteCorners(roi)) {
      std::fill(table.row_begins(i), table.row_begins(i + 1), 0);
      continue;
    }
    Extent extents[2];
    ComputeExtents(args, roi, extents);
    BinsOfAxis(args, extents[1], args.height, table.row_begins(i), table.row_ends(i));
    BinsOfAxis(args, extents[0], args.width, table.column_begins(i), table.column_ends(i));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::psroipool_forward
HWY_AFTER_NAMESPACE();

#endif  // include guard
