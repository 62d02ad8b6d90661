// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Estimated single-thread costs, in nanoseconds. They only decide how finely work is split and
// which kernel runs; results do not depend on them. `make costs` prints measured values beside
// them.

#ifndef DETOPS_OPS_BORDER_ALIGN_FORWARD_COSTS_H_
#define DETOPS_OPS_BORDER_ALIGN_FORWARD_COSTS_H_

namespace detops::border_align_forward {

// Per sample and channel: interpolation and maximum.
inline constexpr double kNanosecondsPerSample = 0.2;
// Per border of a box, in addition to its samples.
inline constexpr double kNanosecondsPerBorder = 25;
// Per sample and channel, if there are few channels: interpolation of borders in vectors, whose
// pixels are loaded one by one.
inline constexpr double kNanosecondsPerGatheredSample = 1.05;
// Per pixel and channel that is packed into a plane.
inline constexpr double kNanosecondsPerPackedValue = 0.15;
// The same for fewer channels than a vector has lanes: they are copied one by one. Float takes
// less, half more.
inline constexpr double kNanosecondsPerCopiedValue = 1;

}  // namespace detops::border_align_forward

#endif  // DETOPS_OPS_BORDER_ALIGN_FORWARD_COSTS_H_
