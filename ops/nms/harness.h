// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Runs the cases of cases.h on guarded memory, for tests and the fuzz target.

#ifndef DETOPS_OPS_NMS_HARNESS_H_
#define DETOPS_OPS_NMS_HARNESS_H_

#include "ops/nms/cases.h"
#include "suppression/harness.h"

namespace detops::nms {

Kept RunReference(const Case& input);
Kept RunOn(Threads& threads, const Case& input, const Placement& placement = {});
Kept RunOn(int threads, const Case& input);

}  // namespace detops::nms

#endif  // DETOPS_OPS_NMS_HARNESS_H_
