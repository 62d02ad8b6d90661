// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// Regions of interest from the scores and deltas of a region proposal network.
/// ops/generate_proposals_v2/README.md is the contract.

#ifndef DETOPS_GENERATE_PROPOSALS_V2_HPP_
#define DETOPS_GENERATE_PROPOSALS_V2_HPP_

#include <cstdint>
#include <optional>
#include <vector>

#include "detops/context.hpp"
#include "detops/export.hpp"
#include "detops/tensor.hpp"

namespace detops {

struct GenerateProposalsOptions {
  /// Proposals of each image that are decoded, those of the highest scores; all when it is not
  /// positive.
  int pre_nms_top_n = 6000;
  /// Proposals of each image that are kept at most.
  int post_nms_top_n = 1000;
  /// A proposal goes when its IoU with a kept one of a higher score is above this.
  float nms_thresh = 0.5f;
  /// Proposals that are narrower or lower than this, or than 1, are dropped.
  float min_size = 0.1f;
  /// Not below 1: the adaptive threshold is not supported.
  float eta = 1.0f;
  /// Whether a box reaches one pixel beyond its last coordinate.
  bool pixel_offset = false;
  /// Of scores, [N, H, W, A] or [N, A, H, W], and deltas, [N, H, W, 4A] or [N, 4A, H, W]. Anchors
  /// and variances are [H, W, A, 4] in both.
  ImageLayout layout = ImageLayout::kNhwc;
  /// float [H, W, A, 4]; all ones without.
  std::optional<ConstTensorView> variances = std::nullopt;
};

struct GenerateProposalsResult {
  std::vector<float> rois;              ///< x1, y1, x2, y2 of each proposal.
  std::vector<float> probs;             ///< The score of each.
  std::vector<int32_t> counts;          ///< How many proposals belong to each image.
  std::vector<int32_t> anchor_indices;  ///< Of each, in [H, W, A]; -1 where an image has none.
};

/// `scores` [N, H, W, A], `bbox_deltas` [N, H, W, 4A] (or as the options' layout says), `im_shape`
/// [N, 2] (height, width), `anchors` [H, W, A, 4], all float. The context's queue is waited for;
/// the result is there when the call returns.
DETOPS_EXPORT GenerateProposalsResult
GenerateProposalsV2(Context& context, const ConstTensorView& scores,
                    const ConstTensorView& bbox_deltas, const ConstTensorView& im_shape,
                    const ConstTensorView& anchors, const GenerateProposalsOptions& options = {});
DETOPS_EXPORT GenerateProposalsResult
GenerateProposalsV2(const ConstTensorView& scores, const ConstTensorView& bbox_deltas,
                    const ConstTensorView& im_shape, const ConstTensorView& anchors,
                    const GenerateProposalsOptions& options = {});

/// Memory of the caller for the result. Rows behind the last proposal are left as they were.
struct GenerateProposalsOutputs {
  TensorView rois;                           ///< float [N * post_nms_top_n, 4]
  TensorView probs;                          ///< float [N * post_nms_top_n, 1]
  TensorView counts;                         ///< int32 [N]
  TensorView total;                          ///< int32 [1]: the sum of the counts
  std::optional<TensorView> anchor_indices;  ///< int32 [N * post_nms_top_n]
};

/// The same into memory of the caller. On the context's queue when it has one.
DETOPS_EXPORT void GenerateProposalsV2(Context& context, const ConstTensorView& scores,
                                       const ConstTensorView& bbox_deltas,
                                       const ConstTensorView& im_shape,
                                       const ConstTensorView& anchors,
                                       const GenerateProposalsOutputs& outputs,
                                       const GenerateProposalsOptions& options = {});

}  // namespace detops

#endif  // DETOPS_GENERATE_PROPOSALS_V2_HPP_
