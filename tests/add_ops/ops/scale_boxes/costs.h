// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Estimated single-thread costs, in nanoseconds. They only decide how finely work is split; results
// do not depend on them. `make costs` prints measured values beside them.

#ifndef DETOPS_OPS_SCALE_BOXES_COSTS_H_
#define DETOPS_OPS_SCALE_BOXES_COSTS_H_

namespace detops::scale_boxes {

// Per coordinate.
inline constexpr double kNanosecondsPerCoordinate = 0.1;

}  // namespace detops::scale_boxes

#endif  // DETOPS_OPS_SCALE_BOXES_COSTS_H_
