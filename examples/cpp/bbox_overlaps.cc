// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Computes the IoU matrix of anchors and ground truth boxes, the best match of each anchor, and the
// pairs with an IoU above 0.5.
//
//   c++ -std=c++17 bbox_overlaps.cc -o bbox_overlaps $(pkg-config --cflags --libs detops)

#include <detops/detops.hpp>
#include <iostream>
#include <vector>

int main() {
  const std::vector<float> anchors = {0, 0, 10, 10, 10, 10, 20, 20, 32, 32, 38, 42};
  const std::vector<float> truth = {0, 0, 10, 20, 0, 10, 10, 19, 10, 10, 20, 20};
  const detops::ConstTensorView anchor_boxes(anchors.data(), {3, 4});
  const detops::ConstTensorView truth_boxes(truth.data(), {3, 4});

  std::vector<float> ious(3 * 3);
  detops::BboxOverlaps(anchor_boxes, truth_boxes, {ious.data(), {3, 3}});
  std::cout << "IoU of the first anchor with the first box: " << ious[0] << '\n';

  const detops::RowMaximum best = detops::BboxOverlapsRowMaximum(anchor_boxes, truth_boxes);
  for (size_t i = 0; i < best.values.size(); ++i) {
    std::cout << "anchor " << i << ": box " << best.columns[i] << ", IoU " << best.values[i]
              << '\n';
  }

  const auto pairs = detops::BboxOverlapsPairs(anchor_boxes, truth_boxes, 0.5f);
  for (const detops::OverlapPair& pair : pairs) {
    std::cout << "anchor " << pair.row << " overlaps box " << pair.column << " by " << pair.overlap
              << '\n';
  }
  return ious[0] == 0.5f && best.columns[1] == 2 && pairs.size() == 1 ? 0 : 1;
}
