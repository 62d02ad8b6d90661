// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/cache.h"

#include <unistd.h>

#include <fstream>

namespace detops {
namespace {

// Of one cache of the third level, as the kernel lists it. The C library adds up the caches that
// groups of cores have each to themselves; 0 when the kernel does not tell.
int64_t ThirdLevelBytes() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");
  int64_t size = 0;
  char unit = 0;
  if (!(file >> size >> unit) || size <= 0) {
    return 0;
  }
  return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : 0;
}

int64_t AskSystem() {
  constexpr int64_t kUsual = int64_t{32} << 20;
  for (const int64_t bytes : {ThirdLevelBytes(), int64_t{sysconf(_SC_LEVEL3_CACHE_SIZE)},
                              int64_t{sysconf(_SC_LEVEL2_CACHE_SIZE)}}) {
    if (bytes > 0) {
      return bytes;
    }
  }
  return kUsual;
}

}  // namespace

int64_t LastLevelCacheBytes() {
  static const int64_t bytes = AskSystem();
  return bytes;
}

}  // namespace detops
