// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the vector kernel does. Tiles are pure: no threads, no allocation, no failure.

#ifndef DETOPS_OPS_BORDER_ALIGN_FORWARD_TILES_H_
#define DETOPS_OPS_BORDER_ALIGN_FORWARD_TILES_H_

#include <cstdint>

#include "ops/border_align_forward/op.h"

namespace detops::border_align_forward {

// Channels are computed in groups of at most so many.
inline constexpr int64_t kMaxGroup = 256;
// ... and in smaller ones where pixels are fetched as they are needed.
inline constexpr int64_t kFetchedGroup = 64;
// Pixels of a plane have a multiple of so many: a vector at most.
inline constexpr int64_t kGroupUnit = 16;

inline constexpr int64_t Padded(int64_t channels) {
  return (channels + kGroupUnit - 1) / kGroupUnit * kGroupUnit;
}

// Some channels of one border of one image.
struct Group {
  int64_t image;
  int64_t border;
  int64_t first_channel;
  int64_t channels;

  // In a plane, with what fills it up.
  int64_t padded() const { return Padded(channels); }
};

// The group's channels side by side, as floats, pixel after pixel; and behind the last pixel one of
// zeros, for samples that lie outside. Fewer than 2^31 floats.
inline int64_t PlaneFloats(const Args& args, int64_t padded_channels) {
  return (args.pixels() + 1) * padded_channels;
}
void PackPlane(const Args& args, const Group& group, float* plane);

// The boxes with these numbers. Without a plane, pixels are fetched as they are needed.
void AlignBoxes(const Args& args, const Group& group, const float* plane, const int32_t* numbers,
                int64_t boxes, bool stream);

}  // namespace detops::border_align_forward

#endif  // DETOPS_OPS_BORDER_ALIGN_FORWARD_TILES_H_
