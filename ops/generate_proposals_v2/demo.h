// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The part of generate_proposals_v2 in the demonstration.

#ifndef DETOPS_OPS_GENERATE_PROPOSALS_V2_DEMO_H_
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_DEMO_H_

#include "cli/adapter.h"
#include "cli/scene.h"

namespace detops::generate_proposals_v2 {

// Makes "proposals", float[R, 4], and "proposal_scores", float[R], of the scene.
inline constexpr int kDemoStage = 10;

cli::Case MakeDemo(const cli::Adapter& adapter, const cli::Scene& scene);
cli::Picture DrawDemo(const cli::Adapter& adapter, cli::Scene& scene, const cli::Case& done);

}  // namespace detops::generate_proposals_v2

#endif  // DETOPS_OPS_GENERATE_PROPOSALS_V2_DEMO_H_
