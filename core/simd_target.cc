// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/simd_target.h"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cctype>
#include <mutex>
#include <string>

#include "core/boundary.h"
#include "core/environment.h"
#include "core/log.h"

namespace detops {
namespace {

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  const auto equal = [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
}

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

// 0 allows all targets that the CPU supports.
void Restrict(int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace

std::string SimdDisplayName(std::string_view target) {
  struct Name {
    std::string_view target;
    const char* display;
  };
  constexpr Name kNames[] = {
      {"AVX3", "AVX-512"},
      {"AVX3_DL", "AVX-512 (Ice Lake)"},
      {"AVX3_ZEN4", "AVX-512 (Zen 4)"},
      {"AVX3_SPR", "AVX-512 (Sapphire Rapids)"},
      {"EMU128", "plain C++"},
      {"SCALAR", "plain C++"},
  };
  for (const Name& name : kNames) {
    if (EqualIgnoringCase(name.target, target)) {
      return name.display;
    }
  }
  return std::string(target);
}

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
  const auto restrict_to_first = [&](const auto& is_meant) {
    const auto found = std::find_if(SimdTargets().begin(), SimdTargets().end(), is_meant);
    if (found == SimdTargets().end()) {
      return false;
    }
    Restrict(*found);
    return true;
  };
  if (restrict_to_first(
          [&](int64_t target) { return EqualIgnoringCase(name, hwy::TargetName(target)); }) ||
      restrict_to_first([&](int64_t target) {
        const std::string display = SimdDisplayName(hwy::TargetName(target));
        return EqualIgnoringCase(name, display) ||
               EqualIgnoringCase(name, display.substr(0, display.find(" (")));
      })) {
    return {};
  }
  return BadParam("name is '{}'; it must be one of: {}", name, TargetNames());
}

void ResetSimdTarget() { Restrict(0); }

void InitSimdTarget() {
  static std::once_flag once;
  Status status;
  std::call_once(once, [&] {
    SimdTargets();  // lists what the CPU supports, so it must come before a restriction
    if (const auto name = FromEnvironment("DETOPS_SIMD_TARGET")) {
      status = SetSimdTarget(*name);
    }
  });
  // Logged outside of call_once, because a log sink of the user's may call back into the library.
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

// The first call of either allocates memory, which may fail.
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
