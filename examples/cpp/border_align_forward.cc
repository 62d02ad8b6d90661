// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// BorderAlign (BorderDet) in the layout of mmcv's border_align: features [N, 4C, H, W], results
// [N, C, K, 4].
//
//   c++ -std=c++17 border_align_forward.cc -o border_align $(pkg-config --cflags --libs detops)

#include <detops/detops.hpp>
#include <exception>
#include <iostream>
#include <vector>

int main() {
  constexpr int kChannels = 2;
  constexpr int kHeight = 3;
  constexpr int kWidth = 5;
  constexpr int kBoxes = 2;
  // The channels of the top border come first, then those of the left, bottom and right border. One
  // pixel is 8 in channel 1 of every border; everything else is 0.
  std::vector<float> features(4 * kChannels * kHeight * kWidth);
  const auto pixel = [&](int border, int channel, int y, int x) -> float& {
    return features[((border * kChannels + channel) * kHeight + y) * kWidth + x];
  };
  for (int border = 0; border < 4; ++border) {
    pixel(border, 1, 1, 2) = 8;
  }
  const std::vector<float> boxes = {
      2, 1, 4, 2,  // the top and left borders pass through the pixel
      0, 0, 2, 1,  // the bottom and right borders do
  };
  std::vector<float> strongest(kChannels * kBoxes * 4);
  try {
    detops::BorderAlignOptions options;
    options.pool_size = 4;
    options.layout = detops::ImageLayout::kNchw;
    // std::nullopt: the positions of the largest samples are not needed.
    detops::BorderAlignForward(
        {features.data(), {1, 4 * kChannels, kHeight, kWidth}}, {boxes.data(), {1, kBoxes, 4}},
        {strongest.data(), {1, kChannels, kBoxes, 4}}, std::nullopt, options);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  for (int channel = 0; channel < kChannels; ++channel) {
    for (int box = 0; box < kBoxes; ++box) {
      const float* const borders = &strongest[(channel * kBoxes + box) * 4];
      std::cout << "channel " << channel << ", box " << box << ": top " << borders[0] << ", left "
                << borders[1] << ", bottom " << borders[2] << ", right " << borders[3] << '\n';
    }
  }
  const std::vector<float> expected = {0, 0, 0, 0, 0, 0, 0, 0,   // channel 0: no features
                                       8, 8, 0, 0, 0, 0, 8, 8};  // channel 1
  return strongest == expected ? 0 : 1;
}
