// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Decides, by the size of the machine's caches, how results are written.

#ifndef DETOPS_CORE_CACHE_H_
#define DETOPS_CORE_CACHE_H_

#include <cstdint>

namespace detops {

// Returns the size, in bytes, of the largest result that should be written through the caches.
// Larger results should use streaming stores. This is the size of the last-level cache, but at most
// 32 MB: dozens of cores share a larger one, so a program can only count on a part of it. (With a
// cache of 260 MB, streaming is 1.06 times as fast for a result of 60 MB and 1.2 times for 200 MB.)
int64_t LargestCachedResult();

}  // namespace detops

#endif  // DETOPS_CORE_CACHE_H_
