// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Loads boxes of either type into vectors, and packs the boxes of a tile's columns.

#if defined(DETOPS_OPS_BBOX_OVERLAPS_PACKING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_BBOX_OVERLAPS_PACKING_INL_H_
#undef DETOPS_OPS_BBOX_OVERLAPS_PACKING_INL_H_
#else
#define DETOPS_OPS_BBOX_OVERLAPS_PACKING_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstring>

#include "core/half.h"
#include "ops/bbox_overlaps/op.h"
#include "ops/bbox_overlaps/overlap-inl.h"
#include "simd/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::bbox_overlaps {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE BoxVectors LoadBoxes(const float* boxes) {
  BoxVectors v;
  hn::LoadInterleaved4(DF(), boxes, v.x1, v.y1, v.x2, v.y2);
  return v;
}

HWY_INLINE BoxVectors LoadBoxes(const Half* boxes) {
  using detops::HWY_NAMESPACE::HalfToFloat;
  const DF d;
  const hn::Rebind<uint16_t, DF> d16;
  hn::Vec<decltype(d16)> x1, y1, x2, y2;
  hn::LoadInterleaved4(d16, reinterpret_cast<const uint16_t*>(boxes), x1, y1, x2, y2);
  return {HalfToFloat(d, x1), HalfToFloat(d, y1), HalfToFloat(d, x2), HalfToFloat(d, y2)};
}

// Loads fewer boxes than a vector has lanes. The other lanes get boxes of zeros.
template <class T>
HWY_INLINE BoxVectors LoadSomeBoxes(const T* boxes, int64_t count) {
  T copy[kMaxLanes * 4] = {};
  std::memcpy(copy, boxes, static_cast<size_t>(count) * 4 * sizeof(T));
  return LoadBoxes(copy);
}

// One of the first boxes, broadcast to every lane.
struct Row {
  BoxVectors box;
  VF area;
  bool has_nan;
  bool is_proper;    // and its area is above 0
  bool has_no_sign;  // whether the sign bits of x1 and x2 are clear
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
  row.is_proper =
      hn::AllTrue(d, hn::And(IsProper(row.box, row.area), hn::Gt(row.area, hn::Zero(d))));
  row.has_no_sign = HaveNoSign(row.box.x1, row.box.x2);
  row.has_nan = std::isunordered(x1, x2) || std::isunordered(y1, y2);
  return row;
}

// The second boxes of a tile, as one array for each value that the rows need.
class Columns {
 public:
  template <int kOffset, class T>
  HWY_INLINE void Pack(const T* boxes, int64_t count) {
    const int64_t lanes = VectorLanes();
    all_proper_ = true;
    has_no_sign_ = true;
    int64_t j = 0;
    for (; j + lanes <= count; j += lanes) {
      Put<kOffset>(LoadBoxes(boxes + j * 4), j);
    }
    if (j < count) {
      Put<kOffset>(LoadSomeBoxes(boxes + j * 4, count - j), j);
      j += lanes;
    }
    // One more vector, so that a vector can be read from any column on.
    const BoxVectors zeros{hn::Zero(DF()), hn::Zero(DF()), hn::Zero(DF()), hn::Zero(DF())};
    Put<kOffset>(zeros, j);
  }

  // Returns whether every box is proper.
  bool all_proper() const { return all_proper_; }

  // Returns whether the sign bits of all x coordinates are clear.
  bool has_no_sign() const { return has_no_sign_; }

  // Returns the fractions of the row with the columns from j on. kProper, kNoSign: see
  // MakeFraction.
  template <OverlapMode kMode, int kOffset, bool kProper, bool kNoSign = false>
  HWY_INLINE Fraction FractionWith(const Row& row, int64_t j) const {
    const DF d;
    const BoxVectors box{hn::LoadU(d, x1_ + j), hn::LoadU(d, y1_ + j), hn::LoadU(d, x2_ + j),
                         hn::LoadU(d, y2_ + j)};
    return MakeFraction<kMode, kOffset, kProper, kNoSign>(row.box, row.area, box,
                                                          hn::LoadU(d, area_ + j));
  }

  // Returns the overlaps that `fraction`, made from the columns from j on, stands for.
  template <bool kProper>
  HWY_INLINE VF Finish(const Fraction& fraction, int64_t j) const {
    const VF overlap = Divide<kProper>(fraction);
    // Proper boxes have no NaN to mark.
    return kProper ? overlap : hn::Add(overlap, hn::LoadU(DF(), nan_ + j));
  }

 private:
  // In addition to the widest tile: the cache line that a streamed row takes over from the next
  // tile (32 halves), and the vectors after the last column.
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
    all_proper_ = hn::AllTrue(d, IsProper(box, area)) && all_proper_;
    has_no_sign_ = HaveNoSign(box.x1, box.x2) && has_no_sign_;
  }

  bool all_proper_;
  bool has_no_sign_;

  HWY_ALIGN float x1_[kCapacity];
  HWY_ALIGN float y1_[kCapacity];
  HWY_ALIGN float x2_[kCapacity];
  HWY_ALIGN float y2_[kCapacity];
  HWY_ALIGN float area_[kCapacity];
  HWY_ALIGN float nan_[kCapacity];
};

}  // namespace HWY_NAMESPACE
}  // namespace detops::bbox_overlaps
HWY_AFTER_NAMESPACE();

#endif  // include guard
