// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/simd_target.h"

#include <hwy/highway.h>
#include <hwy/targets.h>
#include <strings.h>

#include <cstdlib>
#include <mutex>
#include <string>

#include "core/boundary.h"
#include "core/log.h"

namespace detops {
namespace {

std::string JoinNames() {
  std::string names;
  for (const int64_t target : SimdTargets()) {
    names += names.empty() ? "" : " ";
    names += hwy::TargetName(target);
  }
  return names;
}

const std::string& TargetNames() {
  static const auto* const names = new std::string(JoinNames());
  return *names;
}

// 0 means what the CPU has.
void Restrict(int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace

const std::vector<int64_t>& SimdTargets() {
  static const auto* const all = new std::vector<int64_t>(hwy::SupportedAndGeneratedTargets());
  return *all;
}

int64_t CurrentSimdTarget() {
  InitSimdTarget();
  const int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  return usable & -usable;
}

Status SetSimdTarget(std::string_view name) {
  for (const int64_t target : SimdTargets()) {
    const std::string_view candidate = hwy::TargetName(target);
    if (name.size() == candidate.size() &&
        strncasecmp(name.data(), candidate.data(), name.size()) == 0) {
      Restrict(target);
      return {};
    }
  }
  return BadParam("name is '{}', expected one of: {}", name, TargetNames());
}

void ResetSimdTarget() { Restrict(0); }

void InitSimdTarget() {
  static std::once_flag once;
  Status status;
  std::call_once(once, [&] {
    SimdTargets();  // before anything is forced
    if (const char* const name = std::getenv("DETOPS_SIMD_TARGET")) {
      status = SetSimdTarget(name);
    }
  });
  // Out here, because the log's sink may be the user's and may come back.
  if (!status.ok()) {
    Log(DETOPS_LOG_ERROR, fmt::format("DETOPS_SIMD_TARGET: {}; using {}", status.message(),
                                      hwy::TargetName(SimdTargets().front())));
  }
}

}  // namespace detops

mluOpStatus_t detopsSetSimdTarget(const char* name) {
  return detops::ApiCall("detopsSetSimdTarget", [&]() -> detops::Status {
    detops::InitSimdTarget();
    if (name == nullptr) {
      detops::ResetSimdTarget();
      return {};
    }
    return detops::SetSimdTarget(name);
  });
}

// Both allocate when they are the first to ask.
const char* detopsGetSimdTarget(void) {
  try {
    return hwy::TargetName(detops::CurrentSimdTarget());
  } catch (...) {
    return "unknown";
  }
}

const char* detopsGetSimdTargets(void) {
  try {
    detops::InitSimdTarget();
    return detops::TargetNames().c_str();
  } catch (...) {
    return "";
  }
}
