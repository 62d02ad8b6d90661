// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Suppression by blocks: takes boxes in blocks by descending score and compares each block with the
// boxes kept so far.

#ifndef DETOPS_SUPPRESSION_KEPT_BOXES_H_
#define DETOPS_SUPPRESSION_KEPT_BOXES_H_

#include <algorithm>
#include <cstdint>

#include "suppression/block.h"
#include "suppression/box_tree.h"
#include "suppression/costs.h"
#include "suppression/grid.h"
#include "suppression/group.h"
#include "suppression/kernels.h"
#include "suppression/prepare.h"
#include "suppression/workspace.h"

namespace detops::suppression {

// Where kept boxes are looked for: in the cells of a grid, in the leaves of a tree, or in one list
// when both are null.
struct Index {
  const Grid* grid = nullptr;
  const BoxTree* tree = nullptr;

  bool HasCells() const { return grid != nullptr || tree != nullptr; }
  int64_t cells() const {
    return grid != nullptr ? grid->cells() : tree != nullptr ? tree->leaves() : 1;
  }
};

// The boxes kept so far.
class KeptBoxes {
 public:
  KeptBoxes(const Group& group, const Workspace& space, const PreparedBoxes& prepared,
            const Index& index, int64_t max_work = INT64_MAX)
      : group_(group), space_(space), prepared_(prepared), index_(index), work_{max_work} {
    std::fill_n(space.kept_count, index.cells(), 0);
    if (index.HasCells()) {  // Every cell has a tail of its own.
      for (int i = 0; i < group.kernels.columns; ++i) {
        std::fill_n(space.kept_columns.array[i], prepared.count + kMaxLanes, 0.0f);
      }
    }
  }

  int64_t count() const { return count_; }

  // Keeps the candidates that neither a kept box nor an earlier candidate suppresses. Candidates
  // are prepared, in descending order of scores. Returns false when there is too much work; another
  // strategy must then start over.
  bool Add(const int32_t* candidates, int64_t count) {
    const int64_t work_before = work_.done;
    FindSuppressedOf(candidates, count);
    ReportWork(group_, work_.done - work_before);
    if (work_.IsTooMuch()) {
      return false;
    }
    const Block block = BlockOfSurvivors(candidates, count);
    CompareBlock(group_.threads, group_.kernels, block);
    ReportWork(group_, block.count * block.count / 2);
    ResolveBlock(block, [&](int64_t i) { Keep(block.slot_of[i]); });
    if (!index_.HasCells()) {
      ZeroTail(group_.kernels, space_.kept_columns, count_);
    }
    return true;
  }

 private:
  void FindSuppressedOf(const int32_t* candidates, int64_t count) {
    std::fill_n(space_.suppressed, count, uint8_t{0});
    if (count_ == 0) {
      return;
    }
    const KeptSearch search{.prepared = &prepared_,
                            .grid = index_.grid,
                            .tree = index_.tree,
                            .cell_begin = index_.HasCells() ? space_.cell_begin : nullptr,
                            .kept_count = space_.kept_count,
                            .kept = space_.kept_columns,
                            .kept_slots = space_.kept_slots,
                            .threshold = group_.threshold,
                            .bounds = space_.bounds,
                            .candidates = candidates,
                            .suppressed = space_.suppressed,
                            .work = &work_};
    const double nanoseconds_per_candidate =
        kNanosecondsToLookUp + static_cast<double>(count_) * kNanosecondsPerTest;
    ParallelFor(group_.threads, count, nanoseconds_per_candidate, [&](int64_t first, int64_t last) {
      group_.kernels.kept_tile(search, first, last);
    });
  }

  Block BlockOfSurvivors(const int32_t* candidates, int64_t count) {
    int64_t survivors = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (space_.suppressed[i] == 0) {
        CopyColumns(group_.kernels, prepared_.columns, candidates[i], space_.block_columns,
                    survivors);
        space_.block_slots[survivors++] = candidates[i];
      }
    }
    return {.prepared = &prepared_,
            .metric = group_.metric,
            .columns = space_.block_columns,
            .slot_of = space_.block_slots,
            .count = survivors,
            .threshold = group_.threshold,
            .rows = space_.block_rows,
            .words_per_row = WordsFor(survivors)};
  }

  void Keep(int32_t slot) {
    group_.kept[prepared_.ids[slot]] = 1;
    const int32_t cell = index_.HasCells() ? space_.cell_of[space_.slot_ranks[slot]] : 0;
    const int32_t begin = index_.HasCells() ? space_.cell_begin[cell] : 0;
    const int32_t at = begin + space_.kept_count[cell]++;
    CopyColumns(group_.kernels, prepared_.columns, slot, space_.kept_columns, at);
    space_.kept_slots[at] = slot;
    ++count_;
  }

  const Group& group_;
  const Workspace& space_;
  const PreparedBoxes& prepared_;
  const Index index_;
  Work work_;
  int64_t count_ = 0;
};

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_KEPT_BOXES_H_
