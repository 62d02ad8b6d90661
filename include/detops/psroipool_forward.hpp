// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// Means of the bins of regions of interest, each bin from channels of its own.
/// ops/psroipool_forward/README.md is the contract.

#ifndef DETOPS_PSROIPOOL_FORWARD_HPP_
#define DETOPS_PSROIPOOL_FORWARD_HPP_

#include <cstdint>
#include <optional>

#include "detops/context.hpp"
#include "detops/export.hpp"
#include "detops/tensor.hpp"

namespace detops {

/// When the corners of a region become whole numbers.
enum class RoiRounding {
  /// Before they are scaled, and a pixel is added at the end; bins reach to the end of the map. As
  /// in R-FCN and the accelerator's library.
  kBeforeScaling,
  /// After they were scaled; a region is at least 1 wide, and the last row and column of the map
  /// never count. As in torchvision.
  kAfterScaling,
};

struct PsRoiPoolOptions {
  /// Bins along each axis; at least 1.
  int group_size = 7;
  /// From coordinates of regions to positions in the map; finite and above 0.
  float spatial_scale = 1;
  /// Of input, [N, H, W, G * G * D] or [N, G * G * D, H, W], and results, [R, G, G, D] or
  /// [R, D, G, G].
  ImageLayout layout = ImageLayout::kNhwc;
  RoiRounding rounding = RoiRounding::kBeforeScaling;
};

/// Writes the means of the bins of `rois` [R, 5] (number of the image, x1, y1, x2, y2) to `output`,
/// and to `mapping_channel`, int32 of the same shape, of which channel each is; without one only
/// the means. Throws Error when a region's image does not exist, and writes nothing then. On the
/// context's queue when it has one.
DETOPS_EXPORT void PsRoiPoolForward(Context& context, const ConstTensorView& input,
                                    const ConstTensorView& rois, const TensorView& output,
                                    const std::optional<TensorView>& mapping_channel,
                                    const PsRoiPoolOptions& options = {});
DETOPS_EXPORT void PsRoiPoolForward(const ConstTensorView& input, const ConstTensorView& rois,
                                    const TensorView& output,
                                    const std::optional<TensorView>& mapping_channel,
                                    const PsRoiPoolOptions& options = {});

}  // namespace detops

#endif  // DETOPS_PSROIPOOL_FORWARD_HPP_
