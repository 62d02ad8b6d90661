// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Three ways to the same result. Few boxes are compared all with all. Many are first put into a
// grid, and all pairs that exceed the threshold are found; that needs memory for each of them, so
// when there are too many, the boxes are gone through in blocks instead, each against those kept so
// far.

#include "suppression/group.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "suppression/grid.h"

namespace detops::suppression {
namespace {

// Of one thread, for estimates only.
constexpr double kNanosecondsToPrepare = 15;
constexpr double kNanosecondsToSearch = 60;
constexpr double kNanosecondsToLookUp = 20;
constexpr double kNanosecondsPerTest = 0.3;

// Work that is done for each box, in tests of the filter, before the search for all suppressions
// gives up.
constexpr int64_t kWorkPerBox = 256;

// Blocks start small: where boxes lie in heaps, the first few suppress most of the others.
constexpr int64_t kFirstBlock = 64;
// Without a grid they start smaller still: often all that the first one tells is that too much is
// kept, and then the work was for nothing. A multiple of kMaxLanes, for Prepare.
constexpr int64_t kProbe = 32;

// Boxes in no more cells than these are one heap: there is nothing to look up.
constexpr int64_t kCellsOfOneHeap = 64;

// As many boxes are gone through faster than a grid is made for them.
constexpr int64_t kFlatBoxes = 400;

// Whole vectors are read of columns: those that reach behind the last entry find boxes of zeros
// there, not what earlier calls left. What they say of them is not used.
void ZeroBehind(const Kernels& kernels, const Columns& columns, int64_t count) {
  for (int i = 0; i < kernels.columns; ++i) {
    std::fill_n(columns.array[i] + count, kMaxLanes, 0.0f);
  }
}

// ---- Many boxes: the grid -----------------------------------------------------------------------

// The boxes that can meet others, by rank; the rest is kept at once. Returns how many there are.
int64_t GatherBoxes(const Group& group, const Workspace& space) {
  ParallelFor(group.threads, group.count, kNanosecondsToPrepare, [&](int64_t begin, int64_t end) {
    for (int64_t rank = begin; rank < end; ++rank) {
      space.bounds[rank] = group.kernels.bounds(group.boxes, group.ids[rank]);
    }
  });
  int64_t count = 0;
  for (int64_t rank = 0; rank < group.count; ++rank) {
    if (space.bounds[rank].HasInside()) {
      space.rank_bounds[count] = space.bounds[rank];
      space.gathered_ids[count++] = group.ids[rank];
    } else {
      group.kept[group.ids[rank]] = 1;
    }
  }
  return count;
}

// Fills cell_begin and everything by slot.
void SortIntoCells(const Group& group, const Workspace& space, const Grid& grid,
                   const Slots& slots) {
  ParallelFor(group.threads, slots.count, kNanosecondsToPrepare, [&](int64_t begin, int64_t end) {
    for (int64_t rank = begin; rank < end; ++rank) {
      space.cell_of[rank] = static_cast<int32_t>(grid.CellOf(space.rank_bounds[rank]));
    }
  });
  int32_t* const cell_begin = space.cell_begin;
  std::fill_n(cell_begin, grid.cells() + 1, 0);
  for (int64_t rank = 0; rank < slots.count; ++rank) {
    ++cell_begin[space.cell_of[rank]];
  }
  int32_t slot = 0;
  for (int64_t cell = 0; cell <= grid.cells(); ++cell) {
    slot += std::exchange(cell_begin[cell], slot);
  }
  for (int64_t rank = 0; rank < slots.count; ++rank) {
    const int32_t at = cell_begin[space.cell_of[rank]]++;
    space.slot_of_rank[rank] = at;
    space.slot_ranks[at] = static_cast<int32_t>(rank);
    space.bounds[at] = space.rank_bounds[rank];
    slots.ids[at] = group.ids[rank];
  }
  // Each beginning has moved to the end of its cell.
  for (int64_t cell = grid.cells(); cell > 0; --cell) {
    cell_begin[cell] = cell_begin[cell - 1];
  }
  cell_begin[0] = 0;
}

// The slots of [begin, end); `begin` is a multiple of kMaxLanes.
void Prepare(const Group& group, const Slots& slots, int64_t begin, int64_t end) {
  ParallelFor(group.threads, (end - begin + kMaxLanes - 1) / kMaxLanes,
              kNanosecondsToPrepare * kMaxLanes, [&](int64_t first, int64_t last) {
                group.kernels.prepare(slots, begin + first * kMaxLanes,
                                      std::min(begin + last * kMaxLanes, end));
              });
  ZeroBehind(group.kernels, slots.columns, end);
}

// ---- Many boxes: all suppressions at once -------------------------------------------------------

// How full the cells are.
struct Crowd {
  double pairs = 0;   // of boxes that share a cell
  int64_t cells = 0;  // that hold boxes
};

Crowd CountCrowd(const Workspace& space, const Grid& grid) {
  Crowd crowd;
  for (int64_t cell = 0; cell < grid.cells(); ++cell) {
    const double boxes = space.cell_begin[cell + 1] - space.cell_begin[cell];
    crowd.pairs += boxes * boxes / 2;
    crowd.cells += boxes != 0 ? 1 : 0;
  }
  return crowd;
}

// Returns how many, or -1 when there are too many.
int64_t FindSuppressions(const Group& group, const Workspace& space, const Grid& grid,
                         const Slots& slots) {
  std::atomic<int64_t> found{0};
  std::atomic<int64_t> work{0};
  const PairSearch search{&slots,
                          &grid,
                          space.cell_begin,
                          space.bounds,
                          space.slot_ranks,
                          group.threshold,
                          space.suppressions,
                          kSuppressionsPerBox * slots.count,
                          kWorkPerBox * slots.count,
                          &found,
                          &work};
  const double boxes_per_cell =
      static_cast<double>(slots.count) / static_cast<double>(grid.cells());
  ParallelFor(group.threads, grid.cells(), boxes_per_cell * kNanosecondsToSearch,
              [&](int64_t begin, int64_t end) { group.kernels.pair_tile(search, begin, end); });
  return search.Exhausted() ? -1 : found.load();
}

void ResolveSuppressions(const Group& group, const Workspace& space, const Slots& slots,
                         int64_t found) {
  // The victims of each slot, one slot after the other.
  int32_t* const begin = space.victims_begin;
  std::fill_n(begin, slots.count + 1, 0);
  for (int64_t i = 0; i < found; ++i) {
    ++begin[space.suppressions[i].by];
  }
  int32_t sum = 0;
  for (int64_t slot = 0; slot <= slots.count; ++slot) {
    sum += begin[slot];
    begin[slot] = sum;
  }
  for (int64_t i = 0; i < found; ++i) {
    space.victims[--begin[space.suppressions[i].by]] = space.suppressions[i].of;
  }
  std::fill_n(space.suppressed, slots.count, uint8_t{0});
  for (int64_t rank = 0; rank < slots.count; ++rank) {
    const int32_t slot = space.slot_of_rank[rank];
    if (space.suppressed[slot] == 0) {
      group.kept[slots.ids[slot]] = 1;
      for (int32_t i = begin[slot]; i < begin[slot + 1]; ++i) {
        space.suppressed[space.victims[i]] = 1;
      }
    }
  }
}

// ---- Many boxes: block after block --------------------------------------------------------------

void CopyColumns(const Kernels& kernels, const Columns& from, int64_t from_index, const Columns& to,
                 int64_t to_index) {
  for (int i = 0; i < kernels.columns; ++i) {
    to.array[i][to_index] = from.array[i][from_index];
  }
}

// The boxes that are kept so far, cell by cell or, without a grid, one after the other.
class KeptBoxes {
 public:
  KeptBoxes(const Group& group, const Workspace& space, const Slots& slots, const Grid* grid)
      : group_(group), space_(space), slots_(slots), grid_(grid) {
    std::fill_n(space.kept_count, grid == nullptr ? 1 : grid->cells(), 0);
    if (grid != nullptr) {  // its cells are filled each from its own beginning
      for (int i = 0; i < group.kernels.columns; ++i) {
        std::fill_n(space.kept_columns.array[i], slots.count + kMaxLanes, 0.0f);
      }
    }
  }

  int64_t count() const { return count_; }

  // Goes through candidates, which are slots in the order of their scores, and keeps those that
  // neither a kept box nor one before them suppresses.
  void Add(const int32_t* candidates, int64_t count) {
    FindSuppressedOf(candidates, count);
    const Block block = BlockOfSurvivors(candidates, count);
    CompareBlock(group_.threads, group_.kernels, block);
    ResolveBlock(block, [&](int64_t i) { Keep(block.slot_of[i]); });
    if (grid_ == nullptr) {
      ZeroBehind(group_.kernels, space_.kept_columns, count_);
    }
  }

 private:
  void FindSuppressedOf(const int32_t* candidates, int64_t count) {
    std::fill_n(space_.suppressed, count, uint8_t{0});
    if (count_ == 0) {
      return;
    }
    const KeptSearch search{&slots_,
                            grid_,
                            grid_ == nullptr ? nullptr : space_.cell_begin,
                            space_.kept_count,
                            space_.kept_columns,
                            space_.kept_slots,
                            group_.threshold,
                            space_.bounds,
                            candidates,
                            space_.suppressed};
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
        CopyColumns(group_.kernels, slots_.columns, candidates[i], space_.block_columns, survivors);
        space_.block_slots[survivors++] = candidates[i];
      }
    }
    return {&slots_,          space_.block_columns, space_.block_slots, survivors,
            group_.threshold, space_.block_rows,    WordsFor(survivors)};
  }

  void Keep(int32_t slot) {
    group_.kept[slots_.ids[slot]] = 1;
    const int32_t cell = grid_ == nullptr ? 0 : space_.cell_of[space_.slot_ranks[slot]];
    const int32_t begin = grid_ == nullptr ? 0 : space_.cell_begin[cell];
    const int32_t at = begin + space_.kept_count[cell]++;
    CopyColumns(group_.kernels, slots_.columns, slot, space_.kept_columns, at);
    space_.kept_slots[at] = slot;
    ++count_;
  }

  const Group& group_;
  const Workspace& space_;
  const Slots& slots_;
  const Grid* const grid_;
  int64_t count_ = 0;
};

void SuppressBlocks(const Group& group, const Workspace& space, const Grid& grid,
                    const Slots& slots) {
  KeptBoxes kept(group, space, slots, &grid);
  int64_t size = kFirstBlock;
  for (int64_t begin = 0; begin < slots.count;) {
    kept.Add(space.slot_of_rank + begin, std::min(size, slots.count - begin));
    begin += size;
    size = std::min(2 * size, kLargestBlock);
  }
}

// ---- Many boxes in the order of their scores ----------------------------------------------------

// Block after block without a grid: the fastest way while hardly anything is kept, as in the heaps
// that detectors make, and where everything lies in one heap anyway. An impatient one returns
// false, and leaves the boxes to the other ways, when too much is kept.
bool SuppressInOrder(const Group& group, const Workspace& space, bool impatient) {
  const Slots slots{group.boxes, space.slot_ids, space.columns, space.records, group.count};
  std::copy_n(group.ids, group.count, slots.ids);
  KeptBoxes kept(group, space, slots, nullptr);
  int64_t size = 0;
  for (int64_t begin = 0; begin < group.count; begin += size) {
    size = begin == 0 ? kProbe : std::min(2 * size, kLargestBlock);
    const int64_t end = std::min(begin + size, group.count);
    Prepare(group, slots, begin, end);
    for (int64_t slot = begin; slot < end; ++slot) {
      space.slot_of_rank[slot] = static_cast<int32_t>(slot);
    }
    kept.Add(space.slot_of_rank + begin, end - begin);
    if (impatient && (kept.count() > kProbe * 3 / 4 + end / 16 || kept.count() > kLargestBlock)) {
      return false;
    }
  }
  return true;
}

}  // namespace

void CompareBlock(Threads& threads, const Kernels& kernels, const Block& block) {
  ZeroBehind(kernels, block.columns, block.count);
  const double nanoseconds = kernels.nanoseconds_per_pair * static_cast<double>(block.count) / 2;
  ParallelFor(threads, block.count, nanoseconds, [&](int64_t first, int64_t last) {
    std::fill(block.rows + first * block.words_per_row, block.rows + last * block.words_per_row,
              uint64_t{0});
    kernels.block_tile(block, first, last);
  });
}

void SuppressFew(const Group& group) {
  constexpr int64_t kRoom = kFewBoxes + 2 * kMaxLanes;
  alignas(kAlignment) float columns[kMaxColumns][kRoom];
  alignas(kAlignment) std::byte records[kFewBoxes * kMaxRecordBytes];
  int32_t ids[kFewBoxes];
  uint64_t rows[kFewBoxes * WordsFor(kFewBoxes)];
  Slots slots{group.boxes, ids, {}, records, group.count};
  for (int i = 0; i < kMaxColumns; ++i) {
    slots.columns.array[i] = columns[i];
  }
  std::copy_n(group.ids, group.count, ids);
  group.kernels.prepare(slots, 0, group.count);
  ZeroBehind(group.kernels, slots.columns, group.count);
  const int64_t words = WordsFor(group.count);
  std::fill_n(rows, group.count * words, uint64_t{0});
  const Block block{&slots, slots.columns, nullptr, group.count, group.threshold, rows, words};
  group.kernels.block_tile(block, 0, group.count);
  ResolveBlock(block, [&](int64_t i) { group.kept[ids[i]] = 1; });
}

void SuppressMany(const Group& group, const Workspace& space) {
  if (SuppressInOrder(group, space, group.count > kFlatBoxes)) {
    return;
  }
  const int64_t count = GatherBoxes(group, space);
  if (count == 0) {
    return;
  }
  Group gathered = group;
  gathered.ids = space.gathered_ids;
  gathered.count = count;
  const Grid grid(space.rank_bounds, count);
  const Slots slots{group.boxes, space.slot_ids, space.columns, space.records, count};
  SortIntoCells(gathered, space, grid, slots);
  Prepare(group, slots, 0, count);
  const Crowd crowd = CountCrowd(space, grid);
  const bool crowded = crowd.pairs > static_cast<double>(kWorkPerBox * count);
  const int64_t found = crowded ? -1 : FindSuppressions(gathered, space, grid, slots);
  if (found >= 0) {
    ResolveSuppressions(gathered, space, slots, found);
  } else if (crowd.cells <= kCellsOfOneHeap) {
    SuppressInOrder(gathered, space, false);
  } else {
    SuppressBlocks(gathered, space, grid, slots);
  }
}

}  // namespace detops::suppression
