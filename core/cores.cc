// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/cores.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string_view>

namespace detops {
namespace {

std::atomic<int> pretended_cores{0};

// The cores of the main thread. Other threads may have been pinned by the program.
struct Affinity {
  cpu_set_t mask;
  int cores = 0;  // 0 if the mask cannot be read, for example because it is larger
};

Affinity ReadAffinity() {
  Affinity affinity;
  CPU_ZERO(&affinity.mask);
  if (sched_getaffinity(getpid(), sizeof(affinity.mask), &affinity.mask) == 0) {
    affinity.cores = CPU_COUNT(&affinity.mask);
  }
  return affinity;
}

const Affinity& TheAffinity() {
  static const Affinity affinity = ReadAffinity();
  return affinity;
}

// ---- Control groups -----------------------------------------------------------------------------

std::optional<int64_t> ParseInteger(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

std::optional<int> CoresOf(std::optional<int64_t> quota, std::optional<int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) {
    return std::nullopt;
  }
  const double cores = std::ceil(static_cast<double>(*quota) / static_cast<double>(*period));
  return static_cast<int>(std::min(cores, 1e6));
}

// Reads "quota period", in microseconds, or "max period" for none (version 2 of control groups).
std::optional<int> ReadCpuMax(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  std::string quota;
  std::string period;
  file >> quota >> period;
  return CoresOf(ParseInteger(quota), ParseInteger(period));
}

// Reads the two files of version 1; a quota of -1 is none.
std::optional<int> ReadCfsQuota(const std::string& folder) {
  std::string quota;
  std::string period;
  std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
  std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  return CoresOf(ParseInteger(quota), ParseInteger(period));
}

// Returns the smallest quota of the group `path` and the groups above it. Inside a container the
// group's own folder may be mounted as the root; its parents are then missing, which does no harm.
template <class Read>
std::optional<int> SmallestQuota(const std::string& mount, std::string path, const Read& read) {
  std::optional<int> smallest;
  for (;;) {
    const std::optional<int> cores = read(mount + path);
    if (cores && (!smallest || *cores < *smallest)) {
      smallest = cores;
    }
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos) {
      return smallest;
    }
    path.resize(slash);
  }
}

// Returns whether a comma-separated list contains "cpu".
bool HasCpuController(std::string_view controllers) {
  while (!controllers.empty()) {
    const size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == "cpu") {
      return true;
    }
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

int MeasureCores() {
  int cores = TheAffinity().cores;
  if (cores == 0) {
    cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  }
  try {
    cores = std::min(cores, QuotaOfControlGroup().value_or(cores));
  } catch (...) {
    cores = 1;  // Out of memory.
  }
  return std::max(cores, 1);
}

}  // namespace

std::optional<int> QuotaOfControlGroup(const std::string& root) {
  std::ifstream groups(root + "/proc/self/cgroup");
  std::optional<int> smallest;
  // A line is "number:controllers:path"; version 2 has no controllers.
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    const std::string mounts = root + "/sys/fs/cgroup";
    std::optional<int> cores;
    if (controllers.empty()) {
      cores = SmallestQuota(mounts, path, ReadCpuMax);
    } else if (HasCpuController(controllers)) {
      cores = SmallestQuota(fmt::format("{}/{}", mounts, controllers), path, ReadCfsQuota);
    }
    if (cores && (!smallest || *cores < *smallest)) {
      smallest = cores;
    }
  }
  return smallest;
}

int AvailableCores() {
  static const int cores = MeasureCores();
  const int pretended = pretended_cores.load(std::memory_order_relaxed);
  return pretended != 0 ? pretended : cores;
}

void UseAllCores() {
  const Affinity& affinity = TheAffinity();
  if (affinity.cores != 0) {
    sched_setaffinity(0, sizeof(affinity.mask), &affinity.mask);
  }
}

void PretendCores(int cores) { pretended_cores.store(cores, std::memory_order_relaxed); }

}  // namespace detops
