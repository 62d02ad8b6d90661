// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The part of psroipool_forward in the demonstration: what the bins of proposals say about them.

#ifndef DETOPS_OPS_PSROIPOOL_FORWARD_DEMO_H_
#define DETOPS_OPS_PSROIPOOL_FORWARD_DEMO_H_

#include "cli/adapter.h"

namespace detops::psroipool_forward {

// After the proposals are there.
inline constexpr int kDemoStage = 30;

cli::Case MakeDemo(const cli::Adapter& adapter, const cli::Scene& scene);
// Leaves "roi_scores" in the scene, float[R, 2]: of each proposal the mean of its bins for each
// label.
cli::Picture DrawDemo(const cli::Adapter& adapter, cli::Scene& scene, const cli::Case& done);

}  // namespace detops::psroipool_forward

#endif  // DETOPS_OPS_PSROIPOOL_FORWARD_DEMO_H_
