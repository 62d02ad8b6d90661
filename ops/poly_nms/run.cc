// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The suppression is that of ops/nms/engine.h, with the kernels of quadrilaterals.

#include "core/parallel.h"
#include "ops/nms/engine.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/tiles.h"

namespace detops::poly_nms {
namespace {

// Of one thread, for estimates only.
constexpr double kNanosecondsPerIou = 25;

}  // namespace

size_t WorkspaceBytes(int64_t count) { return nms::WorkspaceBytes(NmsKernels(), count); }

Status Run(RunContext& context, const Args& args) {
  return nms::RunSuppress(context, NmsKernels(), args);
}

Status RunIou(RunContext& context, const IouArgs& args) {
  const double nanoseconds_per_row =
      kNanosecondsPerIou * (args.aligned ? 1.0 : static_cast<double>(args.columns));
  ParallelFor(context.threads, args.rows, nanoseconds_per_row,
              [&](int64_t begin, int64_t end) { IouTile(args, begin, end); });
  return {};
}

}  // namespace detops::poly_nms
