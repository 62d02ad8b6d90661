// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/scale_boxes/cases.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

namespace detops::scale_boxes {

Args Case::args(float* scaled) const {
  return {.boxes = boxes.data(),
          .scaled = scaled,
          .count = static_cast<int64_t>(boxes.size()),
          .factor = factor};
}

std::string Case::ToString() const {
  return fmt::format("{} boxes, factor {}", boxes.size() / 4, factor);
}

Case RandomCase(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> coordinate(-1000.0f, 1000.0f);
  Case result;
  result.boxes.resize(static_cast<size_t>(count) * 4);
  for (float& value : result.boxes) {
    value = coordinate(random);
  }
  result.factor = 0.1f;
  return result;
}

Case CaseFromBytes(FuzzBytes& bytes) {
  Case result = RandomCase(bytes.TakeInRange(0, 40), 1);
  const float factor = bytes.TakeFloat();
  result.factor = std::isfinite(factor) ? factor : 0.0f;
  TakeNumbers(bytes, {&result.boxes});
  return result;
}

}  // namespace detops::scale_boxes
