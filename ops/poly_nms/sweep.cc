// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The scenes of the sweep.

#include "cli/sweep.h"

#include <cmath>

#include "cli/operator_parts.h"
#include "cli/suite.h"
#include "ops/poly_nms/op.h"
#include "suppression/detections.h"

namespace detops::poly_nms {
namespace {

cli::Case SceneOf(const cli::SceneSize& size, uint32_t seed) {
  constexpr float kCorners[4][2] = {{-0.5f, -0.5f}, {0.5f, -0.5f}, {0.5f, 0.5f}, {-0.5f, 0.5f}};
  std::vector<float> boxes;
  for (const Detection& d : RandomDetections(size.boxes, size.boxes_per_object, seed)) {
    const float c = std::cos(d.angle);
    const float s = std::sin(d.angle);
    for (const auto& corner : kCorners) {
      const float u = corner[0] * d.width;
      const float v = corner[1] * d.height;
      boxes.push_back(d.x + c * u - s * v);
      boxes.push_back(d.y + s * u + c * v);
    }
    boxes.push_back(d.score);
  }
  cli::Case made = cli::MakeCase(
      CommandAdapter(), "",
      cli::TensorList(cli::TensorOf(MLUOP_DTYPE_FLOAT, {size.boxes, kBoxFloats}, boxes)));
  cli::SetParameter(CommandAdapter(), made, "iou_threshold", size.iou_threshold);
  return made;
}

}  // namespace

std::vector<cli::SweepLine> SweepLines() { return cli::SceneLines(SceneOf); }

}  // namespace detops::poly_nms
