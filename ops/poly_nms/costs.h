// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Estimated single-thread costs, in nanoseconds. They only decide how finely work is split; results
// do not depend on them. `make costs` prints measured values beside them.

#ifndef DETOPS_OPS_POLY_NMS_COSTS_H_
#define DETOPS_OPS_POLY_NMS_COSTS_H_

namespace detops::poly_nms {

// Per pair of a block that is compared all with all.
inline constexpr double kNanosecondsPerPair = 2;
// Per element of a matrix of IoUs.
inline constexpr double kNanosecondsPerIou = 25;

}  // namespace detops::poly_nms

#endif  // DETOPS_OPS_POLY_NMS_COSTS_H_
