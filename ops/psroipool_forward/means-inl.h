// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The means of all channels of one bin. Up to kMaxFloatPixels pixels are added in float, more in
// double, row by row as in reference.cc.

#if defined(DETOPS_OPS_PSROIPOOL_FORWARD_MEANS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_PSROIPOOL_FORWARD_MEANS_INL_H_
#undef DETOPS_OPS_PSROIPOOL_FORWARD_MEANS_INL_H_
#else
#define DETOPS_OPS_PSROIPOOL_FORWARD_MEANS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "ops/psroipool_forward/op.h"
#include "ops/psroipool_forward/packing-inl.h"
#include "ops/psroipool_forward/tiles.h"
#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::psroipool_forward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using detops::HWY_NAMESPACE::LanesOf;

// The pixels of a bin, in `rows` rows of a ring from row `slot` on. The channels of a pixel are
// adjacent, except that vectors of one lane allow any distance between channels.
struct BinPixels {
  const float* ring;
  int64_t ring_rows;
  int64_t row_floats;      // from a row to the next
  int64_t pixel_floats;    // from a pixel to the next
  int64_t channel_stride;  // from a channel to the next, for vectors of one lane
  int64_t last_vector;     // from a pixel's first vector to its last
  int64_t slot;
  int64_t rows;
  int64_t columns;

  int64_t pixels() const { return rows * columns; }
};

// Returns the offset, in floats, of vector `index` of a pixel's sums, which are vectors of DA: one
// of the packing's vectors or, for doubles, a half of one. `last_vector` is the offset of the
// packing's last vector.
template <class DA>
HWY_INLINE int64_t OffsetOf(DA da, const Packing& packing, int64_t last_vector, int64_t index) {
  const int64_t lane = index * LanesOf(da);
  if constexpr (sizeof(hn::TFromD<DA>) == sizeof(float)) {
    return index == packing.vectors - 1 ? last_vector : lane;
  }
  const int64_t vector = lane / packing.lanes;
  return (vector == packing.vectors - 1 ? last_vector : vector * packing.lanes) +
         lane % packing.lanes;
}

// Loads floats as a vector of floats or of doubles.
template <class DA>
HWY_INLINE hn::Vec<DA> LoadAs(DA da, const float* from) {
  if constexpr (sizeof(hn::TFromD<DA>) == sizeof(double)) {
    return hn::PromoteTo(da, hn::LoadU(hn::Rebind<float, DA>(), from));
  } else {
    return hn::LoadU(da, from);
  }
}

// Adds all pixels to the kVectors sums from vector `first` on.
template <int kVectors, class DA>
HWY_INLINE void AddPixels(DA da, const Packing& packing, const BinPixels& bin, int64_t first,
                          hn::Vec<DA> (&sums)[kVectors]) {
  int64_t offsets[kVectors];
  for (int i = 0; i < kVectors; ++i) {
    if constexpr (hn::MaxLanes(DA()) == 1) {
      offsets[i] = (first + i) * bin.channel_stride;
    } else {
      // Only the last vector of floats can overlap the one before it. The others have constant
      // distances, which saves registers.
      const bool is_adjacent = sizeof(hn::TFromD<DA>) == sizeof(float) && i < kVectors - 1;
      offsets[i] = is_adjacent ? (first + i) * LanesOf(da)
                               : OffsetOf(da, packing, bin.last_vector, first + i);
    }
  }
  int64_t slot = bin.slot;
  for (int64_t y = 0; y < bin.rows; ++y) {
    const float* pixel = bin.ring + slot * bin.row_floats;
    for (int64_t x = 0; x < bin.columns; ++x) {
      for (int i = 0; i < kVectors; ++i) {
        sums[i] = hn::Add(sums[i], LoadAs(da, pixel + offsets[i]));
      }
      pixel += bin.pixel_floats;
    }
    slot = slot + 1 == bin.ring_rows ? 0 : slot + 1;
  }
}

// Computes the means of a bin of at most kMaxFloatPixels pixels, kVectors vectors of channels per
// step. The packing must have at least kVectors vectors; the last step may repeat some of them.
template <int kVectors, class D>
HWY_INLINE void MeanOfBin(D d, const Packing& packing, const BinPixels& bin, int64_t dim,
                          float* means) {
  const auto pixels = hn::Set(d, static_cast<float>(bin.pixels()));
  for (int64_t next = 0; next < packing.vectors; next += kVectors) {
    const int64_t first = std::min(next, packing.vectors - kVectors);
    hn::Vec<D> sums[kVectors];
    for (int i = 0; i < kVectors; ++i) {
      sums[i] = hn::Zero(d);
    }
    AddPixels(d, packing, bin, first, sums);
    for (int i = 0; i < kVectors; ++i) {
      hn::StoreU(hn::Div(sums[i], pixels), d,
                 means + OffsetOf(d, packing, dim - packing.lanes, first + i));
    }
  }
}

template <int kVectors, class DD>
HWY_INLINE void AddVectorsInDouble(DD dd, const Packing& packing, const BinPixels& bin,
                                   int64_t first, double* sums) {
  hn::Vec<DD> vectors[kVectors];
  for (int i = 0; i < kVectors; ++i) {
    vectors[i] = hn::LoadU(dd, sums + (first + i) * LanesOf(dd));
  }
  AddPixels(dd, packing, bin, first, vectors);
  for (int i = 0; i < kVectors; ++i) {
    hn::StoreU(vectors[i], dd, sums + (first + i) * LanesOf(dd));
  }
}

// Adds all pixels to `sums`, which has one element per float of a packed pixel. Not inlined: few
// bins have this many pixels, and the code for the others keeps its registers.
template <class DF>
HWY_NOINLINE void AddInDouble(DF /*d*/, const Packing& packing, const BinPixels& bin,
                              double* sums) {
  constexpr size_t kLanes = hn::MaxLanes(DF());
  const hn::CappedTag<double, (kLanes > 1 ? kLanes / 2 : 1)> dd;
  constexpr int kVectors = 4;
  const int64_t vectors = packing.floats() / LanesOf(dd);
  int64_t first = 0;
  for (; first + kVectors <= vectors; first += kVectors) {
    AddVectorsInDouble<kVectors>(dd, packing, bin, first, sums);
  }
  for (; first < vectors; ++first) {
    AddVectorsInDouble<1>(dd, packing, bin, first, sums);
  }
}

HWY_INLINE void MeanOfSums(const Packing& packing, const double* sums, int64_t pixels, int64_t dim,
                           float* means) {
  for (int64_t vector = 0; vector < packing.vectors; ++vector) {
    float* const to = means + FirstChannelOf(packing, dim, vector);
    for (int64_t lane = 0; lane < packing.lanes; ++lane) {
      to[lane] =
          static_cast<float>(sums[vector * packing.lanes + lane] / static_cast<double>(pixels));
    }
  }
}

// Computes the means of a bin of any number of pixels, 0 if it has none. `sums` is scratch.
template <int kVectors, class D>
HWY_INLINE void MeanOrZero(D d, const Packing& packing, const BinPixels& bin, int64_t dim,
                           double* sums, float* means) {
  if (bin.rows <= 0 || bin.columns <= 0) {
    std::fill_n(means, dim, 0.0f);
  } else if (bin.pixels() <= kMaxFloatPixels) {
    MeanOfBin<kVectors>(d, packing, bin, dim, means);
  } else {
    std::fill_n(sums, packing.floats(), 0.0);
    AddInDouble(d, packing, bin, sums);
    MeanOfSums(packing, sums, bin.pixels(), dim, means);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::psroipool_forward
HWY_AFTER_NAMESPACE();

#endif  // include guard
