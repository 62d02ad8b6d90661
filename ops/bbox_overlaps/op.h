// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// bbox_overlaps: IoU or IoF of axis-aligned boxes. README.md is the contract.

#ifndef DETOPS_OPS_BBOX_OVERLAPS_OP_H_
#define DETOPS_OPS_BBOX_OVERLAPS_OP_H_

#include <array>
#include <cstdint>
#include <vector>

#include "core/aligned_buffer.h"
#include "core/operand.h"
#include "detops/bbox_overlaps.hpp"
#include "runtime/job.h"

namespace detops::bbox_overlaps {

// The tensors of a call.
struct Operands {
  Operand boxes1{};
  Operand boxes2{};
  Operand ious{};        // absent in calls that do not write a matrix
  bool aligned = false;  // compares boxes of the same index only

  std::array<const Operand*, 3> all() const { return {&boxes1, &boxes2, &ious}; }
};

// Two lists of boxes (x1, y1, x2, y2) and how their overlap is measured.
struct Boxes {
  const void* first;   // [rows, 4]
  const void* second;  // [columns, 4]
  int64_t rows;
  int64_t columns;
  bool half;  // coordinates and overlaps are Half, otherwise float
  OverlapMode mode;
  int offset;
};

// Arguments of the matrix, or, if `aligned`, of its diagonal only (rows == columns).
struct Args {
  Boxes boxes;
  bool aligned;
  void* ious;

  // Returns the number of overlaps.
  int64_t count() const { return aligned ? boxes.rows : boxes.rows * boxes.columns; }
};

// Arguments of the search for the largest overlap of each row.
struct RowMaximumArgs {
  Boxes boxes;
  float* values;
  int32_t* columns;
};

// Arguments of the search for the pairs whose overlap exceeds the threshold.
struct PairsArgs {
  Boxes boxes;
  float threshold;
  std::vector<OverlapPair>* pairs;
};

// Checks all arguments and fills `args`.
Status MakeArgs(const Operands& operands, const BboxOverlapsOptions& options, Args& args);

// The calls that all entry points share: check, log and submit. `function` is the name of the entry
// point.
Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const BboxOverlapsOptions& options);
Status CallRowMaximum(const char* function, mluOpHandle_t handle, const Operands& operands,
                      const BboxOverlapsOptions& options, RowMaximum& result);
Status CallPairs(const char* function, mluOpHandle_t handle, const Operands& operands,
                 float threshold, const BboxOverlapsOptions& options,
                 std::vector<OverlapPair>& pairs);

Status Run(RunContext& context, const Args& args);
Status RunRowMaximum(RunContext& context, const RowMaximumArgs& args);
Status RunPairs(RunContext& context, const PairsArgs& args);

void Reference(const Args& args);
void ReferenceRowMaximum(const RowMaximumArgs& args);
void ReferencePairs(const PairsArgs& args);

// A rectangle of the matrix.
struct Tile {
  int64_t row_begin;
  int64_t row_end;
  int64_t column_begin;
  int64_t column_end;
};

// Columns of the widest tile. 26 KB of packed columns stay in the first-level cache.
inline constexpr int64_t kMaxTileColumns = 1024;

// Floats per cache line.
inline constexpr int64_t kLineFloats = kAlignment / sizeof(float);

// The kernels, on the best target. `stream` selects streaming stores, for results that are larger
// than the caches.
void MatrixTile(const Args& args, const Tile& tile, bool stream);
void AlignedTile(const Args& args, int64_t begin, int64_t end, bool stream);
// Raises the maxima of the tile's rows. The tiles of a row must be visited from left to right.
void RowMaximumTile(const RowMaximumArgs& args, const Tile& tile);
// Appends the pairs of the tile, sorted by row and then by column.
void PairsTile(const PairsArgs& args, const Tile& tile, std::vector<OverlapPair>& pairs);

}  // namespace detops::bbox_overlaps

#endif  // DETOPS_OPS_BBOX_OVERLAPS_OP_H_
