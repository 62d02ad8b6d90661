// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/kept_boxes.h"

#include <algorithm>
#include <numeric>

#include "suppression/block.h"
#include "suppression/costs.h"
#include "suppression/prepare.h"

namespace detops::suppression {
namespace {

// Most boxes that are compared all with all when kept boxes are in cells. Looking them up again
// then costs less than comparing more of them.
constexpr int64_t kLargestBlockWithCells = 256;

}  // namespace

KeptBoxes::KeptBoxes(const Group& group, const Workspace& space, const PreparedBoxes& prepared,
                     const Index& index, int64_t max_work)
    : group_(group), space_(space), prepared_(prepared), index_(index), work_{max_work} {
  std::fill_n(space.kept_count, index.cells(), 0);
  if (index.HasCells()) {  // Every cell has a tail of its own.
    for (int i = 0; i < group.kernels.columns; ++i) {
      std::fill_n(space.kept_columns.array[i], prepared.count + kMaxLanes, 0.0f);
    }
  }
}

void KeptBoxes::Keep(int32_t slot) {
  group_.kept[prepared_.ids[slot]] = 1;
  const int32_t cell = index_.HasCells() ? space_.cell_of[slot] : 0;
  const int32_t begin = index_.HasCells() ? space_.cell_begin[cell] : 0;
  const int32_t at = begin + space_.kept_count[cell]++;
  CopyColumns(group_.kernels, prepared_.columns, slot, space_.kept_columns, at);
  space_.kept_slots[at] = slot;
  ++count_;
}

bool KeptBoxes::Add(int64_t begin, int64_t end) {
  int32_t* const survivors = space_.survivors;
  int64_t count = end - begin;
  std::iota(survivors, survivors + count, static_cast<int32_t>(begin));
  const int64_t most = index_.HasCells() ? kLargestBlockWithCells : kLargestBlock;
  if (count_ != 0 || count > most) {
    if (!FindSuppressed(survivors, count)) {
      return false;
    }
    count = CopySurvivors(survivors, count, survivors);
  }
  for (int64_t first = 0; first < count; first += most) {
    int64_t size = std::min(most, count - first);
    int32_t* const slots = survivors + first;
    if (first != 0) {  // The boxes that were just kept may suppress them.
      if (!FindSuppressed(slots, size)) {
        return false;
      }
      size = CopySurvivors(slots, size, slots);
    }
    KeepOfBlock(slots, size);
  }
  return true;
}

bool KeptBoxes::FindSuppressed(const int32_t* candidates, int64_t count) {
  std::fill_n(space_.suppressed, count, uint8_t{0});
  if (!index_.HasCells()) {
    ZeroTail(group_.kernels, space_.kept_columns, count_);
  }
  const KeptSearch search{.prepared = &prepared_,
                          .grid = index_.grid,
                          .tree = index_.tree,
                          .cell_begin = index_.HasCells() ? space_.cell_begin : nullptr,
                          .kept_count = space_.kept_count,
                          .kept = space_.kept_columns,
                          .kept_slots = space_.kept_slots,
                          .threshold = group_.threshold,
                          .bounds = space_.rank_bounds,
                          .candidates = candidates,
                          .suppressed = space_.suppressed,
                          .work = &work_};
  const double nanoseconds = index_.HasCells()
                                 ? kNanosecondsToLookUp
                                 : kNanosecondsToFilter + static_cast<double>(count_) / 2 *
                                                              group_.kernels.nanoseconds_per_test;
  const int64_t work_before = work_.done;
  ParallelFor(group_.threads, count, nanoseconds,
              [&](int64_t first, int64_t last) { group_.kernels.kept_tile(search, first, last); });
  ReportWork(group_, work_.done - work_before);
  return !work_.IsTooMuch();
}

int64_t KeptBoxes::CopySurvivors(const int32_t* candidates, int64_t count,
                                 int32_t* survivors) const {
  int64_t copied = 0;
  for (int64_t i = 0; i < count; ++i) {
    survivors[copied] = candidates[i];
    copied += space_.suppressed[i] == 0 ? 1 : 0;
  }
  return copied;
}

void KeptBoxes::KeepOfBlock(const int32_t* slots, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    CopyColumns(group_.kernels, prepared_.columns, slots[i], space_.block_columns, i);
  }
  const Block block{.prepared = &prepared_,
                    .metric = group_.metric,
                    .columns = space_.block_columns,
                    .slot_of = slots,
                    .count = count,
                    .threshold = group_.threshold,
                    .rows = space_.block_rows,
                    .words_per_row = WordsFor(count)};
  CompareBlock(group_.threads, group_.kernels, block);
  ReportWork(group_, count * count / 2);
  ResolveBlock(block, [&](int64_t i) { Keep(slots[i]); });
}

}  // namespace detops::suppression
