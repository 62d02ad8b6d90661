// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Position-sensitive RoI average pooling (R-FCN) in the layout of torchvision's ps_roi_pool:
// features [N, D * G * G, H, W], results [R, D, G, G]. Compares the bins of MLU-OPS with those of
// torchvision.
//
//   c++ -std=c++17 psroipool_forward.cc -o psroipool $(pkg-config --cflags --libs detops)

#include <detops/detops.hpp>
#include <exception>
#include <iostream>
#include <optional>
#include <vector>

namespace {

constexpr int kGroup = 2;
constexpr int kDim = 2;
constexpr int kBins = kGroup * kGroup;
constexpr int kChannels = kDim * kBins;
constexpr int kHeight = 4;
constexpr int kWidth = 6;

// Returns the means of the bins of one RoI. std::nullopt: the input channels of the means are not
// needed.
std::vector<float> Pool(const std::vector<float>& features, const std::vector<float>& roi,
                        detops::RoiRounding rounding) {
  std::vector<float> means(kChannels);
  detops::PsRoiPoolOptions options;
  options.group_size = kGroup;
  options.spatial_scale = 0.25f;
  options.layout = detops::ImageLayout::kNchw;
  options.rounding = rounding;
  detops::PsRoiPoolForward({features.data(), {1, kChannels, kHeight, kWidth}}, {roi.data(), {1, 5}},
                           {means.data(), {1, kDim, kGroup, kGroup}}, std::nullopt, options);
  return means;
}

void Print(const char* rule, const std::vector<float>& means) {
  std::cout << rule << '\n';
  const float* bins = means.data();
  for (int d = 0; d < kDim; ++d) {
    std::cout << "  output channel " << d << ": " << bins[0] << ' ' << bins[1] << " over "
              << bins[2] << ' ' << bins[3] << '\n';
    bins += kBins;
  }
}

}  // namespace

int main() {
  // The hundreds digit is the channel, the tens digit the row and the ones digit the column.
  std::vector<float> features;
  for (int channel = 0; channel < kChannels; ++channel) {
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        features.push_back(static_cast<float>(100 * channel + 10 * y + x));
      }
    }
  }
  // Batch index, x1, y1, x2, y2: the whole image. One pixel of the feature map covers 4 x 4 pixels.
  const std::vector<float> roi = {0, 0, 0, 23, 15};
  std::vector<float> mlu_ops;
  std::vector<float> torchvision;
  try {
    mlu_ops = Pool(features, roi, detops::RoiRounding::kBeforeScaling);
    torchvision = Pool(features, roi, detops::RoiRounding::kAfterScaling);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  Print("With the rounding of MLU-OPS:", mlu_ops);
  // torchvision never uses the last row and column of the map.
  Print("As torchvision does:", torchvision);
  const std::vector<float> expected_mlu_ops = {6, 109, 226, 329, 406, 509, 626, 729};
  const std::vector<float> expected_torchvision = {6,   108.5f, 221, 323.5f,
                                                   406, 508.5f, 621, 723.5f};
  return mlu_ops == expected_mlu_ops && torchvision == expected_torchvision ? 0 : 1;
}
