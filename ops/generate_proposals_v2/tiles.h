// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The vector tiles and the plain data that they work on. Tiles are pure: no threads, no allocation,
// no failure.

#ifndef DETOPS_OPS_GENERATE_PROPOSALS_V2_TILES_H_
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_TILES_H_

#include <cstdint>

#include "ops/generate_proposals_v2/kept_grid.h"
#include "suppression/engine.h"
#include "suppression/order.h"

namespace detops::generate_proposals_v2 {

// The scores of one image.
struct Scores {
  const float* first;
  int64_t positions;  // H * W
  int64_t anchors_per_position;
  bool channels_first;

  int64_t count() const { return positions * anchors_per_position; }
};

// Writes an entry (suppression/order.h) for each score at the positions [begin, end) that is not
// below the threshold, in the order of the anchors. Returns the number of entries. `entries` must
// have room for all scores of these positions.
int64_t CollectScores(const Scores& scores, float threshold, int64_t begin, int64_t end,
                      suppression::Entry* entries);

// Decodes the candidates of one image to boxes.
struct Decoder {
  const float* anchors;
  const float* variances;  // null: all ones
  const float* deltas;     // of the image
  int64_t positions;
  int64_t anchors_per_position;
  bool channels_first;
  float offset;                     // 1 with pixel_offset, otherwise 0
  float image_width, image_height;  // infinity if the image's size is NaN
  float least_size;
  bool drops_outside;  // drop boxes whose center lies outside of the image
};

// Fills entries [begin, end) of the columns of nms, which are corners and area, and of `dropped`,
// which is 0 for boxes that are not dropped. May write up to suppression::kMaxLanes entries after
// `end`.
void DecodeCandidates(const Decoder& decoder, const suppression::Entry* candidates, int64_t begin,
                      int64_t end, const suppression::Columns& columns, uint8_t* dropped);

// Sets suppressed[i] for each box i in [begin, end) of the columns that a kept box suppresses.
// Skips boxes for which it is set already. Returns the number of kept boxes that were tested.
int64_t FindSuppressed(const KeptGrid& kept, const suppression::Columns& columns, int64_t begin,
                       int64_t end, uint8_t* suppressed);

// Computes e^x as defined in exp.h, for tests. Reads and writes whole vectors.
void ComputeExp(const float* x, int64_t count, float* result);

// The boxes kept so far, in the order in which they were added: for maps that are too small for a
// KeptGrid to be faster. The columns have room for whole vectors.
struct KeptList {
  suppression::Columns columns;
  int32_t* candidates;  // per box: index of the candidate
  int64_t count;
};

// Visits the candidates [begin, end) that are not marked in `dropped`, in order. Adds those that no
// box of the list suppresses, until it has `most` boxes. Returns the end of the candidates that it
// has visited. The threshold must be below 1.
int64_t KeepInOrder(const suppression::Columns& candidates, const uint8_t* dropped, int64_t begin,
                    int64_t end, float threshold, int offset, int64_t most, KeptList& kept);

}  // namespace detops::generate_proposals_v2

#endif  // DETOPS_OPS_GENERATE_PROPOSALS_V2_TILES_H_
