// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/scale_boxes/cases.h"

#include <random>

namespace detops::scale_boxes {

std::vector<float> RandomBoxes(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> coordinate(-1000.0f, 1000.0f);
  std::vector<float> boxes(static_cast<size_t>(count) * 4);
  for (float& value : boxes) {
    value = coordinate(random);
  }
  return boxes;
}

}  // namespace detops::scale_boxes
