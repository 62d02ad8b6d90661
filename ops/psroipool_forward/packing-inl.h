// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Packing: copies pixels so that the channels of a bin, which are far apart in the input, become
// adjacent and can be loaded as vectors.

#if defined(DETOPS_OPS_PSROIPOOL_FORWARD_PACKING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_PSROIPOOL_FORWARD_PACKING_INL_H_
#undef DETOPS_OPS_PSROIPOOL_FORWARD_PACKING_INL_H_
#else
#define DETOPS_OPS_PSROIPOOL_FORWARD_PACKING_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "core/math.h"
#include "ops/psroipool_forward/op.h"
#include "ops/psroipool_forward/tiles.h"
#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::psroipool_forward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using detops::HWY_NAMESPACE::LanesOf;

// Returns the packing for bins of `dim` channels: the target's full vectors or, if the bin has
// fewer channels than a full vector has lanes, vectors of 8, 4 or 1 lanes.
HWY_INLINE Packing PackingFor(int64_t dim) {
  int64_t lanes = LanesOf(hn::CappedTag<float, 16>());
  while (lanes > dim) {
    lanes = lanes > 4 ? lanes / 2 : 1;
  }
  return {lanes, CeilDiv(dim, lanes)};
}

inline Packing PackingOfT(int64_t dim) { return PackingFor(dim); }

// Returns the first channel of a vector. The last vector overlaps the one before it unless the
// lanes divide the channels.
HWY_INLINE int64_t FirstChannelOf(const Packing& packing, int64_t dim, int64_t vector) {
  return std::min(vector * packing.lanes, dim - packing.lanes);
}

// Adjacent floats of each channel that are transposed at once.
constexpr int64_t kWindow = 4;

#if HWY_TARGET != HWY_SCALAR
// Transposes a block of LanesOf(d) rows of kWindow floats: column i of the rows becomes columns[i].
template <class D>
HWY_INLINE void Transpose(D d, const float* from, int64_t stride, hn::Vec<D> (&columns)[kWindow]) {
  const hn::Repartition<double, D> pairs;
  const hn::CappedTag<float, 4> d4;
  const auto row = [&](int64_t i) HWY_ATTR {
    if constexpr (hn::MaxLanes(D()) == 8) {
      return hn::Combine(d, hn::LoadU(d4, from + (i + 4) * stride),
                         hn::LoadU(d4, from + i * stride));
    } else {
      return hn::LoadU(d, from + i * stride);
    }
  };
  const auto row0 = row(0);
  const auto row1 = row(1);
  const auto row2 = row(2);
  const auto row3 = row(3);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, row0, row1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, row2, row3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, row0, row1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, row2, row3));
  columns[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
  columns[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
  columns[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
  columns[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
}

// Packs `count` adjacent floats of each channel by transposing: float i of all channels goes to
// `to` + i * `step`. At least `after` readable floats follow the last one, and enough precede the
// first one to fill a window.
template <class D>
HWY_INLINE void TransposeChannels(D d, const Args& args, const Packing& packing, const float* from,
                                  int64_t channel_stride, int64_t count, int64_t after, float* to,
                                  int64_t step) {
  for (int64_t vector = 0; vector < packing.vectors; ++vector) {
    for (int64_t lane = 0; lane < packing.lanes; lane += LanesOf(d)) {
      const float* const rows =
          from + (FirstChannelOf(packing, args.dim, vector) + lane) * channel_stride;
      float* const lanes = to + vector * packing.lanes + lane;
      hn::Vec<D> columns[kWindow];
      if (count < kWindow) {
        // A window that contains the floats, moved back if it would end after the readable ones.
        const int64_t first = std::min<int64_t>(0, count + after - kWindow);
        Transpose(d, rows + first, channel_stride, columns);
        for (int64_t j = 0; j < kWindow; ++j) {
          if (first + j >= 0 && first + j < count) {
            hn::StoreU(columns[j], d, lanes + (first + j) * step);
          }
        }
        continue;
      }
      for (int64_t i = 0; i < count; i += kWindow) {
        const int64_t first = std::min(i, count - kWindow);
        Transpose(d, rows + first, channel_stride, columns);
        for (int64_t j = 0; j < kWindow; ++j) {
          hn::StoreU(columns[j], d, lanes + (first + j) * step);
        }
      }
    }
  }
}
#endif

// Packs one float of each channel, one channel at a time.
HWY_INLINE void CopyChannels(const Args& args, const Packing& packing, const float* from,
                             int64_t channel_stride, float* to) {
  for (int64_t vector = 0; vector < packing.vectors; ++vector) {
    const float* const first = from + FirstChannelOf(packing, args.dim, vector) * channel_stride;
    for (int64_t lane = 0; lane < packing.lanes; ++lane) {
      to[vector * packing.lanes + lane] = first[lane * channel_stride];
    }
  }
}

// Packs `count` adjacent floats of each channel: one pixel of `count` bins, or `count` pixels of
// one bin. Float i goes to `to` + i * `step`. `before` and `after` are the numbers of readable
// floats around them.
HWY_INLINE void PackAdjacent(const Args& args, const Packing& packing, const float* from,
                             int64_t channel_stride, int64_t count, [[maybe_unused]] int64_t before,
                             [[maybe_unused]] int64_t after, float* to, int64_t step) {
#if HWY_TARGET != HWY_SCALAR
  if (count > 1 && before + count + after >= kWindow && packing.lanes > 1) {
    const hn::CappedTag<float, 8> d8;
    const hn::CappedTag<float, 4> d4;
    if (packing.lanes >= LanesOf(d8)) {
      TransposeChannels(d8, args, packing, from, channel_stride, count, after, to, step);
    } else {
      TransposeChannels(d4, args, packing, from, channel_stride, count, after, to, step);
    }
    return;
  }
#endif
  for (int64_t i = 0; i < count; ++i) {
    CopyChannels(args, packing, from + i, channel_stride, to + i * step);
  }
}

// See PackPixels in tiles.h.
HWY_INLINE void Pack(const Args& args, const Packing& packing, const BinRow& bins, int64_t y,
                     int64_t x_begin, int64_t x_end, float* to, int64_t bin_floats) {
  const int64_t first_bin = args.ChannelOf(bins.row, bins.column_begin, 0);
  if (args.channels_first) {
    for (int64_t bin = 0; bin < bins.columns(); ++bin) {
      const float* const from =
          args.input + args.InputOffset(bins.image, y, x_begin, first_bin + bin);
      PackAdjacent(args, packing, from, args.bins() * args.pixels(), x_end - x_begin, x_begin,
                   args.width - x_end, to + bin * bin_floats, packing.floats());
    }
    return;
  }
  for (int64_t x = x_begin; x < x_end; ++x) {
    PackAdjacent(args, packing, args.input + args.InputOffset(bins.image, y, x, first_bin),
                 args.bins(), bins.columns(), first_bin, args.bins() - first_bin - bins.columns(),
                 to + (x - x_begin) * packing.floats(), bin_floats);
  }
}

inline void PackPixelsT(const Args& args, const BinRow& bins, int64_t y, int64_t x_begin,
                        int64_t x_end, float* to, int64_t bin_floats) {
  Pack(args, PackingFor(args.dim), bins, y, x_begin, x_end, to, bin_floats);
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::psroipool_forward
HWY_AFTER_NAMESPACE();

#endif  // include guard
