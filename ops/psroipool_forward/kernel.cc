// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The vector tiles: bins of a roi a vector at a time; channels of a bin, which lie far apart,
// turned so that they lie side by side; and sums of them.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/aligned_buffer.h"
#include "ops/psroipool_forward/op.h"
#include "ops/psroipool_forward/tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/psroipool_forward/kernel.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace detops::psroipool_forward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE int64_t LanesOf(D d) {
  return static_cast<int64_t>(hn::Lanes(d));
}

// ---- Bins ---------------------------------------------------------------------------------------

// To whole numbers, halves away from zero, as std::round.
template <class D>
HWY_INLINE hn::Vec<D> RoundedAway(D d, hn::Vec<D> value) {
  const auto whole = hn::Trunc(value);
  const auto is_half = hn::Ge(hn::Abs(hn::Sub(value, whole)), hn::Set(d, 0.5f));
  const auto away = hn::CopySign(hn::Set(d, 1.0f), value);
  return hn::IfThenElse(is_half, hn::Add(whole, away), whole);
}

// Along one axis of the map.
struct Extent {
  float start;
  float bin;
};

// Both axes, x first. Where a corner overflows, the start is not finite.
HWY_INLINE void ExtentsOf(const Args& args, const float* roi, Extent (&extents)[2]) {
  const hn::CappedTag<float, 4> d;
  const auto scale = hn::Set(d, args.scale);
  alignas(16) float starts[4];
  alignas(16) float stops[4];
  for (int64_t i = 0; i < 4; i += LanesOf(d)) {
    const auto corner = hn::LoadU(d, roi + 1 + i);
    if (args.rounding == RoiRounding::kBeforeScaling) {
      const auto rounded = RoundedAway(d, corner);
      hn::Store(hn::Mul(rounded, scale), d, starts + i);
      hn::Store(hn::Mul(hn::Add(rounded, hn::Set(d, 1.0f)), scale), d, stops + i);
    } else {
      const auto rounded = RoundedAway(d, hn::Mul(corner, scale));
      hn::Store(rounded, d, starts + i);
      hn::Store(rounded, d, stops + i);
    }
  }
  const float least = args.rounding == RoiRounding::kBeforeScaling ? 0.1f : 1.0f;
  for (int axis = 0; axis < 2; ++axis) {
    const float stop = stops[2 + axis];
    const float size = stop - starts[axis];
    extents[axis] = {std::isfinite(stop) ? starts[axis] : stop,
                     (size > least ? size : least) / static_cast<float>(args.group)};
  }
}

// Whether no bin of the roi overflows.
HWY_INLINE bool IsModest(const Args& args, const Extent& extent) {
  constexpr float kModest = 0x1p100f;
  return std::abs(extent.start) < kModest && extent.bin * static_cast<float>(args.group) < kModest;
}

template <bool kMayOverflow>
HWY_INLINE void FindBinsOf(const Args& args, const Extent& extent, int64_t size, int32_t* begins,
                           int32_t* ends) {
  const hn::CappedTag<float, 8> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto start = hn::Set(d, extent.start);
  const auto bin = hn::Set(d, extent.bin);
  const bool before_scaling = args.rounding == RoiRounding::kBeforeScaling;
  const auto map_end = hn::Set(di, static_cast<int32_t>(before_scaling ? size : size - 1));
  for (int64_t p = 0; p < args.group; p += LanesOf(d)) {
    // Not by an iota that begins there: compilers make it in memory, number by number.
    const auto number = hn::Add(hn::Iota(d, 0), hn::Set(d, static_cast<float>(p)));
    const auto next = hn::Add(number, hn::Set(d, 1.0f));
    auto begin = hn::Mul(number, bin);
    auto end = hn::Mul(next, bin);
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
    const auto clamped = [&](hn::Vec<decltype(d)> position) HWY_ATTR {
      return hn::Min(hn::ConvertTo(di, hn::Max(position, hn::Zero(d))), map_end);
    };
    hn::StoreU(clamped(begin), di, begins + p);
    hn::StoreU(clamped(end), di, ends + p);
  }
}

// The bins of one axis.
HWY_INLINE void BinsOf(const Args& args, const Extent& extent, int64_t size, int32_t* begins,
                       int32_t* ends) {
  if (HWY_LIKELY(IsModest(args, extent))) {
    FindBinsOf<false>(args, extent, size, begins, ends);
  } else {
    FindBinsOf<true>(args, extent, size, begins, ends);
  }
}

HWY_INLINE bool IsFinite(const float* roi) {
  const hn::CappedTag<float, 4> d;
  bool is_finite = true;
  for (int64_t i = 0; i < 4; i += LanesOf(d)) {
    is_finite = is_finite && hn::AllTrue(d, hn::IsFinite(hn::LoadU(d, roi + 1 + i)));
  }
  return is_finite;
}

void FindBinsT(const Args& args, int64_t begin, int64_t end, const BinTable& table) {
  for (int64_t roi = begin; roi < end; ++roi) {
    const float* const numbers = args.rois + roi * kRoiNumbers;
    if (!IsFinite(numbers)) {
      std::fill(table.row_begins(roi), table.row_begins(roi + 1), 0);
      continue;
    }
    Extent extents[2];
    ExtentsOf(args, numbers, extents);
    BinsOf(args, extents[1], args.height, table.row_begins(roi), table.row_ends(roi));
    BinsOf(args, extents[0], args.width, table.column_begins(roi), table.column_ends(roi));
  }
}

// ---- Packed pixels ------------------------------------------------------------------------------

// Vectors have all lanes that there are, or, for bins of fewer channels, 8, 4 or 1.
HWY_INLINE Packing PackingFor(int64_t dim) {
  int64_t lanes = LanesOf(hn::CappedTag<float, 16>());
  while (lanes > dim) {
    lanes = lanes > 4 ? lanes / 2 : 1;
  }
  return {lanes, (dim + lanes - 1) / lanes};
}

Packing PackingOfT(int64_t dim) { return PackingFor(dim); }

// The first channel of a vector.
HWY_INLINE int64_t ChannelOf(const Packing& packing, int64_t dim, int64_t vector) {
  return std::min(vector * packing.lanes, dim - packing.lanes);
}

constexpr int64_t kWindow = 4;

#if HWY_TARGET != HWY_SCALAR
// Four numbers from each of as many rows as the vector has lanes become four vectors: columns of
// what lay in rows.
template <class D>
HWY_INLINE void Turn(D d, const float* from, int64_t stride, hn::Vec<D> (&columns)[kWindow]) {
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

// Turns `count` numbers, next to each other, of each channel: those of `count` bins of one pixel,
// or of one bin of `count` pixels. Number i goes to `to` + i * `step`. Of numbers that may be read,
// `behind` lie behind the last, and enough before the first.
template <class D>
HWY_INLINE void TurnChannels(D d, const Args& args, const Packing& packing, const float* from,
                             int64_t channel_stride, int64_t count, int64_t behind, float* to,
                             int64_t step) {
  for (int64_t vector = 0; vector < packing.vectors; ++vector) {
    for (int64_t lane = 0; lane < packing.lanes; lane += LanesOf(d)) {
      const float* const rows =
          from + (ChannelOf(packing, args.dim, vector) + lane) * channel_stride;
      float* const lanes = to + vector * packing.lanes + lane;
      hn::Vec<D> columns[kWindow];
      if (count < kWindow) {
        const int64_t first = std::min<int64_t>(0, count + behind - kWindow);
        Turn(d, rows + first, channel_stride, columns);
        for (int64_t j = 0; j < kWindow; ++j) {
          if (first + j >= 0 && first + j < count) {
            hn::StoreU(columns[j], d, lanes + (first + j) * step);
          }
        }
        continue;
      }
      for (int64_t i = 0; i < count; i += kWindow) {
        const int64_t first = std::min(i, count - kWindow);
        Turn(d, rows + first, channel_stride, columns);
        for (int64_t j = 0; j < kWindow; ++j) {
          hn::StoreU(columns[j], d, lanes + (first + j) * step);
        }
      }
    }
  }
}
#endif

// One channel after the other.
HWY_INLINE void CopyChannels(const Args& args, const Packing& packing, const float* from,
                             int64_t channel_stride, float* to) {
  for (int64_t vector = 0; vector < packing.vectors; ++vector) {
    const float* const first = from + ChannelOf(packing, args.dim, vector) * channel_stride;
    for (int64_t lane = 0; lane < packing.lanes; ++lane) {
      to[vector * packing.lanes + lane] = first[lane * channel_stride];
    }
  }
}

// Numbers of each channel that lie next to each other.
HWY_INLINE void PackNeighbours(const Args& args, const Packing& packing, const float* from,
                               int64_t channel_stride, int64_t count,
                               [[maybe_unused]] int64_t before, [[maybe_unused]] int64_t behind,
                               float* to, int64_t step) {
#if HWY_TARGET != HWY_SCALAR
  if (count > 1 && before + count + behind >= kWindow && packing.lanes > 1) {
    const hn::CappedTag<float, 8> d8;
    const hn::CappedTag<float, 4> d4;
    if (packing.lanes >= LanesOf(d8)) {
      TurnChannels(d8, args, packing, from, channel_stride, count, behind, to, step);
    } else {
      TurnChannels(d4, args, packing, from, channel_stride, count, behind, to, step);
    }
    return;
  }
#endif
  for (int64_t i = 0; i < count; ++i) {
    CopyChannels(args, packing, from + i, channel_stride, to + i * step);
  }
}

HWY_INLINE void Pack(const Args& args, const Packing& packing, const BinRow& bins, int64_t y,
                     int64_t x_begin, int64_t x_end, float* to, int64_t bin_floats) {
  const int64_t first_bin = args.ChannelOf(bins.row, bins.column_begin, 0);
  if (args.channels_first) {
    for (int64_t bin = 0; bin < bins.columns(); ++bin) {
      const float* const from =
          args.input + args.InputOffset(bins.image, y, x_begin, first_bin + bin);
      PackNeighbours(args, packing, from, args.bins() * args.pixels(), x_end - x_begin, x_begin,
                     args.width - x_end, to + bin * bin_floats, packing.floats());
    }
    return;
  }
  for (int64_t x = x_begin; x < x_end; ++x) {
    PackNeighbours(args, packing, args.input + args.InputOffset(bins.image, y, x, first_bin),
                   args.bins(), bins.columns(), first_bin, args.bins() - first_bin - bins.columns(),
                   to + (x - x_begin) * packing.floats(), bin_floats);
  }
}

void PackPixelsT(const Args& args, const BinRow& bins, int64_t y, int64_t x_begin, int64_t x_end,
                 float* to, int64_t bin_floats) {
  Pack(args, PackingFor(args.dim), bins, y, x_begin, x_end, to, bin_floats);
}

// ---- Means --------------------------------------------------------------------------------------

// The pixels of a bin: rows of a ring, from its row `slot` on. Channels of a pixel lie side by
// side; its last vector is `last` behind its first. Only where a vector is one channel, other bins'
// may lie between: from a channel to the next it is `channel_stride`.
struct Bin {
  const float* ring;
  int64_t ring_rows;
  int64_t row_floats;
  int64_t pixel_floats;
  int64_t channel_stride;
  int64_t last;
  int64_t slot;
  int64_t rows;
  int64_t columns;

  int64_t pixels() const { return rows * columns; }
};

// Where the numbers of part `part`, a vector of DA, lie: it is one of the packing's vectors, or of
// doubles a half of one.
template <class DA>
HWY_INLINE int64_t OffsetOf(DA da, const Packing& packing, int64_t last, int64_t part) {
  const int64_t lane = part * LanesOf(da);
  if constexpr (sizeof(hn::TFromD<DA>) == sizeof(float)) {
    return part == packing.vectors - 1 ? last : lane;
  }
  const int64_t vector = lane / packing.lanes;
  return (vector == packing.vectors - 1 ? last : vector * packing.lanes) + lane % packing.lanes;
}

template <class DA>
HWY_INLINE hn::Vec<DA> LoadAs(DA da, const float* from) {
  if constexpr (sizeof(hn::TFromD<DA>) == sizeof(double)) {
    return hn::PromoteTo(da, hn::LoadU(hn::Rebind<float, DA>(), from));
  } else {
    return hn::LoadU(da, from);
  }
}

// Adds all pixels to kParts vectors of DA, from part `first` on.
template <int kParts, class DA>
HWY_INLINE void AddPixels(DA da, const Packing& packing, const Bin& bin, int64_t first,
                          hn::Vec<DA> (&sums)[kParts]) {
  int64_t offsets[kParts];
  for (int i = 0; i < kParts; ++i) {
    if constexpr (hn::MaxLanes(DA()) == 1) {
      offsets[i] = (first + i) * bin.channel_stride;
    } else {
      // Of floats only the last may not lie behind the one before: registers are few.
      const bool is_in_line = sizeof(hn::TFromD<DA>) == sizeof(float) && i < kParts - 1;
      offsets[i] =
          is_in_line ? (first + i) * LanesOf(da) : OffsetOf(da, packing, bin.last, first + i);
    }
  }
  int64_t slot = bin.slot;
  for (int64_t y = 0; y < bin.rows; ++y) {
    const float* pixel = bin.ring + slot * bin.row_floats;
    for (int64_t x = 0; x < bin.columns; ++x) {
      for (int i = 0; i < kParts; ++i) {
        sums[i] = hn::Add(sums[i], LoadAs(da, pixel + offsets[i]));
      }
      pixel += bin.pixel_floats;
    }
    slot = slot + 1 == bin.ring_rows ? 0 : slot + 1;
  }
}

// The means of a few pixels, kParts vectors of channels at a time; there are at least so many, and
// the last step repeats what it needs to be whole.
template <int kParts, class D>
HWY_INLINE void MeanOfBin(D d, const Packing& packing, const Bin& bin, int64_t dim, float* means) {
  const auto pixels = hn::Set(d, static_cast<float>(bin.pixels()));
  for (int64_t next = 0; next < packing.vectors; next += kParts) {
    const int64_t first = std::min(next, packing.vectors - kParts);
    hn::Vec<D> sums[kParts];
    for (int i = 0; i < kParts; ++i) {
      sums[i] = hn::Zero(d);
    }
    AddPixels(d, packing, bin, first, sums);
    for (int i = 0; i < kParts; ++i) {
      hn::StoreU(hn::Div(sums[i], pixels), d,
                 means + OffsetOf(d, packing, dim - packing.lanes, first + i));
    }
  }
}

template <int kParts, class DD>
HWY_INLINE void AddPartsInDouble(DD dd, const Packing& packing, const Bin& bin, int64_t first,
                                 double* sums) {
  hn::Vec<DD> vectors[kParts];
  for (int i = 0; i < kParts; ++i) {
    vectors[i] = hn::LoadU(dd, sums + (first + i) * LanesOf(dd));
  }
  AddPixels(dd, packing, bin, first, vectors);
  for (int i = 0; i < kParts; ++i) {
    hn::StoreU(vectors[i], dd, sums + (first + i) * LanesOf(dd));
  }
}

// Adds many pixels to `sums`, one for each number of a packed pixel. Not inlined: few bins come
// here, and the others keep their registers.
template <class DF>
HWY_NOINLINE void AddInDouble(DF /*d*/, const Packing& packing, const Bin& bin, double* sums) {
  constexpr size_t kLanes = hn::MaxLanes(DF());
  const hn::CappedTag<double, (kLanes > 1 ? kLanes / 2 : 1)> dd;
  constexpr int kParts = 4;
  const int64_t parts = packing.floats() / LanesOf(dd);
  int64_t first = 0;
  for (; first + kParts <= parts; first += kParts) {
    AddPartsInDouble<kParts>(dd, packing, bin, first, sums);
  }
  for (; first < parts; ++first) {
    AddPartsInDouble<1>(dd, packing, bin, first, sums);
  }
}

HWY_INLINE void MeanOfSums(const Packing& packing, const double* sums, int64_t pixels, int64_t dim,
                           float* means) {
  for (int64_t vector = 0; vector < packing.vectors; ++vector) {
    float* const to = means + ChannelOf(packing, dim, vector);
    for (int64_t lane = 0; lane < packing.lanes; ++lane) {
      to[lane] =
          static_cast<float>(sums[vector * packing.lanes + lane] / static_cast<double>(pixels));
    }
  }
}

// ---- Results ------------------------------------------------------------------------------------

// Whole lines past the caches.
template <class T>
HWY_INLINE void StreamCopy(const T* from, int64_t count, T* to) {
  constexpr int64_t kLine = kAlignment / sizeof(T);
  const hn::CappedTag<T, kLine> d;
  const auto misaligned =
      static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % kAlignment / sizeof(T));
  const int64_t head = std::min(count, (kLine - misaligned) % kLine);
  std::copy_n(from, head, to);
  int64_t i = head;
  for (; i + kLine <= count; i += kLine) {
    for (int64_t j = 0; j < kLine; j += LanesOf(d)) {
      hn::Stream(hn::LoadU(d, from + i + j), d, to + i + j);
    }
  }
  std::copy_n(from + i, count - i, to + i);
}

// The means of a row of bins of one roi, where they are computed and where they go.
class Means {
 public:
  Means(const Args& args, const BinRow& bins, const Output& output, int64_t roi)
      : args_(args),
        bins_(bins),
        output_(output),
        to_(args.output + args.OutputOffset(roi, bins.row, bins.column_begin, 0)) {}

  // Where they are computed, bin after bin.
  float* begin() const { return IsInPlace() ? to_ : output_.means; }

  HWY_INLINE void Write() const {
    const int64_t columns = bins_.columns();
    if (args_.channels_first) {
      for (int64_t d = 0; d < args_.dim; ++d) {
        for (int64_t i = 0; i < columns; ++i) {
          to_[d * args_.bins() + i] = output_.means[i * args_.dim + d];
        }
      }
    } else if (output_.stream) {
      StreamCopy(output_.means, columns * args_.dim, to_);
    }
  }

 private:
  bool IsInPlace() const { return !args_.channels_first && !output_.stream; }

  const Args& args_;
  const BinRow& bins_;
  const Output& output_;
  float* const to_;
};

// Up to so many vectors of channels stay in registers together.
constexpr int kMaxParts = 12;

// Calls body.operator()<parts>(d): with how many vectors a step takes, and with their tag. The
// bodies are not inlined: all of them in one function took compilers minutes.
template <int kParts, class D, class Body>
HWY_INLINE void WithParts(D d, int64_t parts, const Body& body) {
  if constexpr (kParts == 1) {
    body.template operator()<1>(d);
  } else if (parts == kParts) {
    body.template operator()<kParts>(d);
  } else {
    WithParts<kParts - 1>(d, parts, body);
  }
}

template <class Body>
HWY_INLINE void WithVectors(const Packing& packing, const Body& body) {
  // As even steps as can be.
  const int64_t steps = (packing.vectors + kMaxParts - 1) / kMaxParts;
  const int64_t parts = (packing.vectors + steps - 1) / steps;
  const hn::CappedTag<float, 16> widest;
  if (packing.lanes == LanesOf(widest)) {
    WithParts<kMaxParts>(widest, parts, body);
    return;
  }
#if HWY_TARGET != HWY_SCALAR
  // Narrower ones are taken only by bins of fewer channels than the next wider have lanes.
  // NOLINTNEXTLINE(bugprone-branch-clone): only where vectors are short, two tags are the same
  if (packing.lanes == 8) {
    WithParts<2>(hn::CappedTag<float, 8>(), parts, body);
  } else if (packing.lanes == 4) {
    WithParts<2>(hn::CappedTag<float, 4>(), parts, body);
  } else {
    WithParts<3>(hn::CappedTag<float, 1>(), parts, body);
  }
#endif
}

// `sums` is room for the sums of many pixels.
template <int kParts, class D>
HWY_INLINE void MeanOrZero(D d, const Packing& packing, const Bin& bin, int64_t dim, double* sums,
                           float* means) {
  if (bin.rows <= 0 || bin.columns <= 0) {
    std::fill_n(means, dim, 0.0f);
  } else if (bin.pixels() <= kMaxFloatPixels) {
    MeanOfBin<kParts>(d, packing, bin, dim, means);
  } else {
    std::fill_n(sums, packing.floats(), 0.0);
    AddInDouble(d, packing, bin, sums);
    MeanOfSums(packing, sums, bin.pixels(), dim, means);
  }
}

// With so many vectors or fewer, which are one step, bins of few pixels are pooled without a
// branch: one or two rows of one or two columns. How many is not foreseeable, and a wrong guess
// takes longer than adding pixels that do not count: zeros stand for them, which change nothing, as
// no sum is -0.
constexpr int kMaxPartsOfFew = 4;
constexpr int64_t kFew = 2;

// What one or two rows are to all bins of a roi.
template <class D>
struct FewRows {
  int64_t below;      // floats from the first row to the last
  hn::Vec<D> counts;  // all ones when that is a second one, or zeros
};

// What one or two columns are to the bins, a vector of the table's at a time. Made for all of them
// at once: from each a broadcast load is all that it takes.
struct FewColumns {
  static constexpr int64_t kBins = BinTable::kUnit;
  alignas(kBins * sizeof(int32_t)) int32_t offsets[kBins];  // of the first pixel, in floats
  alignas(kBins * sizeof(int32_t)) int32_t beside[kBins];   // floats to the last column
  alignas(kBins * sizeof(int32_t)) float counts[kBins];     // as of FewRows
  alignas(kBins * sizeof(int32_t)) float factors[kBins];    // one by the number of pixels
};

// Of the bins [begin, end) of a vector. Returns false when one of them has no or more columns.
HWY_INLINE bool FindFewColumns(const int32_t* begins, const int32_t* ends, int64_t begin,
                               int64_t end, int32_t rows, int64_t pixel_floats,
                               FewColumns& columns) {
  const hn::CappedTag<int32_t, FewColumns::kBins> di;
  const hn::RebindToFloat<decltype(di)> d;
  const auto one = hn::Set(di, 1);
  const auto pixel = hn::Set(di, static_cast<int32_t>(pixel_floats));
  const auto one_of_rows = hn::Set(d, rows == kFew ? 0.5f : 1.0f);
  bool are_few = true;
  for (int64_t i = 0; i < FewColumns::kBins; i += LanesOf(di)) {
    const auto first = hn::LoadU(di, begins + i);
    const auto more = hn::Sub(hn::Sub(hn::LoadU(di, ends + i), first), one);
    const auto bin = hn::Add(hn::Iota(di, 0), hn::Set(di, static_cast<int32_t>(i)));
    const auto is_other = hn::Or(hn::Lt(bin, hn::Set(di, static_cast<int32_t>(begin))),
                                 hn::Gt(bin, hn::Set(di, static_cast<int32_t>(end - 1))));
    const auto is_few = hn::Eq(hn::AndNot(one, more), hn::Zero(di));
    are_few = are_few && hn::AllTrue(di, hn::Or(is_few, is_other));
    const auto counts = hn::Neg(more);
    hn::StoreU(hn::Mul(first, pixel), di, columns.offsets + i);
    hn::StoreU(hn::And(counts, pixel), di, columns.beside + i);
    hn::StoreU(hn::BitCast(d, counts), d, columns.counts + i);
    // Products with these are the quotients by one, two and four.
    hn::StoreU(hn::Mul(one_of_rows, hn::Sub(hn::Set(d, 1.0f),
                                            hn::And(hn::BitCast(d, counts), hn::Set(d, 0.5f)))),
               d, columns.factors + i);
  }
  return are_few;
}

// Of bin `bin` of the vector, whose first row begins at `row`.
template <int kParts, class D>
HWY_INLINE void MeanOfFew(D d, const float* row, int64_t last, const FewRows<D>& rows,
                          const FewColumns& columns, int64_t bin, int64_t dim, float* means) {
  const float* const first = row + columns.offsets[bin];
  const int64_t beside = columns.beside[bin];
  const auto beside_counts = hn::Set(d, columns.counts[bin]);
  const auto both_count = hn::And(rows.counts, beside_counts);
  const auto factor = hn::Set(d, columns.factors[bin]);
  for (int i = 0; i < kParts; ++i) {
    const float* const from = first + (i == kParts - 1 ? last : i * LanesOf(d));
    auto sum = hn::Add(hn::Zero(d), hn::LoadU(d, from));
    sum = hn::Add(sum, hn::And(beside_counts, hn::LoadU(d, from + beside)));
    sum = hn::Add(sum, hn::And(rows.counts, hn::LoadU(d, from + rows.below)));
    sum = hn::Add(sum, hn::And(both_count, hn::LoadU(d, from + rows.below + beside)));
    hn::StoreU(hn::Mul(sum, factor), d,
               means + (i == kParts - 1 ? dim - LanesOf(d) : i * LanesOf(d)));
  }
}

// How a ring is laid out. Loops have a copy of their own: to a compiler, what is stored by vectors
// may change everything that others can reach, and is followed by reading all of it again.
struct RingLayout {
  int64_t dim;
  int64_t rows;
  int64_t pixel_floats;
  int64_t bin_floats;
  int64_t row_floats;
  int64_t last;  // floats to the last vector of a pixel
};

// Bins of a roi, [begin, end) of a vector of the table's.
struct RingBins {
  const int32_t* column_begins;
  const int32_t* column_ends;
  int64_t begin;
  int64_t end;
  const float* ring;  // of the first
  int64_t slot;       // of their first row
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
  const Output& output;

  // Returns false, and has done nothing, when there are more than few pixels, or none.
  template <int kParts, class D>
  HWY_INLINE bool PoolFew(D d, const RingLayout& layout, const RingBins& of, float* to) const {
    FewColumns columns;
    if (of.rows <= 0 || of.rows > kFew || layout.bin_floats > INT32_MAX ||
        !FindFewColumns(of.column_begins, of.column_ends, of.begin, of.end, of.rows,
                        layout.pixel_floats, columns)) {
      return false;
    }
    const int64_t next_row =
        of.slot + 1 == layout.rows ? -of.slot * layout.row_floats : layout.row_floats;
    const FewRows<D> rows{(of.rows - 1) * next_row,
                          hn::BitCast(d, hn::Set(hn::RebindToSigned<D>(), 1 - of.rows))};
    const float* row = of.ring + of.slot * layout.row_floats;
    for (int64_t bin = of.begin; bin < of.end; ++bin) {
      MeanOfFew<kParts>(d, row, layout.last, rows, columns, bin, layout.dim, to);
      row += layout.bin_floats;
      to += layout.dim;
    }
    return true;
  }

  template <int kParts, class D>
  HWY_INLINE void PoolBins(D d, const RingLayout& layout, const RingBins& of, float* to) const {
    if constexpr (kParts <= kMaxPartsOfFew) {
      if (PoolFew<kParts>(d, layout, of, to)) {
        return;
      }
    }
    const float* of_bin = of.ring;
    for (int64_t bin = of.begin; bin < of.end; ++bin) {
      const int32_t x = of.column_begins[bin];
      MeanOrZero<kParts>(
          d, packing,
          {of_bin + x * layout.pixel_floats, layout.rows, layout.row_floats, layout.pixel_floats, 1,
           layout.last, of.slot, of.rows, of.column_ends[bin] - x},
          layout.dim, output.sums, to);
      of_bin += layout.bin_floats;
      to += layout.dim;
    }
  }

  template <int kParts, class D>
  HWY_NOINLINE void operator()(D d) const {
    const int64_t pixel_floats = packing.floats();
    const int64_t bin_floats = args.width * pixel_floats;
    const RingLayout layout{args.dim,
                            ring.rows,
                            pixel_floats,
                            bin_floats,
                            bins.columns() * bin_floats,
                            pixel_floats - packing.lanes};
    // Copies, for the same reason.
    const BinTable all = table;
    const BinRow row = bins;
    const float* const data = ring.data;
    const int32_t* const list = rois;
    const int64_t list_count = count;
    for (int64_t i = 0; i < list_count; ++i) {
      const int64_t roi = list[i];
      const Means means(args, row, output, roi);
      const int32_t y = all.row_begins(roi)[row.row];
      const int32_t rows = all.row_ends(roi)[row.row] - y;
      const int64_t slot = y % static_cast<int32_t>(layout.rows);
      // Vector after vector of the table's, of which the first and the last may not be whole.
      for (int64_t begin = row.column_begin; begin < row.column_end;) {
        const int64_t vector = begin / BinTable::kUnit * BinTable::kUnit;
        const int64_t end = std::min(row.column_end, vector + BinTable::kUnit);
        const int64_t done = begin - row.column_begin;
        PoolBins<kParts>(d, layout,
                         {all.column_begins(roi) + vector, all.column_ends(roi) + vector,
                          begin - vector, end - vector, data + done * bin_floats, slot, rows},
                         means.begin() + done * layout.dim);
        begin = end;
      }
      means.Write();
    }
  }
};

void PoolFromRingT(const Args& args, const BinTable& table, const BinRow& bins, const Ring& ring,
                   const int32_t* rois, int64_t count, const Output& output) {
  const Packing packing = PackingFor(args.dim);
  WithVectors(packing, RingBody{args, packing, table, bins, ring, rois, count, output});
  if (output.stream) {
    hwy::FlushStream();
  }
}

struct InputBody {
  const Args& args;
  const Packing& packing;
  const BinTable& table;
  const BinRow& bins;
  const int32_t* rois;
  int64_t count;
  float* room;
  const Output& output;

  // Rows of a bin where they are: there must be no vectors, or the channels lie side by side.
  HWY_INLINE Bin InPlace(int64_t column, int64_t y, int64_t rows, int64_t x,
                         int64_t columns) const {
    const int64_t pixel = args.channels_first ? 1 : args.channels();
    const int64_t channel = args.channels_first ? args.bins() * args.pixels() : args.bins();
    return {args.input + args.InputOffset(bins.image, y, x, args.ChannelOf(bins.row, column, 0)),
            rows,
            args.width * pixel,
            pixel,
            channel,
            args.dim - packing.lanes,
            0,
            rows,
            columns};
  }

  // Not inlined: it is the same for every number of vectors.
  HWY_NOINLINE Bin Copied(int64_t column, int64_t y, int64_t rows, int64_t x,
                          int64_t columns) const {
    const int64_t row_floats = columns * packing.floats();
    const BinRow one{bins.image, bins.row, column, column + 1};
    for (int64_t i = 0; i < rows; ++i) {
      Pack(args, packing, one, y + i, x, x + columns, room + i * row_floats, 0);
    }
    const int64_t last = packing.floats() - packing.lanes;
    return {room, rows, row_floats, packing.floats(), 1, last, 0, rows, columns};
  }

  // Many pixels, as many rows at a time as there is room for.
  template <class D>
  HWY_NOINLINE void MeanOfMany(D d, int64_t column, int64_t y, int64_t rows, int64_t x,
                               int64_t columns, float* means) const {
    const int64_t step = std::max<int64_t>(1, CopiedPixels(args) / columns);
    std::fill_n(output.sums, packing.floats(), 0.0);
    for (int64_t i = 0; i < rows; i += step) {
      AddInDouble(d, packing, Copied(column, y + i, std::min(step, rows - i), x, columns),
                  output.sums);
    }
    MeanOfSums(packing, output.sums, rows * columns, args.dim, means);
  }

  template <int kParts, class D>
  HWY_NOINLINE void operator()(D d) const {
    const bool in_place = IsInPlace(args, packing);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t roi = rois[i];
      const Means means(args, bins, output, roi);
      const int64_t y = table.row_begins(roi)[bins.row];
      const int64_t rows = table.row_ends(roi)[bins.row] - y;
      for (int64_t column = bins.column_begin; column < bins.column_end; ++column) {
        const int64_t x = table.column_begins(roi)[column];
        const int64_t columns = table.column_ends(roi)[column] - x;
        float* const to = means.begin() + (column - bins.column_begin) * args.dim;
        if (in_place || rows <= 0 || columns <= 0) {
          MeanOrZero<kParts>(d, packing, InPlace(column, y, rows, x, columns), args.dim,
                             output.sums, to);
        } else if (rows * columns <= kMaxFloatPixels) {
          MeanOfBin<kParts>(d, packing, Copied(column, y, rows, x, columns), args.dim, to);
        } else {
          MeanOfMany(d, column, y, rows, x, columns, to);
        }
      }
      means.Write();
    }
  }
};

void PoolFromInputT(const Args& args, const BinTable& table, const BinRow& bins,
                    const int32_t* rois, int64_t count, float* room, const Output& output) {
  const Packing packing = PackingFor(args.dim);
  WithVectors(packing, InputBody{args, packing, table, bins, rois, count, room, output});
  if (output.stream) {
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
                  const int32_t* rois, int64_t count, const Output& output) {
  HWY_DYNAMIC_DISPATCH(PoolFromRingT)(args, table, bins, ring, rois, count, output);
}

void PoolFromInput(const Args& args, const BinTable& table, const BinRow& bins, const int32_t* rois,
                   int64_t count, float* room, const Output& output) {
  HWY_DYNAMIC_DISPATCH(PoolFromInputT)(args, table, bins, rois, count, room, output);
}

void WriteChannels(const Args& args, const int32_t* channels_of_roi, const int32_t* rois,
                   int64_t count, bool stream) {
  HWY_DYNAMIC_DISPATCH(WriteChannelsT)(args, channels_of_roi, rois, count, stream);
}

}  // namespace detops::psroipool_forward
#endif  // HWY_ONCE
