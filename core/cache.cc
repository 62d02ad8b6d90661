// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/cache.h"

#include <unistd.h>

namespace detops {
namespace {

int64_t AskSystem() {
  constexpr int64_t kUsual = int64_t{32} << 20;
  const int64_t third = sysconf(_SC_LEVEL3_CACHE_SIZE);
  const int64_t second = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return third > 0 ? third : second > 0 ? second : kUsual;
}

}  // namespace

int64_t LastLevelCacheBytes() {
  static const int64_t bytes = AskSystem();
  return bytes;
}

}  // namespace detops
