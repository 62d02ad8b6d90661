// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the vector kernel does, and the plain data that it does it to. Tiles are pure: no threads,
// no allocation, no failure.

#ifndef DETOPS_OPS_GENERATE_PROPOSALS_V2_TILES_H_
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_TILES_H_

#include <cstdint>

#include "ops/generate_proposals_v2/kept_grid.h"
#include "suppression/engine.h"
#include "suppression/order.h"

namespace detops::generate_proposals_v2 {

// The scores of an image.
struct Scores {
  const float* first;
  int64_t positions;
  int64_t anchors_per_position;
  bool channels_first;

  int64_t count() const { return positions * anchors_per_position; }
};

// Writes an entry (suppression/order.h) for each score at the positions [begin, end) that is not
// below the threshold, by anchor; returns how many. There is room for all.
int64_t CollectScores(const Scores& scores, float threshold, int64_t begin, int64_t end,
                      suppression::Entry* entries);

// How the candidates of an image become boxes.
struct Decoder {
  const float* anchors;
  const float* variances;  // null for ones
  const float* deltas;     // of the image
  int64_t positions;
  int64_t anchors_per_position;
  bool channels_first;
  float offset;
  float image_width, image_height;  // infinite when they are no numbers
  float least_size;
  bool drops_outside;  // those whose centre lies outside of the image
};

// Fills the columns (of nms: corners and area) at [begin, end), and says of each whether it is
// dropped: 0 when not. Up to kMaxLanes more of each may be written.
void DecodeCandidates(const Decoder& decoder, const suppression::Entry* candidates, int64_t begin,
                      int64_t end, const suppression::Columns& columns, uint8_t* dropped);

// Looks for kept boxes that suppress those at [begin, end) of the columns which are not suppressed
// yet. Returns how many kept boxes were looked at.
int64_t FindSuppressed(const KeptGrid& kept, const suppression::Columns& columns, int64_t begin,
                       int64_t end, uint8_t* suppressed);

// e^x as exp.h defines it, for tests; whole vectors are read and written.
void ComputeExp(const float* x, int64_t count, float* result);

}  // namespace detops::generate_proposals_v2

#endif  // DETOPS_OPS_GENERATE_PROPOSALS_V2_TILES_H_
