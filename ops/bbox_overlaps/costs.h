// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Estimated single-thread costs, in nanoseconds. They only decide how finely work is split; results
// do not depend on them. `make costs` prints measured values beside them.

#ifndef DETOPS_OPS_BBOX_OVERLAPS_COSTS_H_
#define DETOPS_OPS_BBOX_OVERLAPS_COSTS_H_

namespace detops::bbox_overlaps {

// Per overlap of a matrix, and per pair of boxes that a search compares.
inline constexpr double kNanosecondsPerOverlap = 0.35;
// Per pair of aligned boxes.
inline constexpr double kNanosecondsPerAlignedPair = 1.5;

}  // namespace detops::bbox_overlaps

#endif  // DETOPS_OPS_BBOX_OVERLAPS_COSTS_H_
