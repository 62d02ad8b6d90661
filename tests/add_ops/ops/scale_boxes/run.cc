// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Splits the work into tiles and runs them in parallel.

#include "core/parallel.h"
#include "ops/scale_boxes/costs.h"
#include "ops/scale_boxes/op.h"

namespace detops::scale_boxes {

Status Run(RunContext& context, const Args& args) {
  ParallelFor(context.threads, args.count, kNanosecondsPerCoordinate,
              [&](int64_t begin, int64_t end) { ScaleTile(args, begin, end); });
  return {};
}

}  // namespace detops::scale_boxes
