// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cli/operator_parts.h"
#include "cli/scene_picture.h"
#include "measure/random_floats.h"
#include "ops/nms/op.h"

namespace detops::nms {
namespace {

struct Detections {
  std::vector<float> boxes;
  std::vector<float> scores;
};

Detections FromScene(const cli::Scene& scene) {
  const cli::Tensor& boxes = scene.tensors.at("proposals");
  const cli::Tensor& scores = scene.tensors.at("proposal_scores");
  return {{boxes.as<float>(), boxes.as<float>() + boxes.count()},
          {scores.as<float>(), scores.as<float>() + scores.count()}};
}

// Returns several boxes around each object, for a scene without proposals.
Detections AroundObjects(const cli::Scene& scene) {
  Random random(12);
  Detections detections;
  for (const cli::SceneObject& object : scene.objects) {
    for (int copy = 0; copy < 4; ++copy) {
      for (const float coordinate : object.Bounds()) {
        detections.boxes.push_back(coordinate + Uniform(random, -5, 5));
      }
      detections.scores.push_back(Uniform(random, 0.3f, 1));
    }
  }
  return detections;
}

cli::Case MakeDemo(const cli::Scene& scene) {
  const bool has_proposals =
      scene.tensors.count("proposals") != 0 && scene.tensors.count("proposal_scores") != 0;
  const Detections detections = has_proposals ? FromScene(scene) : AroundObjects(scene);
  const auto count = static_cast<int64_t>(detections.scores.size());
  cli::Case demo = cli::MakeCase(
      CommandAdapter(), "demo",
      cli::TensorList(cli::TensorOf(MLUOP_DTYPE_FLOAT, {count, kBoxFloats}, detections.boxes),
                      cli::TensorOf(MLUOP_DTYPE_FLOAT, {count}, detections.scores)));
  cli::SetParameter(CommandAdapter(), demo, "iou_threshold", static_cast<double>(0.4f));
  return demo;
}

cli::Picture DrawDemo(cli::Scene& scene, const cli::Case& done) {
  const auto [boxes, count, indices, kept] = cli::KeptBoxesOf(CommandAdapter(), done);
  std::string svg = cli::BeginScene(scene, "nms: boxes before and after suppression");
  for (int64_t i = 0; i < count; ++i) {
    svg += cli::Box(boxes + kBoxFloats * i, cli::kBeforeStyle);
  }
  std::vector<float> detections;
  for (int64_t i = 0; i < kept; ++i) {
    const float* const box = boxes + kBoxFloats * indices[i];
    detections.insert(detections.end(), box, box + kBoxFloats);
    svg += cli::Box(box, cli::kAfterStyle);
  }
  scene.tensors["detections"] = cli::TensorOf(MLUOP_DTYPE_FLOAT, {kept, kBoxFloats}, detections);
  svg += cli::SceneLegend(20, cli::kBeforeStyle, fmt::format("{} before", count));
  svg += cli::SceneLegend(160, cli::kAfterStyle, fmt::format("{} kept", kept));
  svg += "</svg>\n";
  return {std::move(svg),
          fmt::format("{} of {} boxes are kept: no two of them have an IoU above {:g}.", kept,
                      count, cli::GetParameter(CommandAdapter(), done, "iou_threshold"))};
}

}  // namespace

// Runs on the proposals, and adds "detections", float[D, 4], to the scene.
cli::DemoStep Demo() { return {.order = 20, .make = MakeDemo, .draw = DrawDemo}; }

}  // namespace detops::nms
