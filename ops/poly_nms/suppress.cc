// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Three ways to the same result. Few boxes are compared all with all. Many are first put into a
// grid, and all pairs that exceed the threshold are found; that needs memory for each of them, so
// when there are too many, the boxes are gone through in blocks instead, each against those kept so
// far.

#include "ops/poly_nms/suppress.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "ops/poly_nms/grid.h"
#include "ops/poly_nms/tiles.h"

namespace detops::poly_nms {
namespace {

// Of one thread, for estimates only.
constexpr double kNanosecondsToPrepare = 15;
constexpr double kNanosecondsToSearch = 60;
constexpr double kNanosecondsPerTest = 0.3;
constexpr double kNanosecondsPerPairOfABlock = 6;

// Work that is done for each box, in tests of the filter, before the search for all suppressions
// gives up.
constexpr int64_t kWorkPerBox = 256;

// Blocks start small: where boxes lie in heaps, the first few suppress most of the others.
constexpr int64_t kFirstBlock = 64;

// Whether box i of a block survives those before it; calls keep(i) for each that does.
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

// ---- Many boxes: the grid -----------------------------------------------------------------------

Bounds BoundsOf(const float* box) {
  Bounds bounds{box[0], box[1], box[0], box[1]};
  bool finite = true;
  for (int i = 0; i < 8; i += 2) {
    finite = finite && std::isfinite(box[i]) && std::isfinite(box[i + 1]);
    bounds = {std::min(bounds.x_low, box[i]), std::min(bounds.y_low, box[i + 1]),
              std::max(bounds.x_high, box[i]), std::max(bounds.y_high, box[i + 1])};
  }
  return finite ? bounds : Bounds{0, 0, 0, 0};
}

// The boxes that can meet others, by rank; the rest is kept at once. Returns how many there are.
int64_t GatherBoxes(const Group& group, const Workspace& space) {
  ParallelFor(group.threads, group.count, kNanosecondsToPrepare, [&](int64_t begin, int64_t end) {
    for (int64_t rank = begin; rank < end; ++rank) {
      space.bounds[rank] = BoundsOf(group.args.boxes + group.ids[rank] * kBoxFloats);
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

void Prepare(Threads& threads, const Slots& slots) {
  ParallelFor(threads, (slots.count + kMaxLanes - 1) / kMaxLanes, kNanosecondsToPrepare * kMaxLanes,
              [&](int64_t begin, int64_t end) {
                PrepareTile(slots, begin * kMaxLanes, std::min(end * kMaxLanes, slots.count));
              });
}

// ---- Many boxes: all suppressions at once -------------------------------------------------------

// Whether the boxes of the same cell alone are too many pairs to look at.
bool IsCrowded(const Workspace& space, const Grid& grid, const Slots& slots) {
  int64_t work = 0;
  for (int64_t cell = 0; cell < grid.cells(); ++cell) {
    const int64_t boxes = space.cell_begin[cell + 1] - space.cell_begin[cell];
    work += boxes * boxes / 2;
  }
  return work > kWorkPerBox * slots.count;
}

// Returns how many, or -1 when there are too many.
int64_t FindSuppressions(const Group& group, const Workspace& space, const Grid& grid,
                         const Slots& slots) {
  if (IsCrowded(space, grid, slots)) {
    return -1;
  }
  std::atomic<int64_t> found{0};
  std::atomic<int64_t> work{0};
  const PairSearch search{&slots,
                          &grid,
                          space.cell_begin,
                          space.bounds,
                          space.slot_ranks,
                          group.args.iou_threshold,
                          space.suppressions,
                          kSuppressionsPerBox * slots.count,
                          kWorkPerBox * slots.count,
                          &found,
                          &work};
  const double boxes_per_cell =
      static_cast<double>(slots.count) / static_cast<double>(grid.cells());
  ParallelFor(group.threads, grid.cells(), boxes_per_cell * kNanosecondsToSearch,
              [&](int64_t begin, int64_t end) { PairTile(search, begin, end); });
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

void CopyFilter(const FilterArrays& from, int64_t from_index, const FilterArrays& to,
                int64_t to_index) {
  to.x_low[to_index] = from.x_low[from_index];
  to.y_low[to_index] = from.y_low[from_index];
  to.x_high[to_index] = from.x_high[from_index];
  to.y_high[to_index] = from.y_high[from_index];
  to.area[to_index] = from.area[from_index];
  to.larger_lobe[to_index] = from.larger_lobe[from_index];
  to.smaller_lobe[to_index] = from.smaller_lobe[from_index];
}

void Keep(const Group& group, const Workspace& space, const Slots& slots, int32_t slot) {
  group.kept[slots.ids[slot]] = 1;
  const int32_t cell = space.cell_of[space.slot_ranks[slot]];
  const int32_t at = space.cell_begin[cell] + space.kept_count[cell]++;
  CopyFilter(slots.filter, slot, space.kept_filter, at);
  space.kept_slots[at] = slot;
}

void SuppressBlocks(const Group& group, const Workspace& space, const Grid& grid,
                    const Slots& slots) {
  Threads& threads = group.threads;
  std::fill_n(space.kept_count, grid.cells(), 0);
  int64_t size = kFirstBlock;
  int64_t kept = 0;
  for (int64_t begin = 0; begin < slots.count;
       begin += size, size = std::min(2 * size, kLargestBlock)) {
    const int64_t candidates = std::min(size, slots.count - begin);
    // Against what is kept.
    std::fill_n(space.suppressed, candidates, uint8_t{0});
    const KeptSearch search{&slots,
                            &grid,
                            space.cell_begin,
                            space.kept_count,
                            space.kept_filter,
                            space.kept_slots,
                            group.args.iou_threshold,
                            space.bounds,
                            space.slot_of_rank + begin,
                            space.suppressed};
    const double nanoseconds_per_candidate =
        kNanosecondsToSearch + static_cast<double>(kept) * kNanosecondsPerTest;
    ParallelFor(threads, kept == 0 ? 0 : candidates, nanoseconds_per_candidate,
                [&](int64_t first, int64_t last) { KeptTile(search, first, last); });
    // Against each other.
    int64_t survivors = 0;
    for (int64_t i = 0; i < candidates; ++i) {
      if (space.suppressed[i] == 0) {
        const int32_t slot = search.candidates[i];
        CopyFilter(slots.filter, slot, space.block_filter, survivors);
        space.block_slots[survivors++] = slot;
      }
    }
    const int64_t words = WordsFor(survivors);
    const Block block{&slots,    space.block_filter,       space.block_slots,
                      survivors, group.args.iou_threshold, space.block_rows,
                      words};
    ParallelFor(threads, survivors, kNanosecondsPerPairOfABlock * static_cast<double>(survivors),
                [&](int64_t first, int64_t last) {
                  std::fill(block.rows + first * words, block.rows + last * words, uint64_t{0});
                  BlockTile(block, first, last);
                });
    ResolveBlock(block, [&](int64_t i) {
      Keep(group, space, slots, space.block_slots[i]);
      ++kept;
    });
  }
}

}  // namespace

void SuppressFew(const Group& group) {
  constexpr int64_t kRoom = kFewBoxes + 2 * kMaxLanes;
  alignas(kAlignment) float filter[FilterArrays::kArrays][kRoom];
  alignas(kAlignment) Record records[kFewBoxes];
  alignas(kAlignment) int32_t ids[kFewBoxes];
  uint64_t rows[kFewBoxes * WordsFor(kFewBoxes)];
  const Slots slots{group.args.boxes,
                    ids,
                    {filter[0], filter[1], filter[2], filter[3], filter[4], filter[5], filter[6]},
                    records,
                    group.count};
  std::copy_n(group.ids, group.count, ids);
  PrepareTile(slots, 0, group.count);
  const int64_t words = WordsFor(group.count);
  std::fill_n(rows, group.count * words, uint64_t{0});
  const Block block{&slots, slots.filter, nullptr, group.count, group.args.iou_threshold,
                    rows,   words};
  BlockTile(block, 0, group.count);
  ResolveBlock(block, [&](int64_t i) { group.kept[ids[i]] = 1; });
}

void SuppressMany(const Group& group, const Workspace& space) {
  const int64_t count = GatherBoxes(group, space);
  if (count == 0) {
    return;
  }
  const Group gathered{group.threads, group.args, space.gathered_ids, count, group.kept};
  const Grid grid(space.rank_bounds, count);
  const Slots slots{group.args.boxes, space.slot_ids, space.filter, space.records, count};
  SortIntoCells(gathered, space, grid, slots);
  Prepare(group.threads, slots);
  const int64_t found = FindSuppressions(gathered, space, grid, slots);
  if (found >= 0) {
    ResolveSuppressions(gathered, space, slots, found);
  } else {
    SuppressBlocks(gathered, space, grid, slots);
  }
}

}  // namespace detops::poly_nms
