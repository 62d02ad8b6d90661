// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The scene of the demonstration: objects in an aerial image. Each operator's inputs are made from
// it, as a detector would make them.

#ifndef DETOPS_CLI_SCENE_H_
#define DETOPS_CLI_SCENE_H_

#include <array>
#include <map>
#include <string>
#include <vector>

#include "cli/case.h"

namespace detops::cli {

// A rotated rectangle.
struct SceneObject {
  float x, y;           // its center, in pixels
  float width, height;  // along its own axes
  float angle;          // of the width's axis, in radians
  int label;

  // Returns x1, y1, ..., x4, y4.
  std::array<float, 8> Corners() const;
  // Returns x1, y1, x2, y2 of the bounding box.
  std::array<float, 4> Bounds() const;
};

struct Scene {
  int width = 640;
  int height = 400;
  std::vector<SceneObject> objects;
  // What steps of the demonstration pass on to later ones, by name.
  std::map<std::string, Tensor> tensors;
};

// Returns the scene. It is always the same.
Scene MakeScene();

}  // namespace detops::cli

#endif  // DETOPS_CLI_SCENE_H_
