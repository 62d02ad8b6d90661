// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The vector tiles. One function computes overlaps; what is done with them differs.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/half.h"
#include "ops/bbox_overlaps/op.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/bbox_overlaps/kernel.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "simd/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::bbox_overlaps {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// At most a cache line.
using DF = hn::CappedTag<float, kLineFloats>;
using D16 = hn::Rebind<uint16_t, DF>;
using DI = hn::Rebind<int32_t, DF>;
using VF = hn::Vec<DF>;

constexpr int64_t kMaxLanes = kLineFloats;

HWY_INLINE int64_t Lanes() { return static_cast<int64_t>(hn::Lanes(DF())); }

HWY_INLINE VF QuietNaN() { return hn::BitCast(DF(), hn::Set(DI(), 0x7FC00000)); }

// x86's maximum gives its second operand when either is a NaN, which saves an instruction in the
// two places where one can arrive.
#define DETOPS_MAX_GIVES_SECOND_FOR_NAN \
  (HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)

// The larger one; `value` when it is a NaN.
HWY_INLINE VF MaxOrNaN(VF floor, VF value) {
#if DETOPS_MAX_GIVES_SECOND_FOR_NAN
  return hn::Max(floor, value);
#else
  return hn::IfThenElse(hn::Lt(value, floor), floor, value);
#endif
}

// `value`, which is not negative; 0 when it is a NaN.
HWY_INLINE VF ZeroIfNaN(VF value) {
#if DETOPS_MAX_GIVES_SECOND_FOR_NAN
  return hn::Max(value, hn::Zero(DF()));
#else
  return hn::IfThenElseZero(hn::Eq(value, value), value);
#endif
}

// `value`; 0 when it is negative or a NaN that arithmetic made from numbers.
HWY_INLINE VF AtLeastZero(VF value) {
#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2
  // As integers: what is negative has the sign bit set, and so have the NaNs that x86 makes. Minima
  // and maxima of floats have two pipes on AMD's cores, which are what limits the kernel; those of
  // integers can use a third.
  return hn::BitCast(DF(), hn::Max(hn::BitCast(DI(), value), hn::Zero(DI())));
#elif DETOPS_MAX_GIVES_SECOND_FOR_NAN
  return hn::Max(value, hn::Zero(DF()));
#else
  return hn::IfThenElseZero(hn::Gt(value, hn::Zero(DF())), value);
#endif
}

// Boxes, one in each lane.
struct BoxVectors {
  VF x1, y1, x2, y2;
};

// high - low, plus the offset. Adding 0 would change no result.
template <int kOffset>
HWY_INLINE VF Length(VF low, VF high) {
  const VF length = hn::Sub(high, low);
  return kOffset == 0 ? length : hn::Add(length, hn::Set(DF(), 1.0f));
}

template <int kOffset>
HWY_INLINE VF Area(const BoxVectors& box) {
  return hn::Mul(Length<kOffset>(box.x1, box.x2), Length<kOffset>(box.y1, box.y2));
}

// An overlap before the division.
struct Fraction {
  VF inter;
  VF base;
};

// Of boxes without NaN coordinates. Where the coordinates hold infinities an intermediate can be a
// NaN: in a width or height it and any number lead to the overlap 0.
//
// Of proper boxes (x1 <= x2, y1 <= y2, a finite area) the base is never below the offset: rounding
// is monotonic, so inter is neither above area_a nor above area_b, and each area is at least offset
// * offset. Then there is nothing to raise.
template <OverlapMode kMode, int kOffset, bool kProper>
HWY_INLINE Fraction MakeFraction(const BoxVectors& a, VF area_a, const BoxVectors& b, VF area_b) {
  const VF width = AtLeastZero(Length<kOffset>(hn::Max(a.x1, b.x1), hn::Min(a.x2, b.x2)));
  const VF height = AtLeastZero(Length<kOffset>(hn::Max(a.y1, b.y1), hn::Min(a.y2, b.y2)));
  const VF inter = hn::Mul(width, height);
  VF base = kMode == OverlapMode::kIou ? hn::Sub(hn::Add(area_a, area_b), inter) : area_a;
  if (!kProper) {
    base = MaxOrNaN(hn::Set(DF(), static_cast<float>(kOffset)), base);
  }
  return {inter, base};
}

// Proper boxes have finite coordinates and inter is finite, so their quotient is a number if the
// base is not 0, and it is not if the first box's area is above 0 (Row::proper promises it): area_a
// + area_b is not rounded below the larger area, which inter reaches only if both areas are equal,
// and then it is rounded to their sum.
template <bool kProper>
HWY_INLINE VF Divide(const Fraction& fraction) {
  const VF quotient = hn::Div(fraction.inter, fraction.base);
  return kProper ? quotient : ZeroIfNaN(quotient);
}

// Whether an overlap may exceed `floor`, which is not negative, in any lane: a division saved where
// it cannot. Rounding is monotonic, so a rounded quotient above the floor has an exact quotient
// above it, and then inter is not below the rounded product either. NaNs exceed nothing.
HWY_INLINE bool MayExceed(const Fraction& fraction, VF floor) {
  const DF d;
  return !hn::AllFalse(d, hn::And(hn::Ge(fraction.inter, hn::Mul(floor, fraction.base)),
                                  hn::Gt(fraction.inter, hn::Zero(d))));
}

// Lanes whose boxes are proper; a NaN makes a box improper. Infinite coordinates make the area
// infinite or a NaN.
HWY_INLINE hn::Mask<DF> IsProper(const BoxVectors& box, VF area) {
  const VF infinity = hn::Set(DF(), std::numeric_limits<float>::infinity());
  return hn::And(hn::And(hn::Le(box.x1, box.x2), hn::Le(box.y1, box.y2)), hn::Lt(area, infinity));
}

// 0 in lanes whose boxes are numbers, a quiet NaN in the others: added to an overlap, it makes it
// the NaN that the contract asks for.
HWY_INLINE VF NaNMark(const BoxVectors& box) {
  const auto is_nan = hn::Or(hn::Or(hn::IsNaN(box.x1), hn::IsNaN(box.y1)),
                             hn::Or(hn::IsNaN(box.x2), hn::IsNaN(box.y2)));
  return hn::IfThenElseZero(is_nan, QuietNaN());
}

// ---- Memory ------------------------------------------------------------------------------------

HWY_INLINE BoxVectors LoadBoxes(const float* boxes) {
  BoxVectors v;
  hn::LoadInterleaved4(DF(), boxes, v.x1, v.y1, v.x2, v.y2);
  return v;
}

HWY_INLINE BoxVectors LoadBoxes(const Half* boxes) {
  hn::Vec<D16> x1, y1, x2, y2;
  hn::LoadInterleaved4(D16(), reinterpret_cast<const uint16_t*>(boxes), x1, y1, x2, y2);
  return {
      detops::HWY_NAMESPACE::HalfToFloat(DF(), x1), detops::HWY_NAMESPACE::HalfToFloat(DF(), y1),
      detops::HWY_NAMESPACE::HalfToFloat(DF(), x2), detops::HWY_NAMESPACE::HalfToFloat(DF(), y2)};
}

// Fewer boxes than lanes; the other lanes get boxes of zeros.
template <class T>
HWY_INLINE BoxVectors LoadSomeBoxes(const T* boxes, int64_t count) {
  T copy[kMaxLanes * 4] = {};
  std::memcpy(copy, boxes, static_cast<size_t>(count) * 4 * sizeof(T));
  return LoadBoxes(copy);
}

HWY_INLINE void Store(VF value, float* to) { hn::StoreU(value, DF(), to); }
HWY_INLINE void Store(VF value, Half* to) {
  hn::StoreU(detops::HWY_NAMESPACE::FloatToHalf(DF(), value), D16(),
             reinterpret_cast<uint16_t*>(to));
}

template <class T>
HWY_INLINE void StoreSome(VF value, T* to, int64_t count) {
  T copy[kMaxLanes];
  Store(value, copy);
  std::memcpy(to, copy, static_cast<size_t>(count) * sizeof(T));
}

// A whole line past the caches, from compute(j) on; `to` is aligned to it.
template <class Compute>
HWY_INLINE void StreamLine(float* to, int64_t j, const Compute& compute) {
  const int64_t lanes = Lanes();
  for (int64_t k = 0; k < kLineFloats; k += lanes) {
    hn::Stream(compute(j + k), DF(), to + k);
  }
}

// Two vectors of floats make a store as wide as those of floats: narrower ones take as long each.
template <class Compute>
HWY_INLINE void StreamLine(Half* to, int64_t j, const Compute& compute) {
  const int64_t lanes = Lanes();
#if HWY_TARGET == HWY_SCALAR
  for (int64_t k = 0; k < 2 * kLineFloats; k += lanes) {
    Store(compute(j + k), to + k);
  }
#else
  const hn::Twice<D16> d16;
  for (int64_t k = 0; k < 2 * kLineFloats; k += 2 * lanes) {
    const auto low = detops::HWY_NAMESPACE::FloatToHalf(DF(), compute(j + k));
    const auto high = detops::HWY_NAMESPACE::FloatToHalf(DF(), compute(j + k + lanes));
    hn::Stream(hn::Combine(d16, high, low), d16, reinterpret_cast<uint16_t*>(to + k));
  }
#endif
}

// How many elements lie before the next cache line.
template <class T>
HWY_INLINE int64_t ElementsToLine(const T* pointer) {
  constexpr uintptr_t kLine = kLineFloats * sizeof(float);
  return static_cast<int64_t>((kLine - reinterpret_cast<uintptr_t>(pointer) % kLine) % kLine /
                              sizeof(T));
}

// Calls compute(j) for vectors that cover [begin, end) and writes them to out[j]. `compute` may
// read a vector past the end.
template <class T, class Compute>
HWY_INLINE void WriteCached(T* out, int64_t begin, int64_t end, const Compute& compute) {
  const int64_t lanes = Lanes();
  int64_t j = begin;
  for (; j + lanes <= end; j += lanes) {
    Store(compute(j), out + j);
  }
  if (j < end) {
    StoreSome(compute(j), out + j, end - j);
  }
}

// What lies before the first whole line and behind the last. Not inlined: it is short, and
// `compute` is long. It gets a copy: what is passed by reference would have to stay in memory also
// in the loops that matter.
template <class T, class Compute>
HWY_NOINLINE void WriteEdge(T* out, int64_t begin, int64_t end, Compute compute) {
  WriteCached(out, begin, end, compute);
}

// The same with whole lines past the caches.
template <class T, class Compute>
HWY_INLINE void WriteStreamed(T* out, int64_t begin, int64_t end, const Compute& compute) {
  constexpr int64_t kLine = kLineFloats * sizeof(float) / sizeof(T);
  int64_t j = std::min(end, begin + ElementsToLine(out + begin));
  if (begin < j) {
    WriteEdge(out, begin, j, compute);
  }
  for (; j + kLine <= end; j += kLine) {
    StreamLine(out + j, j, compute);
  }
  if (j < end) {
    WriteEdge(out, j, end, compute);
  }
}

// ---- Rows and columns ---------------------------------------------------------------------------

// A first box in every lane.
struct Row {
  BoxVectors box;
  VF area;
  bool has_nan;
  bool proper;  // and its area is above 0
};

HWY_INLINE float ToFloat(float value) { return value; }
HWY_INLINE float ToFloat(Half value) { return detops::HalfToFloat(value); }

template <int kOffset, class T>
HWY_INLINE Row LoadRow(const T* box) {
  const float x1 = ToFloat(box[0]);
  const float y1 = ToFloat(box[1]);
  const float x2 = ToFloat(box[2]);
  const float y2 = ToFloat(box[3]);
  const DF d;
  Row row;
  row.box = {hn::Set(d, x1), hn::Set(d, y1), hn::Set(d, x2), hn::Set(d, y2)};
  row.area = Area<kOffset>(row.box);
  row.proper = hn::AllTrue(d, hn::And(IsProper(row.box, row.area), hn::Gt(row.area, hn::Zero(d))));
  row.has_nan = std::isunordered(x1, x2) || std::isunordered(y1, y2);
  return row;
}

// The second boxes of a tile, one array for each thing that the rows need of them. The room behind
// the widest tile is for the lines that MatrixBody moves from the next tile to this one (32
// halves), and for the last vector.
class Columns {
 public:
  template <int kOffset, class T>
  HWY_INLINE void Pack(const T* boxes, int64_t count) {
    const int64_t lanes = Lanes();
    proper_ = true;
    int64_t j = 0;
    for (; j + lanes <= count; j += lanes) {
      Put<kOffset>(LoadBoxes(boxes + j * 4), j);
    }
    if (j < count) {
      Put<kOffset>(LoadSomeBoxes(boxes + j * 4, count - j), j);
      j += lanes;
    }
    // A vector that starts at any column may be read.
    const BoxVectors none{hn::Zero(DF()), hn::Zero(DF()), hn::Zero(DF()), hn::Zero(DF())};
    Put<kOffset>(none, j);
  }

  // Whether every box is proper.
  bool proper() const { return proper_; }

  // Of the boxes from column j on with a row's. `kProper` promises that all of them are.
  template <OverlapMode kMode, int kOffset, bool kProper>
  HWY_INLINE Fraction FractionWith(const Row& row, int64_t j) const {
    const DF d;
    const BoxVectors box{hn::LoadU(d, x1_ + j), hn::LoadU(d, y1_ + j), hn::LoadU(d, x2_ + j),
                         hn::LoadU(d, y2_ + j)};
    return MakeFraction<kMode, kOffset, kProper>(row.box, row.area, box, hn::LoadU(d, area_ + j));
  }

  // Proper boxes have no NaN to mark.
  template <bool kProper>
  HWY_INLINE VF Finish(const Fraction& fraction, int64_t j) const {
    const VF overlap = Divide<kProper>(fraction);
    return kProper ? overlap : hn::Add(overlap, hn::LoadU(DF(), nan_ + j));
  }

 private:
  static constexpr int64_t kCapacity = kMaxTileColumns + 2 * kLineFloats + 2 * kMaxLanes;

  template <int kOffset>
  HWY_INLINE void Put(const BoxVectors& box, int64_t j) {
    const DF d;
    hn::StoreU(box.x1, d, x1_ + j);
    hn::StoreU(box.y1, d, y1_ + j);
    hn::StoreU(box.x2, d, x2_ + j);
    hn::StoreU(box.y2, d, y2_ + j);
    const VF area = Area<kOffset>(box);
    hn::StoreU(area, d, area_ + j);
    hn::StoreU(NaNMark(box), d, nan_ + j);
    proper_ = hn::AllTrue(d, IsProper(box, area)) && proper_;
  }

  bool proper_;

  HWY_ALIGN float x1_[kCapacity];
  HWY_ALIGN float y1_[kCapacity];
  HWY_ALIGN float x2_[kCapacity];
  HWY_ALIGN float y2_[kCapacity];
  HWY_ALIGN float area_[kCapacity];
  HWY_ALIGN float nan_[kCapacity];
};

// ---- The variants ------------------------------------------------------------------------------

// Calls body.template Run<T, mode, offset>() for the boxes' type, mode and offset: the one place
// that looks at them.
template <class T, class Body>
HWY_INLINE void ChooseModeAndOffset(const Boxes& boxes, const Body& body) {
  if (boxes.mode == OverlapMode::kIou) {
    boxes.offset == 0 ? body.template Run<T, OverlapMode::kIou, 0>()
                      : body.template Run<T, OverlapMode::kIou, 1>();
  } else {
    boxes.offset == 0 ? body.template Run<T, OverlapMode::kIof, 0>()
                      : body.template Run<T, OverlapMode::kIof, 1>();
  }
}

template <class Body>
HWY_INLINE void Choose(const Boxes& boxes, const Body& body) {
  boxes.half ? ChooseModeAndOffset<Half>(boxes, body) : ChooseModeAndOffset<float>(boxes, body);
}

struct MatrixBody {
  const Args& args;
  const Tile& tile;
  bool stream;

  template <class T, OverlapMode kMode, int kOffset>
  HWY_NOINLINE void Run() const {
    constexpr int64_t kLine = kLineFloats * sizeof(float) / sizeof(T);
    const auto* const first = static_cast<const T*>(args.boxes.first);
    const auto* const second = static_cast<const T*>(args.boxes.second);
    const int64_t total = args.boxes.columns;
    // When streaming, a row takes the rest of its last line from the next tile.
    const int64_t packed_end = stream ? std::min(total, tile.column_end + kLine) : tile.column_end;
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
      if (row.proper && columns.proper()) {
        WriteRow<kMode, kOffset, true>(columns, row, out, begin, end);
      } else {
        WriteRow<kMode, kOffset, false>(columns, row, out, begin, end);
      }
    }
    if (stream) {
      hwy::FlushStream();
    }
  }

  template <OverlapMode kMode, int kOffset, bool kProper, class T>
  HWY_INLINE void WriteRow(const Columns& columns, const Row& row, T* out, int64_t begin,
                           int64_t end) const {
    const auto overlap = [&columns, row](int64_t j) HWY_ATTR {
      return columns.Finish<kProper>(columns.FractionWith<kMode, kOffset, kProper>(row, j), j);
    };
    if (stream) {
      WriteStreamed(out, begin, end, overlap);
    } else {
      WriteCached(out, begin, end, overlap);
    }
  }
};

struct AlignedBody {
  const Args& args;
  int64_t begin;
  int64_t end;
  bool stream;

  template <class T, OverlapMode kMode, int kOffset>
  HWY_NOINLINE void Run() const {
    const auto* const first = static_cast<const T*>(args.boxes.first);
    const auto* const second = static_cast<const T*>(args.boxes.second);
    auto* const out = static_cast<T*>(args.ious);
    const auto overlap = [&](int64_t i) HWY_ATTR {
      const bool whole = i + Lanes() <= end;
      const BoxVectors a = whole ? LoadBoxes(first + i * 4) : LoadSomeBoxes(first + i * 4, end - i);
      const BoxVectors b =
          whole ? LoadBoxes(second + i * 4) : LoadSomeBoxes(second + i * 4, end - i);
      const VF value = Divide<false>(
          MakeFraction<kMode, kOffset, false>(a, Area<kOffset>(a), b, Area<kOffset>(b)));
      return hn::Add(value, hn::Add(NaNMark(a), NaNMark(b)));
    };
    if (stream) {
      WriteStreamed(out, begin, end, overlap);
      hwy::FlushStream();
    } else {
      WriteCached(out, begin, end, overlap);
    }
  }
};

// Calls searcher.Search<mode, offset, proper>(columns, row, i) for the rows whose boxes have no
// NaN.
template <class T, OverlapMode kMode, int kOffset, class Searcher>
HWY_INLINE void SearchRows(const Boxes& boxes, const Tile& tile, const Searcher& searcher) {
  const auto* const first = static_cast<const T*>(boxes.first);
  const auto* const second = static_cast<const T*>(boxes.second);
  Columns columns;
  columns.Pack<kOffset>(second + tile.column_begin * 4, tile.column_end - tile.column_begin);
  for (int64_t i = tile.row_begin; i < tile.row_end; ++i) {
    const Row row = LoadRow<kOffset>(first + i * 4);
    if (row.proper && columns.proper()) {
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
    const int64_t lanes = Lanes();
    const VF none = hn::Set(d, -1.0f);  // no overlap is negative
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

  // Lanes hold the first maximum of their columns; the lowest column of the largest wins, and an
  // earlier tile before this one.
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
    const int64_t lanes = Lanes();
    const VF threshold = hn::Set(DF(), args.threshold);
    const bool negative = args.threshold < 0.0f;  // then even no overlap exceeds it
    for (int64_t j = 0; j < count; j += lanes) {
      const Fraction fraction = columns.FractionWith<kMode, kOffset, kProper>(row, j);
      if (negative || MayExceed(fraction, threshold)) {
        Append(i, j, std::min(lanes, count - j), columns.Finish<kProper>(fraction, j));
      }
    }
  }

  HWY_INLINE void Append(int64_t i, int64_t j, int64_t valid, VF overlap) const {
    HWY_ALIGN float values[kMaxLanes];
    hn::Store(overlap, DF(), values);
    for (int64_t lane = 0; lane < valid; ++lane) {
      if (values[lane] > args.threshold) {
        pairs.push_back({static_cast<int32_t>(i),
                         static_cast<int32_t>(tile.column_begin + j + lane), values[lane]});
      }
    }
  }
};

void MatrixTileT(const Args& args, const Tile& tile, bool stream) {
  Choose(args.boxes, MatrixBody{args, tile, stream});
}

void AlignedTileT(const Args& args, int64_t begin, int64_t end, bool stream) {
  Choose(args.boxes, AlignedBody{args, begin, end, stream});
}

void RowMaximumTileT(const RowMaximumArgs& args, const Tile& tile) {
  Choose(args.boxes, RowMaximumBody{args, tile});
}

void PairsTileT(const PairsArgs& args, const Tile& tile, std::vector<OverlapPair>& pairs) {
  Choose(args.boxes, PairsBody{args, tile, pairs});
}

#undef DETOPS_MAX_GIVES_SECOND_FOR_NAN

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
