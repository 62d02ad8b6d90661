// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What a programmer writes first: one scalar loop per step, with the functions of the standard
// library. The benchmark compares the operator with it on small maps, where vectors and threads
// have little to gain.

#ifndef DETOPS_OPS_GENERATE_PROPOSALS_V2_PLAIN_PROGRAM_H_
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_PLAIN_PROGRAM_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "ops/generate_proposals_v2/op.h"

namespace detops::generate_proposals_v2 {

// Generates the proposals of the first image. Memory is allocated by the first call only.
class PlainProgram {
 public:
  explicit PlainProgram(const Args& args)
      : args_(args), order_(static_cast<size_t>(args.scores_per_image())) {}

  void Run() {
    Sort();
    Decode();
    Suppress();
  }

  // Returns the proposals.
  const std::vector<float>& rois() const { return rois_; }

 private:
  struct Scored {
    float score;
    int32_t anchor;
  };
  struct Box {
    float x1, y1, x2, y2, area, score;
  };

  void Sort() {
    for (size_t i = 0; i < order_.size(); ++i) {
      const auto anchor = static_cast<int32_t>(i);
      order_[i] = {args_.scores[args_.ScoreOffset(0, anchor)], anchor};
    }
    std::partial_sort(order_.begin(), order_.begin() + args_.candidates, order_.end(),
                      [](const Scored& a, const Scored& b) {
                        return a.score > b.score || (a.score == b.score && a.anchor < b.anchor);
                      });
  }

  void Decode() {
    boxes_.clear();
    const float offset = args_.pixel_offset ? 1.0f : 0.0f;
    const float height = args_.im_shape[0];
    const float width = args_.im_shape[1];
    for (int64_t i = 0; i < args_.candidates; ++i) {
      const auto [score, index] = order_[static_cast<size_t>(i)];
      const float* const anchor = args_.anchors + index * kBoxFloats;
      float delta[kBoxFloats] = {};
      for (int64_t k = 0; k < kBoxFloats; ++k) {
        delta[k] = args_.bbox_deltas[args_.DeltaOffset(0, index, k)] *
                   (args_.variances == nullptr ? 1 : args_.variances[index * kBoxFloats + k]);
      }
      const float w = anchor[2] - anchor[0] + offset;
      const float h = anchor[3] - anchor[1] + offset;
      const float cx = anchor[0] + 0.5f * w + delta[0] * w;
      const float cy = anchor[1] + 0.5f * h + delta[1] * h;
      const float half_w = 0.5f * w * std::exp(std::min(delta[2], kLargestDelta));
      const float half_h = 0.5f * h * std::exp(std::min(delta[3], kLargestDelta));
      const float x1 = std::clamp(cx - half_w, 0.0f, width - offset);
      const float y1 = std::clamp(cy - half_h, 0.0f, height - offset);
      const float x2 = std::clamp(cx + half_w - offset, 0.0f, width - offset);
      const float y2 = std::clamp(cy + half_h - offset, 0.0f, height - offset);
      const float new_w = x2 - x1 + offset;
      const float new_h = y2 - y1 + offset;
      if (new_w >= args_.least_size && new_h >= args_.least_size) {
        boxes_.push_back({x1, y1, x2, y2, new_w * new_h, score});
      }
    }
  }

  float Iou(const Box& a, const Box& b) const {
    const float offset = args_.pixel_offset ? 1.0f : 0.0f;
    const float w = std::max(0.0f, std::min(a.x2, b.x2) - std::max(a.x1, b.x1) + offset);
    const float h = std::max(0.0f, std::min(a.y2, b.y2) - std::max(a.y1, b.y1) + offset);
    return w * h / (a.area + b.area - w * h);
  }

  void Suppress() {
    kept_.clear();
    for (const Box& box : boxes_) {
      if (static_cast<int64_t>(kept_.size()) == args_.max_proposals) {
        break;
      }
      const bool is_suppressed = std::any_of(kept_.begin(), kept_.end(), [&](const Box& kept) {
        return Iou(kept, box) > args_.nms_thresh;
      });
      if (!is_suppressed) {
        kept_.push_back(box);
      }
    }
    rois_.clear();
    probs_.clear();
    for (const Box& box : kept_) {
      rois_.insert(rois_.end(), {box.x1, box.y1, box.x2, box.y2});
      probs_.push_back(box.score);
    }
  }

  const Args args_;
  std::vector<Scored> order_;
  std::vector<Box> boxes_;
  std::vector<Box> kept_;
  std::vector<float> rois_;
  std::vector<float> probs_;
};

}  // namespace detops::generate_proposals_v2

#endif  // DETOPS_OPS_GENERATE_PROPOSALS_V2_PLAIN_PROGRAM_H_
