// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Matrices of IoUs, computed in double.

#if defined(DETOPS_OPS_POLY_NMS_IOU_MATRIX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_POLY_NMS_IOU_MATRIX_INL_H_
#undef DETOPS_OPS_POLY_NMS_IOU_MATRIX_INL_H_
#else
#define DETOPS_OPS_POLY_NMS_IOU_MATRIX_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "core/math.h"
#include "ops/poly_nms/exact_iou-inl.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/tiles.h"
#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::poly_nms {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using detops::HWY_NAMESPACE::LanesOf;

// Returns the same quadrilateral in all lanes.
template <class D>
HWY_INLINE Quads<D> Broadcast(D d, const float* polygon) {
  Quads<D> quads;
  for (int64_t corner = 0; corner < 4; ++corner) {
    quads.x[corner] = hn::Set(d, polygon[2 * corner]);
    quads.y[corner] = hn::Set(d, polygon[2 * corner + 1]);
  }
  SetBounds(quads);
  return quads;
}

// Quadrilaterals in memory, one array per coordinate.
struct PackedQuads {
  static constexpr int64_t kCapacity = 128;
  HWY_ALIGN double x[4][kCapacity];
  HWY_ALIGN double y[4][kCapacity];

  // Packs `count` polygons, which are `stride` floats apart. The last one is repeated to fill the
  // last vector.
  HWY_INLINE void Pack(const float* polygons, int64_t stride, int64_t count) {
    const int64_t padded = RoundUp(count, LanesOf(DoubleTag()));
    for (int64_t i = 0; i < padded; ++i) {
      const float* const polygon = polygons + std::min(i, count - 1) * stride;
      for (int64_t corner = 0; corner < 4; ++corner) {
        x[corner][i] = polygon[2 * corner];
        y[corner][i] = polygon[2 * corner + 1];
      }
    }
  }

  HWY_INLINE Quads<DoubleTag> Load(int64_t i) const {
    Quads<DoubleTag> quads;
    for (int corner = 0; corner < 4; ++corner) {
      quads.x[corner] = hn::Load(DoubleTag(), x[corner] + i);
      quads.y[corner] = hn::Load(DoubleTag(), y[corner] + i);
    }
    SetBounds(quads);
    return quads;
  }
};

// Stores the IoUs of at most `valid` lanes.
template <class D>
HWY_INLINE void StoreIous(D d, const Quads<D>& a, const Quads<D>& b, int64_t valid, float* ious) {
  const auto may_overlap = MayOverlap(d, a, b);
  HWY_ALIGN double values[kMaxDoubleLanes] = {};
  if (!hn::AllFalse(d, may_overlap)) {
    hn::Store(IouOf(d, a, b, may_overlap), d, values);
  }
  for (int64_t lane = 0; lane < std::min(valid, LanesOf(d)); ++lane) {
    ious[lane] = static_cast<float>(values[lane]);
  }
}

// Computes the IoUs of polygons with the same index, for the rows [begin, end).
HWY_INLINE void ComputeAlignedIous(const IouArgs& args, int64_t begin, int64_t end) {
  const DoubleTag d;
  PackedQuads rows;
  PackedQuads columns;
  for (int64_t first = begin; first < end; first += PackedQuads::kCapacity) {
    const int64_t packed = std::min(PackedQuads::kCapacity, end - first);
    rows.Pack(args.first + first * args.first_stride, args.first_stride, packed);
    columns.Pack(args.second + first * args.second_stride, args.second_stride, packed);
    for (int64_t j = 0; j < packed; j += LanesOf(d)) {
      StoreIous(d, rows.Load(j), columns.Load(j), packed - j, args.ious + first + j);
    }
  }
}

// Computes a tile of the matrix of all pairs.
HWY_INLINE void ComputeIouMatrix(const IouArgs& args, const IouTile& tile) {
  const DoubleTag d;
  PackedQuads columns;
  for (int64_t first = tile.column_begin; first < tile.column_end;
       first += PackedQuads::kCapacity) {
    const int64_t packed = std::min(PackedQuads::kCapacity, tile.column_end - first);
    columns.Pack(args.second + first * args.second_stride, args.second_stride, packed);
    for (int64_t i = tile.row_begin; i < tile.row_end; ++i) {
      const Quads<DoubleTag> row = Broadcast(d, args.first + i * args.first_stride);
      for (int64_t j = 0; j < packed; j += LanesOf(d)) {
        StoreIous(d, row, columns.Load(j), packed - j, args.ious + i * args.columns + first + j);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::poly_nms
HWY_AFTER_NAMESPACE();

#endif  // include guard
