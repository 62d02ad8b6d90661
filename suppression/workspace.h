// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The memory of a call. Its size is proportional to the number of boxes.

#ifndef DETOPS_SUPPRESSION_WORKSPACE_H_
#define DETOPS_SUPPRESSION_WORKSPACE_H_

#include <cstddef>
#include <cstdint>

#include "core/carver.h"
#include "core/math.h"
#include "suppression/grid.h"
#include "suppression/kernels.h"
#include "suppression/order.h"

namespace detops::suppression {

// Pairs that the search can store, per box.
inline constexpr int64_t kSuppressionsPerBox = 4;

// Largest block of boxes that is compared all with all.
inline constexpr int64_t kLargestBlock = 1024;

static_assert(sizeof(BoxTree::Item) <= kSuppressionsPerBox * sizeof(Suppression));

// Returns the number of 64-bit words that hold `bits` bits.
inline constexpr int64_t WordsFor(int64_t bits) { return CeilDiv(bits, 64); }

inline Columns TakeColumns(Carver& carver, const Kernels& kernels, int64_t count) {
  Columns columns{};
  for (int i = 0; i < kernels.columns; ++i) {
    columns.array[i] = carver.Take<float>(count + 2 * kMaxLanes);
  }
  return columns;
}

// A range of Workspace::ids.
struct IdRange {
  int32_t begin;
  int32_t end;
};

// An image with boxes. They are those from `begin` on up to the first box of the next image. Its
// ids are [begin, ids_end) of Workspace::ids: first those of the boxes above the score threshold,
// at the end those of the kept boxes.
struct Image {
  int32_t index;  // in image_counts
  int32_t begin;
  int32_t ids_end;
};

// The arrays for `count` boxes. A rank is the position of a box in descending order of scores; a
// slot is its position in PreparedBoxes.
struct Workspace {
  Workspace(Carver& carver, const Kernels& kernels, int64_t count)
      : entries(carver.Take<Entry>(count)),
        spare(carver.Take<Entry>(count)),
        kept(carver.Take<uint8_t>(count)),
        images(carver.Take<Image>(count)),
        small_groups(carver.Take<IdRange>(count)),
        ids(carver.Take<int32_t>(count)),
        gathered_ids(carver.Take<int32_t>(count)),
        rank_bounds(carver.Take<Bounds>(count)),
        bounds(carver.Take<Bounds>(count)),
        cell_of(carver.Take<int32_t>(count)),
        cell_begin(carver.Take<int32_t>(Grid::MaxCells(count) + 1)),
        slot_ids(carver.Take<int32_t>(count)),
        slot_ranks(carver.Take<int32_t>(count)),
        slot_of_rank(carver.Take<int32_t>(count)),
        columns(TakeColumns(carver, kernels, count)),
        records(carver.Take<std::byte>(count * static_cast<int64_t>(kernels.record_bytes))),
        suppressed(carver.Take<uint8_t>(count)),
        suppressions(carver.Take<Suppression>(kSuppressionsPerBox * count)),
        victims_begin(carver.Take<int32_t>(count + 1)),
        victims(carver.Take<int32_t>(kSuppressionsPerBox * count)),
        kept_columns(TakeColumns(carver, kernels, count)),
        kept_slots(carver.Take<int32_t>(count)),
        kept_count(carver.Take<int32_t>(Grid::MaxCells(count))),
        survivors(victims),
        tree_items(reinterpret_cast<BoxTree::Item*>(suppressions)),
        tree_nodes(carver.Take<BoxTree::Node>(BoxTree::MaxNodes(count))),
        block_columns(TakeColumns(carver, kernels, kLargestBlock)),
        block_slots(carver.Take<int32_t>(kLargestBlock)),
        block_rows(carver.Take<uint64_t>(kLargestBlock * WordsFor(kLargestBlock))) {}

  // The images of the call, and the order of their boxes by group and score.
  Entry* entries;
  Entry* spare;
  uint8_t* kept;  // per box, by index
  Image* images;  // images without boxes are left out
  IdRange* small_groups;
  int32_t* ids;  // box index per rank; images and groups follow each other
  // The grid, and the boxes in its order.
  int32_t* gathered_ids;  // by rank
  Bounds* rank_bounds;    // by rank
  Bounds* bounds;         // by slot
  int32_t* cell_of;       // by rank
  int32_t* cell_begin;
  int32_t* slot_ids;
  int32_t* slot_ranks;
  int32_t* slot_of_rank;  // for pairs; for blocks, a box has the same rank and slot
  Columns columns;
  std::byte* records;
  // The pairs that exceed the threshold.
  uint8_t* suppressed;  // by slot, or by candidate
  Suppression* suppressions;
  int32_t* victims_begin;  // by slot: the boxes that it suppresses
  int32_t* victims;
  // The kept boxes, and the block that is compared with them.
  Columns kept_columns;
  int32_t* kept_slots;
  int32_t* kept_count;  // by cell
  // Candidates that are not suppressed. They take the place of the victims, which are not needed
  // then.
  int32_t* survivors;
  // The tree. Its items take the place of the pairs, which are not needed then.
  BoxTree::Item* tree_items;
  BoxTree::Node* tree_nodes;
  Columns block_columns;
  int32_t* block_slots;
  uint64_t* block_rows;
};

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_WORKSPACE_H_
