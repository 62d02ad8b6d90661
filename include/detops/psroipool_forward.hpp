// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// @brief Position-sensitive RoI average pooling of R-FCN (psroipool_forward).
///
/// Specified in ops/psroipool_forward/README.md. detops.hpp lists the rules that all operators
/// share.

#ifndef DETOPS_PSROIPOOL_FORWARD_HPP_
#define DETOPS_PSROIPOOL_FORWARD_HPP_

#include <cstdint>
#include <optional>

#include "detops/context.hpp"
#include "detops/export.hpp"
#include "detops/tensor.hpp"

namespace detops {

/// @brief When RoI coordinates are rounded to integers.
enum class RoiRounding {
  /// Before scaling. One pixel is added to x2 and y2, and bins may reach the last row and column of
  /// the feature map. As in R-FCN and MLU-OPS.
  kBeforeScaling,
  /// After scaling. An RoI is at least 1 wide and high, and the last row and column of the feature
  /// map are never used. As in torchvision.
  kAfterScaling,
};

/// @brief Options of PsRoiPoolForward(). G is group_size, D the number of output channels.
struct PsRoiPoolOptions {
  /// Number of bins per axis, at least 1.
  int group_size = 7;
  /// Factor from RoI coordinates to feature map positions; finite and greater than 0.
  float spatial_scale = 1;
  /// kNhwc: input [N, H, W, G * G * D], results [R, G, G, D].
  /// kNchw: input [N, G * G * D, H, W], results [R, D, G, G], as in torchvision.
  ImageLayout layout = ImageLayout::kNhwc;
  /// When RoI coordinates are rounded to integers.
  RoiRounding rounding = RoiRounding::kBeforeScaling;
};

/// @brief Position-sensitive RoI average pooling (R-FCN).
///
/// Each RoI is divided into G x G bins. Channel d of bin (ph, pw) is the mean of input channel
/// (d * G + ph) * G + pw over the pixels of the bin, and 0 if the bin is empty.
///
/// @param context Context; its queue, if any, runs the operator.
/// @param input Feature maps, float.
/// @param rois RoIs (batch index, x1, y1, x2, y2), float [R, 5].
/// @param[out] output Mean of each bin, float.
/// @param[out] mapping_channel Input channel of each mean, int32, same shape as `output`;
///   std::nullopt to omit.
/// @param options Number of bins, scale, layout and rounding.
/// @throws Error if a rank, type, layout, shape, option or batch index is invalid. If the
///   operator runs on a queue, the next synchronization reports an invalid batch index instead.
DETOPS_EXPORT void PsRoiPoolForward(Context& context, const ConstTensorView& input,
                                    const ConstTensorView& rois, const TensorView& output,
                                    const std::optional<TensorView>& mapping_channel,
                                    const PsRoiPoolOptions& options = {});
/// @brief Same, with a default context that belongs to the calling thread.
DETOPS_EXPORT void PsRoiPoolForward(const ConstTensorView& input, const ConstTensorView& rois,
                                    const TensorView& output,
                                    const std::optional<TensorView>& mapping_channel,
                                    const PsRoiPoolOptions& options = {});

}  // namespace detops

#endif  // DETOPS_PSROIPOOL_FORWARD_HPP_
