// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The specification: the plainest scalar code.

#include "ops/scale_boxes/op.h"

namespace detops::scale_boxes {

void Reference(const Args& args) {
  for (int64_t i = 0; i < args.count; ++i) {
    args.scaled[i] = args.boxes[i] * args.factor;
  }
}

}  // namespace detops::scale_boxes
