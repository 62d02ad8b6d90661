// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Estimated single-thread costs, in nanoseconds. They only decide how finely work is split; results
// do not depend on them. `make costs` prints measured values beside them.

#ifndef DETOPS_OPS_NMS_COSTS_H_
#define DETOPS_OPS_NMS_COSTS_H_

namespace detops::nms {

// Per pair of a block that is compared all with all.
inline constexpr double kNanosecondsPerPair = 0.2;
// Per kept box that a candidate is tested against.
inline constexpr double kNanosecondsPerTest = 0.2;
// Per pair of boxes that overlap, besides its test, which decides most of them.
inline constexpr double kNanosecondsPerOverlap = 0.1;
// Per box: its columns.
inline constexpr double kNanosecondsToPrepare = 4;

}  // namespace detops::nms

#endif  // DETOPS_OPS_NMS_COSTS_H_
