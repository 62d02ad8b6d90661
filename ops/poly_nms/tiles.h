// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The vector kernels and the data that they work on.

#ifndef DETOPS_OPS_POLY_NMS_TILES_H_
#define DETOPS_OPS_POLY_NMS_TILES_H_

#include <cstdint>

#include "ops/poly_nms/op.h"
#include "suppression/engine.h"

namespace detops::poly_nms {

// Columns of the search. They bound the IoU of two boxes from above: the bounding box, a lower
// bound of the area, and upper bounds of the areas of the lobes. A box that crosses itself has two
// lobes of opposite orientation; the smaller lobe of other boxes is nearly 0. Boxes that are out of
// scale for float arithmetic have values that let every pair pass.
enum Column { kXLow, kYLow, kXHigh, kYHigh, kArea, kLargerLobe, kSmallerLobe, kColumns };

// The data from which the IoU of a box is computed in float, relative to the middle of its bounding
// box. Groups of four floats, so that kernels can transpose them:
//   0 to 3   an edge each: left end, right end, y at the left end, slope
//   kSigns   the signs of the four edges
//   kPlace   the middle (x, y), half width and half height of the bounding box
//   kArea    the area, its error bound, unused, unused
// All of them are scaled (see Scale), and so are areas and lobes in the columns.
struct Record {
  static constexpr int kEdges = 4;
  static constexpr int kSigns = 4;
  static constexpr int kPlace = 5;
  static constexpr int kArea = 6;
  static constexpr int kQuads = 7;
  alignas(64) float quads[kQuads + 1][4];  // padded to whole cache lines
};

// The factor by which kernels multiply sizes before they compute in float: a power of two that
// brings the boxes of a call into the range of float arithmetic. Results do not depend on it.
struct Scale {
  float factor = 1;

  // Returns the scale that the engine passes on to the kernels, or 1 if there is none.
  static float FactorOf(const void* metric) {
    return metric == nullptr ? 1.0f : static_cast<const Scale*>(metric)->factor;
  }
};

// Return the kernels for the suppression engine, for a scale of 1 and for other ones.
const suppression::Kernels& NmsKernels();
const suppression::Kernels& ScaledNmsKernels();

// A rectangle of the matrix of IoUs. For aligned polygons, only the rows matter.
struct IouTile {
  int64_t row_begin, row_end;
  int64_t column_begin, column_end;
};
void ComputeIous(const IouArgs& args, const IouTile& tile);

}  // namespace detops::poly_nms

#endif  // DETOPS_OPS_POLY_NMS_TILES_H_
