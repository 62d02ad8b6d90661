// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Estimated single-thread costs, in nanoseconds. They only decide how finely work is split; results
// do not depend on them. `make costs` prints measured values beside them.

#ifndef DETOPS_SUPPRESSION_COSTS_H_
#define DETOPS_SUPPRESSION_COSTS_H_

namespace detops::suppression {

// Per box: reading its score and sorting it.
inline constexpr double kNanosecondsToOrder = 15;
// Per box of a group that is compared all with all.
inline constexpr double kNanosecondsToSuppress = 75;
// Per box: its bounds, its cell, its columns.
inline constexpr double kNanosecondsToPrepare = 15;
// Per box: the search for all pairs in the grid.
inline constexpr double kNanosecondsToSearch = 60;
// Per candidate: finding the cells of kept boxes near it.
inline constexpr double kNanosecondsToLookUp = 20;
// Per kept box that a candidate is tested against.
inline constexpr double kNanosecondsPerTest = 0.3;

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_COSTS_H_
