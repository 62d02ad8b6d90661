// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Streaming stores: writes that bypass the caches, for results that are larger than the caches (see
// core/cache.h). They must fill whole cache lines to be fast. After the last store of a task,
// callers must call hwy::FlushStream() before another thread reads the result.

#if defined(DETOPS_SIMD_STREAM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_SIMD_STREAM_INL_H_
#undef DETOPS_SIMD_STREAM_INL_H_
#else
#define DETOPS_SIMD_STREAM_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "core/aligned_buffer.h"
#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Elements of type T in a cache line.
template <class T>
inline constexpr int64_t kLineElements = static_cast<int64_t>(kAlignment / sizeof(T));

// Returns the number of elements between `pointer` and the next cache line, 0 if one starts there.
// `pointer` must be aligned to its element.
template <class T>
HWY_INLINE int64_t ElementsToLine(const T* pointer) {
  const uintptr_t offset = reinterpret_cast<uintptr_t>(pointer) % kAlignment;
  return static_cast<int64_t>((kAlignment - offset) % kAlignment / sizeof(T));
}

// Streams compute(0), compute(lanes), ..., each a vector, to to[0, count). `to` must be aligned to
// a vector and `count` a multiple of LanesOf(d). For whole cache lines, both must be so for lines.
template <class D, class T = hn::TFromD<D>, class Compute>
HWY_INLINE void StreamVectors(D d, T* to, int64_t count, const Compute& compute) {
  for (int64_t i = 0; i < count; i += LanesOf(d)) {
    hn::Stream(compute(i), d, to + i);
  }
}

// Copies `count` elements and streams the whole cache lines among them. The ranges may start
// anywhere and must not overlap.
template <class T>
HWY_INLINE void StreamCopy(const T* from, int64_t count, T* to) {
  const hn::CappedTag<T, kLineElements<T>> d;
  const int64_t head = std::min(count, ElementsToLine(to));
  const int64_t end = head + (count - head) / kLineElements<T> * kLineElements<T>;
  std::copy_n(from, head, to);
  StreamVectors(d, to + head, end - head,
                [&](int64_t i) HWY_ATTR { return hn::LoadU(d, from + head + i); });
  std::copy_n(from + end, count - end, to + end);
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // include guard
