// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Estimated single-thread costs, in nanoseconds. They decide how finely work is split and whether a
// map is packed; results do not depend on them. `make costs` prints measured values beside them.

#ifndef DETOPS_OPS_PSROIPOOL_FORWARD_COSTS_H_
#define DETOPS_OPS_PSROIPOOL_FORWARD_COSTS_H_

namespace detops::psroipool_forward {

// Per RoI whose bins are computed.
inline constexpr double kNanosecondsPerRoi = 25;
// Per bin that is pooled, in addition to the costs of its elements.
inline constexpr double kNanosecondsPerBin = 5;
// Per element of a map that is packed, with channels last and with channels first.
inline constexpr double kNanosecondsToPack = 0.3;
inline constexpr double kNanosecondsToPackFirst = 0.2;
// Per element (pixel and channel) of a bin that is copied from the input.
inline constexpr double kNanosecondsToCopy = 0.6;
// Per element of a bin that is added.
inline constexpr double kNanosecondsToAdd = 0.06;
// Per result that is written, with its channel.
inline constexpr double kNanosecondsToWrite = 0.2;

}  // namespace detops::psroipool_forward

#endif  // DETOPS_OPS_PSROIPOOL_FORWARD_COSTS_H_
