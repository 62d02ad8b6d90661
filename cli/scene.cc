// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/scene.h"

#include <algorithm>
#include <cmath>

#include "measure/random_floats.h"

namespace detops::cli {

std::array<float, 8> SceneObject::Corners() const {
  const float cosine = std::cos(angle);
  const float sine = std::sin(angle);
  constexpr float kSigns[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  std::array<float, 8> corners{};
  for (size_t i = 0; i < 4; ++i) {
    const float along = kSigns[i][0] * width / 2;
    const float across = kSigns[i][1] * height / 2;
    corners[2 * i] = x + along * cosine - across * sine;
    corners[2 * i + 1] = y + along * sine + across * cosine;
  }
  return corners;
}

std::array<float, 4> SceneObject::Bounds() const {
  const std::array<float, 8> corners = Corners();
  std::array<float, 4> bounds{corners[0], corners[1], corners[0], corners[1]};
  for (size_t i = 2; i < 8; i += 2) {
    bounds[0] = std::min(bounds[0], corners[i]);
    bounds[1] = std::min(bounds[1], corners[i + 1]);
    bounds[2] = std::max(bounds[2], corners[i]);
    bounds[3] = std::max(bounds[3], corners[i + 1]);
  }
  return bounds;
}

Scene MakeScene() {
  // A row of ships at a quay, and vehicles on a road. They are close together, so that suppression
  // has something to decide.
  Scene scene;
  Random random(7);
  for (int i = 0; i < 9; ++i) {
    const auto step = static_cast<float>(i);
    scene.objects.push_back({70 + 62 * step, 110 + 8 * step + Uniform(random, -4, 4), 96, 26,
                             1.15f + Uniform(random, -0.08f, 0.08f), 0});
  }
  for (int i = 0; i < 7; ++i) {
    const auto step = static_cast<float>(i);
    scene.objects.push_back({60 + 85 * step + Uniform(random, -12, 12), 330 - 9 * step, 46, 22,
                             -0.11f + Uniform(random, -0.05f, 0.05f), 1});
  }
  return scene;
}

}  // namespace detops::cli
