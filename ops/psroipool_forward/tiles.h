// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The vector tiles that run.cc splits the work into and kernel.cc implements. Tiles are pure: they
// use no threads, allocate nothing and cannot fail.

#ifndef DETOPS_OPS_PSROIPOOL_FORWARD_TILES_H_
#define DETOPS_OPS_PSROIPOOL_FORWARD_TILES_H_

#include <algorithm>
#include <cstdint>

#include "core/math.h"
#include "ops/psroipool_forward/op.h"

namespace detops::psroipool_forward {

// The first and the end rows and columns of the bins of all RoIs, each a list with one entry per
// bin of the axis. For a RoI with a coordinate that is not finite, all entries are 0.
class BinTable {
 public:
  // The capacity of a list is a multiple of this, so that vectors of up to this many lanes need no
  // tail.
  static constexpr int64_t kUnit = 8;

  BinTable(int32_t* memory, int64_t group) : memory_(memory), stride_(RoundUp(group, kUnit)) {}

  // Returns the number of elements that a table needs.
  static int64_t Numbers(int64_t rois, int64_t group) { return rois * 4 * RoundUp(group, kUnit); }

  int32_t* row_begins(int64_t roi) const { return At(roi, 0); }
  int32_t* row_ends(int64_t roi) const { return At(roi, 1); }
  int32_t* column_begins(int64_t roi) const { return At(roi, 2); }
  int32_t* column_ends(int64_t roi) const { return At(roi, 3); }

 private:
  int32_t* At(int64_t roi, int64_t list) const { return memory_ + (roi * 4 + list) * stride_; }

  int32_t* memory_;
  int64_t stride_;
};

// Computes the bins of the RoIs [begin, end).
void FindBins(const Args& args, int64_t begin, int64_t end, const BinTable& table);

// The bins (row, column_begin) to (row, column_end - 1) of all RoIs of an image.
struct BinRow {
  int64_t image;
  int64_t row;
  int64_t column_begin;
  int64_t column_end;

  int64_t columns() const { return column_end - column_begin; }
};

// How a packed pixel holds the channels of one bin: in vectors of `lanes` adjacent channels. The
// last vector holds the last channels, so it may repeat some of the vector before it.
struct Packing {
  int64_t lanes;
  int64_t vectors;

  int64_t floats() const { return lanes * vectors; }
};
Packing PackingOf(int64_t dim);

// The maxima of Packing::lanes and Packing::floats() over all instruction sets.
inline constexpr int64_t MaxLanes(int64_t dim) {
  return dim >= 16 ? 16 : dim >= 8 ? 8 : dim >= 4 ? 4 : 1;
}
inline constexpr int64_t MaxPixelFloats(int64_t dim) { return RoundUp(dim, MaxLanes(dim)); }

// Returns whether pixels can be pooled where they are, without packing: the bin has too few
// channels for a vector, or its channels are adjacent.
inline bool IsInPlace(const Args& args, const Packing& packing) {
  return packing.lanes == 1 || (args.group == 1 && !args.channels_first);
}

// Returns whether to pack the whole map of an image for these RoIs, instead of copying the pixels
// of each bin: whichever is estimated to be faster.
bool ShouldPack(const Args& args, const BinTable& table, const int32_t* rois, int64_t count,
                int threads);

// Packs the pixels [x_begin, x_end) of map row y for each of the bins. Consecutive bins are
// `bin_floats` apart in `to`.
void PackPixels(const Args& args, const BinRow& bins, int64_t y, int64_t x_begin, int64_t x_end,
                float* to, int64_t bin_floats);

// A ring buffer of packed map rows for a row of bins: map row y is in row y % rows. Each row has
// all columns of the first bin, then of the next.
struct Ring {
  const float* data;
  int64_t rows;
};

// Scratch for pooling, and how to write the results.
struct PoolBuffers {
  float* means;  // group * dim: the means of a row of bins
  double* sums;  // MaxPixelFloats(dim): the sums of a bin
  bool stream;   // write results with streaming stores
};

// Pools a row of bins of the given RoIs. All rows of their bins must be in the ring.
void PoolFromRing(const Args& args, const BinTable& table, const BinRow& bins, const Ring& ring,
                  const int32_t* rois, int64_t count, const PoolBuffers& buffers);

// Pools a row of bins of any RoIs of the image directly from the input. `copies` is scratch for
// CopiedPixels(args) packed pixels; it is not used if IsInPlace.
inline int64_t CopiedPixels(const Args& args) { return std::max(args.width, kMaxFloatPixels); }
void PoolFromInput(const Args& args, const BinTable& table, const BinRow& bins, const int32_t* rois,
                   int64_t count, float* copies, const PoolBuffers& buffers);

// Writes mapping_channel for the given RoIs: a copy of `channels_of_roi` for each.
void WriteChannels(const Args& args, const int32_t* channels_of_roi, const int32_t* rois,
                   int64_t count, bool stream);

}  // namespace detops::psroipool_forward

#endif  // DETOPS_OPS_PSROIPOOL_FORWARD_TILES_H_
