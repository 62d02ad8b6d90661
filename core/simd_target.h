// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Which instruction set the kernels use: Highway chooses, the user can see and force it.

#ifndef DETOPS_CORE_SIMD_TARGET_H_
#define DETOPS_CORE_SIMD_TARGET_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace detops {

// The targets that were compiled and that this CPU runs, best first, whatever is forced.
const std::vector<int64_t>& SimdTargets();

// The one in use. The first call applies DETOPS_SIMD_TARGET.
int64_t CurrentSimdTarget();

// Returns the name that people use for a Highway target: "AVX-512" for "AVX3", "plain C++" for
// "SCALAR". Unknown names are returned as they are.
std::string SimdDisplayName(std::string_view target);

// Forces a target by Highway's name or by its display name, ignoring case. "AVX-512" means the best
// target of that family.
Status SetSimdTarget(std::string_view name);
void ResetSimdTarget();

// Applies DETOPS_SIMD_TARGET once. Every handle calls it when it is created.
void InitSimdTarget();

}  // namespace detops

#endif  // DETOPS_CORE_SIMD_TARGET_H_
