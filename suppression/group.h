// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The suppression of one group of boxes.

#ifndef DETOPS_SUPPRESSION_GROUP_H_
#define DETOPS_SUPPRESSION_GROUP_H_

#include <cstdint>

#include "core/parallel.h"
#include "suppression/engine.h"
#include "suppression/workspace.h"

namespace detops::suppression {

// Fills the block's rows.
void CompareBlock(Threads& threads, const Kernels& kernels, const Block& block);

// Calls keep(i) for each box of a block that none before it suppresses.
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
  float threshold;
  const int32_t* ids;  // from the highest score down
  int64_t count;
  uint8_t* kept;  // by index of the box: set to 1, or left alone
};

// As many boxes are compared all with all, on the calling thread and its stack.
inline constexpr int64_t kFewBoxes = 160;
void SuppressFew(const Group& group);

// Any number of boxes, on all threads.
void SuppressMany(const Group& group, const Workspace& space);

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_GROUP_H_
