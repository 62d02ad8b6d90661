// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Five strategies with the same result:
//   few boxes     compares all with all;
//   in order      takes boxes in blocks by descending score and compares each block with the boxes
//                 kept so far. Best while few boxes are kept;
//   grid, pairs   sorts boxes into a grid, finds all pairs that exceed the threshold, then resolves
//                 them in order. Needs memory for each pair;
//   grid, blocks  as "in order", but each box looks only at kept boxes in nearby cells. For scenes
//                 with too many pairs;
//   tree, blocks  the same with a tree instead of the grid. For scenes without a good grid: the
//                 time does not become quadratic unless boxes really overlap.

#include "suppression/group.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "core/counting_sort.h"
#include "core/math.h"
#include "suppression/box_tree.h"
#include "suppression/costs.h"
#include "suppression/grid.h"

namespace detops::suppression {
namespace {

// Work per box after which the search for all pairs gives up.
constexpr int64_t kWorkPerBox = 256;

// Work per box after which the search of kept boxes in a grid gives up. More than for all pairs,
// because its work is often necessary; and more still when boxes have many overlaps.
constexpr double kBlockWorkPerBox = 1024;
constexpr double kBlockWorkPerOverlap = 16;

// When boxes overlap fewer others than this on average, but the search for all pairs gave up, then
// the grid does not suit the scene.
constexpr double kFewOverlaps = 8;

// First block with a grid. Small, because in crowded scenes the first boxes suppress most others.
constexpr int64_t kFirstBlock = 64;
// First block without a grid. Smaller still: its only result is often that too many boxes are kept,
// and then its work is lost. A multiple of kMaxLanes, as Prepare requires.
constexpr int64_t kProbe = 32;

// When boxes occupy at most this many cells, a grid saves nothing.
constexpr int64_t kCellsOfOneCluster = 64;

// Up to this many boxes, the in-order strategy is faster than building a grid.
constexpr int64_t kFlatBoxes = 400;

// Zeroes one vector after the last entry. Tiles read whole vectors; their tails must not depend on
// what earlier calls left in memory. Results for these lanes are not used.
void ZeroTail(const Kernels& kernels, const Columns& columns, int64_t count) {
  for (int i = 0; i < kernels.columns; ++i) {
    std::fill_n(columns.array[i] + count, kMaxLanes, 0.0f);
  }
}

void ReportWork(const Group& group, int64_t work) {
  if (group.work != nullptr) {
    *group.work += work;
  }
}

// ---- The grid -----------------------------------------------------------------------------------

// Gathers the boxes that can overlap others, by rank, and keeps all others. Returns the number of
// gathered boxes.
int64_t GatherBoxes(const Group& group, const Workspace& space) {
  ParallelFor(group.threads, group.count, kNanosecondsToPrepare, [&](int64_t begin, int64_t end) {
    for (int64_t rank = begin; rank < end; ++rank) {
      space.bounds[rank] = group.kernels.bounds(group.boxes, group.metric, group.ids[rank]);
    }
  });
  int64_t count = 0;
  for (int64_t rank = 0; rank < group.count; ++rank) {
    if (space.bounds[rank].HasInterior()) {
      space.rank_bounds[count] = space.bounds[rank];
      space.gathered_ids[count++] = group.ids[rank];
    } else {
      group.kept[group.ids[rank]] = 1;
    }
  }
  return count;
}

// Sorts the boxes by cell: fills cell_begin and all arrays by slot.
void SortIntoCells(const Group& group, const Workspace& space, const Grid& grid,
                   const PreparedBoxes& prepared) {
  ParallelFor(group.threads, prepared.count, kNanosecondsToPrepare,
              [&](int64_t begin, int64_t end) {
                for (int64_t rank = begin; rank < end; ++rank) {
                  space.cell_of[rank] = static_cast<int32_t>(grid.CellOf(space.rank_bounds[rank]));
                }
              });
  SortByKey(
      prepared.count, [&](int64_t rank) { return space.cell_of[rank]; }, grid.cells(),
      space.cell_begin,
      [&](int64_t rank, int32_t slot) {
        space.slot_of_rank[rank] = slot;
        space.slot_ranks[slot] = static_cast<int32_t>(rank);
        space.bounds[slot] = space.rank_bounds[rank];
        prepared.ids[slot] = group.ids[rank];
      });
}

PreparedBoxes PreparedIn(const Workspace& space, const Group& group) {
  return {.boxes = group.boxes,
          .metric = group.metric,
          .ids = space.slot_ids,
          .columns = space.columns,
          .records = space.records,
          .count = group.count};
}

// Prepares the slots [begin, end); `begin` is a multiple of kMaxLanes.
void Prepare(const Group& group, const PreparedBoxes& prepared, int64_t begin, int64_t end) {
  ParallelFor(group.threads, CeilDiv(end - begin, kMaxLanes), kNanosecondsToPrepare * kMaxLanes,
              [&](int64_t first, int64_t last) {
                group.kernels.prepare(prepared, begin + first * kMaxLanes,
                                      std::min(begin + last * kMaxLanes, end));
              });
  ZeroTail(group.kernels, prepared.columns, end);
}

// ---- Grid, pairs --------------------------------------------------------------------------------

// How crowded the grid is.
struct Occupancy {
  double pairs = 0;   // pairs of boxes in the same cell
  int64_t cells = 0;  // cells that hold boxes
};

Occupancy MeasureOccupancy(const Workspace& space, const Grid& grid) {
  Occupancy occupancy;
  for (int64_t cell = 0; cell < grid.cells(); ++cell) {
    const double boxes = space.cell_begin[cell + 1] - space.cell_begin[cell];
    occupancy.pairs += boxes * boxes / 2;
    occupancy.cells += boxes != 0 ? 1 : 0;
  }
  return occupancy;
}

// Returns the number of pairs found, or -1 when there are too many.
int64_t FindSuppressions(const Group& group, const Workspace& space, const Grid& grid,
                         const PreparedBoxes& prepared) {
  std::atomic<int64_t> found{0};
  Work work{.limit = kWorkPerBox * prepared.count};
  const PairSearch search{.prepared = &prepared,
                          .grid = &grid,
                          .cell_begin = space.cell_begin,
                          .bounds = space.bounds,
                          .ranks = space.slot_ranks,
                          .threshold = group.threshold,
                          .suppressions = space.suppressions,
                          .capacity = kSuppressionsPerBox * prepared.count,
                          .found = &found,
                          .work = &work};
  const double boxes_per_cell =
      static_cast<double>(prepared.count) / static_cast<double>(grid.cells());
  ParallelFor(group.threads, grid.cells(), boxes_per_cell * kNanosecondsToSearch,
              [&](int64_t begin, int64_t end) { group.kernels.pair_tile(search, begin, end); });
  ReportWork(group, work.done);
  return search.Exhausted() ? -1 : found.load();
}

void ResolveSuppressions(const Group& group, const Workspace& space, const PreparedBoxes& prepared,
                         int64_t found) {
  int32_t* const begin = space.victims_begin;
  SortByKey(
      found, [&](int64_t i) { return space.suppressions[i].by; }, prepared.count, begin,
      [&](int64_t i, int32_t position) { space.victims[position] = space.suppressions[i].of; });
  std::fill_n(space.suppressed, prepared.count, uint8_t{0});
  for (int64_t rank = 0; rank < prepared.count; ++rank) {
    const int32_t slot = space.slot_of_rank[rank];
    if (space.suppressed[slot] == 0) {
      group.kept[prepared.ids[slot]] = 1;
      for (int32_t i = begin[slot]; i < begin[slot + 1]; ++i) {
        space.suppressed[space.victims[i]] = 1;
      }
    }
  }
}

// ---- Blocks -------------------------------------------------------------------------------------

void CopyColumns(const Kernels& kernels, const Columns& from, int64_t from_index, const Columns& to,
                 int64_t to_index) {
  for (int i = 0; i < kernels.columns; ++i) {
    to.array[i][to_index] = from.array[i][from_index];
  }
}

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

// Returns false when it gives up.
bool SuppressBlocks(const Group& group, const Workspace& space, const PreparedBoxes& prepared,
                    const Index& index, double max_work) {
  KeptBoxes kept(group, space, prepared, index, static_cast<int64_t>(std::min(max_work, 1e18)));
  int64_t size = kFirstBlock;
  for (int64_t begin = 0; begin < prepared.count;) {
    if (!kept.Add(space.slot_of_rank + begin, std::min(size, prepared.count - begin))) {
      return false;
    }
    begin += size;
    size = std::min(2 * size, kLargestBlock);
  }
  return true;
}

// Estimates how many others a box overlaps on average, from a sample. With twice the square root of
// the number of boxes, the time is proportional to that number, and one pair of the sample stands
// for half an overlap.
double EstimateOverlaps(const Bounds* bounds, int64_t count) {
  const auto wanted = static_cast<int64_t>(2 * std::sqrt(static_cast<double>(count)));
  const int64_t size = std::clamp<int64_t>(wanted, 2, count);
  const auto sample = [&](int64_t i) -> const Bounds& { return bounds[i * count / size]; };
  int64_t overlaps = 0;
  for (int64_t i = 1; i < size; ++i) {
    const Bounds& a = sample(i);
    for (int64_t j = 0; j < i; ++j) {
      const Bounds& b = sample(j);
      overlaps += static_cast<int64_t>((a.x_low < b.x_high) & (b.x_low < a.x_high) &
                                       (a.y_low < b.y_high) & (b.y_low < a.y_high));
    }
  }
  const double pairs = 0.5 * static_cast<double>(size) * static_cast<double>(size - 1);
  return static_cast<double>(count) * static_cast<double>(overlaps) / pairs;
}

void SuppressWithTree(const Group& group, const Workspace& space, const PreparedBoxes& prepared) {
  for (int64_t rank = 0; rank < prepared.count; ++rank) {
    space.tree_items[rank] = {space.rank_bounds[rank], static_cast<int32_t>(rank)};
  }
  const BoxTree tree(space.tree_items, prepared.count, space.cell_begin, space.tree_nodes);
  for (int64_t leaf = 0; leaf < tree.leaves(); ++leaf) {
    for (int32_t slot = space.cell_begin[leaf]; slot < space.cell_begin[leaf + 1]; ++slot) {
      const int32_t rank = space.tree_items[slot].index;
      space.slot_ranks[slot] = rank;
      space.cell_of[rank] = static_cast<int32_t>(leaf);
      space.slot_of_rank[rank] = slot;
      space.bounds[slot] = space.rank_bounds[rank];
      prepared.ids[slot] = group.ids[rank];
    }
  }
  Prepare(group, prepared, 0, prepared.count);
  SuppressBlocks(group, space, prepared, {.grid = nullptr, .tree = &tree}, HUGE_VAL);
}

// Suppresses with blocks: with the grid, unless it does not suit the scene.
void SuppressCrowd(const Group& group, const Workspace& space, const Grid& grid,
                   const PreparedBoxes& prepared) {
  const double overlaps = EstimateOverlaps(space.rank_bounds, prepared.count);
  const double max_work =
      static_cast<double>(prepared.count) * (kBlockWorkPerBox + kBlockWorkPerOverlap * overlaps);
  if (overlaps < kFewOverlaps ||
      !SuppressBlocks(group, space, prepared, {.grid = &grid, .tree = nullptr}, max_work)) {
    SuppressWithTree(group, space, prepared);
  }
}

// ---- In order -----------------------------------------------------------------------------------

// Takes blocks in order without a grid: the fastest strategy while few boxes are kept, as in the
// clusters that detectors produce, and when all boxes form one cluster. With `may_give_up` it
// returns false when too many boxes are kept; another strategy must then start over.
bool SuppressInOrder(const Group& group, const Workspace& space, bool may_give_up) {
  const PreparedBoxes prepared = PreparedIn(space, group);
  std::copy_n(group.ids, group.count, prepared.ids);
  KeptBoxes kept(group, space, prepared, Index());
  int64_t size = 0;
  for (int64_t begin = 0; begin < group.count; begin += size) {
    size = begin == 0 ? kProbe : std::min(2 * size, kLargestBlock);
    const int64_t end = std::min(begin + size, group.count);
    Prepare(group, prepared, begin, end);
    for (int64_t slot = begin; slot < end; ++slot) {
      space.slot_of_rank[slot] = static_cast<int32_t>(slot);
    }
    kept.Add(space.slot_of_rank + begin, end - begin);
    if (may_give_up && (kept.count() > kProbe * 3 / 4 + end / 16 || kept.count() > kLargestBlock)) {
      return false;
    }
  }
  return true;
}

}  // namespace

void CompareBlock(Threads& threads, const Kernels& kernels, const Block& block) {
  ZeroTail(kernels, block.columns, block.count);
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
  PreparedBoxes prepared{.boxes = group.boxes,
                         .metric = group.metric,
                         .ids = ids,
                         .columns = {},
                         .records = records,
                         .count = group.count};
  for (int i = 0; i < kMaxColumns; ++i) {
    prepared.columns.array[i] = columns[i];
  }
  std::copy_n(group.ids, group.count, ids);
  group.kernels.prepare(prepared, 0, group.count);
  ZeroTail(group.kernels, prepared.columns, group.count);
  const int64_t words = WordsFor(group.count);
  std::fill_n(rows, group.count * words, uint64_t{0});
  const Block block{.prepared = &prepared,
                    .metric = group.metric,
                    .columns = prepared.columns,
                    .slot_of = nullptr,
                    .count = group.count,
                    .threshold = group.threshold,
                    .rows = rows,
                    .words_per_row = words};
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
  const PreparedBoxes prepared = PreparedIn(space, gathered);
  SortIntoCells(gathered, space, grid, prepared);
  Prepare(group, prepared, 0, count);
  const Occupancy occupancy = MeasureOccupancy(space, grid);
  const bool is_crowded = occupancy.pairs > static_cast<double>(kWorkPerBox * count);
  const int64_t found = is_crowded ? -1 : FindSuppressions(gathered, space, grid, prepared);
  if (found >= 0) {
    ResolveSuppressions(gathered, space, prepared, found);
  } else if (occupancy.cells <= kCellsOfOneCluster) {
    SuppressInOrder(gathered, space, false);
  } else {
    SuppressCrowd(gathered, space, grid, prepared);
  }
}

}  // namespace detops::suppression
