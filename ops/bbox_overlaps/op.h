// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The parts of bbox_overlaps. README.md in this folder is the contract.

#ifndef DETOPS_OPS_BBOX_OVERLAPS_OP_H_
#define DETOPS_OPS_BBOX_OVERLAPS_OP_H_

#include <array>
#include <cstdint>
#include <vector>

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
  const void* first;   // rows * 4 coordinates
  const void* second;  // columns * 4 coordinates
  int64_t rows;
  int64_t columns;
  bool half;  // type of the coordinates and of the matrix
  OverlapMode mode;
  int offset;
};

// Computes the matrix, or with `aligned` (rows == columns) only its diagonal.
struct Args {
  Boxes boxes;
  bool aligned;
  void* ious;

  int64_t count() const { return aligned ? boxes.rows : boxes.rows * boxes.columns; }
};

// Finds the largest overlap of each row, and its column.
struct RowMaximumArgs {
  Boxes boxes;
  float* values;
  int32_t* columns;
};

// Finds the pairs whose overlap exceeds the threshold.
struct PairsArgs {
  Boxes boxes;
  float threshold;
  std::vector<OverlapPair>* pairs;
};

Status MakeArgs(const Operands& operands, const BboxOverlapsOptions& options, Args& args);

// The bodies that all doors share.
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

// Widest tile. Chosen so that the packed columns of a tile stay in the first-level cache.
inline constexpr int64_t kMaxTileColumns = 1024;

// Floats per cache line.
inline constexpr int64_t kLineFloats = 16;

// The kernels, on the best target. `stream` writes past the caches, for results that do not fit.
void MatrixTile(const Args& args, const Tile& tile, bool stream);
void AlignedTile(const Args& args, int64_t begin, int64_t end, bool stream);
void RowMaximumTile(const RowMaximumArgs& args,
                    const Tile& tile);  // updates the maxima of the rows
void PairsTile(const PairsArgs& args, const Tile& tile, std::vector<OverlapPair>& pairs);

}  // namespace detops::bbox_overlaps

#endif  // DETOPS_OPS_BBOX_OVERLAPS_OP_H_
