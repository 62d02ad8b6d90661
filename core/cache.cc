// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace detops {
namespace {

// The size that is assumed when the system does not report one, and the part of a larger cache that
// a program can count on.
constexpr int64_t kUsualBytes = int64_t{32} << 20;

// Returns the size of one level-3 cache as the kernel lists it, or 0 if it does not. sysconf, in
// contrast, adds up the caches of all groups of cores. Reads with system calls because a stream
// would allocate, and the first caller may be a job, which must not run out of memory.
int64_t ThirdLevelBytes() {
  const int file = open("/sys/devices/system/cpu/cpu0/cache/index3/size", O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return 0;
  }
  char text[32];
  const ssize_t length = read(file, text, sizeof(text));
  close(file);
  const char* const end = text + (length > 0 ? length : 0);
  int64_t size = 0;
  const auto [unit, error] = std::from_chars(text, end, size);
  if (error != std::errc() || size <= 0 || unit == end) {
    return 0;
  }
  return *unit == 'K' ? size << 10 : *unit == 'M' ? size << 20 : 0;
}

int64_t LastLevelBytes() {
  for (const int64_t bytes : {ThirdLevelBytes(), int64_t{sysconf(_SC_LEVEL3_CACHE_SIZE)},
                              int64_t{sysconf(_SC_LEVEL2_CACHE_SIZE)}}) {
    if (bytes > 0) {
      return bytes;
    }
  }
  return kUsualBytes;
}

}  // namespace

int64_t LargestCachedResult() {
  static const int64_t bytes = std::min(kUsualBytes, LastLevelBytes());
  return bytes;
}

}  // namespace detops
