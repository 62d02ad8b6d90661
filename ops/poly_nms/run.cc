// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Runs the suppression engine with the kernels for quadrilaterals, and computes matrices of IoUs.

#include <algorithm>

#include "core/math.h"
#include "core/parallel.h"
#include "ops/poly_nms/costs.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/tiles.h"
#include "suppression/engine.h"

namespace detops::poly_nms {
namespace {

// Columns of a task: few enough that a matrix with a single row is split, too.
constexpr int64_t kBlockColumns = 1024;

}  // namespace

size_t WorkspaceBytes(int64_t count) { return suppression::WorkspaceBytes(NmsKernels(), count); }

Status Run(RunContext& context, const Args& args) {
  return suppression::Run(context, NmsKernels(), args);
}

Status RunIou(RunContext& context, const IouArgs& args) {
  const int64_t blocks =
      args.aligned ? 1 : std::max<int64_t>(CeilDiv(args.columns, kBlockColumns), 1);
  const double nanoseconds =
      kNanosecondsPerIou *
      (args.aligned ? 1.0 : static_cast<double>(std::min(args.columns, kBlockColumns)));
  ParallelFor(context.threads, args.rows * blocks, nanoseconds, [&](int64_t begin, int64_t end) {
    // The range may extend over several blocks of columns.
    while (begin < end) {
      const int64_t block = begin / args.rows;
      const int64_t part_end = std::min(end, (block + 1) * args.rows);
      const int64_t column = block * kBlockColumns;
      ComputeIous(args, {.row_begin = begin - block * args.rows,
                         .row_end = part_end - block * args.rows,
                         .column_begin = column,
                         .column_end = std::min(column + kBlockColumns, args.columns)});
      begin = part_end;
    }
  });
  return {};
}

}  // namespace detops::poly_nms
