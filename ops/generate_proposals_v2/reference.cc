// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The specification: proposals are decoded and compared one by one, with float operations in the
// written order.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "ops/generate_proposals_v2/exp.h"
#include "ops/generate_proposals_v2/op.h"
#include "ops/nms/op.h"

namespace detops::generate_proposals_v2 {
namespace {

struct Proposal {
  float box[4];
  float score;
  int32_t anchor;
};

float Smaller(float a, float b) { return b < a ? b : a; }  // returns a if b is NaN

// Returns all anchors of an image in descending order of scores.
std::vector<int32_t> ByScore(const Args& args, int64_t image) {
  const auto score = [&](int32_t anchor) { return args.scores[args.ScoreOffset(image, anchor)]; };
  std::vector<int32_t> order(static_cast<size_t>(args.scores_per_image()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return std::isnan(score(a)) ? !std::isnan(score(b)) : score(a) > score(b);
  });
  return order;
}

// Decodes and clips a box. Returns false if it is dropped.
bool Decode(const Args& args, int64_t image, int32_t index, float (&box)[4]) {
  const float offset = args.pixel_offset ? 1.0f : 0.0f;
  const float image_height = args.im_shape[2 * image];
  const float image_width = args.im_shape[2 * image + 1];
  const float* const anchor = args.anchors + kBoxFloats * index;
  float variance[4] = {1, 1, 1, 1};
  float delta[4];
  for (int i = 0; i < 4; ++i) {
    delta[i] = args.bbox_deltas[args.DeltaOffset(image, index, i)];
    if (args.variances != nullptr) {
      variance[i] = args.variances[kBoxFloats * index + i];
    }
  }

  const float w = anchor[2] - anchor[0] + offset;
  const float h = anchor[3] - anchor[1] + offset;
  const float cx = anchor[0] + 0.5f * w;
  const float cy = anchor[1] + 0.5f * h;
  const float d_cx = cx + delta[0] * w * variance[0];
  const float d_cy = cy + delta[1] * h * variance[1];
  const float x_growth = delta[2] * variance[2];
  const float y_growth = delta[3] * variance[3];
  const float d_w = Exp(x_growth > kLargestDelta ? kLargestDelta : x_growth) * w;
  const float d_h = Exp(y_growth > kLargestDelta ? kLargestDelta : y_growth) * h;
  const float corners[4] = {d_cx - d_w * 0.5f, d_cy - d_h * 0.5f, d_cx + d_w * 0.5f - offset,
                            d_cy + d_h * 0.5f - offset};

  for (int i = 0; i < 4; ++i) {
    if (!std::isfinite(corners[i])) {
      return false;
    }
    const float inside = Smaller(corners[i], (i % 2 == 0 ? image_width : image_height) - offset);
    box[i] = inside > 0 ? inside : 0;
  }
  const float width = box[2] - box[0] + offset;
  const float height = box[3] - box[1] + offset;
  if (width < args.least_size || height < args.least_size) {
    return false;
  }
  const bool center_outside =
      box[0] + 0.5f * width > image_width || box[1] + 0.5f * height > image_height;
  return !(args.pixel_offset && center_outside);
}

// Decodes the selected candidates. Returns those that are not dropped, in order.
std::vector<Proposal> DecodeBest(const Args& args, int64_t image) {
  std::vector<int32_t> order = ByScore(args, image);
  order.resize(static_cast<size_t>(args.candidates));
  std::vector<Proposal> proposals;
  for (const int32_t anchor : order) {
    Proposal proposal{
        .box = {}, .score = args.scores[args.ScoreOffset(image, anchor)], .anchor = anchor};
    if (Decode(args, image, anchor, proposal.box)) {
      proposals.push_back(proposal);
    }
  }
  return proposals;
}

std::vector<Proposal> Suppress(const Args& args, const std::vector<Proposal>& proposals) {
  std::vector<Proposal> kept;
  for (const Proposal& proposal : proposals) {
    if (static_cast<int64_t>(kept.size()) == args.max_proposals) {
      break;
    }
    const bool suppressed = std::any_of(kept.begin(), kept.end(), [&](const Proposal& other) {
      return suppression::Exceeds(
          nms::ReferenceIou(other.box, proposal.box, args.pixel_offset ? 1 : 0), args.nms_thresh);
    });
    if (!suppressed) {
      kept.push_back(proposal);
    }
  }
  return kept;
}

}  // namespace

void Reference(const Args& args) {
  int32_t row = 0;
  for (int64_t image = 0; image < args.images; ++image) {
    std::vector<Proposal> kept = Suppress(args, DecodeBest(args, image));
    if (kept.empty()) {
      kept.push_back({.box = {0, 0, 0, 0}, .score = 0, .anchor = -1});
    }
    for (const Proposal& proposal : kept) {
      std::copy_n(proposal.box, 4, args.rois + kBoxFloats * row);
      args.probs[row] = proposal.score;
      if (args.anchor_indices != nullptr) {
        args.anchor_indices[row] = proposal.anchor;
      }
      ++row;
    }
    args.counts[image] = static_cast<int32_t>(kept.size());
  }
  *args.total = row;
}

}  // namespace detops::generate_proposals_v2
