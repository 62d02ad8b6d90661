// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The vector tiles.

#include <algorithm>
#include <cstring>

#include "ops/generate_proposals_v2/exp.h"
#include "ops/generate_proposals_v2/op.h"
#include "ops/generate_proposals_v2/tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/generate_proposals_v2/kernel.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/nms/box_pairs-inl.h"
#include "suppression/pair_search-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::generate_proposals_v2 {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace nms_simd = nms::HWY_NAMESPACE;

using suppression::Columns;
using suppression::Entry;

using DF = hn::CappedTag<float, suppression::kMaxLanes>;
using VF = hn::Vec<DF>;
using MF = hn::Mask<DF>;

HWY_INLINE int64_t Lanes() { return static_cast<int64_t>(hn::Lanes(DF())); }

HWY_INLINE uint32_t BitsOf(MF mask) { return detops::HWY_NAMESPACE::BitsOf(DF(), mask); }

// ---- Scores -------------------------------------------------------------------------------------

HWY_INLINE MF NotBelow(VF scores, VF threshold) {
  return hn::Not(hn::Lt(scores, threshold));  // a NaN is among them
}

HWY_INLINE bool NotBelow(float score, float threshold) { return !(score < threshold); }

HWY_INLINE int64_t CollectLastChannels(const Scores& scores, float threshold, int64_t begin,
                                       int64_t end, Entry* entries) {
  const DF d;
  const VF least = hn::Set(d, threshold);
  const int64_t lanes = Lanes();
  int64_t count = 0;
  const auto add = [&](int64_t anchor) HWY_ATTR {
    entries[count++] = suppression::MakeEntry(suppression::ScoreKey(scores.first[anchor]),
                                              static_cast<int32_t>(anchor));
  };
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    uint32_t bits = BitsOf(NotBelow(hn::LoadU(d, scores.first + i), least));
    for (; bits != 0; bits &= bits - 1) {
      add(i + static_cast<int64_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(bits)));
    }
  }
  for (; i < end; ++i) {
    if (NotBelow(scores.first[i], threshold)) {
      add(i);
    }
  }
  return count;
}

// Positions whose scores are collected together, so that their entries can go by anchor although
// the scores go by channel.
constexpr int64_t kPositions = 256;

// Counts first, and then knows where the entries of each position go.
HWY_INLINE int64_t CollectPositions(const Scores& scores, float threshold, int64_t begin,
                                    int64_t end, Entry* entries) {
  const DF d;
  const hn::RebindToSigned<DF> di;
  const VF least = hn::Set(d, threshold);
  const int64_t lanes = Lanes();
  const int64_t vector_end = begin + (end - begin) / lanes * lanes;
  alignas(64) int32_t next[kPositions];
  for (int64_t i = begin; i < vector_end; i += lanes) {
    auto count = hn::Zero(di);
    for (int64_t a = 0; a < scores.anchors_per_position; ++a) {
      const auto taken = NotBelow(hn::LoadU(d, scores.first + a * scores.positions + i), least);
      count = hn::Sub(count, hn::BitCast(di, hn::VecFromMask(d, taken)));
    }
    hn::StoreU(count, di, next + (i - begin));
  }
  for (int64_t i = vector_end; i < end; ++i) {
    next[i - begin] = 0;
    for (int64_t a = 0; a < scores.anchors_per_position; ++a) {
      next[i - begin] += NotBelow(scores.first[a * scores.positions + i], threshold) ? 1 : 0;
    }
  }
  int32_t sum = 0;
  for (int64_t i = 0; i < end - begin; ++i) {
    const int32_t count = next[i];
    next[i] = sum;
    sum += count;
  }
  for (int64_t a = 0; a < scores.anchors_per_position; ++a) {
    const float* const channel = scores.first + a * scores.positions;
    const auto add = [&](int64_t i) HWY_ATTR {
      entries[next[i - begin]++] =
          suppression::MakeEntry(suppression::ScoreKey(channel[i]),
                                 static_cast<int32_t>(i * scores.anchors_per_position + a));
    };
    for (int64_t i = begin; i < vector_end; i += lanes) {
      uint32_t bits = BitsOf(NotBelow(hn::LoadU(d, channel + i), least));
      for (; bits != 0; bits &= bits - 1) {
        add(i + static_cast<int64_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(bits)));
      }
    }
    for (int64_t i = vector_end; i < end; ++i) {
      if (NotBelow(channel[i], threshold)) {
        add(i);
      }
    }
  }
  return sum;
}

int64_t CollectTileT(const Scores& scores, float threshold, int64_t begin, int64_t end,
                     Entry* entries) {
  if (!scores.channels_first) {
    return CollectLastChannels(scores, threshold, begin * scores.anchors_per_position,
                               end * scores.anchors_per_position, entries);
  }
  int64_t count = 0;
  for (int64_t i = begin; i < end; i += kPositions) {
    count += CollectPositions(scores, threshold, i, std::min(i + kPositions, end), entries + count);
  }
  return count;
}

// ---- The exponential function of exp.h ----------------------------------------------------------

template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOfDoubles(D d, V x) {
  using C = ExpConstants;
  const hn::RebindToSigned<D> di;
  const V to_integer = hn::Set(d, C::kToInteger);
  const V shifted = hn::Add(hn::Mul(x, hn::Set(d, C::kLog2E)), to_integer);
  const V r = hn::Sub(x, hn::Mul(hn::Sub(shifted, to_integer), hn::Set(d, C::kLn2)));
  V series = hn::Set(d, C::kTaylor[0]);
  for (int i = 1; i < 10; ++i) {
    series = hn::Add(hn::Mul(series, r), hn::Set(d, C::kTaylor[i]));
  }
  const auto exponent = hn::ShiftLeft<C::kMantissaBits>(
      hn::Add(hn::BitCast(di, shifted), hn::Set(di, C::kExponentBias)));
  return hn::Mul(series, hn::BitCast(d, exponent));
}

HWY_INLINE VF ExpLanes(VF x) {
  const DF d;
  const VF lowest = hn::Set(d, ExpConstants::kLowest);
  const VF clamped = hn::IfThenElse(hn::Lt(x, lowest), lowest, x);
#if HWY_TARGET == HWY_SCALAR
  const hn::Rebind<double, DF> dd;
  return hn::DemoteTo(d, ExpOfDoubles(dd, hn::PromoteTo(dd, clamped)));
#else
  const hn::Half<DF> half;
  const hn::Rebind<double, hn::Half<DF>> dd;
  const auto low = ExpOfDoubles(dd, hn::PromoteTo(dd, hn::LowerHalf(half, clamped)));
  const auto high = ExpOfDoubles(dd, hn::PromoteTo(dd, hn::UpperHalf(half, clamped)));
  return hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
#endif
}

void ExpTileT(const float* x, int64_t count, float* result) {
  for (int64_t i = 0; i < count; i += Lanes()) {
    hn::StoreU(ExpLanes(hn::LoadU(DF(), x + i)), DF(), result + i);
  }
}

// ---- Candidates ---------------------------------------------------------------------------------

// Candidates whose numbers are brought together before they are computed with: loads that miss the
// cache then wait for each other no longer, and stores have left for the cache when they are read.
constexpr int64_t kGroup = 64;
static_assert(kGroup % suppression::kMaxLanes == 0);

struct Gathered {
  alignas(64) float anchors[kGroup * kBoxFloats];
  alignas(64) float deltas[kGroup * kBoxFloats];
  alignas(64) float variances[kGroup * kBoxFloats];
};

HWY_INLINE void CopyBox(const float* from, float* to) {
  std::memcpy(to, from, kBoxFloats * sizeof(float));
}

HWY_INLINE void CopyDelta(const Decoder& decoder, int64_t anchor, float* to) {
  if (!decoder.channels_first) {
    CopyBox(decoder.deltas + anchor * kBoxFloats, to);
    return;
  }
  const int64_t position = anchor / decoder.anchors_per_position;
  const int64_t channel = anchor % decoder.anchors_per_position * kBoxFloats;
  for (int64_t i = 0; i < kBoxFloats; ++i) {
    to[i] = decoder.deltas[(channel + i) * decoder.positions + position];
  }
}

HWY_INLINE void Gather(const Decoder& decoder, const Entry* candidates, int64_t count,
                       Gathered& gathered) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t anchor = suppression::IndexOf(candidates[i]);
    CopyBox(decoder.anchors + anchor * kBoxFloats, gathered.anchors + i * kBoxFloats);
    CopyDelta(decoder, anchor, gathered.deltas + i * kBoxFloats);
    if (decoder.variances != nullptr) {
      CopyBox(decoder.variances + anchor * kBoxFloats, gathered.variances + i * kBoxFloats);
    }
  }
  // The rest of the last vector is computed with, too.
  const int64_t end = std::min(
      (count + suppression::kMaxLanes - 1) / suppression::kMaxLanes * suppression::kMaxLanes,
      kGroup);
  for (float* const numbers : {gathered.anchors, gathered.deltas, gathered.variances}) {
    std::fill(numbers + count * kBoxFloats, numbers + end * kBoxFloats, 0.0f);
  }
}

// Positions and sizes, or both ends, along one axis.
struct Axis {
  VF low, high;
};

// One axis of a box, before it is clipped.
HWY_INLINE Axis DecodeAxis(VF anchor_low, VF anchor_high, VF shift, VF growth, VF shift_variance,
                           VF growth_variance, VF offset) {
  const DF d;
  const VF half = hn::Set(d, 0.5f);
  const VF largest = hn::Set(d, kLargestDelta);
  const VF size = hn::Add(hn::Sub(anchor_high, anchor_low), offset);
  const VF centre = hn::Add(anchor_low, hn::Mul(half, size));
  const VF new_centre = hn::Add(centre, hn::Mul(hn::Mul(shift, size), shift_variance));
  const VF exponent = hn::Mul(growth, growth_variance);
  const VF clipped = hn::IfThenElse(hn::Gt(exponent, largest), largest, exponent);
  const VF half_size = hn::Mul(hn::Mul(ExpLanes(clipped), size), half);
  return {hn::Sub(new_centre, half_size), hn::Sub(hn::Add(new_centre, half_size), offset)};
}

HWY_INLINE VF Clip(VF value, VF highest) {
  const VF zero = hn::Zero(DF());
  const VF inside = hn::IfThenElse(hn::Lt(highest, value), highest, value);
  return hn::IfThenElse(hn::Gt(inside, zero), inside, zero);
}

// A byte for each lane, not 0 where its bit is set. (Vector machines have the lowest byte first.)
HWY_INLINE void StoreBytes(uint32_t bits, uint8_t* bytes) {
  constexpr auto kEachByte = static_cast<uint64_t>(0x0101010101010101);
  constexpr auto kBitOfByte = static_cast<uint64_t>(0x8040201008040201);
  for (int64_t lane = 0; lane < Lanes(); lane += 8, bits >>= 8) {
    const uint64_t eight = (bits & 0xFF) * kEachByte & kBitOfByte;
    std::memcpy(bytes + lane, &eight, static_cast<size_t>(std::min<int64_t>(Lanes(), 8)));
  }
}

template <bool kVariances>
HWY_INLINE void DecodeGroup(const Decoder& decoder, const Gathered& gathered, int64_t count,
                            const Columns& columns, int64_t at, uint8_t* dropped) {
  const DF d;
  const VF offset = hn::Set(d, decoder.offset);
  const VF image_width = hn::Set(d, decoder.image_width);
  const VF image_height = hn::Set(d, decoder.image_height);
  const VF x_highest = hn::Set(d, decoder.image_width - decoder.offset);
  const VF y_highest = hn::Set(d, decoder.image_height - decoder.offset);
  const VF least = hn::Set(d, decoder.least_size);
  const VF half = hn::Set(d, 0.5f);
  const int64_t lanes = Lanes();
  for (int64_t i = 0; i < count; i += lanes) {
    VF ax1, ay1, ax2, ay2, dx, dy, dw, dh;
    hn::LoadInterleaved4(d, gathered.anchors + i * kBoxFloats, ax1, ay1, ax2, ay2);
    hn::LoadInterleaved4(d, gathered.deltas + i * kBoxFloats, dx, dy, dw, dh);
    VF vx = hn::Set(d, 1.0f), vy = vx, vw = vx, vh = vx;
    if (kVariances) {
      hn::LoadInterleaved4(d, gathered.variances + i * kBoxFloats, vx, vy, vw, vh);
    }
    const Axis x = DecodeAxis(ax1, ax2, dx, dw, vx, vw, offset);
    const Axis y = DecodeAxis(ay1, ay2, dy, dh, vy, vh, offset);
    const MF finite = hn::And(hn::And(hn::IsFinite(x.low), hn::IsFinite(x.high)),
                              hn::And(hn::IsFinite(y.low), hn::IsFinite(y.high)));
    const VF x1 = Clip(x.low, x_highest);
    const VF y1 = Clip(y.low, y_highest);
    const VF x2 = Clip(x.high, x_highest);
    const VF y2 = Clip(y.high, y_highest);
    const VF width = hn::Add(hn::Sub(x2, x1), offset);
    const VF height = hn::Add(hn::Sub(y2, y1), offset);
    MF goes = hn::Or(hn::Not(finite), hn::Or(hn::Lt(width, least), hn::Lt(height, least)));
    if (decoder.drops_outside) {
      goes = hn::Or(goes, hn::Or(hn::Gt(hn::Add(x1, hn::Mul(half, width)), image_width),
                                 hn::Gt(hn::Add(y1, hn::Mul(half, height)), image_height)));
    }
    hn::StoreU(x1, d, columns.array[nms::kX1] + at + i);
    hn::StoreU(y1, d, columns.array[nms::kY1] + at + i);
    hn::StoreU(x2, d, columns.array[nms::kX2] + at + i);
    hn::StoreU(y2, d, columns.array[nms::kY2] + at + i);
    hn::StoreU(nms_simd::AreaOf(d, x1, y1, x2, y2, offset), d, columns.array[nms::kArea] + at + i);
    StoreBytes(BitsOf(goes), dropped + i);
  }
}

void DecodeTileT(const Decoder& decoder, const Entry* candidates, int64_t begin, int64_t end,
                 const Columns& columns, uint8_t* dropped) {
  Gathered gathered;
  for (int64_t i = begin; i < end; i += kGroup) {
    const int64_t count = std::min(kGroup, end - i);
    Gather(decoder, candidates + i, count, gathered);
    if (decoder.variances != nullptr) {
      DecodeGroup<true>(decoder, gathered, count, columns, i, dropped + i);
    } else {
      DecodeGroup<false>(decoder, gathered, count, columns, i, dropped + i);
    }
  }
}

// ---- Suppression --------------------------------------------------------------------------------

// A run of kept boxes at most.
using DR = hn::CappedTag<float, KeptGrid::kRun>;

HWY_INLINE bool AnyExceeds(const nms_simd::BoxPairs<DR>& pairs, const nms_simd::BoxLanes<DR>& box,
                           const Columns& kept, int64_t begin) {
  const DR d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = begin; i < begin + KeptGrid::kRun; i += lanes) {
    const auto others = nms_simd::LoadBoxes(d, kept, i);
    const auto not_these = pairs.SurelyNot(box, others);
    if (HWY_UNLIKELY(!hn::AllTrue(d, not_these))) {
      const uint32_t all = (uint32_t{1} << lanes) - 1;
      if (pairs.Decide(box, others, ~detops::HWY_NAMESPACE::BitsOf(d, not_these) & all) != 0) {
        return true;
      }
    }
  }
  return false;
}

// Whether a kept box suppresses candidate i. Adds the runs that were looked at.
HWY_INLINE bool IsSuppressed(const KeptGrid& kept, const nms_simd::BoxPairs<DR>& pairs,
                             const Columns& columns, int64_t i, int64_t& runs) {
  const auto box = nms_simd::RepeatBox(DR(), columns, i);
  const float area = columns.array[nms::kArea][i];
  const KeptGrid::Cell cell =
      kept.CellOf(0.5f * columns.array[nms::kX1][i] + 0.5f * columns.array[nms::kX2][i],
                  0.5f * columns.array[nms::kY1][i] + 0.5f * columns.array[nms::kY2][i]);
  for (int level = 0; level < kept.levels(); ++level) {
    for (int32_t run = kept.FirstRun(level, cell, area); run >= 0; run = kept.RunBehind(run)) {
      ++runs;
      if (AnyExceeds(pairs, box, kept.columns(), run * KeptGrid::kRunFloats)) {
        return true;
      }
    }
  }
  return false;
}

int64_t SearchTileT(const KeptGrid& kept, const Columns& columns, int64_t begin, int64_t end,
                    uint8_t* suppressed) {
  const nms_simd::BoxPairs<DR> pairs(kept.threshold(), kept.offset());
  int64_t runs = 0;
  for (int64_t i = begin; i < end; ++i) {
    if (suppressed[i] == 0 && IsSuppressed(kept, pairs, columns, i, runs)) {
      suppressed[i] = 1;
    }
  }
  return runs * KeptGrid::kRun;
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::generate_proposals_v2
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::generate_proposals_v2 {

HWY_EXPORT(CollectTileT);
HWY_EXPORT(DecodeTileT);
HWY_EXPORT(SearchTileT);
HWY_EXPORT(ExpTileT);

int64_t CollectScores(const Scores& scores, float threshold, int64_t begin, int64_t end,
                      suppression::Entry* entries) {
  return HWY_DYNAMIC_DISPATCH(CollectTileT)(scores, threshold, begin, end, entries);
}

void DecodeCandidates(const Decoder& decoder, const suppression::Entry* candidates, int64_t begin,
                      int64_t end, const suppression::Columns& columns, uint8_t* dropped) {
  HWY_DYNAMIC_DISPATCH(DecodeTileT)(decoder, candidates, begin, end, columns, dropped);
}

int64_t FindSuppressed(const KeptGrid& kept, const suppression::Columns& columns, int64_t begin,
                       int64_t end, uint8_t* suppressed) {
  return HWY_DYNAMIC_DISPATCH(SearchTileT)(kept, columns, begin, end, suppressed);
}

void ComputeExp(const float* x, int64_t count, float* result) {
  HWY_DYNAMIC_DISPATCH(ExpTileT)(x, count, result);
}

}  // namespace detops::generate_proposals_v2
#endif  // HWY_ONCE
