// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "detops/info.hpp"

#include <fstream>
#include <sstream>
#include <string>

#include "core/parallel.h"
#include "core/version.h"
#include "mlu_op.h"

namespace detops {
namespace {

// The CPU's name as the system tells it; "unknown" where it does not.
std::string CpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) {
      const size_t start = line.find_first_not_of(" \t", line.find(':') + 1);
      return start == std::string::npos ? "unknown" : line.substr(start);
    }
  }
  return "unknown";
}

}  // namespace

Info GetInfo() {
  Info info;
  info.version = kVersion;
  info.cpu = CpuName();
  info.cores = AvailableCores();
  info.threads = DefaultThreads();
  info.simd_target = detopsGetSimdTarget();
  std::istringstream names(detopsGetSimdTargets());
  for (std::string name; names >> name;) {
    info.simd_targets.push_back(name);
  }
  return info;
}

}  // namespace detops

void mluOpGetLibVersion(int* major, int* minor, int* patch) {
  const auto set = [](int* target, int value) {
    if (target != nullptr) {
      *target = value;
    }
  };
  set(major, detops::kVersionMajor);
  set(minor, detops::kVersionMinor);
  set(patch, detops::kVersionPatch);
}
