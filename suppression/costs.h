// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Estimated single-thread costs, in nanoseconds. They choose the strategy (strategy.h) and decide
// how finely work is split; results do not depend on them. `make costs` prints measured values
// beside them.

#ifndef DETOPS_SUPPRESSION_COSTS_H_
#define DETOPS_SUPPRESSION_COSTS_H_

namespace detops::suppression {

// Per box: reading its score and sorting it.
inline constexpr double kNanosecondsToOrder = 8;
// Per box of a group that is compared all with all.
inline constexpr double kNanosecondsToSuppress = 25;

// Per candidate of the in-order strategy, besides the tests with kept boxes.
inline constexpr double kNanosecondsToFilter = 12;

// Per box: its bounds.
inline constexpr double kNanosecondsToGather = 8;
// Per box: choosing the levels of the grid. On one thread.
inline constexpr double kNanosecondsToChooseLevels = 6;
// Per box: its cell.
inline constexpr double kNanosecondsToFindCell = 8;
// Per box: counting the boxes of each cell. On one thread.
inline constexpr double kNanosecondsToCount = 2;
// Per candidate: visiting the cells of kept boxes near it.
inline constexpr double kNanosecondsToLookUp = 38;
// Per candidate that no kept box of an earlier block suppresses: looking it up again, and comparing
// it with the others.
inline constexpr double kNanosecondsPerSurvivor = 100;

// Per box: moving it to the other boxes of its cell. On one thread.
inline constexpr double kNanosecondsToSortIntoCells = 6;
// Per box: the search for all pairs in the grid, besides the tests of pairs.
inline constexpr double kNanosecondsToSearch = 30;
// Per pair that exceeds the threshold: storing, sorting and resolving it. On one thread.
inline constexpr double kNanosecondsPerSuppression = 5;

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_COSTS_H_
