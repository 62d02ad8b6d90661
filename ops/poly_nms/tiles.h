// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the vector kernels work on, and the kernels.

#ifndef DETOPS_OPS_POLY_NMS_TILES_H_
#define DETOPS_OPS_POLY_NMS_TILES_H_

#include <cstdint>

#include "ops/poly_nms/op.h"
#include "suppression/engine.h"

namespace detops::poly_nms {

// What bounds the IoU of two boxes from above, as columns of the search: the bounding box, a lower
// bound of the area, and upper bounds of the lobes, of what is turned round in one sense and in the
// other (0 where a box does not cross itself). Boxes far out of scale have values that let every
// pair pass.
enum Column { kXLow, kYLow, kXHigh, kYHigh, kArea, kLargerLobe, kSmallerLobe, kColumns };

// What the IoU of a box is computed from, around an origin of its own, four floats at a time: each
// edge's left and right end, its y at the left end and its slope; the edges' signs; the origin and
// half of the bounding box; the area and how wrong it may be.
struct Record {
  static constexpr int kEdges = 4;
  static constexpr int kSigns = 4;
  static constexpr int kPlace = 5;
  static constexpr int kArea = 6;
  static constexpr int kQuads = 7;
  alignas(64) float quads[kQuads + 1][4];
};

// The suppression's.
const suppression::Kernels& NmsKernels();

// A rectangle of the matrix of IoUs; of aligned polygons only the rows matter.
struct IouTile {
  int64_t row_begin, row_end;
  int64_t column_begin, column_end;
};
void ComputeIous(const IouArgs& args, const IouTile& tile);

}  // namespace detops::poly_nms

#endif  // DETOPS_OPS_POLY_NMS_TILES_H_
