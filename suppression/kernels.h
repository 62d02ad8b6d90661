// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The kernels that an operator brings to the suppression engine, and the data that they work on.
// Tiles are pure: no threads, no allocation, no failure. pair_search-inl.h builds the tiles from a
// class that compares one box with a run of others.

#ifndef DETOPS_SUPPRESSION_KERNELS_H_
#define DETOPS_SUPPRESSION_KERNELS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "suppression/box_tree.h"
#include "suppression/grid.h"

namespace detops::suppression {

// Upper bound of the lanes that a kernel uses. Columns have that much room after their last entry;
// the engine fills it with zeros before tiles read it.
inline constexpr int64_t kMaxLanes = 16;

// Box data as the search reads it: one array per quantity. The operator defines the quantities.
inline constexpr int kMaxColumns = 8;
struct Columns {
  float* array[kMaxColumns];
};

// Largest additional record that an operator may keep per box.
inline constexpr size_t kMaxRecordBytes = 128;

// Boxes in the order of the search, as tiles read them. A position in this order is a slot.
struct PreparedBoxes {
  const void* boxes;   // all boxes of the call, in the operator's own format
  const void* metric;  // parameters of the operator's overlap
  int32_t* ids;        // index of each slot's box
  Columns columns;
  std::byte* records;
  int64_t count;
};

// Compares a block of boxes all with all. Bit j of row i is set when boxes i and j of the block,
// i < j, exceed the threshold.
struct Block {
  const PreparedBoxes* prepared;  // null for callers without one, when tiles read columns only
  const void* metric;
  Columns columns;         // of the block's boxes
  const int32_t* slot_of;  // null when box i is in slot i
  int64_t count;
  float threshold;
  uint64_t* rows;  // words_per_row words per box
  int64_t words_per_row;
};

// The work of all tiles of a search: tests of pairs, plus visits of cells and nodes. Tiles stop
// early when it exceeds a limit, and the result is then incomplete.
struct Work {
  int64_t limit;
  std::atomic<int64_t> done{0};

  // Adds work. Returns whether the limit is exceeded.
  bool Add(int64_t more) { return done.fetch_add(more, std::memory_order_relaxed) + more > limit; }
  bool IsTooMuch() const { return done.load(std::memory_order_relaxed) > limit; }
};

// Searches candidates that kept boxes suppress.
struct KeptSearch {
  const PreparedBoxes* prepared;
  const Grid* grid;           // null without a grid
  const BoxTree* tree;        // null without a tree. Its leaves are the cells
  const int32_t* cell_begin;  // per cell: its first entry in the columns of kept boxes
  const int32_t* kept_count;  // per cell; without a grid or tree, the length of one list
  Columns kept;
  const int32_t* kept_slots;
  float threshold;
  const Bounds* bounds;       // per slot
  const int32_t* candidates;  // slots
  uint8_t* suppressed;        // per candidate
  Work* work;
};

// A pair that exceeds the threshold, as slots: the box with the higher score suppresses the other.
struct Suppression {
  int32_t by;
  int32_t of;
};

// Searches every pair of boxes that exceeds the threshold. Stops early when there are too many
// pairs, or too many candidates to test.
struct PairSearch {
  const PreparedBoxes* prepared;
  const Grid* grid;
  const int32_t* cell_begin;  // first slot per cell, then the number of slots
  const Bounds* bounds;       // per slot
  const int32_t* ranks;       // per slot: 0 for the highest score
  float threshold;
  Suppression* suppressions;
  int64_t capacity;
  std::atomic<int64_t>* found;
  Work* work;

  bool Exhausted() const {
    return found->load(std::memory_order_relaxed) > capacity || work->IsTooMuch();
  }
};

// What an operator brings: one table per SIMD target, chosen once per call.
struct Kernels {
  int columns;
  size_t record_bytes;  // a multiple of the record's alignment
  // The rows of a block that are best compared at once: a divisor of 64. Up to `single_rows` of
  // them take less time one by one.
  int64_t rows_at_once;
  int single_rows;
  // Single-thread costs, which choose strategies and decide how finely work is split: comparing one
  // pair of a block, testing a candidate with one of the kept boxes, deciding about a pair whose
  // bounding boxes overlap, and preparing one box.
  double nanoseconds_per_pair;
  double nanoseconds_per_test;
  double nanoseconds_per_overlap;
  double nanoseconds_to_prepare;
  // Fills the bounding boxes of `count` boxes. Boxes that overlap nothing, for example those with a
  // NaN, have bounds without an interior.
  void (*find_bounds)(const void* boxes, const void* metric, const int32_t* ids, int64_t count,
                      Bounds* bounds);
  // Returns the least overlap of the bounding boxes of a pair that exceeds the threshold.
  LeastOverlap (*least_overlap)(const void* metric, float threshold);
  // Fills columns and records of the slots [begin, end). `begin` is a multiple of kMaxLanes. Whole
  // vectors may be written: entries from `end` to the next multiple are overwritten.
  void (*prepare)(const PreparedBoxes& prepared, int64_t begin, int64_t end);
  void (*block_tile)(const Block& block, int64_t row_begin, int64_t row_end);
  void (*kept_tile)(const KeptSearch& search, int64_t begin, int64_t end);
  void (*pair_tile)(const PairSearch& search, int64_t cell_begin, int64_t cell_end);
};

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_KERNELS_H_
