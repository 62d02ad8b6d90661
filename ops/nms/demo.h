// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The part of nms in the demonstration.

#ifndef DETOPS_OPS_NMS_DEMO_H_
#define DETOPS_OPS_NMS_DEMO_H_

#include "cli/adapter.h"
#include "cli/scene.h"

namespace detops::nms {

// After the proposals, of which it makes "detections", float[D, 4].
inline constexpr int kDemoStage = 20;

cli::Case MakeDemo(const cli::Adapter& adapter, const cli::Scene& scene);
cli::Picture DrawDemo(const cli::Adapter& adapter, cli::Scene& scene, const cli::Case& done);

}  // namespace detops::nms

#endif  // DETOPS_OPS_NMS_DEMO_H_
