// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// The strongest features along the borders of boxes.
/// ops/border_align_forward/README.md is the contract.

#ifndef DETOPS_BORDER_ALIGN_FORWARD_HPP_
#define DETOPS_BORDER_ALIGN_FORWARD_HPP_

#include <cstdint>
#include <optional>

#include "detops/context.hpp"
#include "detops/export.hpp"
#include "detops/tensor.hpp"

namespace detops {

struct BorderAlignOptions {
  /// Steps along a border; at least 1. It is sampled once more than that.
  int pool_size = 10;
  /// Of input, [N, H, W, 4C] or [N, 4C, H, W], and results, [N, K, 4, C] or [N, C, K, 4].
  ImageLayout layout = ImageLayout::kNhwc;
};

/// Writes the largest sample of each border of each box of `boxes` [N, K, 4] (x1, y1, x2, y2) to
/// `output`, and to `argmax_idx`, int32 of the same shape, which sample it is; without one only the
/// values. `input`, `boxes` and `output` are floats or halves, all the same. On the context's queue
/// when it has one.
DETOPS_EXPORT void BorderAlignForward(Context& context, const ConstTensorView& input,
                                      const ConstTensorView& boxes, const TensorView& output,
                                      const std::optional<TensorView>& argmax_idx,
                                      const BorderAlignOptions& options = {});
DETOPS_EXPORT void BorderAlignForward(const ConstTensorView& input, const ConstTensorView& boxes,
                                      const TensorView& output,
                                      const std::optional<TensorView>& argmax_idx,
                                      const BorderAlignOptions& options = {});

}  // namespace detops

#endif  // DETOPS_BORDER_ALIGN_FORWARD_HPP_
