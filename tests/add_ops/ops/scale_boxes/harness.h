// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Runs the cases of cases.h on guarded memory, for tests and the fuzz target. Results are held as
// bits, so that two of them are equal only if every NaN and every sign of zero is.

#ifndef DETOPS_OPS_SCALE_BOXES_HARNESS_H_
#define DETOPS_OPS_SCALE_BOXES_HARNESS_H_

#include <cstdint>
#include <vector>

#include "ops/scale_boxes/cases.h"
#include "testing/guarded_buffer.h"

namespace detops::scale_boxes {

using Bits = std::vector<uint32_t>;

Bits RunReference(const Case& input);
// Aborts the program if the operator fails: it never does for valid arguments.
Bits RunOn(Threads& threads, const Case& input, const Placement& placement = {});

}  // namespace detops::scale_boxes

#endif  // DETOPS_OPS_SCALE_BOXES_HARNESS_H_
