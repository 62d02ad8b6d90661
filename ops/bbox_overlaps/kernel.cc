// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The tiles: the matrix, aligned pairs, and the searches of search-inl.h. Type, mode and offset are
// template parameters of a tile's body; the only branches are per row.

#include <algorithm>

#include "ops/bbox_overlaps/op.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/bbox_overlaps/kernel.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/bbox_overlaps/overlap-inl.h"
#include "ops/bbox_overlaps/packing-inl.h"
#include "ops/bbox_overlaps/search-inl.h"
#include "ops/bbox_overlaps/write-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::bbox_overlaps {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct MatrixBody {
  const Args& args;
  const Tile& tile;
  bool stream;

  template <class T, OverlapMode kMode, int kOffset>
  HWY_NOINLINE void Run() const {
    const auto* const first = static_cast<const T*>(args.boxes.first);
    const auto* const second = static_cast<const T*>(args.boxes.second);
    const int64_t total = args.boxes.columns;
    // A streamed row ends with a whole cache line, which it takes over from the next tile.
    const int64_t packed_end =
        stream ? std::min(total, tile.column_end + kLineElements<T>) : tile.column_end;
    Columns columns;
    columns.Pack<kOffset>(second + tile.column_begin * 4, packed_end - tile.column_begin);

    for (int64_t i = tile.row_begin; i < tile.row_end; ++i) {
      const Row row = LoadRow<kOffset>(first + i * 4);
      T* const out = static_cast<T*>(args.ious) + i * total + tile.column_begin;
      int64_t begin = 0;
      int64_t end = tile.column_end - tile.column_begin;
      if (stream) {
        begin = tile.column_begin == 0 ? 0 : ElementsToLine(out);
        end = std::min(end + ElementsToLine(out + end), total - tile.column_begin);
      }
      if (row.has_nan) {
        WriteCached(out, begin, end, [](int64_t) HWY_ATTR { return QuietNaN(); });
        continue;
      }
      if (!(row.is_proper && columns.all_proper())) {
        WriteRow<kMode, kOffset, false, false>(columns, row, out, begin, end);
      } else if (row.has_no_sign && columns.has_no_sign()) {
        WriteRow<kMode, kOffset, true, true>(columns, row, out, begin, end);
      } else {
        WriteRow<kMode, kOffset, true, false>(columns, row, out, begin, end);
      }
    }
    if (stream) {
      hwy::FlushStream();
    }
  }

  template <OverlapMode kMode, int kOffset, bool kProper, bool kNoSign, class T>
  HWY_INLINE void WriteRow(const Columns& columns, const Row& row, T* out, int64_t begin,
                           int64_t end) const {
    const auto overlap = [&columns, row](int64_t j) HWY_ATTR {
      return columns.Finish<kProper>(columns.FractionWith<kMode, kOffset, kProper, kNoSign>(row, j),
                                     j);
    };
    if (stream) {
      WriteStreamed(out, begin, end, overlap);
    } else {
      WriteCached(out, begin, end, overlap);
    }
  }
};

// Computes the overlaps of a vector of aligned pairs. Not a lambda, because compilers may not
// inline a lambda as long as this one.
template <class T, OverlapMode kMode, int kOffset>
struct AlignedOverlaps {
  const T* first;
  const T* second;
  int64_t end;

  HWY_INLINE VF operator()(int64_t i) const {
    const bool whole = i + VectorLanes() <= end;
    const BoxVectors a = whole ? LoadBoxes(first + i * 4) : LoadSomeBoxes(first + i * 4, end - i);
    const BoxVectors b = whole ? LoadBoxes(second + i * 4) : LoadSomeBoxes(second + i * 4, end - i);
    const VF value = Divide<false>(
        MakeFraction<kMode, kOffset, false, false>(a, Area<kOffset>(a), b, Area<kOffset>(b)));
    return hn::Add(value, hn::Add(NaNMark(a), NaNMark(b)));
  }
};

struct AlignedBody {
  const Args& args;
  int64_t begin;
  int64_t end;
  bool stream;

  template <class T, OverlapMode kMode, int kOffset>
  HWY_NOINLINE void Run() const {
    const AlignedOverlaps<T, kMode, kOffset> overlaps{
        .first = static_cast<const T*>(args.boxes.first),
        .second = static_cast<const T*>(args.boxes.second),
        .end = end};
    auto* const out = static_cast<T*>(args.ious);
    if (stream) {
      WriteStreamed(out, begin, end, overlaps);
      hwy::FlushStream();
    } else {
      WriteCached(out, begin, end, overlaps);
    }
  }
};

// Calls body.Run<T, mode, offset>() with the type, mode and offset of the boxes. Nothing else
// branches on them.
template <class T, class Body>
HWY_INLINE void RunWithModeAndOffset(const Boxes& boxes, const Body& body) {
  if (boxes.mode == OverlapMode::kIou) {
    boxes.offset == 0 ? body.template Run<T, OverlapMode::kIou, 0>()
                      : body.template Run<T, OverlapMode::kIou, 1>();
  } else {
    boxes.offset == 0 ? body.template Run<T, OverlapMode::kIof, 0>()
                      : body.template Run<T, OverlapMode::kIof, 1>();
  }
}

template <class Body>
HWY_INLINE void RunBody(const Boxes& boxes, const Body& body) {
  boxes.half ? RunWithModeAndOffset<Half>(boxes, body) : RunWithModeAndOffset<float>(boxes, body);
}

void MatrixTileT(const Args& args, const Tile& tile, bool stream) {
  RunBody(args.boxes, MatrixBody{args, tile, stream});
}

void AlignedTileT(const Args& args, int64_t begin, int64_t end, bool stream) {
  RunBody(args.boxes, AlignedBody{args, begin, end, stream});
}

void RowMaximumTileT(const RowMaximumArgs& args, const Tile& tile) {
  RunBody(args.boxes, RowMaximumBody{args, tile});
}

void PairsTileT(const PairsArgs& args, const Tile& tile, std::vector<OverlapPair>& pairs) {
  RunBody(args.boxes, PairsBody{args, tile, pairs});
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::bbox_overlaps
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::bbox_overlaps {

HWY_EXPORT(MatrixTileT);
HWY_EXPORT(AlignedTileT);
HWY_EXPORT(RowMaximumTileT);
HWY_EXPORT(PairsTileT);

void MatrixTile(const Args& args, const Tile& tile, bool stream) {
  HWY_DYNAMIC_DISPATCH(MatrixTileT)(args, tile, stream);
}

void AlignedTile(const Args& args, int64_t begin, int64_t end, bool stream) {
  HWY_DYNAMIC_DISPATCH(AlignedTileT)(args, begin, end, stream);
}

void RowMaximumTile(const RowMaximumArgs& args, const Tile& tile) {
  HWY_DYNAMIC_DISPATCH(RowMaximumTileT)(args, tile);
}

void PairsTile(const PairsArgs& args, const Tile& tile, std::vector<OverlapPair>& pairs) {
  HWY_DYNAMIC_DISPATCH(PairsTileT)(args, tile, pairs);
}

}  // namespace detops::bbox_overlaps
#endif  // HWY_ONCE
