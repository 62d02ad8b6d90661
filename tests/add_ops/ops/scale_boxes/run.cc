// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/parallel.h"
#include "ops/scale_boxes/op.h"

namespace detops::scale_boxes {

Status Run(RunContext& context, const Args& args) {
  constexpr double kNanosecondsPerValue = 0.1;
  ParallelFor(context.threads, args.values, kNanosecondsPerValue,
              [&](int64_t begin, int64_t end) { Tile(args, begin, end); });
  return {};
}

}  // namespace detops::scale_boxes
