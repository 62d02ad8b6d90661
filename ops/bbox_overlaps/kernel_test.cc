// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The matrix and aligned pairs against the reference, bit by bit, on every target.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/cache.h"
#include "measure/slow_build.h"
#include "ops/bbox_overlaps/harness.h"

namespace detops::bbox_overlaps {
namespace {

class BboxOverlapsKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(BboxOverlapsKernel);

// Around every vector width.
constexpr int64_t kCounts[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 65};

void ExpectReference(const Case& input, std::initializer_list<int> thread_counts) {
  const Matrix expected = ReferenceMatrix(input);
  for (const int count : thread_counts) {
    Threads threads(count);
    ASSERT_TRUE(RunMatrix(threads, input) == expected)
        << input.ToString() << ", " << count << " threads";
  }
}

TEST_P(BboxOverlapsKernel, MatrixEqualsReference) {
  for (const Kind kind : kAllKinds) {
    for (const int64_t rows : {1, 3, 18}) {
      for (const int64_t columns : kCounts) {
        for (const Case& input :
             Variants(RandomBoxes(kind, rows, 1), RandomBoxes(kind, columns, 2), false)) {
          ASSERT_NO_FATAL_FAILURE(ExpectReference(input, {1}));
        }
      }
    }
  }
}

TEST_P(BboxOverlapsKernel, AlignedPairsEqualReference) {
  for (const Kind kind : kAllKinds) {
    for (const int64_t count : kCounts) {
      for (const Case& input :
           Variants(RandomBoxes(kind, count, 1), RandomBoxes(kind, count, 2), true)) {
        ASSERT_NO_FATAL_FAILURE(ExpectReference(input, {1}));
      }
    }
  }
}

TEST_P(BboxOverlapsKernel, ResultsDoNotDependOnThreads) {
  constexpr int64_t kPairs = kSlowBuild ? 20'003 : 100'003;
  constexpr int64_t kColumns = 2 * kMaxTileColumns + 37;
  for (const Kind kind : {Kind::kImage, Kind::kExtremes}) {
    for (const Case& input :
         Variants(RandomBoxes(kind, 150, 3), RandomBoxes(kind, kColumns, 4), false)) {
      ASSERT_NO_FATAL_FAILURE(ExpectReference(input, {1, 2, 7}));
    }
    for (const Case& input :
         Variants(RandomBoxes(kind, kPairs, 5), RandomBoxes(kind, kPairs, 6), true)) {
      ASSERT_NO_FATAL_FAILURE(ExpectReference(input, {1, 2, 7}));
    }
  }
}

// Streams the matrix in tiles to memory that starts `shift` elements after a vector's.
void ExpectStreamedMatrix(const Case& input, int64_t tile_columns, size_t shift) {
  constexpr std::byte kUntouched{0x5A};
  const auto is_untouched = [](std::byte byte) { return byte == kUntouched; };
  const Problem problem(input);
  const Matrix expected = problem.Expected();
  const size_t element = input.half ? 2 : 4;
  std::vector<std::byte> memory(expected.size() + 32 * element, kUntouched);
  std::byte* const ious = memory.data() + shift * element;
  for (int64_t begin = 0; begin < input.columns(); begin += tile_columns) {
    MatrixTile(problem.args(ious),
               {.row_begin = 0,
                .row_end = input.rows(),
                .column_begin = begin,
                .column_end = std::min(input.columns(), begin + tile_columns)},
               true);
  }
  ASSERT_EQ(std::memcmp(ious, expected.data(), expected.size()), 0)
      << input.ToString() << ", tiles of " << tile_columns << ", shift " << shift;
  ASSERT_TRUE(std::all_of(memory.data(), ious, is_untouched));
  ASSERT_TRUE(std::all_of(ious + expected.size(), memory.data() + memory.size(), is_untouched));
}

// With streaming stores, a tile writes a cache line that it shares with the next tile. Each element
// must be written once, and nothing else.
TEST_P(BboxOverlapsKernel, StreamedTilesEqualReference) {
  for (const int64_t columns : {1, 5, 16, 31, 64, 100, 333, 2100}) {
    for (const int64_t tile_columns : {16, 48, 1024}) {
      for (const Case& input : Variants(RandomBoxes(Kind::kExtremes, 7, 1),
                                        RandomBoxes(Kind::kImage, columns, 2), false)) {
        for (const size_t shift : {0, 1, 5, 15}) {
          ASSERT_NO_FATAL_FAILURE(ExpectStreamedMatrix(input, tile_columns, shift));
        }
      }
    }
  }
}

TEST_P(BboxOverlapsKernel, StreamedAlignedPairsEqualReference) {
  for (const int64_t count : {1, 15, 16, 17, 40, 1000}) {
    for (const Case& input : Variants(RandomBoxes(Kind::kExtremes, count, 1),
                                      RandomBoxes(Kind::kImage, count, 2), true)) {
      const Problem problem(input);
      const Matrix expected = problem.Expected();
      Matrix result(expected.size());
      AlignedTile(problem.args(result.data()), 0, count / 3, true);
      AlignedTile(problem.args(result.data()), count / 3, count, true);
      ASSERT_EQ(result, expected) << input.ToString();
    }
  }
}

// Large enough for Run to choose streaming stores, with rows that start anywhere in a cache line.
TEST(BboxOverlapsRun, EqualsReferenceWhenItStreams) {
  constexpr int64_t kColumns = 4201;
  for (const bool half : {false, true}) {
    const int64_t rows = LargestCachedResult() / (kColumns * (half ? 2 : 4)) + 1;
    Case input;
    input.boxes1 = RandomBoxes(Kind::kImage, rows, 1);
    input.boxes2 = RandomBoxes(Kind::kImage, kColumns, 2);
    input.half = half;
    ASSERT_NO_FATAL_FAILURE(ExpectReference(input, {2}));
  }
}

// Up to twice the widest vector, and one more.
constexpr int64_t kTwoVectors = 33;

// Calls the tiles with boxes and results that end at an inaccessible page. Boxes are as large as
// vectors, so boxes alone would always start aligned: some end a few elements before the page.
void ExpectInsideMemory(int64_t count, bool aligned, bool stream) {
  const int64_t rows = aligned ? count : 3;
  for (const Case& input :
       Variants(RandomBoxes(Kind::kImage, rows, 1), RandomBoxes(Kind::kImage, count, 2), aligned)) {
    const Problem problem(input);
    const GuardedBoxes boxes(problem, static_cast<size_t>(count % 4));
    const GuardedBuffer ious(static_cast<size_t>(problem.result_bytes()));
    Args args = problem.args(ious.data());
    args.boxes = boxes.boxes();
    if (aligned) {
      AlignedTile(args, 0, count, stream);
    } else {
      MatrixTile(args, {.row_begin = 0, .row_end = rows, .column_begin = 0, .column_end = count},
                 stream);
    }
    ASSERT_EQ(std::memcmp(ious.data(), problem.Expected().data(), ious.size()), 0)
        << input.ToString();
  }
}

TEST_P(BboxOverlapsKernel, StaysInsideItsMemory) {
  for (const bool aligned : {false, true}) {
    for (const bool stream : {false, true}) {
      for (int64_t count = 1; count <= kTwoVectors; ++count) {
        ASSERT_NO_FATAL_FAILURE(ExpectInsideMemory(count, aligned, stream));
      }
    }
  }
}

}  // namespace
}  // namespace detops::bbox_overlaps
