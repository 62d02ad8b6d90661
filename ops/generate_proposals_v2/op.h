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

// Number of floats of a box (x1, y1, x2, y2), an anchor, a delta and a variance.
inline constexpr int64_t kBoxFloats = 4;

// log(1000 / 16), the upper limit of dw and dh times their variances.
inline constexpr float kLargestDelta = 4.135166556742356f;

struct Args {
  const float* scores;
  const float* bbox_deltas;
  const float* im_shape;
  const float* anchors;
  const float* variances;  // null: all ones
  int64_t images;
  int64_t positions;  // H * W
  int64_t anchors_per_position;
  bool channels_first;
  int64_t candidates;     // number of scores per image that are selected
  int64_t max_proposals;  // per image; at most `candidates`
  float nms_thresh;
  float least_size;
  bool pixel_offset;
  float* rois;
  float* probs;
  int32_t* anchor_indices;  // may be null
  int32_t* counts;
  int32_t* total;
  void* workspace;  // of any alignment; null: the context's scratch memory is used

  int64_t scores_per_image() const { return positions * anchors_per_position; }

  // Return the position of an anchor's score, and of one of its four deltas, in the tensors.
  // `anchor` is an index in [H, W, A] in both layouts.
  int64_t ScoreOffset(int64_t image, int64_t anchor) const {
    const int64_t begin = image * scores_per_image();
    return begin + (channels_first
                        ? anchor % anchors_per_position * positions + anchor / anchors_per_position
                        : anchor);
  }
  int64_t DeltaOffset(int64_t image, int64_t anchor, int64_t component) const {
    const int64_t begin = image * scores_per_image() * kBoxFloats;
    return begin + (channels_first
                        ? (anchor % anchors_per_position * kBoxFloats + component) * positions +
                              anchor / anchors_per_position
                        : anchor * kBoxFloats + component);
  }
};

// The tensors of a call.
struct Operands {
  Operand scores{};
  Operand bbox_deltas{};
  Operand im_shape{};
  Operand anchors{};
  Operand variances{};  // optional in C++ and Python
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

// The bodies that the C, C++ and Python functions share. CallWithResult allocates the result after
// it has checked the shapes.
Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const GenerateProposalsOptions& options);
Status CallWithResult(const char* function, mluOpHandle_t handle, const Operands& operands,
                      const GenerateProposalsOptions& options, GenerateProposalsResult& result);

// Returns the number of scores per image that are selected.
inline int64_t CandidatesOf(int64_t scores_per_image, int64_t pre_nms_top_n) {
  return pre_nms_top_n > 0 ? std::min(pre_nms_top_n, scores_per_image) : scores_per_image;
}

// Returns the workspace size in bytes; 0 without images.
size_t WorkspaceBytes(int64_t images, int64_t scores_per_image, int64_t max_proposals);
inline size_t WorkspaceBytes(const Args& args) {
  return WorkspaceBytes(args.images, args.scores_per_image(), args.max_proposals);
}

Status Run(RunContext& context, const Args& args);

// The specification, in scalar code on one thread.
void Reference(const Args& args);

}  // namespace detops::generate_proposals_v2

#endif  // DETOPS_OPS_GENERATE_PROPOSALS_V2_OP_H_
