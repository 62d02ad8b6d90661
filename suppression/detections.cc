// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/detections.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace detops {

std::vector<Detection> RandomDetections(int64_t boxes, double boxes_per_object, uint32_t seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(random);
  };
  const auto objects = std::max<int64_t>(
      static_cast<int64_t>(std::round(static_cast<double>(boxes) / boxes_per_object)), 1);
  const float side = 100 * std::sqrt(static_cast<float>(objects));
  std::vector<Detection> of_object;
  for (int64_t i = 0; i < objects; ++i) {
    of_object.push_back({.x = uniform(0, side),
                         .y = uniform(0, side),
                         .width = 25 * std::exp2(uniform(0, 2)),
                         .height = 25 * std::exp2(uniform(0, 2)),
                         .angle = uniform(0, 3.14159265f),
                         .score = 0});
  }
  std::vector<Detection> detections;
  for (int64_t i = 0; i < boxes; ++i) {
    Detection detection = of_object[random() % of_object.size()];
    detection.x += detection.width * uniform(-0.1f, 0.1f);
    detection.y += detection.height * uniform(-0.1f, 0.1f);
    detection.width *= uniform(0.9f, 1.1f);
    detection.height *= uniform(0.9f, 1.1f);
    detection.angle += uniform(-0.1f, 0.1f);
    detection.score = uniform(0, 1);
    detections.push_back(detection);
  }
  return detections;
}

}  // namespace detops
