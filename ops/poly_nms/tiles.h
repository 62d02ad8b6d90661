// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the vector kernels work on, and the kernels.

#ifndef DETOPS_OPS_POLY_NMS_TILES_H_
#define DETOPS_OPS_POLY_NMS_TILES_H_

#include <atomic>
#include <cstdint>

#include "ops/poly_nms/grid.h"
#include "ops/poly_nms/op.h"

namespace detops::poly_nms {

// The most lanes that a kernel uses. Arrays of the filter have so much room behind their last
// entry.
inline constexpr int64_t kMaxLanes = 16;

// What bounds the IoU of two boxes from above, one array for each thing. `area` is a lower bound of
// the area, the lobes are upper bounds of what is turned round in one sense and in the other (0
// where a box does not cross itself). Boxes far out of scale have values that let every pair pass.
struct FilterArrays {
  float* x_low;
  float* y_low;
  float* x_high;
  float* y_high;
  float* area;
  float* larger_lobe;
  float* smaller_lobe;

  static constexpr int kArrays = 7;
};

// What the IoU of a box is computed from, around an origin of its own, four floats at a time: each
// edge's left and right end, its y at the left end and its slope; the edges' signs; the origin and
// half of the bounding box; the area.
struct Record {
  static constexpr int kEdges = 4;
  static constexpr int kSigns = 4;
  static constexpr int kPlace = 5;
  static constexpr int kArea = 6;
  static constexpr int kQuads = 7;
  alignas(64) float quads[kQuads + 1][4];
};

// Boxes in the order that suits the search.
struct Slots {
  const float* boxes;  // of the call
  int32_t* ids;        // which of them
  FilterArrays filter;
  Record* records;
  int64_t count;
};

// Fills filter and records of the slots [begin, end). `begin` is a multiple of kMaxLanes; whole
// vectors are written, so what lies between `end` and the next multiple is overwritten.
void PrepareTile(const Slots& slots, int64_t begin, int64_t end);

// The pairs of a block: bit j of row i is set when boxes i and j of the block, i < j, exceed the
// threshold.
struct Block {
  const Slots* slots;
  FilterArrays filter;     // of the block's boxes
  const int32_t* slot_of;  // null when box i lies in slot i
  int64_t count;
  float threshold;
  uint64_t* rows;  // words_per_row for each box
  int64_t words_per_row;
};
void BlockTile(const Block& block, int64_t row_begin, int64_t row_end);

// Boxes that may be suppressed by kept ones.
struct KeptSearch {
  const Slots* slots;
  const Grid* grid;
  const int32_t* cell_begin;  // of each cell, in the arrays of kept boxes
  const int32_t* kept_count;  // of each cell
  FilterArrays kept;
  const int32_t* kept_slots;
  float threshold;
  const Bounds* bounds;       // of each slot
  const int32_t* candidates;  // slots
  uint8_t* suppressed;        // of each candidate
};
void KeptTile(const KeptSearch& search, int64_t begin, int64_t end);

// Of a pair that exceeds the threshold, by slots: the box of the higher score and the other.
struct Suppression {
  int32_t by;
  int32_t of;
};

// Every pair of boxes that exceeds the threshold. Stops when there are too many, or too many to
// look at.
struct PairSearch {
  const Slots* slots;
  const Grid* grid;
  const int32_t* cell_begin;  // the first slot of each cell, and the number of slots behind
  const Bounds* bounds;       // of each slot
  const int32_t* ranks;       // of each slot: the lower goes first
  float threshold;
  Suppression* suppressions;
  int64_t capacity;
  int64_t max_work;  // in tests of the filter

  std::atomic<int64_t>* found;
  std::atomic<int64_t>* work;

  bool Exhausted() const {
    return found->load(std::memory_order_relaxed) > capacity ||
           work->load(std::memory_order_relaxed) > max_work;
  }
};
void PairTile(const PairSearch& search, int64_t cell_begin, int64_t cell_end);

// The IoU of rows [begin, end).
void IouTile(const IouArgs& args, int64_t begin, int64_t end);

}  // namespace detops::poly_nms

#endif  // DETOPS_OPS_POLY_NMS_TILES_H_
