// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Estimated single-thread costs, in nanoseconds. They only decide how finely work is split; results
// do not depend on them. `make costs` prints measured values beside them.

#ifndef DETOPS_OPS_POLY_NMS_COSTS_H_
#define DETOPS_OPS_POLY_NMS_COSTS_H_

namespace detops::poly_nms {

// Per pair of a block in which every box is compared with every other: mostly the cost of the
// bound, since it rejects most pairs.
inline constexpr double kNanosecondsPerPair = 2;
// Per kept box that a candidate is tested against.
inline constexpr double kNanosecondsPerTest = 0.25;
// Per pair of boxes whose bounding boxes overlap: its IoU in float, unless a bound rejects it.
inline constexpr double kNanosecondsPerOverlap = 10;
// Per box: its columns and its record.
inline constexpr double kNanosecondsToPrepare = 12;
// Per pair of overlapping quadrilaterals in a matrix of IoUs.
inline constexpr double kNanosecondsPerIou = 25;

}  // namespace detops::poly_nms

#endif  // DETOPS_OPS_POLY_NMS_COSTS_H_
