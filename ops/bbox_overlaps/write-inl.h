// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Writes computed vectors to a row of the result, through the caches or past them.

#if defined(DETOPS_OPS_BBOX_OVERLAPS_WRITE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_BBOX_OVERLAPS_WRITE_INL_H_
#undef DETOPS_OPS_BBOX_OVERLAPS_WRITE_INL_H_
#else
#define DETOPS_OPS_BBOX_OVERLAPS_WRITE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "ops/bbox_overlaps/op.h"
#include "ops/bbox_overlaps/overlap-inl.h"
#include "simd/half-inl.h"
#include "simd/stream-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::bbox_overlaps {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using detops::HWY_NAMESPACE::ElementsToLine;
using detops::HWY_NAMESPACE::kLineElements;

HWY_INLINE void Store(VF value, float* to) { detops::HWY_NAMESPACE::StoreRounded(value, DF(), to); }
HWY_INLINE void Store(VF value, Half* to) { detops::HWY_NAMESPACE::StoreRounded(value, DF(), to); }

// Stores the first `count` lanes.
template <class T>
HWY_INLINE void StoreSome(VF value, T* to, int64_t count) {
  T copy[kMaxLanes];
  Store(value, copy);
  std::memcpy(to, copy, static_cast<size_t>(count) * sizeof(T));
}

// Streams compute(j), compute(j + lanes), ... to a whole cache line at `to`.
template <class Compute>
HWY_INLINE void StreamLine(float* to, int64_t j, const Compute& compute) {
  const int64_t lanes = VectorLanes();
  for (int64_t k = 0; k < kLineFloats; k += lanes) {
    hn::Stream(compute(j + k), DF(), to + k);
  }
}

// Combines two vectors of floats to a full vector of halves: a store of half a vector takes as long
// as one of a full vector.
template <class Compute>
HWY_INLINE void StreamLine(Half* to, int64_t j, const Compute& compute) {
  const int64_t lanes = VectorLanes();
#if HWY_TARGET == HWY_SCALAR
  for (int64_t k = 0; k < kLineElements<Half>; k += lanes) {
    Store(compute(j + k), to + k);
  }
#else
  const hn::Twice<hn::Rebind<uint16_t, DF> > d16;
  for (int64_t k = 0; k < kLineElements<Half>; k += 2 * lanes) {
    const auto low = detops::HWY_NAMESPACE::FloatToHalf(DF(), compute(j + k));
    const auto high = detops::HWY_NAMESPACE::FloatToHalf(DF(), compute(j + k + lanes));
    hn::Stream(hn::Combine(d16, high, low), d16, reinterpret_cast<uint16_t*>(to + k));
  }
#endif
}

// Writes compute(j), a vector, to out[j] for the j that cover [begin, end). `compute` must be valid
// for all lanes of the last vector, even those after `end`.
template <class T, class Compute>
HWY_INLINE void WriteCached(T* out, int64_t begin, int64_t end, const Compute& compute) {
  const int64_t lanes = VectorLanes();
  int64_t j = begin;
  for (; j + lanes <= end; j += lanes) {
    Store(compute(j), out + j);
  }
  if (j < end) {
    StoreSome(compute(j), out + j, end - j);
  }
}

// WriteCached for the elements before the first whole cache line and after the last. It is not
// inlined because `compute` is long and these loops are short. It takes `compute` by value because
// a reference would force the captured vectors into memory, also in the loop over whole lines.
template <class T, class Compute>
HWY_NOINLINE void WriteEdge(T* out, int64_t begin, int64_t end, Compute compute) {
  WriteCached(out, begin, end, compute);
}

// Same as WriteCached, but streams whole cache lines.
template <class T, class Compute>
HWY_INLINE void WriteStreamed(T* out, int64_t begin, int64_t end, const Compute& compute) {
  int64_t j = std::min(end, begin + ElementsToLine(out + begin));
  if (begin < j) {
    WriteEdge(out, begin, j, compute);
  }
  for (; j + kLineElements<T> <= end; j += kLineElements<T>) {
    StreamLine(out + j, j, compute);
  }
  if (j < end) {
    WriteEdge(out, j, end, compute);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::bbox_overlaps
HWY_AFTER_NAMESPACE();

#endif  // include guard
