// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/generate_proposals_v2/harness.h"

namespace detops::generate_proposals_v2 {

Proposals RunReference(const Case& input) {
  Proposals proposals(input);
  Reference(MakeArgs(input, proposals));
  return proposals;
}

Proposals RunOn(Threads& threads, const Case& input, const Placement& placement) {
  Proposals proposals(input);
  const GuardedArray<float> rois(proposals.rois.size(), kUntouched, placement);
  const GuardedArray<float> probs(proposals.probs.size(), kUntouched, placement);
  const GuardedArray<int32_t> anchors(proposals.anchor_indices.size(), kUntouched, placement);
  const GuardedArray<int32_t> counts(proposals.counts.size(), kUntouched, placement);
  const GuardedArray<int32_t> total(1, kUntouched, placement);
  Args args = MakeArgs(input, proposals);
  args.rois = rois.data();
  args.probs = probs.data();
  args.anchor_indices = input.wants_anchors ? anchors.data() : nullptr;
  args.counts = counts.data();
  args.total = total.data();
  const GuardedWorkspace workspace(WorkspaceBytes(args), placement);
  RunContext context{threads, workspace.data()};
  if (Run(context, args).ok()) {
    proposals.rois = rois.values();
    proposals.probs = probs.values();
    proposals.anchor_indices = anchors.values();
    proposals.counts = counts.values();
    proposals.total = *total.data();
  }
  return proposals;
}

Proposals RunOn(int threads, const Case& input) {
  Threads limit(threads);
  return RunOn(limit, input);
}

}  // namespace detops::generate_proposals_v2
