// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Estimated single-thread costs, in nanoseconds. They only decide how finely work is split; results
// do not depend on them. `make costs` prints measured values beside them.

#ifndef DETOPS_OPS_GENERATE_PROPOSALS_V2_COSTS_H_
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_COSTS_H_

namespace detops::generate_proposals_v2 {

// Per score of an image: selecting the highest ones.
inline constexpr double kNanosecondsPerScore = 0.5;
// Per candidate of an image: everything after the selection, if no candidate is skipped.
inline constexpr double kNanosecondsPerCandidate = 50;
// Per score: the pass that collects the scores above a threshold.
inline constexpr double kNanosecondsToCollect = 0.4;
// Per candidate: decoding its box.
inline constexpr double kNanosecondsToDecode = 15;
// Per candidate: finding the cells of kept boxes that may suppress it.
inline constexpr double kNanosecondsToLookUp = 25;
// Per kept box that a candidate is tested against.
inline constexpr double kNanosecondsPerTest = 0.2;

}  // namespace detops::generate_proposals_v2

#endif  // DETOPS_OPS_GENERATE_PROPOSALS_V2_COSTS_H_
