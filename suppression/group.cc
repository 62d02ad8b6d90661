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
// More than a few boxes are taken in order at first. As soon as another strategy is expected to be
// faster (strategy.h), it goes on with the boxes kept so far and those that are left.

#include "suppression/group.h"

#include <algorithm>
#include <cmath>

#include "suppression/block.h"
#include "suppression/box_tree.h"
#include "suppression/cells.h"
#include "suppression/costs.h"
#include "suppression/grid.h"
#include "suppression/kept_boxes.h"
#include "suppression/pairs.h"
#include "suppression/prepare.h"
#include "suppression/strategy.h"

namespace detops::suppression {
namespace {

// Work per box after which the search of kept boxes in a grid gives up. More than for all pairs,
// because its work is often necessary; and more still when boxes have many overlaps.
constexpr double kBlockWorkPerBox = 1024;
constexpr double kBlockWorkPerOverlap = 16;

// When boxes overlap fewer others than this on average, but the search for all pairs gave up, then
// the grid does not suit the scene.
constexpr double kFewOverlaps = 8;

// The first block. Small, because in crowded scenes the first boxes suppress most others. A
// multiple of kMaxLanes, as Prepare requires; and so are the other blocks, each of which is twice
// as large as the one before it.
constexpr int64_t kFirstBlock = 32;

// ---- In order -----------------------------------------------------------------------------------

// Decides boxes in order until another strategy is better for the others. Returns that strategy, or
// kInOrder when all boxes are decided. The ranks of the boxes that were kept are in kept_slots.
Strategy SuppressInOrder(const Group& group, const Workspace& space, StrategyChooser& chooser,
                         Progress& progress) {
  const PreparedBoxes prepared = PreparedIn(space, group);
  std::copy_n(group.ids, group.count, prepared.ids);
  KeptBoxes kept(group, space, prepared, Index());
  for (int64_t size = kFirstBlock;; size *= 2) {
    const int64_t end = std::min(progress.decided + size, group.count);
    Prepare(group, prepared, progress.decided, end);
    kept.Add(progress.decided, end);
    progress = {.decided = end, .kept = kept.count()};
    if (end == group.count) {
      return Strategy::kInOrder;
    }
    const Strategy best = chooser.Choose(progress);
    if (best != Strategy::kInOrder) {
      return best;
    }
  }
}

// ---- The rest -----------------------------------------------------------------------------------

// The boxes that go on: first those that are known to be kept, then those to decide, both in
// descending order of scores.
struct Rest {
  Group group;
  int64_t known;
};

// Gathers ids and bounds, by rank. Leaves out boxes that cannot overlap others, and keeps them.
Rest GatherRest(const Group& group, const Workspace& space, const Progress& progress) {
  int32_t* const ids = space.gathered_ids;
  for (int64_t i = 0; i < progress.kept; ++i) {
    ids[i] = group.ids[space.kept_slots[i]];
  }
  const int64_t all =
      std::copy(group.ids + progress.decided, group.ids + group.count, ids + progress.kept) - ids;
  ParallelFor(group.threads, all, kNanosecondsToGather, [&](int64_t begin, int64_t end) {
    group.kernels.find_bounds(group.boxes, group.metric, ids + begin, end - begin,
                              space.rank_bounds + begin);
  });
  Rest rest{.group = group, .known = 0};
  rest.group.ids = ids;
  rest.group.count = 0;
  for (int64_t i = 0; i < all; ++i) {
    if (space.rank_bounds[i].HasInterior()) {
      space.rank_bounds[rest.group.count] = space.rank_bounds[i];
      ids[rest.group.count++] = ids[i];
      rest.known += i < progress.kept ? 1 : 0;
    } else {
      group.kept[ids[i]] = 1;
    }
  }
  return rest;
}

// Suppresses in order. Returns false when it gives up.
bool SuppressBlocks(const Rest& rest, const Workspace& space, const PreparedBoxes& prepared,
                    const Index& index, double max_work) {
  KeptBoxes kept(rest.group, space, prepared, index,
                 static_cast<int64_t>(std::min(max_work, 1e18)));
  for (int64_t slot = 0; slot < rest.known; ++slot) {
    kept.Keep(static_cast<int32_t>(slot));
  }
  int64_t size = std::max(rest.known, kFirstBlock);
  for (int64_t begin = rest.known; begin < rest.group.count; begin += size, size *= 2) {
    if (!kept.Add(begin, std::min(begin + size, rest.group.count))) {
      return false;
    }
  }
  return true;
}

void SuppressWithTree(const Rest& rest, const Workspace& space, const PreparedBoxes& prepared) {
  for (int64_t rank = 0; rank < prepared.count; ++rank) {
    space.tree_items[rank] = {space.rank_bounds[rank], static_cast<int32_t>(rank)};
  }
  const BoxTree tree(space.tree_items, prepared.count, space.cell_begin, space.tree_nodes);
  for (int64_t leaf = 0; leaf < tree.leaves(); ++leaf) {
    for (int32_t item = space.cell_begin[leaf]; item < space.cell_begin[leaf + 1]; ++item) {
      space.cell_of[space.tree_items[item].index] = static_cast<int32_t>(leaf);
    }
  }
  SuppressBlocks(rest, space, prepared, {.grid = nullptr, .tree = &tree}, HUGE_VAL);
}

// Returns false when there are too many pairs.
bool SuppressPairs(const Group& group, const Workspace& space, const StrategyChooser& chooser) {
  const Grid grid(space.rank_bounds, group.count,
                  group.kernels.least_overlap(group.metric, group.threshold));
  FindCells(group, space, grid);
  const PreparedBoxes prepared = PreparedIn(space, group);
  SortIntoCells(group, space, grid, prepared);
  Prepare(group, prepared, 0, group.count);
  const int64_t found = FindSuppressions(group, space, grid, prepared,
                                         chooser.NanosecondsToSearch(chooser.density()));
  if (found >= 0) {
    ResolveSuppressions(group, space, prepared, found);
  }
  return found >= 0;
}

// Suppresses with pairs if these are wanted, otherwise with blocks: with the grid, unless it does
// not suit the scene.
void SuppressWithIndex(const Rest& rest, const Workspace& space, Strategy strategy,
                       const StrategyChooser& chooser) {
  const Group& group = rest.group;
  const bool with_pairs = strategy == Strategy::kPairs;
  if (with_pairs && SuppressPairs(group, space, chooser)) {
    return;
  }
  const PreparedBoxes prepared = PreparedIn(space, group);
  std::copy_n(group.ids, group.count, prepared.ids);
  Prepare(group, prepared, 0, group.count);
  const double overlaps = chooser.density().overlaps;
  if (!with_pairs || overlaps >= kFewOverlaps) {
    const Grid grid(space.rank_bounds, group.count,
                    group.kernels.least_overlap(group.metric, group.threshold),
                    kBoxesPerCellOfKept);
    FindCells(group, space, grid);
    CountCells(group, space, grid);
    const double max_work =
        static_cast<double>(group.count) * (kBlockWorkPerBox + kBlockWorkPerOverlap * overlaps);
    if (SuppressBlocks(rest, space, prepared, {.grid = &grid, .tree = nullptr}, max_work)) {
      return;
    }
  }
  SuppressWithTree(rest, space, prepared);
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
  CompareAndResolve(group.kernels, block, [&](int64_t i) { group.kept[ids[i]] = 1; });
}

void SuppressMany(const Group& group, const Workspace& space) {
  StrategyChooser chooser(group, space);
  Progress progress;
  const Strategy strategy = SuppressInOrder(group, space, chooser, progress);
  if (strategy == Strategy::kInOrder) {
    return;
  }
  const Rest rest = GatherRest(group, space, progress);
  if (rest.known < rest.group.count) {
    SuppressWithIndex(rest, space, strategy, chooser);
  }
}

}  // namespace detops::suppression
