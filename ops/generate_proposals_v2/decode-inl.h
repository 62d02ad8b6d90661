// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Decodes candidates to boxes, and marks the boxes that are dropped. The operations and their order
// are those of reference.cc.

#if defined(DETOPS_OPS_GENERATE_PROPOSALS_V2_DECODE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_GENERATE_PROPOSALS_V2_DECODE_INL_H_
#undef DETOPS_OPS_GENERATE_PROPOSALS_V2_DECODE_INL_H_
#else
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_DECODE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/math.h"
#include "ops/generate_proposals_v2/exp-inl.h"
#include "ops/generate_proposals_v2/op.h"
#include "ops/generate_proposals_v2/tiles.h"
#include "ops/nms/box_pairs-inl.h"
#include "simd/lanes-inl.h"
#include "suppression/order.h"

HWY_BEFORE_NAMESPACE();
namespace detops::generate_proposals_v2 {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using detops::HWY_NAMESPACE::BitsOf;
using detops::HWY_NAMESPACE::LanesOf;

// Number of candidates whose inputs are gathered before they are decoded. Cache misses of several
// candidates then overlap, and the gathered floats are in the cache when vectors read them.
constexpr int64_t kGatherCount = 64;
static_assert(kGatherCount % suppression::kMaxLanes == 0);

struct Gathered {
  alignas(64) float anchors[kGatherCount * kBoxFloats];
  alignas(64) float deltas[kGatherCount * kBoxFloats];
  alignas(64) float variances[kGatherCount * kBoxFloats];
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

// Gathers the inputs of no more than kGatherCount candidates, and fills the rest of the last vector
// with zeros.
HWY_INLINE void Gather(const Decoder& decoder, const suppression::Entry* candidates, int64_t count,
                       Gathered& gathered) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t anchor = suppression::IndexOf(candidates[i]);
    CopyBox(decoder.anchors + anchor * kBoxFloats, gathered.anchors + i * kBoxFloats);
    CopyDelta(decoder, anchor, gathered.deltas + i * kBoxFloats);
    if (decoder.variances != nullptr) {
      CopyBox(decoder.variances + anchor * kBoxFloats, gathered.variances + i * kBoxFloats);
    }
  }
  const int64_t end = RoundUp(count, suppression::kMaxLanes);
  for (float* const floats : {gathered.anchors, gathered.deltas, gathered.variances}) {
    std::fill(floats + count * kBoxFloats, floats + end * kBoxFloats, 0.0f);
  }
}

// Both ends of boxes along one axis.
template <class D>
struct Interval {
  hn::Vec<D> low, high;
};

// Returns one axis of decoded boxes before they are clipped.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Interval<D> DecodeAxis(D d, V anchor_low, V anchor_high, V shift, V growth,
                                  V shift_variance, V growth_variance, V offset) {
  const V half = hn::Set(d, 0.5f);
  const V largest = hn::Set(d, kLargestDelta);
  const V size = hn::Add(hn::Sub(anchor_high, anchor_low), offset);
  const V center = hn::Add(anchor_low, hn::Mul(half, size));
  const V new_center = hn::Add(center, hn::Mul(hn::Mul(shift, size), shift_variance));
  const V exponent = hn::Mul(growth, growth_variance);
  const V clipped = hn::IfThenElse(hn::Gt(exponent, largest), largest, exponent);
  const V half_size = hn::Mul(hn::Mul(ExpOfFloats(d, clipped), size), half);
  return {hn::Sub(new_center, half_size), hn::Sub(hn::Add(new_center, half_size), offset)};
}

template <class D>
HWY_INLINE hn::Mask<D> IsFinite(D /*d*/, const Interval<D>& interval) {
  return hn::And(hn::IsFinite(interval.low), hn::IsFinite(interval.high));
}

// Clips to [0, highest]; `highest` may be negative, then the result is 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Clip(D d, V value, V highest) {
  const V zero = hn::Zero(d);
  const V not_above = hn::IfThenElse(hn::Lt(highest, value), highest, value);
  return hn::IfThenElse(hn::Gt(not_above, zero), not_above, zero);
}

// Stores one byte per lane, which is not 0 where the lane's bit is set. All targets are
// little-endian.
template <class D>
HWY_INLINE void StoreBytes(D d, uint32_t bits, uint8_t* bytes) {
  constexpr auto kEachByte = static_cast<uint64_t>(0x0101010101010101);
  constexpr auto kBitOfByte = static_cast<uint64_t>(0x8040201008040201);
  for (int64_t lane = 0; lane < LanesOf(d); lane += 8, bits >>= 8) {
    const uint64_t eight = (bits & 0xFF) * kEachByte & kBitOfByte;
    std::memcpy(bytes + lane, &eight, static_cast<size_t>(std::min<int64_t>(LanesOf(d), 8)));
  }
}

template <bool kVariances, class D, class V = hn::Vec<D>>
HWY_INLINE void DecodeGathered(D d, const Decoder& decoder, const Gathered& gathered, int64_t count,
                               const suppression::Columns& columns, int64_t at, uint8_t* dropped) {
  const V offset = hn::Set(d, decoder.offset);
  const V image_width = hn::Set(d, decoder.image_width);
  const V image_height = hn::Set(d, decoder.image_height);
  const V x_highest = hn::Set(d, decoder.image_width - decoder.offset);
  const V y_highest = hn::Set(d, decoder.image_height - decoder.offset);
  const V least = hn::Set(d, decoder.least_size);
  const V half = hn::Set(d, 0.5f);
  for (int64_t i = 0; i < count; i += LanesOf(d)) {
    V ax1, ay1, ax2, ay2, dx, dy, dw, dh;
    hn::LoadInterleaved4(d, gathered.anchors + i * kBoxFloats, ax1, ay1, ax2, ay2);
    hn::LoadInterleaved4(d, gathered.deltas + i * kBoxFloats, dx, dy, dw, dh);
    V vx = hn::Set(d, 1.0f), vy = vx, vw = vx, vh = vx;
    if (kVariances) {
      hn::LoadInterleaved4(d, gathered.variances + i * kBoxFloats, vx, vy, vw, vh);
    }
    const Interval<D> x = DecodeAxis(d, ax1, ax2, dx, dw, vx, vw, offset);
    const Interval<D> y = DecodeAxis(d, ay1, ay2, dy, dh, vy, vh, offset);
    const auto finite = hn::And(IsFinite(d, x), IsFinite(d, y));
    const V x1 = Clip(d, x.low, x_highest);
    const V y1 = Clip(d, y.low, y_highest);
    const V x2 = Clip(d, x.high, x_highest);
    const V y2 = Clip(d, y.high, y_highest);
    const V width = hn::Add(hn::Sub(x2, x1), offset);
    const V height = hn::Add(hn::Sub(y2, y1), offset);
    auto drop = hn::Or(hn::Not(finite), hn::Or(hn::Lt(width, least), hn::Lt(height, least)));
    if (decoder.drops_outside) {
      drop = hn::Or(drop, hn::Or(hn::Gt(hn::Add(x1, hn::Mul(half, width)), image_width),
                                 hn::Gt(hn::Add(y1, hn::Mul(half, height)), image_height)));
    }
    hn::StoreU(x1, d, columns.array[nms::kX1] + at + i);
    hn::StoreU(y1, d, columns.array[nms::kY1] + at + i);
    hn::StoreU(x2, d, columns.array[nms::kX2] + at + i);
    hn::StoreU(y2, d, columns.array[nms::kY2] + at + i);
    hn::StoreU(nms::HWY_NAMESPACE::AreaOf(d, x1, y1, x2, y2, offset), d,
               columns.array[nms::kArea] + at + i);
    StoreBytes(d, BitsOf(d, drop), dropped + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::generate_proposals_v2
HWY_AFTER_NAMESPACE();

#endif  // include guard
