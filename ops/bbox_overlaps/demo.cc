// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "cli/operator_parts.h"
#include "cli/picture.h"
#include "measure/random_floats.h"

namespace detops::bbox_overlaps {
namespace {

// An object counts as found when a detection overlaps it by more than this.
constexpr float kFound = 0.5f;

std::vector<float> DetectionsOf(const cli::Scene& scene) {
  const auto found = scene.tensors.find("detections");
  if (found != scene.tensors.end()) {
    const float* const boxes = found->second.as<float>();
    return {boxes, boxes + found->second.count()};
  }
  Random random(14);
  std::vector<float> boxes;
  for (const cli::SceneObject& object : scene.objects) {
    for (const float coordinate : object.Bounds()) {
      boxes.push_back(coordinate + Uniform(random, -5, 5));
    }
  }
  return boxes;
}

// Returns a color from white (0) to blue (1).
std::string ColorOf(float iou) {
  const auto mix = [&](float white, float blue) {
    return static_cast<int>(std::lround(white + (blue - white) * std::sqrt(iou)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(247, 29), mix(249, 78), mix(252, 216));
}

// Draws the matrix as a table: a row for each object, a column for each detection.
class HeatMap {
 public:
  HeatMap(const cli::Scene& scene, const float* ious, int64_t detections, int64_t objects)
      : ious_(ious),
        detections_(detections),
        objects_(objects),
        cell_width_((scene.width - kLeft - kMargin) /
                    static_cast<double>(std::max<int64_t>(detections, 1))),
        cell_height_((scene.height - kTop - kBottom) /
                     static_cast<double>(std::max<int64_t>(objects, 1))) {}

  std::string Draw() const {
    std::string svg;
    for (int64_t object = 0; object < objects_; ++object) {
      for (int64_t detection = 0; detection < detections_; ++detection) {
        svg += Cell(detection, object);
      }
    }
    return svg + Labels();
  }

 private:
  static constexpr double kLeft = 84;
  static constexpr double kTop = 58;
  static constexpr double kBottom = 16;
  static constexpr double kTextHeight = 13;
  static constexpr double kTextWidth = 18;  // two digits and the space around them

  Point CornerOf(int64_t detection, int64_t object) const {
    return {kLeft + static_cast<double>(detection) * cell_width_,
            kTop + static_cast<double>(object) * cell_height_};
  }

  std::string Cell(int64_t detection, int64_t object) const {
    const float iou = std::clamp(ious_[detection * objects_ + object], 0.0f, 1.0f);
    const Point from = CornerOf(detection, object);
    const Point to = CornerOf(detection + 1, object + 1);
    std::string svg =
        Rectangle({from.x + 0.5, from.y + 0.5}, {to.x - 0.5, to.y - 0.5}, Filled(ColorOf(iou)));
    const long percent = std::lround(100 * iou);
    if (percent != 0 && cell_width_ >= kTextWidth && cell_height_ >= kTextHeight) {
      svg += Text({(from.x + to.x) / 2, (from.y + to.y) / 2 + 4.5}, fmt::format("{}", percent),
                  fmt::format("text-anchor=\"middle\" fill=\"{}\"", iou > 0.5f ? "#fff" : kInk));
    }
    return svg;
  }

  // Returns the numbers of rows and columns, as many as there is room for.
  std::string Labels() const {
    const auto step = [](double needed, double size) {
      return std::max<int64_t>(static_cast<int64_t>(std::ceil(needed / size)), 1);
    };
    std::string svg;
    for (int64_t i = 0; i < objects_; i += step(kTextHeight, cell_height_)) {
      const Point at = CornerOf(0, i);
      svg += Text({kLeft - 8, at.y + cell_height_ / 2 + 4.5}, fmt::format("{}", i),
                  "text-anchor=\"end\"");
    }
    for (int64_t i = 0; i < detections_; i += step(kTextWidth, cell_width_)) {
      const Point at = CornerOf(i, 0);
      svg +=
          Text({at.x + cell_width_ / 2, kTop - 6}, fmt::format("{}", i), "text-anchor=\"middle\"");
    }
    return svg + Text({kMargin, kTop - 6}, "object", Filled(kFaint));
  }

  const float* ious_;
  int64_t detections_;
  int64_t objects_;
  double cell_width_;
  double cell_height_;
};

cli::Case MakeDemo(const cli::Scene& scene) {
  const std::vector<float> detections = DetectionsOf(scene);
  std::vector<float> objects;
  for (const cli::SceneObject& object : scene.objects) {
    const std::array<float, 4> bounds = object.Bounds();
    objects.insert(objects.end(), bounds.begin(), bounds.end());
  }
  const auto rows = static_cast<int64_t>(detections.size()) / 4;
  const auto columns = static_cast<int64_t>(scene.objects.size());
  return cli::MakeCase(CommandAdapter(), "demo",
                       cli::TensorList(cli::TensorOf(MLUOP_DTYPE_FLOAT, {rows, 4}, detections),
                                       cli::TensorOf(MLUOP_DTYPE_FLOAT, {columns, 4}, objects)));
}

cli::Picture DrawDemo(cli::Scene& scene, const cli::Case& done) {
  const int64_t detections = done.inputs[0].dims[0];
  const int64_t objects = done.inputs[1].dims[0];
  const float* const ious = done.outputs[0].as<float>();
  int64_t found = 0;
  for (int64_t object = 0; object < objects; ++object) {
    float best = 0;
    for (int64_t detection = 0; detection < detections; ++detection) {
      best = std::max(best, ious[detection * objects + object]);
    }
    found += best > kFound ? 1 : 0;
  }
  std::string svg =
      BeginPicture(scene.width, scene.height, "bbox_overlaps: IoU of detections and objects") +
      Ground(scene.width, scene.height) +
      Text({kMargin, 27}, "IoU in percent: a row for each object, a column for each detection",
           "font-size=\"14\"") +
      HeatMap(scene, ious, detections, objects).Draw() + "</svg>\n";
  return {std::move(svg),
          fmt::format("{} detections against {} objects: {} objects have a detection with an IoU "
                      "above {:g}.",
                      detections, objects, found, kFound)};
}

}  // namespace

// Compares the detections with the objects.
cli::DemoStep Demo() { return {.order = 50, .make = MakeDemo, .draw = DrawDemo}; }

}  // namespace detops::bbox_overlaps
