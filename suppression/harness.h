// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Runs suppression cases on guarded memory, for tests and fuzz targets.

#ifndef DETOPS_SUPPRESSION_HARNESS_H_
#define DETOPS_SUPPRESSION_HARNESS_H_

#include <cstddef>
#include <cstdint>

#include "runtime/job.h"
#include "suppression/cases.h"
#include "testing/guarded_buffer.h"

namespace detops {

template <class Case, class Args>
Kept KeptByRun(const Case& input, Threads& threads, const Placement& placement,
               size_t workspace_bytes, Status (*run)(RunContext&, const Args&)) {
  const GuardedArray<int32_t> output(static_cast<size_t>(input.count()), -1, placement);
  const GuardedArray<int32_t> result_num(input.images(), -1, placement);
  const GuardedWorkspace workspace(workspace_bytes, placement);
  RunContext context{threads, workspace.data()};
  const bool is_done = run(context, input.args(output.data(), result_num.data())).ok();
  return {output.values(), result_num.values(), is_done};
}

}  // namespace detops

#endif  // DETOPS_SUPPRESSION_HARNESS_H_
