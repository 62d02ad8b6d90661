// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The size of the machine's caches, where it decides how results are written.

#ifndef DETOPS_CORE_CACHE_H_
#define DETOPS_CORE_CACHE_H_

#include <cstdint>

namespace detops {

// Bytes of the last-level cache; a usual size where the system does not tell.
int64_t LastLevelCacheBytes();

}  // namespace detops

#endif  // DETOPS_CORE_CACHE_H_
