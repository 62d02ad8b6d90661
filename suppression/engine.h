// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Greedy non-maximum suppression of boxes of any shape. The engine orders boxes by score, splits
// them by image and group, searches for pairs that overlap too much, and collects the kept boxes.
// An operator brings the kernels that know the shape of its boxes.

#ifndef DETOPS_SUPPRESSION_ENGINE_H_
#define DETOPS_SUPPRESSION_ENGINE_H_

#include <cstddef>
#include <cstdint>

#include "runtime/job.h"
#include "suppression/kernels.h"

namespace detops::suppression {

struct Args {
  const void* boxes = nullptr;   // in the operator's own format
  const void* metric = nullptr;  // parameters of the operator's overlap, passed on to its kernels
  const float* scores = nullptr;
  int64_t score_stride = 1;  // in floats
  int64_t count = 0;
  float iou_threshold = 0;          // nothing is suppressed from 1 on
  float score_threshold = 0;        // boxes with scores up to this are left out; NaN keeps all
  int64_t max_outputs = 0;          // per image
  bool sort_by_score = false;       // else the result is sorted by index
  const int32_t* groups = nullptr;  // per box; null when all boxes form one group
  const int32_t* image_counts = nullptr;  // boxes per image; null when there is one image
  int64_t images = 1;
  int32_t* output = nullptr;
  int32_t* result_num = nullptr;  // kept boxes per image
  void* workspace = nullptr;      // of any alignment; null for the context's scratch

  float ScoreOf(int64_t box) const { return scores[box * score_stride]; }
  int32_t GroupOf(int64_t box) const { return groups == nullptr ? 0 : groups[box]; }
};

// Returns whether an IoU exceeds the threshold, after rounding it once to float.
inline bool Exceeds(double iou, float threshold) { return static_cast<float>(iou) > threshold; }

// Returns the bytes of workspace that `count` boxes require.
size_t WorkspaceBytes(const Kernels& kernels, int64_t count);

Status Run(RunContext& context, const Kernels& kernels, const Args& args);

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_ENGINE_H_
