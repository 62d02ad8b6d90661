// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "cli/operator_parts.h"
#include "cli/scene_picture.h"
#include "measure/random_floats.h"

namespace detops::generate_proposals_v2 {
namespace {

using Box = std::array<float, 4>;

constexpr int kStride = 16;

// Width and height: tall, wide and square.
constexpr float kAnchorSizes[][2] = {{62, 98}, {50, 28}, {40, 40}};
constexpr auto kAnchors = static_cast<int64_t>(std::size(kAnchorSizes));

float Area(const Box& box) {
  return std::max(box[2] - box[0], 0.0f) * std::max(box[3] - box[1], 0.0f);
}

float Overlap(const Box& a, const Box& b) {
  const float both = Area(
      {std::max(a[0], b[0]), std::max(a[1], b[1]), std::min(a[2], b[2]), std::min(a[3], b[3])});
  return both / (Area(a) + Area(b) - both);
}

// Returns the delta that turns the anchor into the box.
std::array<float, 4> DeltaOf(const Box& anchor, const Box& box) {
  const float width = anchor[2] - anchor[0];
  const float height = anchor[3] - anchor[1];
  return {(box[0] + box[2] - anchor[0] - anchor[2]) / 2 / width,
          (box[1] + box[3] - anchor[1] - anchor[3]) / 2 / height,
          std::log((box[2] - box[0]) / width), std::log((box[3] - box[1]) / height)};
}

// The output of a region proposal network: the more an anchor overlaps an object, the higher its
// score and the more exact its delta.
class Network {
 public:
  explicit Network(const cli::Scene& scene)
      : height_(scene.height / kStride), width_(scene.width / kStride) {
    for (const cli::SceneObject& object : scene.objects) {
      objects_.push_back(object.Bounds());
    }
    for (int64_t y = 0; y < height_; ++y) {
      for (int64_t x = 0; x < width_; ++x) {
        for (const auto& [width, height] : kAnchorSizes) {
          const float cx = (static_cast<float>(x) + 0.5f) * kStride;
          const float cy = (static_cast<float>(y) + 0.5f) * kStride;
          Add({cx - width / 2, cy - height / 2, cx + width / 2, cy + height / 2});
        }
      }
    }
  }

  std::vector<cli::Tensor> Inputs(const cli::Scene& scene) const {
    const auto tensor = [](std::vector<int64_t> dims, const std::vector<float>& numbers) {
      return cli::TensorOf(MLUOP_DTYPE_FLOAT, std::move(dims), numbers);
    };
    const std::vector<float> variances(anchors_.size(), 1.0f);
    return cli::TensorList(
        tensor({1, height_, width_, kAnchors}, scores_),
        tensor({1, height_, width_, 4 * kAnchors}, deltas_),
        tensor({height_, width_, kAnchors, 4}, anchors_),
        tensor({height_, width_, kAnchors, 4}, variances),
        tensor({1, 2}, {static_cast<float>(scene.height), static_cast<float>(scene.width)}));
  }

 private:
  void Add(const Box& anchor) {
    float best = 0;
    std::array<float, 4> delta{};
    for (const Box& object : objects_) {
      const float overlap = Overlap(anchor, object);
      if (overlap > best) {
        best = overlap;
        delta = DeltaOf(anchor, object);
      }
    }
    anchors_.insert(anchors_.end(), anchor.begin(), anchor.end());
    scores_.push_back(1 / (1 + std::exp(-10 * (best - 0.5f) - Uniform(random_, -1, 1))));
    for (const float number : delta) {
      deltas_.push_back(number + Uniform(random_, -0.25f, 0.25f) * (1 - best));
    }
  }

  int64_t height_;
  int64_t width_;
  std::vector<Box> objects_;
  std::vector<float> anchors_;
  std::vector<float> scores_;
  std::vector<float> deltas_;
  Random random_{11};
};

// Returns the style of a proposal: the less probable, the fainter.
std::string StyleOf(float probability) {
  return fmt::format("fill=\"none\" stroke=\"#b45309\" stroke-opacity=\"{:.2f}\"",
                     0.15f + 0.85f * probability);
}

cli::Case MakeDemo(const cli::Scene& scene) {
  cli::Case demo = cli::MakeCase(CommandAdapter(), "demo", Network(scene).Inputs(scene));
  cli::SetParameters(CommandAdapter(), demo, {{"post_nms_top_n", 60}, {"nms_thresh", 0.7f}});
  return demo;
}

cli::Picture DrawDemo(cli::Scene& scene, const cli::Case& done) {
  const int64_t written = cli::WrittenCount(CommandAdapter(), done, 1);
  const float* const rois = done.outputs[0].as<float>();
  const float* const probabilities = done.outputs[1].as<float>();
  scene.tensors["proposals"] =
      cli::TensorOf(MLUOP_DTYPE_FLOAT, {written, 4}, std::vector<float>(rois, rois + 4 * written));
  scene.tensors["proposal_scores"] = cli::TensorOf(
      MLUOP_DTYPE_FLOAT, {written}, std::vector<float>(probabilities, probabilities + written));

  std::string svg = cli::BeginScene(scene, "generate_proposals_v2: proposals around the objects");
  for (int64_t i = written - 1; i >= 0; --i) {
    svg += cli::Box(rois + 4 * i, StyleOf(probabilities[i]));
  }
  svg += cli::SceneLegend(20, StyleOf(1),
                          fmt::format("{} proposals, fainter the less probable", written));
  svg += "</svg>\n";
  return {std::move(svg),
          fmt::format("A map of {} anchors becomes {} proposals, from probability {:.2f} down to "
                      "{:.2f}.",
                      done.inputs[0].count(), written, written == 0 ? 0 : probabilities[0],
                      written == 0 ? 0 : probabilities[written - 1])};
}

}  // namespace

// Adds "proposals", float[R, 4], and "proposal_scores", float[R], to the scene.
cli::DemoStep Demo() { return {.order = 10, .make = MakeDemo, .draw = DrawDemo}; }

}  // namespace detops::generate_proposals_v2
