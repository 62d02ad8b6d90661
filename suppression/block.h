// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Blocks of boxes that are compared all with all.

#ifndef DETOPS_SUPPRESSION_BLOCK_H_
#define DETOPS_SUPPRESSION_BLOCK_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/parallel.h"
#include "suppression/kernels.h"
#include "suppression/workspace.h"

namespace detops::suppression {

// Zeroes one vector after the last entry. Tiles read whole vectors; their tails must not depend on
// what earlier calls left in memory. Results for these lanes are not used.
void ZeroTail(const Kernels& kernels, const Columns& columns, int64_t count);

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

// As CompareBlock and ResolveBlock, on the calling thread, for rows that are 0. Compares only boxes
// that are not suppressed with those after them, unless most of their neighbors are not suppressed
// either: comparing several rows at once is faster.
template <class Keep>
void CompareAndResolve(const Kernels& kernels, const Block& block, const Keep& keep) {
  uint64_t suppressed[WordsFor(kLargestBlock)] = {};
  for (int64_t begin = 0, end = 0; begin < block.count; begin = end) {
    // A short rest goes with the last rows.
    const int64_t rows = kernels.rows_at_once;
    end = block.count - begin < rows + rows / 2 ? block.count : begin + rows;
    const uint64_t all = ~uint64_t{0} >> (64 - std::min<int64_t>(end - begin, 64));
    const uint64_t open = ~(suppressed[begin / 64] >> (begin % 64)) & all;
    const bool at_once = std::popcount(open) > kernels.single_rows;
    if (at_once) {
      kernels.block_tile(block, begin, end);
    }
    for (int64_t i = begin; i < end; ++i) {
      if ((suppressed[i / 64] >> (i % 64) & 1) == 0) {
        if (!at_once) {
          kernels.block_tile(block, i, i + 1);
        }
        const uint64_t* const row = block.rows + i * block.words_per_row;
        for (int64_t word = i / 64; word < block.words_per_row; ++word) {
          suppressed[word] |= row[word];
        }
        keep(i);
      }
    }
  }
}

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_BLOCK_H_
