// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "detops/info.hpp"

#include <algorithm>
#include <fstream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "core/boundary.h"
#include "core/cores.h"
#include "core/parallel.h"
#include "core/version.h"
#include "mlu_op.h"

namespace detops {
namespace {

// Returns the CPU's name as the system reports it, else "unknown".
std::string CpuName() {
  std::ifstream file("/proc/cpuinfo");
  file.exceptions(std::ios::badbit);  // so that running out of memory does not look like the end
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) {
      const size_t start = line.find_first_not_of(" \t", line.find(':') + 1);
      return start == std::string::npos ? "unknown" : line.substr(start);
    }
  }
  return "unknown";
}

std::vector<std::string> SimdTargetNames() {
  std::string_view all = detopsGetSimdTargets();
  if (all.empty()) {
    throw std::bad_alloc();  // there is always one target: empty means out of memory
  }
  std::vector<std::string> names;
  while (!all.empty()) {
    const std::string_view name = all.substr(0, all.find(' '));
    names.emplace_back(name);
    all.remove_prefix(std::min(name.size() + 1, all.size()));
  }
  return names;
}

}  // namespace

Info GetInfo() {
  Info info;
  CppCall("GetInfo", [&] {
    info.version = kVersion;
    info.cpu = CpuName();
    info.cores = AvailableCores();
    info.threads = DefaultThreads();
    info.simd_targets = SimdTargetNames();
    info.simd_target = detopsGetSimdTarget();
    return Status();
  });
  return info;
}

}  // namespace detops

void mluOpGetLibVersion(int* major, int* minor, int* patch) {
  const auto set = [](int* target, int value) {
    if (target != nullptr) {
      *target = value;
    }
  };
  set(major, MLUOP_MAJOR);
  set(minor, MLUOP_MINOR);
  set(patch, MLUOP_PATCHLEVEL);
}
