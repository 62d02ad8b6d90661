// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// @brief RPN proposal generation (generate_proposals_v2).
///
/// Specified in ops/generate_proposals_v2/README.md. detops.hpp lists the rules that all operators
/// share.

#ifndef DETOPS_GENERATE_PROPOSALS_V2_HPP_
#define DETOPS_GENERATE_PROPOSALS_V2_HPP_

#include <cstdint>
#include <optional>
#include <vector>

#include "detops/context.hpp"
#include "detops/export.hpp"
#include "detops/tensor.hpp"

namespace detops {

/// @brief Options of GenerateProposalsV2().
struct GenerateProposalsOptions {
  /// Number of highest scores selected per image; all if it is 0 or negative.
  int pre_nms_top_n = 6000;
  /// Maximum number of proposals per image, at least 1.
  int post_nms_top_n = 1000;
  /// IoU threshold of the NMS, greater than 0. A proposal is suppressed if its IoU with a kept
  /// proposal is greater than this.
  float nms_thresh = 0.5f;
  /// Minimum width and height of a proposal. Values below 1 count as 1.
  float min_size = 0.1f;
  /// At least 1. Adaptive NMS thresholds (eta below 1) are not supported.
  float eta = 1.0f;
  /// Whether the width of a box is x2 - x1 + 1 instead of x2 - x1, and the height likewise.
  bool pixel_offset = false;
  /// kNhwc: scores [N, H, W, A], deltas [N, H, W, 4A].
  /// kNchw: scores [N, A, H, W], deltas [N, 4A, H, W].
  /// Anchors and variances are [H, W, A, 4] in both cases.
  ImageLayout layout = ImageLayout::kNhwc;
  /// Factors that the deltas are multiplied by, float [H, W, A, 4]. If not set, all are 1.
  std::optional<ConstTensorView> variances = std::nullopt;
};

/// @brief Proposals of all images, one image after the other.
///
/// An image without any proposal gets one, (0, 0, 0, 0) with score 0 and anchor index -1.
struct GenerateProposalsResult {
  std::vector<float> rois;              ///< x1, y1, x2, y2 of each proposal.
  std::vector<float> probs;             ///< Score of each proposal.
  std::vector<int32_t> counts;          ///< Number of proposals of each image.
  std::vector<int32_t> anchor_indices;  ///< Anchor of each proposal: its index in [H, W, A].
};

/// @brief Generates proposals from the output of a region proposal network (RPN).
///
/// For each image: selects the highest scores, decodes their anchors and deltas to boxes, clips the
/// boxes to the image, drops small ones, and applies greedy NMS. All inputs are float.
///
/// @param context Context; jobs on its queue are waited for.
/// @param scores Objectness score of each anchor, [N, H, W, A] or [N, A, H, W]; see the options.
/// @param bbox_deltas Deltas (dx, dy, dw, dh) of each anchor, [N, H, W, 4A] or [N, 4A, H, W].
/// @param im_shape Height and width of each image, [N, 2].
/// @param anchors Anchors (xmin, ymin, xmax, ymax), [H, W, A, 4].
/// @param options Limits, thresholds, layout and variances.
/// @return The proposals of all images.
/// @throws Error if a rank, type, shape or option is invalid.
DETOPS_EXPORT GenerateProposalsResult
GenerateProposalsV2(Context& context, const ConstTensorView& scores,
                    const ConstTensorView& bbox_deltas, const ConstTensorView& im_shape,
                    const ConstTensorView& anchors, const GenerateProposalsOptions& options = {});
/// @brief Same, with a default context that belongs to the calling thread.
DETOPS_EXPORT GenerateProposalsResult
GenerateProposalsV2(const ConstTensorView& scores, const ConstTensorView& bbox_deltas,
                    const ConstTensorView& im_shape, const ConstTensorView& anchors,
                    const GenerateProposalsOptions& options = {});

/// @brief Memory for the proposals. Rows after the last proposal are not written.
struct GenerateProposalsOutputs {
  TensorView rois;                           ///< float [N * post_nms_top_n, 4]
  TensorView probs;                          ///< float [N * post_nms_top_n, 1]
  TensorView counts;                         ///< int32 [N]
  TensorView total;                          ///< int32 [1]: sum of the counts
  std::optional<TensorView> anchor_indices;  ///< int32 [N * post_nms_top_n]; optional
};

/// @brief Same as above, but writes the proposals to memory of the caller.
/// @param context Context; its queue, if any, runs the operator.
/// @param[out] outputs Views of the memory that is written. See above for the other parameters.
/// @throws Error if a rank, type, shape or option is invalid.
DETOPS_EXPORT void GenerateProposalsV2(Context& context, const ConstTensorView& scores,
                                       const ConstTensorView& bbox_deltas,
                                       const ConstTensorView& im_shape,
                                       const ConstTensorView& anchors,
                                       const GenerateProposalsOutputs& outputs,
                                       const GenerateProposalsOptions& options = {});

}  // namespace detops

#endif  // DETOPS_GENERATE_PROPOSALS_V2_HPP_
