// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The vector kernels. They are pure functions: no threads, no allocation, no failure.

#ifndef DETOPS_OPS_BORDER_ALIGN_FORWARD_TILES_H_
#define DETOPS_OPS_BORDER_ALIGN_FORWARD_TILES_H_

#include <cstdint>

#include "core/math.h"
#include "ops/border_align_forward/op.h"

namespace detops::border_align_forward {

// The largest number of channels of a block.
inline constexpr int64_t kMaxBlockChannels = 256;
// The largest number of channels of a block without a plane. It is smaller because the pixels that
// the samples need are then copied to the stack.
inline constexpr int64_t kMaxUnpackedChannels = 64;
// A plane holds a multiple of this many channels per pixel: the lanes of the widest vector.
inline constexpr int64_t kChannelUnit = 16;

// The largest number of channels per border that AlignFewChannels accepts.
inline constexpr int64_t kMaxFewChannels = 16;

// Consecutive channels of one border of one image.
struct ChannelBlock {
  int64_t image;
  int64_t border;
  int64_t first_channel;
  int64_t channels;

  // Number of floats per pixel in a plane.
  int64_t padded_channels() const { return RoundUp(channels, kChannelUnit); }
};

// Returns the size of a plane, in floats. The caller must ensure that it is below 2^31.
inline int64_t PlaneFloats(const Args& args, int64_t padded_channels) {
  return (args.pixels() + 1) * padded_channels;
}

// Copies the block's channels to `plane` as floats, [H * W + 1, padded_channels]. Padding channels
// are 0, and so is the last pixel, which stands for all positions outside the feature map.
void PackPlane(const Args& args, const ChannelBlock& block, float* plane);

// Computes the block's results for the boxes box_ids[0, count). If `plane` is null, pixels are
// copied from the input for each sample. `stream` writes the results with streaming stores; they
// must be float with channels last, and each box's part must be whole cache lines.
void AlignBoxes(const Args& args, const ChannelBlock& block, const float* plane,
                const int32_t* box_ids, int64_t count, bool stream);

// Computes all results of the image's boxes [box_begin, box_end), for up to kMaxFewChannels
// channels per border.
void AlignFewChannels(const Args& args, int64_t image, int64_t box_begin, int64_t box_end);

}  // namespace detops::border_align_forward

#endif  // DETOPS_OPS_BORDER_ALIGN_FORWARD_TILES_H_
