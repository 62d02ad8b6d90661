// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Suppresses duplicate detections in an aerial scene, given as rotated boxes of two classes
// (quadrilateral NMS), and computes the IoU of two of them.
//
//   c++ -std=c++17 poly_nms.cc -o poly_nms $(pkg-config --cflags --libs detops) && ./poly_nms

#include <cmath>
#include <cstdint>
#include <detops/detops.hpp>
#include <iostream>
#include <vector>

namespace {

enum Class : int32_t { kTruck, kTrailer };

// Output of a detector of rotated boxes.
struct Detection {
  Class type;
  float x, y, length, width, degrees;
  float score;
};

// Appends the four corners of a detection and its score.
void AppendBox(const Detection& detection, std::vector<float>& boxes) {
  const float radians = detection.degrees * 3.14159265f / 180;
  const float along_x = std::cos(radians) * detection.length / 2;
  const float along_y = std::sin(radians) * detection.length / 2;
  const float across_x = -std::sin(radians) * detection.width / 2;
  const float across_y = std::cos(radians) * detection.width / 2;
  const float x = detection.x;
  const float y = detection.y;
  boxes.insert(boxes.end(), {x - along_x - across_x, y - along_y - across_y,  //
                             x + along_x - across_x, y + along_y - across_y,  //
                             x + along_x + across_x, y + along_y + across_y,  //
                             x - along_x + across_x, y - along_y + across_y, detection.score});
}

}  // namespace

int main() {
  const std::vector<Detection> detections = {
      {kTruck, 60, 40, 50, 14, 30, 0.92f},
      {kTruck, 63, 41, 48, 15, 33, 0.71f},    // the same truck again
      {kTrailer, 66, 43, 36, 14, 30, 0.83f},  // its trailer: another class
      {kTruck, 50, 55, 50, 14, 30, 0.88f},    // a truck in the next lane
      {kTruck, 140, 90, 44, 13, 100, 0.64f},
      {kTruck, 20, 110, 40, 13, 75, 0.12f},  // a shadow, with a low score
  };
  const int64_t count = static_cast<int64_t>(detections.size());
  std::vector<float> corners;
  std::vector<int32_t> classes;
  for (const Detection& detection : detections) {
    AppendBox(detection, corners);
    classes.push_back(detection.type);
  }
  const detops::ConstTensorView boxes(corners.data(), {count, 9});

  detops::PolyNmsOptions options;
  options.iou_threshold = 0.3f;
  options.score_threshold = 0.25f;
  options.groups = detops::ConstTensorView(classes.data(), {count});
  options.sort_by_score = true;
  const detops::PolyNmsResult kept = detops::PolyNms(boxes, options);
  for (const int32_t i : kept.indices) {
    std::cout << "kept: box " << i << ", " << (classes[i] == kTruck ? "truck" : "trailer")
              << ", score " << detections[i].score << '\n';
  }

  // The IoU of the two detections of the first truck. The score at the end of a row is ignored.
  float iou = 0;
  detops::PolygonIou({corners.data(), {1, 9}}, {corners.data() + 9, {1, 9}}, {&iou, {1, 1}});
  std::cout << "IoU of boxes 0 and 1: " << iou << '\n';
  return kept.indices == std::vector<int32_t>{0, 3, 2, 4} && iou > options.iou_threshold ? 0 : 1;
}
