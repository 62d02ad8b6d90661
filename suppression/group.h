// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Greedy suppression within one group of boxes.

#ifndef DETOPS_SUPPRESSION_GROUP_H_
#define DETOPS_SUPPRESSION_GROUP_H_

#include <cstdint>

#include "core/parallel.h"
#include "suppression/kernels.h"
#include "suppression/workspace.h"

namespace detops::suppression {

// Fills the rows of the block: compares all its boxes with each other.
void CompareBlock(Threads& threads, const Kernels& kernels, const Block& block);

// Calls keep(i) for each box of the block that no kept box before it suppresses.
template <class Keep>
void ResolveBlock(const Block& block, const Keep& keep) {
  uint64_t suppressed[WordsFor(kLargestBlock)] = {};
  for (int64_t i = 0; i < block.count; ++i) {
    if ((suppressed[i / 64] >> (i % 64) & 1) == 0) {
      const uint64_t* const row = block.rows + i * block.words_per_row;
      for (int64_t word = i / 64; word < block.words_per_row; ++word) {
        suppressed[word] |= row[word];
      }
      keep(i);
    }
  }
}

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
