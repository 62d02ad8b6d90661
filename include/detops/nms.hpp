// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// Which boxes to keep: non-maximum suppression, also by class and for several images.
/// ops/nms/README.md is the contract.

#ifndef DETOPS_NMS_HPP_
#define DETOPS_NMS_HPP_

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "detops/context.hpp"
#include "detops/export.hpp"
#include "detops/tensor.hpp"

namespace detops {

/// What suppression of boxes of any shape has in common.
struct SuppressionOptions {
  /// A box goes when its IoU with a kept box of a higher score is above this.
  float iou_threshold = 0.5f;
  /// Boxes whose score is not above this are left out beforehand; NaN scores stay.
  std::optional<float> score_threshold;
  /// At most so many boxes of each image are kept, those of the highest scores.
  int64_t max_outputs = std::numeric_limits<int32_t>::max();
  /// Whether the result goes from the highest score down, and not by index.
  bool sort_by_score = false;
  /// int32 [N]: only boxes of the same group (class) suppress each other.
  std::optional<ConstTensorView> groups;
  /// int32 [B]: how many of the boxes belong to each image, one image after the other.
  std::optional<ConstTensorView> image_counts;
};

struct SuppressionResult {
  std::vector<int32_t> indices;  ///< Of the kept boxes, one image after the other.
  std::vector<int32_t> counts;   ///< How many of them belong to each image.
};

/// From the highest score down, as in other libraries, unless told otherwise.
struct NmsOptions : SuppressionOptions {
  NmsOptions() { sort_by_score = true; }
  int offset = 0;  ///< 0 or 1, added to every width and height.
};

/// Greedy non-maximum suppression of `boxes`, float [N, 4]: x1, y1, x2, y2, with `scores`, float
/// [N]. The context's queue is waited for; the result is there when the call returns.
DETOPS_EXPORT SuppressionResult Nms(Context& context, const ConstTensorView& boxes,
                                    const ConstTensorView& scores, const NmsOptions& options = {});
DETOPS_EXPORT SuppressionResult Nms(const ConstTensorView& boxes, const ConstTensorView& scores,
                                    const NmsOptions& options = {});

/// The same into memory of the caller: `output`, int32 [N], of which the rest is left as it was,
/// and `result_num`, int32 [1] or as many as there are images. On the context's queue when it has
/// one.
DETOPS_EXPORT void Nms(Context& context, const ConstTensorView& boxes,
                       const ConstTensorView& scores, const TensorView& output,
                       const TensorView& result_num, const NmsOptions& options = {});

}  // namespace detops

#endif  // DETOPS_NMS_HPP_
