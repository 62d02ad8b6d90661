// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/block.h"

#include <algorithm>

namespace detops::suppression {

void ZeroTail(const Kernels& kernels, const Columns& columns, int64_t count) {
  for (int i = 0; i < kernels.columns; ++i) {
    std::fill_n(columns.array[i] + count, kMaxLanes, 0.0f);
  }
}

void CompareBlock(Threads& threads, const Kernels& kernels, const Block& block) {
  ZeroTail(kernels, block.columns, block.count);
  const double nanoseconds = kernels.nanoseconds_per_pair * static_cast<double>(block.count) / 2;
  ParallelFor(threads, block.count, nanoseconds, [&](int64_t first, int64_t last) {
    std::fill(block.rows + first * block.words_per_row, block.rows + last * block.words_per_row,
              uint64_t{0});
    kernels.block_tile(block, first, last);
  });
}

}  // namespace detops::suppression
