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
#include <cmath>
#include <utility>

#include "suppression/block.h"
#include "suppression/box_tree.h"
#include "suppression/cells.h"
#include "suppression/grid.h"
#include "suppression/kept_boxes.h"
#include "suppression/pairs.h"
#include "suppression/prepare.h"

namespace detops::suppression {
namespace {

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

// ---- Blocks -------------------------------------------------------------------------------------

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
