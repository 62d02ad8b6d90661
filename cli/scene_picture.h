// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Pictures of a scene: its objects in gray, with the results of operators drawn over them.

#ifndef DETOPS_CLI_SCENE_PICTURE_H_
#define DETOPS_CLI_SCENE_PICTURE_H_

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cli/adapter.h"
#include "cli/picture.h"
#include "cli/scene.h"

namespace detops::cli {

// Styles of outlines: inputs of an operator, and its outputs.
inline constexpr std::string_view kBeforeStyle =
    "fill=\"none\" stroke=\"#b45309\" stroke-opacity=\"0.5\"";
inline constexpr std::string_view kAfterStyle =
    "fill=\"none\" stroke=\"#1d4ed8\" stroke-width=\"2.5\"";

// Draws a quadrilateral: x1, y1, ..., x4, y4.
inline std::string Quadrilateral(const float* corners, std::string_view style) {
  return fmt::format(
      "<polygon points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" {}/>\n",
      corners[0], corners[1], corners[2], corners[3], corners[4], corners[5], corners[6],
      corners[7], style);
}

// Draws a box: x1, y1, x2, y2.
inline std::string Box(const float* box, std::string_view style) {
  return Rectangle({box[0], box[1]}, {box[2], box[3]}, style);
}

// The boxes of a call that suppresses some of them.
struct KeptBoxes {
  const float* boxes;
  int64_t count;
  const int32_t* indices;  // of the kept boxes
  int64_t kept;
};

inline KeptBoxes KeptBoxesOf(const Adapter& adapter, const Case& done) {
  return {done.inputs[0].as<float>(), done.inputs[0].dims[0], done.outputs[0].as<int32_t>(),
          WrittenCount(adapter, done, 0)};
}

// Returns the start of a picture, with its background and the objects.
inline std::string BeginScene(const Scene& scene, std::string_view title) {
  std::string picture =
      BeginPicture(scene.width, scene.height, title) + Ground(scene.width, scene.height);
  for (const SceneObject& object : scene.objects) {
    picture += Quadrilateral(object.Corners().data(), "fill=\"#e4e7eb\" stroke=\"#9aa5b1\"");
  }
  return picture;
}

// Explains a style of outlines, in a line at the top of the picture.
inline std::string SceneLegend(double x, std::string_view style, std::string_view text) {
  constexpr double kY = 27;
  return Line({x, kY - 5}, {x + 24, kY - 5}, style) + Text({x + 32, kY}, text, "font-size=\"14\"");
}

}  // namespace detops::cli

#endif  // DETOPS_CLI_SCENE_PICTURE_H_
