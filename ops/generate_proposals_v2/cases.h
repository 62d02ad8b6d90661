// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Inputs for tests, benchmarks, the command and the fuzz target.

#ifndef DETOPS_OPS_GENERATE_PROPOSALS_V2_CASES_H_
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "measure/fuzz_bytes.h"
#include "ops/generate_proposals_v2/op.h"

namespace detops::generate_proposals_v2 {

// The arguments of a call.
struct Case {
  int64_t images = 1;
  int64_t height = 1;
  int64_t width = 1;
  int64_t anchors_per_position = 1;
  std::vector<float> scores;
  std::vector<float> deltas;
  std::vector<float> im_shape;
  std::vector<float> anchors;
  std::vector<float> variances;  // empty: left out
  bool channels_first = false;   // layout of scores and deltas
  int pre_nms_top_n = 6000;
  int post_nms_top_n = 1000;
  float nms_thresh = 0.5f;
  float min_size = 0.1f;
  bool pixel_offset = false;
  bool wants_anchors = true;

  int64_t scores_per_image() const { return height * width * anchors_per_position; }
  int64_t rows() const { return images * post_nms_top_n; }
  // Returns the same case in the other layout. The case must have its channels last.
  Case ChannelsFirst() const;
  std::string ToString() const;
};

enum class Kind {
  kTrained,   // like the output of a trained network: scores peak around objects, deltas are small
  kUniform,   // uniformly distributed scores and deltas
  kTies,      // few different scores
  kSkewed,    // most scores are nearly equal, with a few outliers
  kExtremes,  // some inputs are NaN, infinite, denormal or huge
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

// Returns the shapes of the feature maps of common detection networks.
const std::vector<Shape>& NetworkShapes();

// Returns the stride of a feature map in a pyramid: 4 pixels for maps of 160 rows and more, 8 for
// maps of at least 80 rows, and so on up to 64.
float StrideOf(int64_t height);

// Returns a random case. Positions are `stride` apart. The anchors of a position have three aspect
// ratios for each of the sizes `size`, 2 * size, 4 * size, ...
Case RandomCase(Kind kind, const Shape& shape, float stride, float size, uint32_t seed);

// Returns a case that decodes to these boxes (x1, y1, x2, y2), in an infinitely large image.
Case CaseOfBoxes(const std::vector<float>& boxes, const std::vector<float>& scores);

Case CaseFromBytes(FuzzBytes& bytes);

// The value of all outputs before a call.
inline constexpr int kUntouched = -7;

// The results of a call. Entries that it did not write are kUntouched.
struct Proposals {
  std::vector<float> rois;
  std::vector<float> probs;
  std::vector<int32_t> anchor_indices;
  std::vector<int32_t> counts;
  int32_t total = kUntouched;

  explicit Proposals(const Case& input);
  // Compares all bits: a NaN score is copied, so it keeps its own.
  bool operator==(const Proposals& other) const;
};

// Returns the arguments of a run that writes to `proposals`.
Args MakeArgs(const Case& input, Proposals& proposals);

}  // namespace detops::generate_proposals_v2

#endif  // DETOPS_OPS_GENERATE_PROPOSALS_V2_CASES_H_
