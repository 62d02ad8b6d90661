// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What run.cc cuts the work into, and kernel.cc does.

#ifndef DETOPS_OPS_PSROIPOOL_FORWARD_TILES_H_
#define DETOPS_OPS_PSROIPOOL_FORWARD_TILES_H_

#include <algorithm>
#include <cstdint>

#include "ops/psroipool_forward/op.h"

namespace detops::psroipool_forward {

// Where the bins of all rois begin and end: of each roi the first rows, the rows behind the last,
// the first columns and the columns behind the last, by bin. A roi with a coordinate that is not
// finite has bins that begin and end at 0.
class BinTable {
 public:
  // Lists have whole vectors of at most so many.
  static constexpr int64_t kUnit = 8;

  BinTable(int32_t* memory, int64_t group) : memory_(memory), stride_(Stride(group)) {}

  static int64_t Numbers(int64_t rois, int64_t group) { return rois * 4 * Stride(group); }

  int32_t* row_begins(int64_t roi) const { return At(roi, 0); }
  int32_t* row_ends(int64_t roi) const { return At(roi, 1); }
  int32_t* column_begins(int64_t roi) const { return At(roi, 2); }
  int32_t* column_ends(int64_t roi) const { return At(roi, 3); }

 private:
  static int64_t Stride(int64_t group) { return (group + kUnit - 1) / kUnit * kUnit; }
  int32_t* At(int64_t roi, int64_t list) const { return memory_ + (roi * 4 + list) * stride_; }

  int32_t* memory_;
  int64_t stride_;
};

// Of the rois [begin, end).
void FindBins(const Args& args, int64_t begin, int64_t end, const BinTable& table);

// The bins (row, column_begin) to (row, column_end - 1) of all rois of an image.
struct BinRow {
  int64_t image;
  int64_t row;
  int64_t column_begin;
  int64_t column_end;

  int64_t columns() const { return column_end - column_begin; }
};

// The channels of one bin side by side, as vectors of so many; the last one holds the last
// channels, some of them once more.
struct Packing {
  int64_t lanes;
  int64_t vectors;

  int64_t floats() const { return lanes * vectors; }
};
Packing PackingOf(int64_t dim);

// The most lanes on any instruction set, and the most that a packed pixel takes.
inline constexpr int64_t MaxLanes(int64_t dim) {
  return dim >= 16 ? 16 : dim >= 8 ? 8 : dim >= 4 ? 4 : 1;
}
inline constexpr int64_t MaxPixelFloats(int64_t dim) {
  return (dim + MaxLanes(dim) - 1) / MaxLanes(dim) * MaxLanes(dim);
}

// Whether pixels need not be copied: there are no vectors to make of them, or the channels of the
// bin lie side by side.
inline bool IsInPlace(const Args& args, const Packing& packing) {
  return packing.lanes == 1 || (args.group == 1 && !args.channels_first);
}

// Whether the map of an image is packed for its rois, which have these numbers, and not the pixels
// of each bin copied: what is estimated to take less time.
bool ShouldPack(const Args& args, const BinTable& table, const int32_t* rois, int64_t count,
                int threads);

// Packs the pixels [x_begin, x_end) of row y for each bin of the row, `bin_floats` apart.
void PackPixels(const Args& args, const BinRow& bins, int64_t y, int64_t x_begin, int64_t x_end,
                float* to, int64_t bin_floats);

// Some rows of the map, packed for the bins of a row: row y is where row y % ring_rows is. Each row
// has all columns, bin after bin.
struct Ring {
  const float* data;
  int64_t rows;
};

// Room for the means of a row of bins, and for as many sums as MaxPixelFloats(dim); and whether the
// results go past the caches.
struct Output {
  float* means;
  double* sums;
  bool stream;
};

// The means of a row of bins, of the rois with these numbers, whose rows are all in the ring.
void PoolFromRing(const Args& args, const BinTable& table, const BinRow& bins, const Ring& ring,
                  const int32_t* rois, int64_t count, const Output& output);

// The same straight from the input, of any rois of the image. `room` is for so many packed pixels,
// unless they can be taken in place.
inline int64_t CopiedPixels(const Args& args) { return std::max(args.width, kMaxFloatPixels); }
void PoolFromInput(const Args& args, const BinTable& table, const BinRow& bins, const int32_t* rois,
                   int64_t count, float* room, const Output& output);

// The channels of the results of the rois with these numbers: copies of one roi's.
void WriteChannels(const Args& args, const int32_t* channels_of_roi, const int32_t* rois,
                   int64_t count, bool stream);

}  // namespace detops::psroipool_forward

#endif  // DETOPS_OPS_PSROIPOOL_FORWARD_TILES_H_
