// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The vector tiles of tiles.h: pooling from a ring of packed rows and from the input. The bins,
// packing and means are in the -inl.h files of this folder.

#include <algorithm>
#include <cstdint>

#include "core/math.h"
#include "ops/psroipool_forward/op.h"
#include "ops/psroipool_forward/tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/psroipool_forward/kernel.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

// After foreach_target.h, which includes this file once per target.
#include "ops/psroipool_forward/bins-inl.h"
#include "ops/psroipool_forward/means-inl.h"
#include "ops/psroipool_forward/packing-inl.h"
#include "ops/psroipool_forward/small_bins-inl.h"
#include "simd/lanes-inl.h"
#include "simd/stream-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::psroipool_forward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using detops::HWY_NAMESPACE::LanesOf;
using detops::HWY_NAMESPACE::StreamCopy;

// The means of a row of bins of one RoI. They are computed in place unless they must be transposed
// or streamed.
class RowOfMeans {
 public:
  RowOfMeans(const Args& args, const BinRow& bins, const PoolBuffers& buffers, int64_t roi)
      : args_(args),
        bins_(bins),
        buffers_(buffers),
        to_(args.output + args.OutputOffset(roi, bins.row, bins.column_begin, 0)) {}

  // Returns where the means are computed, one bin after the other.
  float* begin() const { return IsInPlace() ? to_ : buffers_.means; }

  // Writes the computed means to the output.
  HWY_INLINE void Write() const {
    const int64_t columns = bins_.columns();
    if (args_.channels_first) {
      for (int64_t d = 0; d < args_.dim; ++d) {
        for (int64_t i = 0; i < columns; ++i) {
          to_[d * args_.bins() + i] = buffers_.means[i * args_.dim + d];
        }
      }
    } else if (buffers_.stream) {
      StreamCopy(buffers_.means, columns * args_.dim, to_);
    }
  }

 private:
  bool IsInPlace() const { return !args_.channels_first && !buffers_.stream; }

  const Args& args_;
  const BinRow& bins_;
  const PoolBuffers& buffers_;
  float* const to_;
};

// Largest number of vectors of sums that stay in registers together.
constexpr int kMaxVectors = 12;

// Calls body.operator()<vectors>(d) for a run-time number of vectors from 1 to kVectors. The bodies
// are not inlined: with all of them in one function, compilers took minutes.
template <int kVectors, class D, class Body>
HWY_INLINE void WithVectorCount(D d, int64_t vectors, const Body& body) {
  if constexpr (kVectors == 1) {
    body.template operator()<1>(d);
  } else if (vectors == kVectors) {
    body.template operator()<kVectors>(d);
  } else {
    WithVectorCount<kVectors - 1>(d, vectors, body);
  }
}

// Calls body.operator()<vectors>(d) with the packing's tag and the number of vectors per step.
template <class Body>
HWY_INLINE void WithVectors(const Packing& packing, const Body& body) {
  // Steps of about equal size.
  const int64_t steps = CeilDiv(packing.vectors, kMaxVectors);
  const int64_t vectors = CeilDiv(packing.vectors, steps);
  const hn::CappedTag<float, 16> widest;
  if (packing.lanes == LanesOf(widest)) {
    WithVectorCount<kMaxVectors>(widest, vectors, body);
    return;
  }
#if HWY_TARGET != HWY_SCALAR
  // Narrower vectors are used only for bins with fewer channels than the next wider ones have
  // lanes, so there are at most two (three of one lane).
  // NOLINTNEXTLINE(bugprone-branch-clone): two tags are the same only where vectors are short
  if (packing.lanes == 8) {
    WithVectorCount<2>(hn::CappedTag<float, 8>(), vectors, body);
  } else if (packing.lanes == 4) {
    WithVectorCount<2>(hn::CappedTag<float, 4>(), vectors, body);
  } else {
    WithVectorCount<3>(hn::CappedTag<float, 1>(), vectors, body);
  }
#endif
}

// ---- Pooling from a ring ------------------------------------------------------------------------

// The layout of a ring. The loops use a local copy: vector stores may alias everything that is
// reachable from outside, and a compiler would reload all of it after each store.
struct RingLayout {
  int64_t dim;
  int64_t rows;
  int64_t pixel_floats;
  int64_t bin_floats;
  int64_t row_floats;
  int64_t last_vector;  // offset of a pixel's last vector, in floats
};

// The bins [begin, end) of one RoI in one vector of the bin table.
struct RingBins {
  const int32_t* column_begins;
  const int32_t* column_ends;
  int64_t begin;
  int64_t end;
  const float* ring;  // of the first bin
  int64_t slot;       // row of the ring with the bins' first row
  int32_t rows;
};

struct RingBody {
  const Args& args;
  const Packing& packing;
  const BinTable& table;
  const BinRow& bins;
  const Ring& ring;
  const int32_t* rois;
  int64_t count;
  const PoolBuffers& buffers;

  // Pools bins of which all are small. Returns false, without having written anything, if one is
  // empty or larger.
  template <int kVectors, class D>
  HWY_INLINE bool PoolSmallBins(D d, const RingLayout& layout, const RingBins& some,
                                float* to) const {
    SmallBinColumns columns;
    if (some.rows <= 0 || some.rows > kMaxSmallBinSide || layout.bin_floats > INT32_MAX ||
        !FindSmallBinColumns(some.column_begins, some.column_ends, some.begin, some.end, some.rows,
                             layout.pixel_floats, columns)) {
      return false;
    }
    const int64_t next_row =
        some.slot + 1 == layout.rows ? -some.slot * layout.row_floats : layout.row_floats;
    const SmallBinRows<D> rows{(some.rows - 1) * next_row,
                               hn::BitCast(d, hn::Set(hn::RebindToSigned<D>(), 1 - some.rows))};
    const float* row = some.ring + some.slot * layout.row_floats;
    for (int64_t bin = some.begin; bin < some.end; ++bin) {
      MeanOfSmallBin<kVectors>(d, row, layout.last_vector, rows, columns, bin, layout.dim, to);
      row += layout.bin_floats;
      to += layout.dim;
    }
    return true;
  }

  template <int kVectors, class D>
  HWY_INLINE void PoolBins(D d, const RingLayout& layout, const RingBins& some, float* to) const {
    if constexpr (kVectors <= kMaxSmallBinVectors) {
      if (PoolSmallBins<kVectors>(d, layout, some, to)) {
        return;
      }
    }
    const float* bin_ring = some.ring;
    for (int64_t bin = some.begin; bin < some.end; ++bin) {
      const int32_t x = some.column_begins[bin];
      MeanOrZero<kVectors>(d, packing,
                           {.ring = bin_ring + x * layout.pixel_floats,
                            .ring_rows = layout.rows,
                            .row_floats = layout.row_floats,
                            .pixel_floats = layout.pixel_floats,
                            .channel_stride = 1,
                            .last_vector = layout.last_vector,
                            .slot = some.slot,
                            .rows = some.rows,
                            .columns = some.column_ends[bin] - x},
                           layout.dim, buffers.sums, to);
      bin_ring += layout.bin_floats;
      to += layout.dim;
    }
  }

  template <int kVectors, class D>
  HWY_NOINLINE void operator()(D d) const {
    const int64_t pixel_floats = packing.floats();
    const int64_t bin_floats = args.width * pixel_floats;
    const RingLayout layout{.dim = args.dim,
                            .rows = ring.rows,
                            .pixel_floats = pixel_floats,
                            .bin_floats = bin_floats,
                            .row_floats = bins.columns() * bin_floats,
                            .last_vector = pixel_floats - packing.lanes};
    // Local copies, for the same reason as RingLayout.
    const BinTable all = table;
    const BinRow row = bins;
    const float* const data = ring.data;
    const int32_t* const list = rois;
    const int64_t list_count = count;
    for (int64_t i = 0; i < list_count; ++i) {
      const int64_t roi = list[i];
      const RowOfMeans means(args, row, buffers, roi);
      const int32_t y = all.row_begins(roi)[row.row];
      const int32_t rows = all.row_ends(roi)[row.row] - y;
      const int64_t slot = y % static_cast<int32_t>(layout.rows);
      // One vector of the table after the other; the first and the last may be used in part.
      for (int64_t begin = row.column_begin; begin < row.column_end;) {
        const int64_t vector = begin / BinTable::kUnit * BinTable::kUnit;
        const int64_t end = std::min(row.column_end, vector + BinTable::kUnit);
        const int64_t done = begin - row.column_begin;
        PoolBins<kVectors>(d, layout,
                           {.column_begins = all.column_begins(roi) + vector,
                            .column_ends = all.column_ends(roi) + vector,
                            .begin = begin - vector,
                            .end = end - vector,
                            .ring = data + done * bin_floats,
                            .slot = slot,
                            .rows = rows},
                           means.begin() + done * layout.dim);
        begin = end;
      }
      means.Write();
    }
  }
};

void PoolFromRingT(const Args& args, const BinTable& table, const BinRow& bins, const Ring& ring,
                   const int32_t* rois, int64_t count, const PoolBuffers& buffers) {
  const Packing packing = PackingFor(args.dim);
  WithVectors(packing, RingBody{.args = args,
                                .packing = packing,
                                .table = table,
                                .bins = bins,
                                .ring = ring,
                                .rois = rois,
                                .count = count,
                                .buffers = buffers});
  if (buffers.stream) {
    hwy::FlushStream();
  }
}

// ---- Pooling from the input ---------------------------------------------------------------------

struct InputBody {
  const Args& args;
  const Packing& packing;
  const BinTable& table;
  const BinRow& bins;
  const int32_t* rois;
  int64_t count;
  float* copies;
  const PoolBuffers& buffers;

  // Describes pixels of a bin where they are in the input. Only if IsInPlace(args, packing).
  HWY_INLINE BinPixels InPlace(int64_t column, int64_t y, int64_t rows, int64_t x,
                               int64_t columns) const {
    const int64_t pixel = args.channels_first ? 1 : args.channels();
    const int64_t channel = args.channels_first ? args.bins() * args.pixels() : args.bins();
    return {.ring = args.input +
                    args.InputOffset(bins.image, y, x, args.ChannelOf(bins.row, column, 0)),
            .ring_rows = rows,
            .row_floats = args.width * pixel,
            .pixel_floats = pixel,
            .channel_stride = channel,
            .last_vector = args.dim - packing.lanes,
            .slot = 0,
            .rows = rows,
            .columns = columns};
  }

  // Copies pixels of a bin to `copies`. Not inlined: the code is the same for every number of
  // vectors.
  HWY_NOINLINE BinPixels Copied(int64_t column, int64_t y, int64_t rows, int64_t x,
                                int64_t columns) const {
    const int64_t row_floats = columns * packing.floats();
    const BinRow one{bins.image, bins.row, column, column + 1};
    for (int64_t i = 0; i < rows; ++i) {
      Pack(args, packing, one, y + i, x, x + columns, copies + i * row_floats, 0);
    }
    return {.ring = copies,
            .ring_rows = rows,
            .row_floats = row_floats,
            .pixel_floats = packing.floats(),
            .channel_stride = 1,
            .last_vector = packing.floats() - packing.lanes,
            .slot = 0,
            .rows = rows,
            .columns = columns};
  }

  // Computes the means of a bin of more than kMaxFloatPixels pixels, as many rows at a time as
  // `copies` has room for.
  template <class D>
  HWY_NOINLINE void MeanOfLargeBin(D d, int64_t column, int64_t y, int64_t rows, int64_t x,
                                   int64_t columns, float* means) const {
    const int64_t step = std::max<int64_t>(1, CopiedPixels(args) / columns);
    std::fill_n(buffers.sums, packing.floats(), 0.0);
    for (int64_t i = 0; i < rows; i += step) {
      AddInDouble(d, packing, Copied(column, y + i, std::min(step, rows - i), x, columns),
                  buffers.sums);
    }
    MeanOfSums(packing, buffers.sums, rows * columns, args.dim, means);
  }

  template <int kVectors, class D>
  HWY_NOINLINE void operator()(D d) const {
    const bool in_place = IsInPlace(args, packing);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t roi = rois[i];
      const RowOfMeans means(args, bins, buffers, roi);
      const int64_t y = table.row_begins(roi)[bins.row];
      const int64_t rows = table.row_ends(roi)[bins.row] - y;
      for (int64_t column = bins.column_begin; column < bins.column_end; ++column) {
        const int64_t x = table.column_begins(roi)[column];
        const int64_t columns = table.column_ends(roi)[column] - x;
        float* const to = means.begin() + (column - bins.column_begin) * args.dim;
        if (in_place || rows <= 0 || columns <= 0) {
          MeanOrZero<kVectors>(d, packing, InPlace(column, y, rows, x, columns), args.dim,
                               buffers.sums, to);
        } else if (rows * columns <= kMaxFloatPixels) {
          MeanOfBin<kVectors>(d, packing, Copied(column, y, rows, x, columns), args.dim, to);
        } else {
          MeanOfLargeBin(d, column, y, rows, x, columns, to);
        }
      }
      means.Write();
    }
  }
};

void PoolFromInputT(const Args& args, const BinTable& table, const BinRow& bins,
                    const int32_t* rois, int64_t count, float* copies, const PoolBuffers& buffers) {
  const Packing packing = PackingFor(args.dim);
  WithVectors(packing, InputBody{.args = args,
                                 .packing = packing,
                                 .table = table,
                                 .bins = bins,
                                 .rois = rois,
                                 .count = count,
                                 .copies = copies,
                                 .buffers = buffers});
  if (buffers.stream) {
    hwy::FlushStream();
  }
}

void WriteChannelsT(const Args& args, const int32_t* channels_of_roi, const int32_t* rois,
                    int64_t count, bool stream) {
  const int64_t channels = args.channels();
  for (int64_t i = 0; i < count; ++i) {
    int32_t* const to = args.mapping_channel + rois[i] * channels;
    if (stream) {
      StreamCopy(channels_of_roi, channels, to);
    } else {
      std::copy_n(channels_of_roi, channels, to);
    }
  }
  if (stream) {
    hwy::FlushStream();
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::psroipool_forward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::psroipool_forward {

HWY_EXPORT(FindBinsT);
HWY_EXPORT(PackingOfT);
HWY_EXPORT(PackPixelsT);
HWY_EXPORT(PoolFromRingT);
HWY_EXPORT(PoolFromInputT);
HWY_EXPORT(WriteChannelsT);

void FindBins(const Args& args, int64_t begin, int64_t end, const BinTable& table) {
  HWY_DYNAMIC_DISPATCH(FindBinsT)(args, begin, end, table);
}

Packing PackingOf(int64_t dim) { return HWY_DYNAMIC_DISPATCH(PackingOfT)(dim); }

void PackPixels(const Args& args, const BinRow& bins, int64_t y, int64_t x_begin, int64_t x_end,
                float* to, int64_t bin_floats) {
  HWY_DYNAMIC_DISPATCH(PackPixelsT)(args, bins, y, x_begin, x_end, to, bin_floats);
}

void PoolFromRing(const Args& args, const BinTable& table, const BinRow& bins, const Ring& ring,
                  const int32_t* rois, int64_t count, const PoolBuffers& buffers) {
  HWY_DYNAMIC_DISPATCH(PoolFromRingT)(args, table, bins, ring, rois, count, buffers);
}

void PoolFromInput(const Args& args, const BinTable& table, const BinRow& bins, const int32_t* rois,
                   int64_t count, float* copies, const PoolBuffers& buffers) {
  HWY_DYNAMIC_DISPATCH(PoolFromInputT)(args, table, bins, rois, count, copies, buffers);
}

void WriteChannels(const Args& args, const int32_t* channels_of_roi, const int32_t* rois,
                   int64_t count, bool stream) {
  HWY_DYNAMIC_DISPATCH(WriteChannelsT)(args, channels_of_roi, rois, count, stream);
}

}  // namespace detops::psroipool_forward
#endif  // HWY_ONCE
