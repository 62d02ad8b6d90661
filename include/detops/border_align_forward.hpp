// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// @brief BorderAlign of BorderDet (border_align_forward).
///
/// Specified in ops/border_align_forward/README.md. detops.hpp lists the rules that all operators
/// share.

#ifndef DETOPS_BORDER_ALIGN_FORWARD_HPP_
#define DETOPS_BORDER_ALIGN_FORWARD_HPP_

#include <cstdint>
#include <optional>

#include "detops/context.hpp"
#include "detops/export.hpp"
#include "detops/tensor.hpp"

namespace detops {

/// @brief Options of BorderAlignForward().
struct BorderAlignOptions {
  /// Number of steps along a border, at least 1. The border is sampled at pool_size + 1 points.
  int pool_size = 10;
  /// kNhwc: input [N, H, W, 4C], results [N, K, 4, C].
  /// kNchw: input [N, 4C, H, W], results [N, C, K, 4], as in mmcv.
  ImageLayout layout = ImageLayout::kNhwc;
};

/// @brief BorderAlign (BorderDet): max pooling along the four borders of boxes.
///
/// Each border is sampled bilinearly; the result is the largest sample per channel. `input`,
/// `boxes` and `output` are float, or all three are Half (computed in float).
///
/// @param context Context; its queue, if any, runs the operator.
/// @param input Feature maps: C channels each for the top, left, bottom and right border.
/// @param boxes Boxes (x1, y1, x2, y2) of each image, [N, K, 4].
/// @param[out] output Largest sample of each border and channel.
/// @param[out] argmax_idx Index of that sample, int32, same shape as `output`;
///   std::nullopt to omit.
/// @param options Number of samples and layout.
/// @throws Error if a rank, type, layout, shape or option is invalid or a tensor has no elements.
DETOPS_EXPORT void BorderAlignForward(Context& context, const ConstTensorView& input,
                                      const ConstTensorView& boxes, const TensorView& output,
                                      const std::optional<TensorView>& argmax_idx,
                                      const BorderAlignOptions& options = {});
/// @brief Same, with a default context that belongs to the calling thread.
DETOPS_EXPORT void BorderAlignForward(const ConstTensorView& input, const ConstTensorView& boxes,
                                      const TensorView& output,
                                      const std::optional<TensorView>& argmax_idx,
                                      const BorderAlignOptions& options = {});

}  // namespace detops

#endif  // DETOPS_BORDER_ALIGN_FORWARD_HPP_
