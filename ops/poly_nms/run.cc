// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The stages of the suppression: order by score, split into groups, and for each group one of three
// ways to the same result. Few boxes are compared all with all. Many are first put into a grid, and
// all pairs that exceed the threshold are found; that needs memory for each of them, so when there
// are too many, the boxes are gone through in blocks instead, each against those kept so far.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "core/aligned_buffer.h"
#include "core/parallel.h"
#include "ops/poly_nms/grid.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/order.h"
#include "ops/poly_nms/tiles.h"

namespace detops::poly_nms {
namespace {

// Of one thread, for estimates only.
constexpr double kNanosecondsToPrepare = 15;
constexpr double kNanosecondsToSearch = 60;
constexpr double kNanosecondsPerTest = 0.3;
constexpr double kNanosecondsPerIou = 25;

// As many boxes are compared all with all; also a small group's memory on the stack.
constexpr int64_t kFewBoxes = 160;

// Suppressions that are remembered, and work that is done (in tests of the filter), for each box,
// before the search for all of them gives up.
constexpr int64_t kSuppressionsPerBox = 4;
constexpr int64_t kWorkPerBox = 256;

// Blocks start small: where boxes lie in heaps, the first few suppress most of the others.
constexpr int64_t kFirstBlock = 64;
constexpr int64_t kLargestBlock = 1024;

constexpr int64_t WordsFor(int64_t bits) { return (bits + 63) / 64; }

// Cuts typed arrays out of the workspace; without one, it only counts.
class Carver {
 public:
  explicit Carver(void* memory) : memory_(static_cast<std::byte*>(memory)) {}

  template <class T>
  T* Take(int64_t count) {
    // The workspace may start anywhere; a line more makes up for that.
    std::byte* const at = memory_ == nullptr ? nullptr : AlignUp(memory_ + used_);
    const size_t bytes =
        (static_cast<size_t>(count) * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    used_ = memory_ == nullptr ? used_ + bytes : static_cast<size_t>(at - memory_) + bytes;
    return reinterpret_cast<T*>(at);
  }

  size_t used() const { return used_; }

 private:
  static std::byte* AlignUp(std::byte* pointer) {
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    return pointer + ((address + kAlignment - 1) / kAlignment * kAlignment - address);
  }

  std::byte* memory_;
  size_t used_ = 0;
};

FilterArrays TakeFilter(Carver& carver, int64_t count) {
  FilterArrays filter;
  for (float** array : {&filter.x_low, &filter.y_low, &filter.x_high, &filter.y_high, &filter.area,
                        &filter.larger_lobe, &filter.smaller_lobe}) {
    *array = carver.Take<float>(count + 2 * kMaxLanes);
  }
  return filter;
}

// Everything that `count` boxes need, O(count).
struct Workspace {
  Workspace(Carver& carver, int64_t count)
      : entries(carver.Take<Entry>(count)),
        spare(carver.Take<Entry>(count)),
        kept(carver.Take<uint8_t>(count)),
        ids(carver.Take<int32_t>(count)),
        small_groups(carver.Take<int32_t>(count)),
        gathered_ids(carver.Take<int32_t>(count)),
        rank_bounds(carver.Take<Bounds>(count)),
        bounds(carver.Take<Bounds>(count)),
        cell_of(carver.Take<int32_t>(count)),
        cell_begin(carver.Take<int32_t>(Grid::MaxCells(count) + 1)),
        slot_ids(carver.Take<int32_t>(count)),
        slot_ranks(carver.Take<int32_t>(count)),
        slot_of_rank(carver.Take<int32_t>(count)),
        filter(TakeFilter(carver, count)),
        records(carver.Take<Record>(count)),
        suppressed(carver.Take<uint8_t>(count)),
        suppressions(carver.Take<Suppression>(kSuppressionsPerBox * count)),
        victims_begin(carver.Take<int32_t>(count + 1)),
        victims(carver.Take<int32_t>(kSuppressionsPerBox * count)),
        kept_filter(TakeFilter(carver, count)),
        kept_slots(carver.Take<int32_t>(count)),
        kept_count(carver.Take<int32_t>(Grid::MaxCells(count))),
        block_filter(TakeFilter(carver, kLargestBlock)),
        block_slots(carver.Take<int32_t>(kLargestBlock)),
        block_rows(carver.Take<uint64_t>(kLargestBlock * WordsFor(kLargestBlock))) {}

  // The order by score, and with groups by group.
  Entry* entries;
  Entry* spare;
  uint8_t* kept;          // by index of the box
  int32_t* ids;           // by rank: which box
  int32_t* small_groups;  // where each begins
  // The grid, and the boxes in its order.
  int32_t* gathered_ids;  // by rank
  Bounds* rank_bounds;    // by rank
  Bounds* bounds;         // by slot
  int32_t* cell_of;       // by rank
  int32_t* cell_begin;
  int32_t* slot_ids;
  int32_t* slot_ranks;
  int32_t* slot_of_rank;
  FilterArrays filter;
  Record* records;
  // All suppressions.
  uint8_t* suppressed;  // by slot
  Suppression* suppressions;
  int32_t* victims_begin;  // by slot
  int32_t* victims;
  // Blocks.
  FilterArrays kept_filter;
  int32_t* kept_slots;
  int32_t* kept_count;  // by cell
  FilterArrays block_filter;
  int32_t* block_slots;
  uint64_t* block_rows;
};

// One group of one image.
struct Group {
  Threads& threads;
  const Args& args;
  const int32_t* ids;  // by rank
  int64_t count;
  uint8_t* kept;  // by index of the box
};

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

// ---- Few boxes ----------------------------------------------------------------------------------

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
    ParallelFor(threads, survivors, kNanosecondsPerIou * static_cast<double>(survivors) / 4,
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

// ---- A call -------------------------------------------------------------------------------------

float ScoreOf(const Args& args, int64_t box) { return args.boxes[box * kBoxFloats + 8]; }

// The boxes of an image that take part, from the highest score down.
int64_t SortByScore(const Args& args, int64_t begin, int64_t end, const Workspace& space) {
  int64_t count = 0;
  for (int64_t box = begin; box < end; ++box) {
    const float score = ScoreOf(args, box);
    if (!(score <= args.score_threshold)) {
      space.entries[count++] = MakeEntry(ScoreKey(score), static_cast<int32_t>(box));
    }
  }
  SortEntries(space.entries, space.spare, count);
  return count;
}

// Sorts the ids, which are in order of their scores, by group, and by score within each.
void SortByGroup(const Args& args, int64_t count, const Workspace& space) {
  for (int64_t rank = 0; rank < count; ++rank) {
    space.entries[rank] =
        MakeEntry(IntegerKey(args.groups[space.ids[rank]]), static_cast<int32_t>(rank));
  }
  SortEntries(space.entries, space.spare, count);
  auto* const ids = reinterpret_cast<int32_t*>(space.spare);
  std::copy_n(space.ids, count, ids);
  for (int64_t i = 0; i < count; ++i) {
    space.ids[i] = ids[IndexOf(space.entries[i])];
  }
}

int64_t EndOfGroup(const Args& args, const Workspace& space, int64_t begin, int64_t count) {
  if (args.groups == nullptr) {
    return count;
  }
  const int32_t group = args.groups[space.ids[begin]];
  int64_t end = begin + 1;
  while (end < count && args.groups[space.ids[end]] == group) {
    ++end;
  }
  return end;
}

// Sets `kept` for the boxes of an image, whose ids lie in the workspace from the highest score
// down.
void Suppress(Threads& threads, const Args& args, int64_t count, const Workspace& space) {
  if (args.iou_threshold >= 1.0f) {
    for (int64_t rank = 0; rank < count; ++rank) {
      space.kept[space.ids[rank]] = 1;  // no IoU exceeds 1
    }
    return;
  }
  if (args.groups != nullptr) {
    SortByGroup(args, count, space);
  }
  // Large groups one after the other, each on all threads; then the small ones side by side.
  const auto group = [&](int64_t begin, int64_t end) {
    return Group{threads, args, space.ids + begin, end - begin, space.kept};
  };
  int64_t small_groups = 0;
  for (int64_t begin = 0, end; begin < count; begin = end) {
    end = EndOfGroup(args, space, begin, count);
    if (end - begin > kFewBoxes) {
      SuppressMany(group(begin, end), space);
    } else {
      space.small_groups[small_groups++] = static_cast<int32_t>(begin);
    }
  }
  const double boxes_per_group =
      static_cast<double>(count) / static_cast<double>(std::max<int64_t>(small_groups, 1));
  ParallelFor(threads, small_groups,
              boxes_per_group * (kNanosecondsToPrepare + kNanosecondsToSearch),
              [&](int64_t first, int64_t last) {
                for (int64_t i = first; i < last; ++i) {
                  const int64_t begin = space.small_groups[i];
                  SuppressFew(group(begin, EndOfGroup(args, space, begin, count)));
                }
              });
}

// Puts the kept boxes of [begin, end) into `ids`, in the order of the result, and returns how many
// they are.
int64_t Collect(const Args& args, int64_t begin, int64_t end, const Workspace& space) {
  int32_t* const ids = space.ids;
  int64_t count = 0;
  for (int64_t box = begin; box < end; ++box) {
    if (space.kept[box] != 0) {
      ids[count++] = static_cast<int32_t>(box);
    }
  }
  if (!args.sort_by_score && count <= args.max_outputs) {
    return count;
  }
  for (int64_t i = 0; i < count; ++i) {
    space.entries[i] = MakeEntry(ScoreKey(ScoreOf(args, ids[i])), ids[i]);
  }
  SortEntries(space.entries, space.spare, count);
  count = std::min(count, args.max_outputs);
  for (int64_t i = 0; i < count; ++i) {
    ids[i] = IndexOf(space.entries[i]);
  }
  if (!args.sort_by_score) {
    std::sort(ids, ids + count);
  }
  return count;
}

Status CheckImageCounts(const Args& args) {
  int64_t sum = 0;
  for (int64_t image = 0; image < args.images; ++image) {
    if (args.image_counts[image] < 0) {
      return BadParam("image_counts[{}] is {}, expected a number that is not negative", image,
                      args.image_counts[image]);
    }
    sum += args.image_counts[image];
  }
  return sum == args.count ? Status()
                           : BadParam("image_counts add up to {}, expected {}, the number of boxes",
                                      sum, args.count);
}

}  // namespace

size_t WorkspaceBytes(int64_t count) {
  if (count == 0) {
    return 0;
  }
  Carver carver(nullptr);
  const Workspace space(carver, count);
  return carver.used() + kAlignment;  // it may start anywhere
}

Status Run(RunContext& context, const Args& args) {
  if (args.image_counts != nullptr) {
    DETOPS_RETURN_IF_ERROR(CheckImageCounts(args));
  }
  Carver carver(args.workspace != nullptr ? args.workspace : context.scratch);
  const Workspace space(carver, args.count);
  int32_t* output = args.output;
  int64_t begin = 0;
  for (int64_t image = 0; image < args.images; ++image) {
    const int64_t end =
        args.image_counts == nullptr ? args.count : begin + args.image_counts[image];
    const int64_t count = SortByScore(args, begin, end, space);
    std::fill(space.kept + begin, space.kept + end, uint8_t{0});
    for (int64_t rank = 0; rank < count; ++rank) {
      space.ids[rank] = IndexOf(space.entries[rank]);
    }
    Suppress(context.threads, args, count, space);
    const int64_t kept = Collect(args, begin, end, space);
    output = std::copy_n(space.ids, kept, output);
    args.result_num[image] = static_cast<int32_t>(kept);
    begin = end;
  }
  return {};
}

Status RunIou(RunContext& context, const IouArgs& args) {
  const double nanoseconds_per_row =
      kNanosecondsPerIou * (args.aligned ? 1.0 : static_cast<double>(args.columns));
  ParallelFor(context.threads, args.rows, nanoseconds_per_row,
              [&](int64_t begin, int64_t end) { IouTile(args, begin, end); });
  return {};
}

}  // namespace detops::poly_nms
