// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Estimated single-thread costs, in nanoseconds. They only decide how finely work is split; results
// do not depend on them. `make costs` prints measured values beside them.

#ifndef DETOPS_OPS_BORDER_ALIGN_FORWARD_COSTS_H_
#define DETOPS_OPS_BORDER_ALIGN_FORWARD_COSTS_H_

namespace detops::border_align_forward {

// Per sample and channel: interpolation and maximum.
inline constexpr double kNanosecondsPerSample = 0.2;
// Per pixel and channel that is packed into a plane.
inline constexpr double kNanosecondsPerPackedValue = 0.15;

}  // namespace detops::border_align_forward

#endif  // DETOPS_OPS_BORDER_ALIGN_FORWARD_COSTS_H_
