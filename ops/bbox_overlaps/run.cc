// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Splits the work into tiles and runs them in parallel.

#include <algorithm>
#include <limits>

#include "core/cache.h"
#include "core/math.h"
#include "core/parallel.h"
#include "ops/bbox_overlaps/costs.h"
#include "ops/bbox_overlaps/op.h"

namespace detops::bbox_overlaps {
namespace {

// Rows of a block: enough to amortize packing the columns, few enough to keep all threads busy.
constexpr int64_t kMinBlockRows = 16;
constexpr int64_t kMaxBlockRows = 64;
constexpr int64_t kBlocksPerThread = 4;

// Splits the matrix into blocks of rows, and each block into tiles of columns. Tiles start on
// multiples of a cache line of floats.
class Tiling {
 public:
  Tiling(const Boxes& boxes, int threads)
      : rows_(boxes.rows),
        columns_(boxes.columns),
        block_rows_(
            std::clamp(CeilDiv(rows_, threads * kBlocksPerThread), kMinBlockRows, kMaxBlockRows)),
        tiles_(CeilDiv(columns_, kMaxTileColumns)),
        tile_columns_(RoundUp(CeilDiv(columns_, std::max<int64_t>(tiles_, 1)), kLineFloats)) {}

  int64_t blocks() const { return CeilDiv(rows_, block_rows_); }
  // Tiles per block.
  int64_t tiles() const { return tiles_; }
  double BlockNanoseconds() const {
    return static_cast<double>(block_rows_) * static_cast<double>(columns_) *
           kNanosecondsPerOverlap;
  }

  // Returns a tile of a block. The last tiles may be empty because tile_columns_ is rounded up.
  Tile At(int64_t block, int64_t tile) const {
    return {.row_begin = block * block_rows_,
            .row_end = std::min(rows_, (block + 1) * block_rows_),
            .column_begin = std::min(columns_, tile * tile_columns_),
            .column_end = std::min(columns_, (tile + 1) * tile_columns_)};
  }

 private:
  int64_t rows_;
  int64_t columns_;
  int64_t block_rows_;
  int64_t tiles_;
  int64_t tile_columns_;
};

// Returns whether to use streaming stores, because the result (with the boxes, if aligned) is
// larger than the caches. They require that cache lines start with a whole element.
bool ShouldStream(const Args& args) {
  const int64_t element = args.boxes.half ? 2 : 4;
  if (reinterpret_cast<uintptr_t>(args.ious) % static_cast<uintptr_t>(element) != 0) {
    return false;
  }
  const int64_t input = args.aligned ? 8 * args.count() * element : 0;
  return args.count() * element + input > LargestCachedResult();
}

}  // namespace

Status Run(RunContext& context, const Args& args) {
  const bool stream = ShouldStream(args);
  if (args.aligned) {
    ParallelFor(context.threads, args.boxes.rows, kNanosecondsPerAlignedPair,
                [&](int64_t begin, int64_t end) { AlignedTile(args, begin, end, stream); });
    return {};
  }
  const Tiling tiling(args.boxes, context.threads.count());
  ParallelFor(context.threads, tiling.blocks() * tiling.tiles(),
              tiling.BlockNanoseconds() / static_cast<double>(tiling.tiles()),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  MatrixTile(args, tiling.At(i / tiling.tiles(), i % tiling.tiles()), stream);
                }
              });
  return {};
}

Status RunRowMaximum(RunContext& context, const RowMaximumArgs& args) {
  std::fill_n(args.values, args.boxes.rows,
              args.boxes.columns == 0 ? 0.0f : std::numeric_limits<float>::quiet_NaN());
  std::fill_n(args.columns, args.boxes.rows, -1);
  const Tiling tiling(args.boxes, context.threads.count());
  ParallelFor(context.threads, tiling.blocks(), tiling.BlockNanoseconds(),
              [&](int64_t begin, int64_t end) {
                for (int64_t block = begin; block < end; ++block) {
                  for (int64_t tile = 0; tile < tiling.tiles(); ++tile) {
                    RowMaximumTile(args, tiling.At(block, tile));
                  }
                }
              });
  return {};
}

Status RunPairs(RunContext& context, const PairsArgs& args) {
  const Tiling tiling(args.boxes, context.threads.count());
  std::vector<std::vector<OverlapPair>> found(static_cast<size_t>(tiling.blocks()));
  ParallelFor(context.threads, tiling.blocks(), tiling.BlockNanoseconds(),
              [&](int64_t begin, int64_t end) {
                for (int64_t block = begin; block < end; ++block) {
                  std::vector<OverlapPair>& pairs = found[static_cast<size_t>(block)];
                  for (int64_t tile = 0; tile < tiling.tiles(); ++tile) {
                    PairsTile(args, tiling.At(block, tile), pairs);
                  }
                  // Each tile appends its pairs in order. With several tiles, the pairs of a row
                  // are brought together.
                  if (tiling.tiles() > 1) {
                    std::stable_sort(
                        pairs.begin(), pairs.end(),
                        [](const OverlapPair& a, const OverlapPair& b) { return a.row < b.row; });
                  }
                }
              });
  size_t count = 0;
  for (const auto& pairs : found) {
    count += pairs.size();
  }
  args.pairs->clear();
  args.pairs->reserve(count);
  for (const auto& pairs : found) {
    args.pairs->insert(args.pairs->end(), pairs.begin(), pairs.end());
  }
  return {};
}

}  // namespace detops::bbox_overlaps
