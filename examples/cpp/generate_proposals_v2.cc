// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Generates the proposals of two images from the output of a region proposal network (RPN) in NCHW
// layout, and prints the anchor that each proposal comes from.
//
//   c++ -std=c++17 generate_proposals_v2.cc -o generate_proposals_v2 $(pkg-config --cflags --libs
//       detops) && ./generate_proposals_v2

#include <detops/detops.hpp>
#include <exception>
#include <iostream>
#include <vector>

namespace {

constexpr int64_t kImages = 2;
constexpr int64_t kAnchors = 2;  // per position: one upright, one lying
constexpr int64_t kHeight = 1;
constexpr int64_t kWidth = 3;
constexpr float kStride = 50;

std::vector<float> MakeAnchors() {
  std::vector<float> anchors;
  for (int64_t x = 0; x < kWidth; ++x) {
    const float center = (static_cast<float>(x) + 0.5f) * kStride;
    anchors.insert(anchors.end(), {center - 10, 5, center + 10, 45});   // upright
    anchors.insert(anchors.end(), {center - 20, 15, center + 20, 35});  // lying
  }
  return anchors;
}

}  // namespace

int main() {
  const std::vector<float> anchors = MakeAnchors();
  // [image][anchor][position]
  const std::vector<float> scores = {0.9f, 0.1f, 0.2f, 0.3f, 0.1f, 0.8f,   // first image
                                     0.7f, 0.6f, 0.5f, 0.4f, 0.3f, 0.2f};  // second image
  const std::vector<float> deltas(scores.size() * 4, 0.0f);
  // Height and width. The second image is only half a pixel high, so it has no proposals.
  const std::vector<float> im_shape = {50, 150, 0.5f, 150};
  try {
    detops::GenerateProposalsOptions options;
    options.pre_nms_top_n = 3;
    options.nms_thresh = 0.3f;
    options.layout = detops::ImageLayout::kNchw;
    const detops::GenerateProposalsResult result = detops::GenerateProposalsV2(
        {scores.data(), {kImages, kAnchors, kHeight, kWidth}},
        {deltas.data(), {kImages, 4 * kAnchors, kHeight, kWidth}}, {im_shape.data(), {kImages, 2}},
        {anchors.data(), {kHeight, kWidth, kAnchors, 4}}, options);
    size_t row = 0;
    for (size_t image = 0; image < result.counts.size(); ++image) {
      std::cout << "image " << image << ":\n";
      for (int32_t i = 0; i < result.counts[image]; ++i, ++row) {
        const int32_t anchor = result.anchor_indices[row];
        if (anchor < 0) {
          std::cout << "  none\n";
          continue;
        }
        std::cout << "  score " << result.probs[row] << ", position " << anchor / kAnchors
                  << (anchor % kAnchors == 0 ? ", upright\n" : ", lying\n");
      }
    }
    // At the first position the upright anchor suppresses the lying one: their IoU is 1/3.
    const bool as_expected = result.counts == std::vector<int32_t>{2, 1} &&
                             result.anchor_indices == std::vector<int32_t>{0, 5, -1};
    return as_expected ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
