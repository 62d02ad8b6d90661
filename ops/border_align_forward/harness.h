// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Runs the cases of cases.h on guarded memory, for tests and the fuzz target.

#ifndef DETOPS_OPS_BORDER_ALIGN_FORWARD_HARNESS_H_
#define DETOPS_OPS_BORDER_ALIGN_FORWARD_HARNESS_H_

#include "ops/border_align_forward/cases.h"
#include "testing/guarded_buffer.h"

namespace detops::border_align_forward {

Result RunReference(const Case& input);
Result RunOn(Threads& threads, const Problem& problem, const Placement& placement = {});
Result RunOn(int threads, const Case& input);

}  // namespace detops::border_align_forward

#endif  // DETOPS_OPS_BORDER_ALIGN_FORWARD_HARNESS_H_
