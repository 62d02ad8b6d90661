// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The part of bbox_overlaps in the demonstration.

#ifndef DETOPS_OPS_BBOX_OVERLAPS_DEMO_H_
#define DETOPS_OPS_BBOX_OVERLAPS_DEMO_H_

#include "cli/adapter.h"
#include "cli/scene.h"

namespace detops::bbox_overlaps {

// After the detections, which it compares with the objects.
inline constexpr int kDemoStage = 50;

cli::Case MakeDemo(const cli::Adapter& adapter, const cli::Scene& scene);
cli::Picture DrawDemo(const cli::Adapter& adapter, cli::Scene& scene, const cli::Case& done);

}  // namespace detops::bbox_overlaps

#endif  // DETOPS_OPS_BBOX_OVERLAPS_DEMO_H_
