// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Scenes of detections like those of a network, of any size and density.

#ifndef DETOPS_SUPPRESSION_DETECTIONS_H_
#define DETOPS_SUPPRESSION_DETECTIONS_H_

#include <cstdint>
#include <vector>

namespace detops {

struct Detection {
  float x, y;  // center
  float width, height;
  float angle;  // in radians
  float score;
};

// Returns detections of boxes / boxes_per_object objects, in random order. Objects have sides of 25
// to 100 pixels and are scattered over a scene that has room for them, but some overlap. Detections
// of one object differ by up to 10% of its size.
std::vector<Detection> RandomDetections(int64_t boxes, double boxes_per_object, uint32_t seed);

}  // namespace detops

#endif  // DETOPS_SUPPRESSION_DETECTIONS_H_
