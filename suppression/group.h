// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Greedy suppression within one group of boxes.

#ifndef DETOPS_SUPPRESSION_GROUP_H_
#define DETOPS_SUPPRESSION_GROUP_H_

#include <cstdint>

#include "core/parallel.h"
#include "suppression/kernels.h"
#include "suppression/workspace.h"

namespace detops::suppression {

// Boxes that may suppress each other.
struct Group {
  Threads& threads;
  const Kernels& kernels;
  const void* boxes;
  const void* metric;
  float threshold;
  const int32_t* ids;  // in descending order of scores
  int64_t count;
  uint8_t* kept;  // per box, by index: set to 1 for kept boxes
  // If not null, SuppressMany adds its work here, in the unit of Work. For tests.
  int64_t* work = nullptr;
};

// Suppresses at most kFewBoxes boxes on the calling thread: compares all with all, in memory on the
// stack.
inline constexpr int64_t kFewBoxes = 160;
void SuppressFew(const Group& group);

// Suppresses any number of boxes on all threads.
void SuppressMany(const Group& group, const Workspace& space);

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_GROUP_H_
