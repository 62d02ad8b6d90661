// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Branch-free means of small bins: one or two rows of one or two columns. The number of pixels of a
// bin is unpredictable, and a mispredicted branch takes longer than always adding four pixels. The
// pixels that a bin does not have are masked to zeros, which change nothing, as no sum is -0.

#if defined(DETOPS_OPS_PSROIPOOL_FORWARD_SMALL_BINS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_PSROIPOOL_FORWARD_SMALL_BINS_INL_H_
#undef DETOPS_OPS_PSROIPOOL_FORWARD_SMALL_BINS_INL_H_
#else
#define DETOPS_OPS_PSROIPOOL_FORWARD_SMALL_BINS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "ops/psroipool_forward/tiles.h"
#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::psroipool_forward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using detops::HWY_NAMESPACE::LanesOf;

// Largest number of vectors of channels for which small bins are treated separately.
constexpr int kMaxSmallBinVectors = 4;
// Largest number of rows and of columns of a small bin.
constexpr int64_t kMaxSmallBinSide = 2;

// The rows of the small bins of a RoI.
template <class D>
struct SmallBinRows {
  int64_t below;    // floats from the first row to the last; 0 for a single row
  hn::Vec<D> mask;  // all bits set if there is a second row, zero otherwise
};

// The columns of the small bins of one vector of the bin table. They are computed for all bins of
// the vector at once, so that each bin only needs broadcast loads.
struct SmallBinColumns {
  static constexpr int64_t kBins = BinTable::kUnit;
  alignas(kBins * sizeof(int32_t)) int32_t offsets[kBins];  // of the first pixel, in floats
  alignas(kBins * sizeof(int32_t)) int32_t beside[kBins];   // floats from first to last column
  alignas(kBins * sizeof(int32_t)) float masks[kBins];      // as in SmallBinRows
  alignas(kBins * sizeof(int32_t)) float factors[kBins];    // 1 / number of pixels
};

// Computes `columns` for the bins [begin, end) of a vector of the table. Returns false if one of
// them has no columns or more than kMaxSmallBinSide.
HWY_INLINE bool FindSmallBinColumns(const int32_t* begins, const int32_t* ends, int64_t begin,
                                    int64_t end, int32_t rows, int64_t pixel_floats,
                                    SmallBinColumns& columns) {
  const hn::CappedTag<int32_t, SmallBinColumns::kBins> di;
  const hn::RebindToFloat<decltype(di)> d;
  const auto one = hn::Set(di, 1);
  const auto pixel = hn::Set(di, static_cast<int32_t>(pixel_floats));
  const auto row_factor = hn::Set(d, rows == kMaxSmallBinSide ? 0.5f : 1.0f);
  bool are_small = true;
  for (int64_t i = 0; i < SmallBinColumns::kBins; i += LanesOf(di)) {
    const auto first = hn::LoadU(di, begins + i);
    const auto more = hn::Sub(hn::Sub(hn::LoadU(di, ends + i), first), one);
    const auto bin = hn::Add(hn::Iota(di, 0), hn::Set(di, static_cast<int32_t>(i)));
    const auto is_other = hn::Or(hn::Lt(bin, hn::Set(di, static_cast<int32_t>(begin))),
                                 hn::Gt(bin, hn::Set(di, static_cast<int32_t>(end - 1))));
    const auto is_small = hn::Eq(hn::AndNot(one, more), hn::Zero(di));
    are_small = are_small && hn::AllTrue(di, hn::Or(is_small, is_other));
    const auto mask = hn::Neg(more);
    hn::StoreU(hn::Mul(first, pixel), di, columns.offsets + i);
    hn::StoreU(hn::And(mask, pixel), di, columns.beside + i);
    hn::StoreU(hn::BitCast(d, mask), d, columns.masks + i);
    // Multiplying by 1, 1/2 or 1/4 gives the same bits as dividing by the number of pixels.
    hn::StoreU(hn::Mul(row_factor,
                       hn::Sub(hn::Set(d, 1.0f), hn::And(hn::BitCast(d, mask), hn::Set(d, 0.5f)))),
               d, columns.factors + i);
  }
  return are_small;
}

// Computes the means of bin `bin` of the vector of bins. `row` is the start of its first row in the
// ring and `last_vector` the offset of a pixel's last vector.
template <int kVectors, class D>
HWY_INLINE void MeanOfSmallBin(D d, const float* row, int64_t last_vector,
                               const SmallBinRows<D>& rows, const SmallBinColumns& columns,
                               int64_t bin, int64_t dim, float* means) {
  const float* const first = row + columns.offsets[bin];
  const int64_t beside = columns.beside[bin];
  const auto beside_mask = hn::Set(d, columns.masks[bin]);
  const auto both_mask = hn::And(rows.mask, beside_mask);
  const auto factor = hn::Set(d, columns.factors[bin]);
  for (int i = 0; i < kVectors; ++i) {
    const float* const from = first + (i == kVectors - 1 ? last_vector : i * LanesOf(d));
    auto sum = hn::Add(hn::Zero(d), hn::LoadU(d, from));
    sum = hn::Add(sum, hn::And(beside_mask, hn::LoadU(d, from + beside)));
    sum = hn::Add(sum, hn::And(rows.mask, hn::LoadU(d, from + rows.below)));
    sum = hn::Add(sum, hn::And(both_mask, hn::LoadU(d, from + rows.below + beside)));
    hn::StoreU(hn::Mul(sum, factor), d,
               means + (i == kVectors - 1 ? dim - LanesOf(d) : i * LanesOf(d)));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::psroipool_forward
HWY_AFTER_NAMESPACE();

#endif  // include guard
