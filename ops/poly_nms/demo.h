// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The part of poly_nms in the demonstration.

#ifndef DETOPS_OPS_POLY_NMS_DEMO_H_
#define DETOPS_OPS_POLY_NMS_DEMO_H_

#include "cli/adapter.h"
#include "cli/scene.h"

namespace detops::poly_nms {

// On oriented detections of its own.
inline constexpr int kDemoStage = 60;

cli::Case MakeDemo(const cli::Adapter& adapter, const cli::Scene& scene);
cli::Picture DrawDemo(const cli::Adapter& adapter, cli::Scene& scene, const cli::Case& done);

}  // namespace detops::poly_nms

#endif  // DETOPS_OPS_POLY_NMS_DEMO_H_
