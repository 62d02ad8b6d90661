// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The scenes of the sweep.

#include "cli/sweep.h"

#include "cli/operator_parts.h"
#include "cli/suite.h"
#include "ops/nms/op.h"
#include "suppression/detections.h"

namespace detops::nms {
namespace {

cli::Case SceneOf(const cli::SceneSize& size, uint32_t seed) {
  std::vector<float> boxes;
  std::vector<float> scores;
  for (const Detection& d : RandomDetections(size.boxes, size.boxes_per_object, seed)) {
    for (const float coordinate :
         {d.x - d.width / 2, d.y - d.height / 2, d.x + d.width / 2, d.y + d.height / 2}) {
      boxes.push_back(coordinate);
    }
    scores.push_back(d.score);
  }
  cli::Case made = cli::MakeCase(
      CommandAdapter(), "",
      cli::TensorList(cli::TensorOf(MLUOP_DTYPE_FLOAT, {size.boxes, kBoxFloats}, boxes),
                      cli::TensorOf(MLUOP_DTYPE_FLOAT, {size.boxes}, scores)));
  cli::SetParameter(CommandAdapter(), made, "iou_threshold", size.iou_threshold);
  return made;
}

}  // namespace

std::vector<cli::SweepLine> SweepLines() { return cli::SceneLines(SceneOf); }

}  // namespace detops::nms
