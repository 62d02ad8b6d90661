// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Inputs for tests, benchmark and fuzz target.

#ifndef DETOPS_OPS_GENERATE_PROPOSALS_V2_CASES_H_
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "measure/fuzz_bytes.h"
#include "ops/generate_proposals_v2/op.h"

namespace detops::generate_proposals_v2 {

// A call. Scores and deltas go with their channels last; `channels_first` turns them round.
struct Case {
  int64_t images = 1;
  int64_t height = 1;
  int64_t width = 1;
  int64_t anchors_per_position = 1;
  std::vector<float> scores;
  std::vector<float> deltas;
  std::vector<float> im_shape;
  std::vector<float> anchors;
  std::vector<float> variances;  // empty for none
  bool channels_first = false;
  int pre_nms_top_n = 6000;
  int post_nms_top_n = 1000;
  float nms_thresh = 0.5f;
  float min_size = 0.1f;
  bool pixel_offset = false;
  bool wants_anchors = true;

  int64_t scores_per_image() const { return height * width * anchors_per_position; }
  int64_t rows() const { return images * post_nms_top_n; }
  // The same numbers with channels before positions.
  Case ChannelsFirst() const;
  std::string ToString() const;
};

enum class Kind {
  kTrained,   // as a trained network's: scores peak around objects, deltas are small
  kUniform,   // scores and deltas of any value
  kTies,      // few different scores
  kSkewed,    // scores that crowd in one place, with outliers
  kExtremes,  // NaN, infinities, denormals and huge numbers among others
};

inline constexpr Kind kAllKinds[] = {Kind::kTrained, Kind::kUniform, Kind::kTies, Kind::kSkewed,
                                     Kind::kExtremes};

const char* NameOf(Kind kind);

// The grid of positions, and the anchors at each of them.
struct Shape {
  int64_t images;
  int64_t height;
  int64_t width;
  int64_t anchors_per_position;
};

// The maps of the networks that the operator was made for.
const std::vector<Shape>& NetworkShapes();

// The level of the pyramid that a map is: its positions lie 4 pixels apart when it has 160 rows and
// more, 8 when it has half as many, and so on.
float StrideOf(int64_t height);

// Anchors of three shapes, and of sizes that double from `size` on, at positions `stride` apart.
Case RandomCase(Kind kind, const Shape& shape, float stride, float size, uint32_t seed);

// An image without an end, in which the anchors are these boxes as they are (four numbers each).
Case CaseOfBoxes(const std::vector<float>& boxes, const std::vector<float>& scores);

Case CaseFromBytes(FuzzBytes& bytes);

// In outputs before a call.
inline constexpr int kUntouched = -7;

// What a call wrote; entries that it left alone are kUntouched.
struct Proposals {
  std::vector<float> rois;
  std::vector<float> probs;
  std::vector<int32_t> anchor_indices;
  std::vector<int32_t> counts;
  int32_t total = kUntouched;

  explicit Proposals(const Case& input);
  // In all bits, but that NaN equals NaN.
  bool operator==(const Proposals& other) const;
};

// The result goes to `proposals`.
Args MakeArgs(const Case& input, Proposals& proposals);

}  // namespace detops::generate_proposals_v2

#endif  // DETOPS_OPS_GENERATE_PROPOSALS_V2_CASES_H_
