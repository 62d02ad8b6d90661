// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "cli/operator_parts.h"
#include "cli/scene_picture.h"
#include "measure/random_floats.h"
#include "ops/poly_nms/op.h"

namespace detops::poly_nms {
namespace {

// Returns the object as a network detects it, with small errors.
cli::SceneObject Disturbed(const cli::SceneObject& object, Random& random) {
  cli::SceneObject seen = object;
  seen.x += Uniform(random, -6, 6);
  seen.y += Uniform(random, -6, 6);
  seen.width *= Uniform(random, 0.85f, 1.15f);
  seen.height *= Uniform(random, 0.85f, 1.15f);
  seen.angle += Uniform(random, -0.12f, 0.12f);
  return seen;
}

// Returns the error of the corners, from 0 to about 1.
float ErrorOf(const std::array<float, 8>& seen, const std::array<float, 8>& corners) {
  float sum = 0;
  for (size_t i = 0; i < corners.size(); ++i) {
    sum += std::fabs(seen[i] - corners[i]);
  }
  return sum / 80;
}

cli::Case MakeDemo(const cli::Scene& scene) {
  Random random(13);
  std::vector<float> boxes;
  for (const cli::SceneObject& object : scene.objects) {
    const uint32_t copies = 6 + random() % 5;
    for (uint32_t copy = 0; copy < copies; ++copy) {
      const std::array<float, 8> seen = Disturbed(object, random).Corners();
      boxes.insert(boxes.end(), seen.begin(), seen.end());
      boxes.push_back(0.95f - 0.6f * ErrorOf(seen, object.Corners()) - Uniform(random, 0, 0.1f));
    }
  }
  const auto count = static_cast<int64_t>(boxes.size()) / kBoxFloats;
  cli::Case demo =
      cli::MakeCase(CommandAdapter(), "demo",
                    cli::TensorList(cli::TensorOf(MLUOP_DTYPE_FLOAT, {count, kBoxFloats}, boxes)));
  cli::SetParameter(CommandAdapter(), demo, "iou_threshold", static_cast<double>(0.1f));
  return demo;
}

cli::Picture DrawDemo(cli::Scene& scene, const cli::Case& done) {
  const auto [boxes, count, indices, kept] = cli::KeptBoxesOf(CommandAdapter(), done);
  std::string svg = cli::BeginScene(scene, "poly_nms: oriented detections, kept and suppressed");
  const std::string suppressed = fmt::format("{} stroke-dasharray=\"4 3\"", cli::kBeforeStyle);
  int64_t next = 0;  // index into the kept boxes, which are sorted
  std::string bold;
  for (int64_t i = 0; i < count; ++i) {
    const float* const corners = boxes + kBoxFloats * i;
    if (next < kept && indices[next] == i) {
      bold += cli::Quadrilateral(corners, cli::kAfterStyle);
      ++next;
    } else {
      svg += cli::Quadrilateral(corners, suppressed);
    }
  }
  svg += bold;
  svg += cli::SceneLegend(20, cli::kAfterStyle, fmt::format("{} kept", kept));
  svg += cli::SceneLegend(140, suppressed, fmt::format("{} suppressed", count - kept));
  svg += "</svg>\n";
  return {std::move(svg),
          fmt::format("{} of {} quadrilaterals are kept: the others overlap a kept one of a higher "
                      "score with an IoU above {:g}.",
                      kept, count, cli::GetParameter(CommandAdapter(), done, "iou_threshold"))};
}

}  // namespace

// Runs on oriented detections that it makes itself.
cli::DemoStep Demo() { return {.order = 60, .make = MakeDemo, .draw = DrawDemo}; }

}  // namespace detops::poly_nms
