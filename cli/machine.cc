// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/machine.h"

#include <fstream>
#include <limits>
#include <string>

#include "bench/limits.h"
#include "bench/pinned_threads.h"

namespace detops::cli {

const Limits& Machine::LimitsOf(int threads) const {
  return threads == 1 ? limits.front() : limits.back();
}

Machine MeasureMachine() {
  Machine machine;
  machine.info = GetInfo();
  const auto measure = [&](int count) {
    PinnedThreads threads(count);
    machine.limits.push_back(
        {count, BytesMovedPerSecond(threads), PeakOperationsPerSecond(threads)});
  };
  measure(1);
  if (machine.info.threads != 1) {
    measure(machine.info.threads);
  }
  return machine;
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
