// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The searches that do not build the matrix: the best match of each row, and the pairs above a
// threshold.

#if defined(DETOPS_OPS_BBOX_OVERLAPS_SEARCH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_BBOX_OVERLAPS_SEARCH_INL_H_
#undef DETOPS_OPS_BBOX_OVERLAPS_SEARCH_INL_H_
#else
#define DETOPS_OPS_BBOX_OVERLAPS_SEARCH_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "ops/bbox_overlaps/op.h"
#include "ops/bbox_overlaps/overlap-inl.h"
#include "ops/bbox_overlaps/packing-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::bbox_overlaps {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls searcher.Search<mode, offset, proper>(columns, row, i) for each row of the tile whose box
// has no NaN.
template <class T, OverlapMode kMode, int kOffset, class Searcher>
HWY_INLINE void SearchRows(const Boxes& boxes, const Tile& tile, const Searcher& searcher) {
  const auto* const first = static_cast<const T*>(boxes.first);
  const auto* const second = static_cast<const T*>(boxes.second);
  Columns columns;
  columns.Pack<kOffset>(second + tile.column_begin * 4, tile.column_end - tile.column_begin);
  for (int64_t i = tile.row_begin; i < tile.row_end; ++i) {
    const Row row = LoadRow<kOffset>(first + i * 4);
    if (row.is_proper && columns.all_proper()) {
      searcher.template Search<kMode, kOffset, true>(columns, row, i);
    } else if (!row.has_nan) {
      searcher.template Search<kMode, kOffset, false>(columns, row, i);
    }
  }
}

struct RowMaximumBody {
  const RowMaximumArgs& args;
  const Tile& tile;

  template <class T, OverlapMode kMode, int kOffset>
  HWY_NOINLINE void Run() const {
    SearchRows<T, kMode, kOffset>(args.boxes, tile, *this);
  }

  template <OverlapMode kMode, int kOffset, bool kProper>
  HWY_INLINE void Search(const Columns& columns, const Row& row, int64_t i) const {
    const DF d;
    const DI di;
    const int64_t count = tile.column_end - tile.column_begin;
    const int64_t lanes = VectorLanes();
    const VF none = hn::Set(d, -1.0f);  // below every overlap
    VF best = none;
    auto best_column = hn::Zero(di);
    auto column = hn::Iota(di, 0);
    const auto step = hn::Set(di, static_cast<int32_t>(lanes));
    for (int64_t j = 0; j < count; j += lanes) {
      VF overlap =
          columns.Finish<kProper>(columns.FractionWith<kMode, kOffset, kProper>(row, j), j);
      if (j + lanes > count) {
        overlap = hn::IfThenElse(hn::FirstN(d, static_cast<size_t>(count - j)), overlap, none);
      }
      const auto better = hn::Gt(overlap, best);
      best = hn::IfThenElse(better, overlap, best);
      best_column = hn::IfThenElse(hn::RebindMask(di, better), column, best_column);
      column = hn::Add(column, step);
    }
    Update(i, best, best_column);
  }

  // Updates row i. Each lane holds the first maximum among its columns. Of equal maxima, the lowest
  // column wins; tiles are visited from left to right, so an earlier tile wins over this one.
  template <class VI>
  HWY_INLINE void Update(int64_t i, VF best, VI best_column) const {
    const DF d;
    const DI di;
    const VF largest = hn::MaxOfLanes(d, best);
    const auto is_largest = hn::RebindMask(di, hn::Eq(best, largest));
    const auto none = hn::Set(di, std::numeric_limits<int32_t>::max());
    const auto lowest = hn::MinOfLanes(di, hn::IfThenElse(is_largest, best_column, none));
    const float value = hn::GetLane(largest);
    const bool found = value >= 0.0f;
    if (found && (args.columns[i] == -1 || value > args.values[i])) {
      args.values[i] = value;
      args.columns[i] = static_cast<int32_t>(tile.column_begin) + hn::GetLane(lowest);
    }
  }
};

struct PairsBody {
  const PairsArgs& args;
  const Tile& tile;
  std::vector<OverlapPair>& pairs;

  template <class T, OverlapMode kMode, int kOffset>
  HWY_NOINLINE void Run() const {
    SearchRows<T, kMode, kOffset>(args.boxes, tile, *this);
  }

  template <OverlapMode kMode, int kOffset, bool kProper>
  HWY_INLINE void Search(const Columns& columns, const Row& row, int64_t i) const {
    const int64_t count = tile.column_end - tile.column_begin;
    const int64_t lanes = VectorLanes();
    const VF threshold = hn::Set(DF(), args.threshold);
    // An overlap of 0 exceeds a negative threshold, so no vector can be skipped.
    const bool is_negative = args.threshold < 0.0f;
    for (int64_t j = 0; j < count; j += lanes) {
      const Fraction fraction = columns.FractionWith<kMode, kOffset, kProper>(row, j);
      if (is_negative || MayExceed(fraction, threshold)) {
        Append(i, j, std::min(lanes, count - j), columns.Finish<kProper>(fraction, j));
      }
    }
  }

  // Appends the pairs of row i and the first `valid` columns from j on that exceed the threshold.
  // Not inlined: growing the list would take registers from the loop over the columns.
  HWY_NOINLINE void Append(int64_t i, int64_t j, int64_t valid, VF overlap) const {
    HWY_ALIGN float values[kMaxLanes];
    hn::Store(overlap, DF(), values);
    for (int64_t lane = 0; lane < valid; ++lane) {
      if (values[lane] > args.threshold) {
        pairs.push_back({.row = static_cast<int32_t>(i),
                         .column = static_cast<int32_t>(tile.column_begin + j + lane),
                         .overlap = values[lane]});
      }
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace detops::bbox_overlaps
HWY_AFTER_NAMESPACE();

#endif  // include guard
