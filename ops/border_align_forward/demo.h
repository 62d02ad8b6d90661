// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The part of border_align_forward in the demonstration: which points of the borders of detections
// see an edge.

#ifndef DETOPS_OPS_BORDER_ALIGN_FORWARD_DEMO_H_
#define DETOPS_OPS_BORDER_ALIGN_FORWARD_DEMO_H_

#include "cli/adapter.h"

namespace detops::border_align_forward {

// After the detections are there.
inline constexpr int kDemoStage = 40;

cli::Case MakeDemo(const cli::Adapter& adapter, const cli::Scene& scene);
cli::Picture DrawDemo(const cli::Adapter& adapter, const cli::Scene& scene, const cli::Case& done);

}  // namespace detops::border_align_forward

#endif  // DETOPS_OPS_BORDER_ALIGN_FORWARD_DEMO_H_
