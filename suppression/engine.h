// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Greedy suppression for operators that can say of two of their boxes whether one suppresses the
// other: order by score, images and groups, the search for pairs, and the result.

#ifndef DETOPS_SUPPRESSION_ENGINE_H_
#define DETOPS_SUPPRESSION_ENGINE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/job.h"
#include "suppression/grid.h"

namespace detops::suppression {

// The most lanes that a kernel uses. Columns have so much room behind their last entry, and zeros
// there when tiles read them.
inline constexpr int64_t kMaxLanes = 16;

// What the search reads of boxes, one array for each thing. The operator says what they are.
inline constexpr int kMaxColumns = 8;
struct Columns {
  float* array[kMaxColumns];
};

// What an operator may keep of a box besides.
inline constexpr size_t kMaxRecordBytes = 128;

// Boxes in the order that suits the search.
struct Slots {
  const void* boxes;  // as the operator gave them
  int32_t* ids;       // which of them
  Columns columns;
  std::byte* records;
  int64_t count;
};

// The pairs of a block: bit j of row i is set when boxes i and j of the block, i < j, exceed the
// threshold.
struct Block {
  const Slots* slots;
  Columns columns;         // of the block's boxes
  const int32_t* slot_of;  // null when box i lies in slot i
  int64_t count;
  float threshold;
  uint64_t* rows;  // words_per_row for each box
  int64_t words_per_row;
};

// Boxes that may be suppressed by kept ones.
struct KeptSearch {
  const Slots* slots;
  const Grid* grid;           // null when all kept boxes lie one after the other
  const int32_t* cell_begin;  // of each cell, in the columns of kept boxes
  const int32_t* kept_count;  // of each cell; without a grid the one number
  Columns kept;
  const int32_t* kept_slots;
  float threshold;
  const Bounds* bounds;       // of each slot
  const int32_t* candidates;  // slots
  uint8_t* suppressed;        // of each candidate
};

// Of a pair that exceeds the threshold, by slots: the box of the higher score and the other.
struct Suppression {
  int32_t by;
  int32_t of;
};

// Every pair of boxes that exceeds the threshold. Stops when there are too many, or too many to
// look at.
struct PairSearch {
  const Slots* slots;
  const Grid* grid;
  const int32_t* cell_begin;  // the first slot of each cell, and the number of slots behind
  const Bounds* bounds;       // of each slot
  const int32_t* ranks;       // of each slot: the lower goes first
  float threshold;
  Suppression* suppressions;
  int64_t capacity;
  int64_t max_work;  // in tests

  std::atomic<int64_t>* found;
  std::atomic<int64_t>* work;

  bool Exhausted() const {
    return found->load(std::memory_order_relaxed) > capacity ||
           work->load(std::memory_order_relaxed) > max_work;
  }
};

// What an operator brings. Tiles are pure; tiles-inl.h makes the last three from a function that
// compares one box with a run of others.
struct Kernels {
  int columns;
  size_t record_bytes;          // a multiple of the alignment
  double nanoseconds_per_pair;  // that a block compares; of one thread, for estimates only
  // The bounding box. One without an inside, also with a NaN, is for boxes that meet nothing.
  Bounds (*bounds)(const void* boxes, int32_t id);
  // Fills columns and records of the slots [begin, end). `begin` is a multiple of kMaxLanes; whole
  // vectors may be written, so what lies between `end` and the next multiple is overwritten.
  void (*prepare)(const Slots& slots, int64_t begin, int64_t end);
  void (*block_tile)(const Block& block, int64_t row_begin, int64_t row_end);
  void (*kept_tile)(const KeptSearch& search, int64_t begin, int64_t end);
  void (*pair_tile)(const PairSearch& search, int64_t cell_begin, int64_t cell_end);
};

struct SuppressCall {
  const void* boxes;
  const float* scores;
  int64_t score_stride;  // floats from one score to the next
  int64_t count;
  float iou_threshold;          // from 1 on nothing is suppressed
  float score_threshold;        // boxes that are not above it do not take part; NaN for none
  int64_t max_outputs;          // of each image
  bool sort_by_score;           // and not by index
  const int32_t* groups;        // of each box; null when all are of one
  const int32_t* image_counts;  // null when there is one image
  int64_t images;
  int32_t* output;
  int32_t* result_num;  // of each image
  void* workspace;      // of any alignment; null for the context's scratch

  float ScoreOf(int64_t box) const { return scores[box * score_stride]; }
  int32_t GroupOf(int64_t box) const { return groups == nullptr ? 0 : groups[box]; }
};

// Whether an IoU exceeds a threshold: rounded once to float.
inline bool Exceeds(double iou, float threshold) { return static_cast<float>(iou) > threshold; }

// For that many boxes; 0 for none.
size_t WorkspaceBytes(const Kernels& kernels, int64_t count);

Status RunSuppress(RunContext& context, const Kernels& kernels, const SuppressCall& call);

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_ENGINE_H_
