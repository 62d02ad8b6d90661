// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// @brief Greedy non-maximum suppression of axis-aligned boxes (nms), optionally by class and for
/// several images.
///
/// Specified in ops/nms/README.md. detops.hpp lists the rules that all operators share.

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

/// @brief Options of greedy suppression, for boxes of any shape.
///
/// Boxes are visited in order of descending score; NaN scores come first, and equal scores are
/// ordered by index. A box is kept unless a box that has already been kept suppresses it.
struct SuppressionOptions {
  /// IoU threshold, at least 0. A kept box suppresses the later boxes whose IoU with it is greater
  /// than this. A threshold of 1 or more suppresses nothing.
  float iou_threshold = 0.5f;
  /// If set, boxes with a score less than or equal to this are removed before suppression. Boxes
  /// with a NaN score are not removed.
  std::optional<float> score_threshold;
  /// Maximum number of boxes kept per image, at least 0: the ones with the highest scores.
  int64_t max_outputs = std::numeric_limits<int32_t>::max();
  /// Order of the kept boxes of an image: by descending score if true, by ascending index if false.
  bool sort_by_score = false;
  /// Group of each box, such as its class, int32 [N]. Boxes of different groups do not suppress
  /// each other. If not set, all boxes belong to the same group.
  std::optional<ConstTensorView> groups;
  /// Number of boxes of each image, int32 [B], with the sum N. The boxes of the first image come
  /// first, then those of the second, and so on. Boxes of different images do not suppress each
  /// other. If not set, all boxes belong to one image.
  std::optional<ConstTensorView> image_counts;
};

/// @brief The boxes that greedy suppression kept.
struct SuppressionResult {
  std::vector<int32_t> indices;  ///< Indices into all N boxes, one image after the other.
  std::vector<int32_t> counts;   ///< Number of kept boxes of each image.
};

/// @brief Options of Nms(). Kept boxes are sorted by score by default, as in other libraries.
struct NmsOptions : SuppressionOptions {
  NmsOptions() { sort_by_score = true; }
  int offset = 0;  ///< 0 or 1; added to every width and height.
};

/// @brief Greedy non-maximum suppression of axis-aligned boxes.
/// @param context Context; jobs on its queue are waited for.
/// @param boxes Boxes (x1, y1, x2, y2), float [N, 4].
/// @param scores Scores, float [N].
/// @param options Thresholds, groups, images and order of the result.
/// @return The kept boxes.
/// @throws Error if a rank, type, shape or option is invalid.
DETOPS_EXPORT SuppressionResult Nms(Context& context, const ConstTensorView& boxes,
                                    const ConstTensorView& scores, const NmsOptions& options = {});
/// @brief Same, with a default context that belongs to the calling thread.
DETOPS_EXPORT SuppressionResult Nms(const ConstTensorView& boxes, const ConstTensorView& scores,
                                    const NmsOptions& options = {});

/// @brief Same as above, but writes the kept boxes to memory of the caller.
/// @param context Context; its queue, if any, runs the operator.
/// @param boxes Boxes (x1, y1, x2, y2), float [N, 4].
/// @param scores Scores, float [N].
/// @param[out] output Indices of the kept boxes, int32 [N]. The rest is not written.
/// @param[out] result_num Number of kept boxes of each image, int32 [B], or [1] without
///   `image_counts`.
/// @param options Thresholds, groups, images and order of the result.
/// @throws Error if a rank, type, shape or option is invalid. If the operator runs on a queue, the
///   next synchronization reports invalid `image_counts` instead.
DETOPS_EXPORT void Nms(Context& context, const ConstTensorView& boxes,
                       const ConstTensorView& scores, const TensorView& output,
                       const TensorView& result_num, const NmsOptions& options = {});

}  // namespace detops

#endif  // DETOPS_NMS_HPP_
