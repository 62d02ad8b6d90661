// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The demonstration's picture of the world: objects in an aerial image, from which each operator's
// inputs follow as a detector would make them.

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
  float x, y;           // its centre, in pixels
  float width, height;  // along its own axes
  float angle;          // of the first axis, in radians
  int label;

  // x1, y1, ... x4, y4.
  std::array<float, 8> Corners() const;
  // x1, y1, x2, y2 around the corners.
  std::array<float, 4> Bounds() const;
};

struct Scene {
  int width = 640;
  int height = 400;
  std::vector<SceneObject> objects;
  // What stages of the demonstration leave for later ones, by name.
  std::map<std::string, Tensor> tensors;
};

// Always the same one.
Scene MakeScene();

}  // namespace detops::cli

#endif  // DETOPS_CLI_SCENE_H_
