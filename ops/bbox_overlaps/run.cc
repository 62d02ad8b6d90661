// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// How the work is cut into tiles.

#include <algorithm>
#include <iterator>
#include <limits>

#include "core/cache.h"
#include "core/parallel.h"
#include "ops/bbox_overlaps/op.h"

namespace detops::bbox_overlaps {
namespace {

// Of one thread, for estimates only.
constexpr double kNanosecondsPerOverlap = 0.35;
constexpr double kNanosecondsPerAlignedPair = 1.5;

// Enough rows to make packing the columns cheap, few enough to keep all threads busy.
constexpr int64_t kMinBlockRows = 16;
constexpr int64_t kMaxBlockRows = 64;
constexpr int64_t kBlocksPerThread = 4;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The matrix as blocks of rows, each as tiles of columns.
class Grid {
 public:
  Grid(const Boxes& boxes, int threads)
      : rows_(boxes.rows),
        columns_(boxes.columns),
        block_rows_(
            std::clamp(CeilDiv(rows_, threads * kBlocksPerThread), kMinBlockRows, kMaxBlockRows)),
        tiles_(CeilDiv(columns_, kMaxTileColumns)),
        tile_columns_(CeilDiv(CeilDiv(columns_, std::max<int64_t>(tiles_, 1)), kLineFloats) *
                      kLineFloats) {}

  int64_t blocks() const { return CeilDiv(rows_, block_rows_); }
  int64_t tiles() const { return tiles_; }
  double BlockNanoseconds() const {
    return static_cast<double>(block_rows_) * static_cast<double>(columns_) *
           kNanosecondsPerOverlap;
  }

  // Empty where rounding has left nothing for the last tiles.
  Tile At(int64_t block, int64_t tile) const {
    return {block * block_rows_, std::min(rows_, (block + 1) * block_rows_),
            std::min(columns_, tile * tile_columns_),
            std::min(columns_, (tile + 1) * tile_columns_)};
  }

 private:
  int64_t rows_;
  int64_t columns_;
  int64_t block_rows_;
  int64_t tiles_;
  int64_t tile_columns_;
};

// Whether the result would only push everything else out of the caches. Streaming stores need lines
// that start with an element.
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
  const Grid grid(args.boxes, context.threads.count());
  ParallelFor(context.threads, grid.blocks() * grid.tiles(),
              grid.BlockNanoseconds() / static_cast<double>(grid.tiles()),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  MatrixTile(args, grid.At(i / grid.tiles(), i % grid.tiles()), stream);
                }
              });
  return {};
}

Status RunRowMaximum(RunContext& context, const RowMaximumArgs& args) {
  std::fill_n(args.values, args.boxes.rows,
              args.boxes.columns == 0 ? 0.0f : std::numeric_limits<float>::quiet_NaN());
  std::fill_n(args.columns, args.boxes.rows, -1);
  const Grid grid(args.boxes, context.threads.count());
  ParallelFor(context.threads, grid.blocks(), grid.BlockNanoseconds(),
              [&](int64_t begin, int64_t end) {
                for (int64_t block = begin; block < end; ++block) {
                  for (int64_t tile = 0; tile < grid.tiles(); ++tile) {
                    RowMaximumTile(args, grid.At(block, tile));
                  }
                }
              });
  return {};
}

Status RunPairs(RunContext& context, const PairsArgs& args) {
  const Grid grid(args.boxes, context.threads.count());
  std::vector<std::vector<OverlapPair>> found(static_cast<size_t>(grid.blocks()));
  ParallelFor(context.threads, grid.blocks(), grid.BlockNanoseconds(),
              [&](int64_t begin, int64_t end) {
                for (int64_t block = begin; block < end; ++block) {
                  std::vector<OverlapPair>& pairs = found[static_cast<size_t>(block)];
                  for (int64_t tile = 0; tile < grid.tiles(); ++tile) {
                    PairsTile(args, grid.At(block, tile), pairs);
                  }
                  // In order within each tile; the rows of several tiles lie apart.
                  if (grid.tiles() > 1) {
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
