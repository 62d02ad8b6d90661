// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/machine.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <set>
#include <string>

#include "core/simd_target.h"
#include "measure/limits.h"
#include "measure/pinned_threads.h"

namespace detops::cli {

const Limits& Machine::LimitsOf(int threads) const {
  const auto larger = std::find_if(limits.begin() + 1, limits.end(),
                                   [&](const Limits& of) { return of.threads > threads; });
  return *(larger - 1);
}

Machine MeasureMachine(int also) {
  Machine machine;
  machine.info = GetInfo();
  const auto measure = [&](int count) {
    PinnedThreads threads(count);
    machine.limits.push_back({.threads = count,
                              .bytes_per_second = BytesMovedPerSecond(threads),
                              .operations_per_second = PeakOperationsPerSecond(threads)});
  };
  std::set<int> counts = {1, machine.info.threads};
  if (also > 1 && also <= machine.info.cores) {
    counts.insert(also);
  }
  std::for_each(counts.begin(), counts.end(), measure);
  return machine;
}

std::string DisplayNames(const std::vector<std::string>& simd_targets) {
  std::string names;
  for (const std::string& target : simd_targets) {
    names += (names.empty() ? "" : ", ") + SimdDisplayName(target);
  }
  return names;
}

size_t AvailableMemory() {
  std::ifstream file("/proc/meminfo");
  std::string label;
  size_t kilobytes = 0;
  for (std::string rest; file >> label >> kilobytes && std::getline(file, rest);) {
    if (label == "MemAvailable:") {
      return kilobytes * 1024;
    }
  }
  return std::numeric_limits<size_t>::max();
}

}  // namespace detops::cli
