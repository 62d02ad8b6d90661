// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Suppresses duplicate detections (NMS) in two images, separately for each class.
//
//   c++ -std=c++17 nms.cc -o nms $(pkg-config --cflags --libs detops)

#include <detops/detops.hpp>
#include <exception>
#include <iostream>
#include <vector>

int main() {
  const std::vector<float> boxes = {
      10,  10, 50,  90,  // image 0: a person
      12,  8,  52,  92,  // the same person again
      11,  12, 49,  60,  // her bag: another class
      100, 20, 180, 60,  // image 1: a car
      104, 22, 184, 62,  // the same car again
  };
  const std::vector<float> scores = {0.80f, 0.95f, 0.60f, 0.90f, 0.40f};
  const std::vector<int32_t> classes = {0, 0, 1, 2, 2};
  const std::vector<int32_t> image_counts = {3, 2};
  try {
    detops::NmsOptions options;
    options.iou_threshold = 0.5f;
    options.groups = detops::ConstTensorView(classes.data(), {5});
    options.image_counts = detops::ConstTensorView(image_counts.data(), {2});
    const detops::SuppressionResult kept =
        detops::Nms({boxes.data(), {5, 4}}, {scores.data(), {5}}, options);
    size_t next = 0;
    for (size_t image = 0; image < kept.counts.size(); ++image) {
      std::cout << "image " << image << ":";
      for (int32_t i = 0; i < kept.counts[image]; ++i) {
        std::cout << ' ' << kept.indices[next++];
      }
      std::cout << '\n';
    }
    return kept.indices == std::vector<int32_t>{1, 2, 3} ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
