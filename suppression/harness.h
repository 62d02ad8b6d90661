// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Runs the cases of suppressing operators on guarded memory, for tests and fuzz targets. A case
// names its operator's functions: kRun, kReference and kWorkspaceBytes.

#ifndef DETOPS_SUPPRESSION_HARNESS_H_
#define DETOPS_SUPPRESSION_HARNESS_H_

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "runtime/job.h"
#include "suppression/cases.h"
#include "testing/guarded_buffer.h"

namespace detops {

template <std::derived_from<SuppressionCase> Case>
Kept RunReference(const Case& input) {
  Kept kept = Kept::Untouched(input.count(), input.images());
  kept.is_done = input.CountsAddUp(input.count());
  if (kept.is_done) {
    Case::kReference(input.args(kept.output.data(), kept.result_num.data()));
  }
  return kept;
}

template <std::derived_from<SuppressionCase> Case>
Kept RunOn(Threads& threads, const Case& input, const Placement& placement = {}) {
  const GuardedArray<int32_t> output(static_cast<size_t>(input.count()), -1, placement);
  const GuardedArray<int32_t> result_num(input.images(), -1, placement);
  const GuardedWorkspace workspace(Case::kWorkspaceBytes(input.count()), placement);
  RunContext context{threads, workspace.data()};
  const bool is_done = Case::kRun(context, input.args(output.data(), result_num.data())).ok();
  return {output.values(), result_num.values(), is_done};
}

template <std::derived_from<SuppressionCase> Case>
Kept RunOn(int threads, const Case& input) {
  Threads limit(threads);
  return RunOn(limit, input);
}

}  // namespace detops

#endif  // DETOPS_SUPPRESSION_HARNESS_H_
