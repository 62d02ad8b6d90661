// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The memory of a call, all of it proportional to the number of boxes.

#ifndef DETOPS_SUPPRESSION_WORKSPACE_H_
#define DETOPS_SUPPRESSION_WORKSPACE_H_

#include <cstddef>
#include <cstdint>

#include "core/carver.h"
#include "suppression/engine.h"
#include "suppression/grid.h"
#include "suppression/order.h"

namespace detops::suppression {

// Suppressions that are remembered for each box.
inline constexpr int64_t kSuppressionsPerBox = 4;

// The largest block that is compared all with all.
inline constexpr int64_t kLargestBlock = 1024;

inline constexpr int64_t WordsFor(int64_t bits) { return (bits + 63) / 64; }

inline Columns TakeColumns(Carver& carver, const Kernels& kernels, int64_t count) {
  Columns columns{};
  for (int i = 0; i < kernels.columns; ++i) {
    columns.array[i] = carver.Take<float>(count + 2 * kMaxLanes);
  }
  return columns;
}

// Ids that lie one after the other.
struct Range {
  int32_t begin;
  int32_t end;
};

// The boxes of an image; and behind the same beginning its ids, first of the boxes that take part,
// then of those that are kept.
struct Image {
  int32_t begin;
  int32_t end;
  int32_t ids_end;
};

// Everything that `count` boxes need.
struct Workspace {
  Workspace(Carver& carver, const Kernels& kernels, int64_t count)
      : entries(carver.Take<Entry>(count)),
        spare(carver.Take<Entry>(count)),
        kept(carver.Take<uint8_t>(count)),
        images(carver.Take<Image>(count)),
        small_groups(carver.Take<Range>(count)),
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
        block_columns(TakeColumns(carver, kernels, kLargestBlock)),
        block_slots(carver.Take<int32_t>(kLargestBlock)),
        block_rows(carver.Take<uint64_t>(kLargestBlock * WordsFor(kLargestBlock))) {}

  // The call: its images, and the order of their boxes by group and score.
  Entry* entries;
  Entry* spare;
  uint8_t* kept;  // by index of the box
  Image* images;  // those that have boxes
  Range* small_groups;
  int32_t* ids;  // by rank: which box; one image and one group after the other
  // The grid, and the boxes in its order.
  int32_t* gathered_ids;  // by rank
  Bounds* rank_bounds;    // by rank
  Bounds* bounds;         // by slot
  int32_t* cell_of;       // by rank
  int32_t* cell_begin;
  int32_t* slot_ids;
  int32_t* slot_ranks;
  int32_t* slot_of_rank;
  Columns columns;
  std::byte* records;
  // All suppressions.
  uint8_t* suppressed;  // by slot
  Suppression* suppressions;
  int32_t* victims_begin;  // by slot
  int32_t* victims;
  // Blocks.
  Columns kept_columns;
  int32_t* kept_slots;
  int32_t* kept_count;  // by cell
  Columns block_columns;
  int32_t* block_slots;
  uint64_t* block_rows;
};

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_WORKSPACE_H_
