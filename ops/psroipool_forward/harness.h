// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Runs the cases of cases.h on guarded memory, for tests and the fuzz target.

#ifndef DETOPS_OPS_PSROIPOOL_FORWARD_HARNESS_H_
#define DETOPS_OPS_PSROIPOOL_FORWARD_HARNESS_H_

#include "ops/psroipool_forward/cases.h"
#include "testing/guarded_buffer.h"

namespace detops::psroipool_forward {

// Return the results of the reference, and of Run with these threads. Results and scratch are next
// to unmapped pages; results that were not written are -77.125 and -1.
Result RunReference(const Case& input);
Result RunOn(Threads& threads, const Case& input, const Placement& placement = {});
Result RunOn(int threads, const Case& input);

}  // namespace detops::psroipool_forward

#endif  // DETOPS_OPS_PSROIPOOL_FORWARD_HARNESS_H_
