// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Runs the cases of cases.h on guarded memory, for tests and fuzz targets.

#ifndef DETOPS_OPS_GENERATE_PROPOSALS_V2_HARNESS_H_
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_HARNESS_H_

#include "ops/generate_proposals_v2/cases.h"
#include "testing/guarded_buffer.h"

namespace detops::generate_proposals_v2 {

Proposals RunReference(const Case& input);
// Run the operator. Results and workspace are placed next to inaccessible pages, see Placement.
Proposals RunOn(Threads& threads, const Case& input, const Placement& placement = {});
Proposals RunOn(int threads, const Case& input);

}  // namespace detops::generate_proposals_v2

#endif  // DETOPS_OPS_GENERATE_PROPOSALS_V2_HARNESS_H_
