// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The parts of generate_proposals_v2. README.md in this folder is the contract.

#ifndef DETOPS_OPS_GENERATE_PROPOSALS_V2_OP_H_
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_OP_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/operand.h"
#include "detops/generate_proposals_v2.hpp"
#include "runtime/job.h"

namespace detops::generate_proposals_v2 {

// x1, y1, x2, y2; as many are the numbers of an anchor, a delta and a variance.
inline constexpr int64_t kBoxFloats = 4;

// The logarithm of 1000 / 16: deltas enlarge an anchor no further.
inline constexpr float kLargestDelta = 4.135166556742356f;

struct Args {
  const float* scores;
  const float* bbox_deltas;
  const float* im_shape;
  const float* anchors;
  const float* variances;  // null for ones
  int64_t images;
  int64_t positions;  // H * W
  int64_t anchors_per_position;
  bool channels_first;
  int64_t candidates;     // of an image: how many are decoded
  int64_t max_proposals;  // of an image, at most its candidates
  float nms_thresh;
  float least_size;
  bool pixel_offset;
  float* rois;
  float* probs;
  int32_t* anchor_indices;  // or null
  int32_t* counts;
  int32_t* total;
  void* workspace;  // of any alignment; null for the context's scratch

  int64_t scores_per_image() const { return positions * anchors_per_position; }

  // Where the numbers of one anchor lie, which is counted in [H, W, A].
  int64_t ScoreOffset(int64_t image, int64_t anchor) const {
    const int64_t begin = image * scores_per_image();
    return begin + (channels_first
                        ? anchor % anchors_per_position * positions + anchor / anchors_per_position
                        : anchor);
  }
  int64_t DeltaOffset(int64_t image, int64_t anchor, int64_t number) const {
    const int64_t begin = image * scores_per_image() * kBoxFloats;
    return begin + (channels_first
                        ? (anchor % anchors_per_position * kBoxFloats + number) * positions +
                              anchor / anchors_per_position
                        : anchor * kBoxFloats + number);
  }
};

// The tensors of a call.
struct Operands {
  Operand scores{};
  Operand bbox_deltas{};
  Operand im_shape{};
  Operand anchors{};
  Operand variances{};  // optional in C++ and Python: all ones
  Operand rois{};
  Operand probs{};
  Operand counts{};
  Operand total{};
  Operand anchor_indices{};  // optional
  std::optional<CallerWorkspace> workspace{};

  std::array<const Operand*, 10> all() const {
    return {&scores, &bbox_deltas, &im_shape, &anchors, &variances,
            &rois,   &probs,       &counts,   &total,   &anchor_indices};
  }
};

Status MakeArgs(const Operands& operands, const GenerateProposalsOptions& options, Args& args);

// The bodies that all doors share. CallWithResult allocates the result after checking shapes.
Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const GenerateProposalsOptions& options);
Status CallWithResult(const char* function, mluOpHandle_t handle, const Operands& operands,
                      const GenerateProposalsOptions& options, GenerateProposalsResult& result);

// How many scores of an image of that many are decoded.
inline int64_t CandidatesOf(int64_t scores_per_image, int64_t pre_nms_top_n) {
  return pre_nms_top_n > 0 ? std::min(pre_nms_top_n, scores_per_image) : scores_per_image;
}

// 0 without images.
size_t WorkspaceBytes(int64_t images, int64_t scores_per_image, int64_t max_proposals);
inline size_t WorkspaceBytes(const Args& args) {
  return WorkspaceBytes(args.images, args.scores_per_image(), args.max_proposals);
}

Status Run(RunContext& context, const Args& args);

void Reference(const Args& args);

}  // namespace detops::generate_proposals_v2

#endif  // DETOPS_OPS_GENERATE_PROPOSALS_V2_OP_H_
