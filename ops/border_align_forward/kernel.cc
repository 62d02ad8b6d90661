// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The vector kernels. They first compute the offsets and weights of a border's samples, with one
// sample per lane, then the maximum over the samples, with one channel per lane. The kernel for few
// channels is in few_channels-inl.h.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/half.h"
#include "ops/border_align_forward/op.h"
#include "ops/border_align_forward/tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/border_align_forward/kernel.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/border_align_forward/few_channels-inl.h"
#include "ops/border_align_forward/neighbors-inl.h"
#include "simd/half-inl.h"
#include "simd/lanes-inl.h"
#include "simd/nan-inl.h"
#include "simd/stream-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::border_align_forward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using detops::HWY_NAMESPACE::kLineElements;
using detops::HWY_NAMESPACE::LanesOf;
using detops::HWY_NAMESPACE::LoadAsFloat;
using detops::HWY_NAMESPACE::MaxOrSecond;
using detops::HWY_NAMESPACE::StoreRounded;

using DF = hn::CappedTag<float, kChannelUnit>;
using DI = hn::RebindToSigned<DF>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;

HWY_INLINE int64_t Lanes() { return LanesOf(DF()); }

// ---- Pixels -------------------------------------------------------------------------------------

HWY_INLINE float ToFloat(float value) { return value; }
HWY_INLINE float ToFloat(Half value) { return HalfToFloat(value); }

// Copies the block's channels of one pixel, followed by zeros as padding.
template <class T>
HWY_INLINE void CopyPixel(const Args& args, const ChannelBlock& block, int64_t pixel, float* to) {
  const auto* const input = static_cast<const T*>(args.input);
  const T* const from =
      input + args.InputOffset(block.image, 0, pixel, block.border, block.first_channel);
  int64_t c = 0;
  if (!args.channels_first) {
    for (; c + Lanes() <= block.channels; c += Lanes()) {
      hn::StoreU(LoadAsFloat(DF(), from + c), DF(), to + c);
    }
  }
  const int64_t stride = args.channels_first ? args.pixels() : 1;
  for (; c < block.channels; ++c) {
    to[c] = ToFloat(from[c * stride]);
  }
  std::fill(to + c, to + block.padded_channels(), 0.0f);
}

// The distance of prefetches, in pixels. Consecutive pixels can be a page or more apart, too far
// for the hardware prefetcher.
constexpr int64_t kPrefetchDistance = 8;

template <class T>
HWY_INLINE void PrefetchPixel(const Args& args, const ChannelBlock& block, int64_t pixel) {
  const T* const from = static_cast<const T*>(args.input) +
                        args.InputOffset(block.image, 0, pixel, block.border, block.first_channel);
  for (int64_t c = 0; c < block.channels; c += kLineElements<T>) {
    hwy::Prefetch(from + c);
  }
}

// With channels first, this many pixels are packed at a time: enough to read whole cache lines of
// the input, few enough to keep the plane's lines in the cache until they are full.
constexpr int64_t kPackedPixels = 64;

template <class T>
HWY_INLINE void PackChannelsFirst(const Args& args, const ChannelBlock& block, float* plane) {
  const int64_t padded = block.padded_channels();
  const T* const input = static_cast<const T*>(args.input) +
                         args.InputOffset(block.image, 0, 0, block.border, block.first_channel);
  for (int64_t begin = 0; begin < args.pixels(); begin += kPackedPixels) {
    const int64_t end = std::min(begin + kPackedPixels, args.pixels());
    for (int64_t c = 0; c < padded; ++c) {
      const T* const channel = input + c * args.pixels();
      for (int64_t pixel = begin; pixel < end; ++pixel) {
        plane[pixel * padded + c] = c < block.channels ? ToFloat(channel[pixel]) : 0;
      }
    }
  }
}

template <class T>
HWY_INLINE void Pack(const Args& args, const ChannelBlock& block, float* plane) {
  const int64_t padded = block.padded_channels();
  if (args.channels_first) {
    PackChannelsFirst<T>(args, block, plane);
  } else {
    for (int64_t pixel = 0; pixel < args.pixels(); ++pixel) {
      PrefetchPixel<T>(args, block, std::min(pixel + kPrefetchDistance, args.pixels() - 1));
      CopyPixel<T>(args, block, pixel, plane + pixel * padded);
    }
  }
  std::fill_n(plane + args.pixels() * padded, padded, 0.0f);
}

void PackTileT(const Args& args, const ChannelBlock& block, float* plane) {
  if (args.half) {
    Pack<Half>(args, block, plane);
  } else {
    Pack<float>(args, block, plane);
  }
}

// ---- Samples ------------------------------------------------------------------------------------

// Samples that are processed together. Borders with more samples take several rounds.
constexpr int64_t kSamples = 32;
static_assert(kSamples % kChannelUnit == 0);

// The four neighbors of each sample, in the order of the formula: weights, and offsets in a plane.
struct Samples {
  alignas(64) float weights[4][kSamples];
  alignas(64) int32_t offsets[4][kSamples];
};

// The positions of samples: one coordinate varies along the border, the other one is constant.
struct Positions {
  alignas(64) float along[kSamples];
  float across;
  bool along_x;
};

// A walk along a border: the position of the next sample, and the step to the one after it.
struct Walk {
  float along, across;
  float step;
  bool along_x;
};

HWY_INLINE Walk WalkOf(const Args& args, int64_t image, int64_t box, int64_t border) {
  float corners[kBoxNumbers];
  const int64_t at = (image * args.boxes_per_image + box) * kBoxNumbers;
  for (int64_t i = 0; i < kBoxNumbers; ++i) {
    corners[i] = args.half ? HalfToFloat(static_cast<const Half*>(args.boxes)[at + i])
                           : static_cast<const float*>(args.boxes)[at + i];
  }
  const auto steps = static_cast<float>(args.pool_size);
  const bool from_end = border >= 2;
  const bool along_x = border % 2 == 0;
  const float x = corners[from_end ? 2 : 0];
  const float y = corners[from_end ? 3 : 1];
  const float size = along_x ? corners[2] - corners[0] : corners[3] - corners[1];
  return {along_x ? x : y, along_x ? y : x, (from_end ? -size : size) / steps, along_x};
}

// Takes `count` steps of the walk and stores their positions.
HWY_INLINE void TakePositions(Walk& walk, int64_t count, Positions& positions) {
  for (int64_t i = 0; i < count; ++i) {
    positions.along[i] = walk.along;
    walk.along += walk.step;
  }
  // The unused lanes of the last vector need valid positions, too.
  for (int64_t i = count; i % Lanes() != 0; ++i) {
    positions.along[i] = 0;
  }
  positions.across = walk.across;
  positions.along_x = walk.along_x;
}

// Returns whether all samples of the walk that follow the one at position `last` are equal to it:
// they cannot replace the maximum. The next one is at walk.along.
HWY_INLINE bool IsOver(const Args& args, const Walk& walk, float last) {
  const auto length = static_cast<float>(walk.along_x ? args.width : args.height);
  const auto breadth = static_cast<float>(walk.along_x ? args.height : args.width);
  // A step that rounding undoes once is undone again. NaN stays NaN.
  const bool stands_still = walk.along == last || std::isnan(last);
  const bool moves_away = (last < -1 && walk.step <= 0) || (last > length && walk.step >= 0);
  const bool is_beside_the_map = !(walk.across >= -1 && walk.across <= breadth);
  return stands_still || moves_away || is_beside_the_map;
}

// Computes the neighbors of the samples. `pixel_floats` is the number of floats per pixel, the unit
// of the offsets.
HWY_INLINE void MakeSamples(const Args& args, const Positions& positions, int64_t count,
                            int64_t pixel_floats, Samples& samples) {
  const DF d;
  const DI di;
  const bool along_x = positions.along_x;
  const int64_t length = along_x ? args.width : args.height;
  const int64_t breadth = along_x ? args.height : args.width;
  const VF across_position = hn::Set(d, positions.across);
  const auto across_inside = IsInside(d, across_position, breadth);
  const Neighbors<DF> across =
      NeighborsOf(d, hn::IfThenElseZero(across_inside, across_position), breadth);
  const auto floats = [&](int64_t pixels) HWY_ATTR {
    return hn::Set(di, static_cast<int32_t>(pixels * pixel_floats));
  };
  const VI along_floats = floats(along_x ? 1 : args.width);
  const VI across_floats = floats(along_x ? args.width : 1);
  const VI across_low = hn::Mul(across.low, across_floats);
  const VI across_high = hn::Mul(across.high, across_floats);
  const VI outside = floats(args.pixels());
  // In the formula, neighbor 1 is in the next column and neighbor 2 in the next row.
  const int next_along = along_x ? 1 : 2;
  const int next_across = along_x ? 2 : 1;
  for (int64_t i = 0; i < count; i += Lanes()) {
    const VF position = hn::Load(d, positions.along + i);
    const auto inside = hn::And(IsInside(d, position, length), across_inside);
    const Neighbors<DF> along = NeighborsOf(d, hn::IfThenElseZero(inside, position), length);
    const VI low = hn::Mul(along.low, along_floats);
    const VI high = hn::Mul(along.high, along_floats);
    const auto store = [&](int neighbor, VF weight, VI offset) HWY_ATTR {
      hn::Store(weight, d, samples.weights[neighbor] + i);
      hn::Store(hn::IfThenElse(hn::RebindMask(di, inside), offset, outside), di,
                samples.offsets[neighbor] + i);
    };
    store(0, hn::Mul(across.low_weight, along.low_weight), hn::Add(across_low, low));
    store(next_along, hn::Mul(across.low_weight, along.high_weight), hn::Add(across_low, high));
    store(next_across, hn::Mul(across.high_weight, along.low_weight), hn::Add(across_high, low));
    store(3, hn::Mul(across.high_weight, along.high_weight), hn::Add(across_high, high));
  }
}

// ---- Maxima -------------------------------------------------------------------------------------

// The largest sample of each channel so far, and its index.
struct Maxima {
  alignas(64) float values[kMaxBlockChannels];
  alignas(64) int32_t samples[kMaxBlockChannels];
};

// Where the maxima of a box are: in a Maxima, or, if they are streamed, in the results themselves.
// Streaming them as soon as they are known spreads the writes over the computation.
struct MaximaRow {
  float* values;
  int32_t* samples;  // null if the call has no argmax_idx
  bool stream;
};

template <class D, class T, class V>
HWY_INLINE void StoreMaxima(V maxima, D d, T* to, bool stream) {
  if (stream) {
    hn::Stream(maxima, d, to);
  } else {
    hn::StoreU(maxima, d, to);
  }
}

// Updates the maxima of kVectors vectors of channels, from channel c on, with samples whose indices
// start at `first`. Sample 0 initializes them.
template <int kVectors>
HWY_INLINE void MaximumOf(const Samples& samples, int64_t count, int64_t first, const float* plane,
                          int64_t c, const MaximaRow& maxima) {
  const DF d;
  const DI di;
  const int64_t lanes = Lanes();
  VF largest[kVectors];
  VI index[kVectors];
  const auto sample = [&](int64_t i, int v, VF w0, VF w1, VF w2, VF w3) HWY_ATTR {
    const auto pixel = [&](int neighbor) HWY_ATTR {
      return hn::LoadU(d, plane + samples.offsets[neighbor][i] + c + v * lanes);
    };
    const VF top = hn::Add(hn::Mul(w0, pixel(0)), hn::Mul(w1, pixel(1)));
    return hn::Add(hn::Add(top, hn::Mul(w2, pixel(2))), hn::Mul(w3, pixel(3)));
  };
  int64_t i = 0;
  if (first == 0) {
    for (int v = 0; v < kVectors; ++v) {
      largest[v] =
          sample(0, v, hn::Set(d, samples.weights[0][0]), hn::Set(d, samples.weights[1][0]),
                 hn::Set(d, samples.weights[2][0]), hn::Set(d, samples.weights[3][0]));
      index[v] = hn::Zero(di);
    }
    i = 1;
  } else {
    for (int v = 0; v < kVectors; ++v) {
      largest[v] = hn::LoadU(d, maxima.values + c + v * lanes);
      index[v] = hn::LoadU(di, maxima.samples + c + v * lanes);
    }
  }
  VI number = hn::Set(di, static_cast<int32_t>(first + i));
  for (; i < count; ++i, number = hn::Add(number, hn::Set(di, 1))) {
    const VF w0 = hn::Set(d, samples.weights[0][i]);
    const VF w1 = hn::Set(d, samples.weights[1][i]);
    const VF w2 = hn::Set(d, samples.weights[2][i]);
    const VF w3 = hn::Set(d, samples.weights[3][i]);
    for (int v = 0; v < kVectors; ++v) {
      const VF value = sample(i, v, w0, w1, w2, w3);
      const auto greater = hn::Gt(value, largest[v]);
      largest[v] = MaxOrSecond(value, largest[v]);
      index[v] = hn::IfThenElse(hn::RebindMask(di, greater), number, index[v]);
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    StoreMaxima(largest[v], d, maxima.values + c + v * lanes, maxima.stream);
  }
  for (int v = 0; v < kVectors && maxima.samples != nullptr; ++v) {
    StoreMaxima(index[v], di, maxima.samples + c + v * lanes, maxima.stream);
  }
}

// Updates the maxima of all channels, for `boxes` boxes. A few channels of all boxes come before
// the next channels: boxes on the same row or column read the same pixels, and those of a few
// channels stay in the first-level cache.
HWY_INLINE void Accumulate(const Samples* samples, int64_t boxes, int64_t count, int64_t first,
                           const float* plane, int64_t padded, const MaximaRow* maxima) {
  constexpr int kVectors = 4;  // maxima and indices of more vectors would not fit in registers
  int64_t c = 0;
  for (; c + kVectors * Lanes() <= padded; c += kVectors * Lanes()) {
    for (int64_t i = 0; i < boxes; ++i) {
      MaximumOf<kVectors>(samples[i], count, first, plane, c, maxima[i]);
    }
  }
  for (; c < padded; c += Lanes()) {
    for (int64_t i = 0; i < boxes; ++i) {
      MaximumOf<1>(samples[i], count, first, plane, c, maxima[i]);
    }
  }
}

// Replaces the plane of a block that is not packed: the pixels that a round of samples reads.
struct GatheredPixels {
  alignas(64) float pixels[4 * kSamples * kMaxUnpackedChannels];
};

// Copies the neighbors of the samples, whose offsets are pixel numbers, and changes the offsets to
// those of the copies.
template <class T>
HWY_INLINE void GatherPixels(const Args& args, const ChannelBlock& block, int64_t count,
                             Samples& samples, GatheredPixels& gathered) {
  const int64_t padded = block.padded_channels();
  for (int neighbor = 0; neighbor < 4; ++neighbor) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t to = (neighbor * kSamples + i) * padded;
      const int64_t pixel = samples.offsets[neighbor][i];
      if (pixel == args.pixels()) {
        std::fill_n(gathered.pixels + to, padded, 0.0f);
      } else {
        CopyPixel<T>(args, block, pixel, gathered.pixels + to);
      }
      samples.offsets[neighbor][i] = static_cast<int32_t>(to);
    }
  }
}

// ---- Results ------------------------------------------------------------------------------------

HWY_INLINE void Convert(float from, float& to) { to = from; }
HWY_INLINE void Convert(float from, Half& to) { to = FloatToHalf(from); }
HWY_INLINE void Convert(const float* from, int64_t count, float* to) {
  std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
}
HWY_INLINE void Convert(const float* from, int64_t count, Half* to) {
  int64_t i = 0;
  for (; i + Lanes() <= count; i += Lanes()) {
    StoreRounded(hn::LoadU(DF(), from + i), DF(), to + i);
  }
  for (; i < count; ++i) {
    Convert(from[i], to[i]);
  }
}

HWY_INLINE MaximaRow StreamedRow(const Args& args, const ChannelBlock& block, int64_t box) {
  const int64_t begin = args.OutputOffset(block.image, box, block.border, block.first_channel);
  return {static_cast<float*>(args.output) + begin,
          args.argmax_idx == nullptr ? nullptr : args.argmax_idx + begin, true};
}

template <class T>
HWY_INLINE void WriteChannelsLast(const Args& args, const ChannelBlock& block, int64_t box,
                                  const Maxima& maxima) {
  const int64_t begin = args.OutputOffset(block.image, box, block.border, block.first_channel);
  auto* const output = static_cast<T*>(args.output) + begin;
  int32_t* const argmax_idx = args.argmax_idx == nullptr ? nullptr : args.argmax_idx + begin;
  Convert(maxima.values, block.channels, output);
  if (argmax_idx != nullptr) {
    std::copy_n(maxima.samples, block.channels, argmax_idx);
  }
}

template <class T>
HWY_INLINE void WriteChannelsFirst(const Args& args, const ChannelBlock& block,
                                   const int32_t* box_ids, int64_t count, const Maxima* maxima) {
  for (int64_t c = 0; c < block.channels; ++c) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at =
          args.OutputOffset(block.image, box_ids[i], block.border, block.first_channel + c);
      Convert(maxima[i].values[c], static_cast<T*>(args.output)[at]);
      if (args.argmax_idx != nullptr) {
        args.argmax_idx[at] = maxima[i].samples[c];
      }
    }
  }
}

template <class T>
HWY_INLINE void Write(const Args& args, const ChannelBlock& block, const int32_t* box_ids,
                      int64_t count, const Maxima* maxima) {
  if (args.channels_first) {
    WriteChannelsFirst<T>(args, block, box_ids, count, maxima);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    WriteChannelsLast<T>(args, block, box_ids[i], maxima[i]);
  }
}

// Boxes that take each step together. A step writes scalars which the next one loads as vectors;
// with several boxes, these stores have reached the cache by then and the loads do not stall.
constexpr int64_t kBoxes = 8;

// Takes the next `count` samples of the boxes, whose indices start at `first`, and updates their
// maxima.
template <class T>
HWY_INLINE void AlignRound(const Args& args, const ChannelBlock& block, const float* plane,
                           int64_t boxes, int64_t first, int64_t count, Walk* walks,
                           Positions* positions, const MaximaRow* maxima) {
  const int64_t pixel_floats = plane == nullptr ? 1 : block.padded_channels();
  Samples samples[kBoxes];
  for (int64_t i = 0; i < boxes; ++i) {
    TakePositions(walks[i], count, positions[i]);
  }
  for (int64_t i = 0; i < boxes; ++i) {
    MakeSamples(args, positions[i], count, pixel_floats, samples[i]);
  }
  const int64_t padded = block.padded_channels();
  if (plane != nullptr) {
    Accumulate(samples, boxes, count, first, plane, padded, maxima);
    return;
  }
  for (int64_t i = 0; i < boxes; ++i) {
    GatheredPixels gathered;
    GatherPixels<T>(args, block, count, samples[i], gathered);
    Accumulate(samples + i, 1, count, first, gathered.pixels, padded, maxima + i);
  }
}

// Removes the boxes whose walks are over after a full round. Returns the number of those that
// remain.
HWY_INLINE int64_t DropFinished(const Args& args, const Positions* positions, int64_t boxes,
                                Walk* walks, MaximaRow* maxima) {
  int64_t remaining = 0;
  for (int64_t i = 0; i < boxes; ++i) {
    if (!IsOver(args, walks[i], positions[i].along[kSamples - 1])) {
      walks[remaining] = walks[i];
      maxima[remaining++] = maxima[i];
    }
  }
  return remaining;
}

template <class T>
HWY_INLINE void AlignFewBoxes(const Args& args, const ChannelBlock& block, const float* plane,
                              const int32_t* box_ids, int64_t boxes, bool stream) {
  const int64_t all = int64_t{args.pool_size} + 1;
  Walk walks[kBoxes];
  Positions positions[kBoxes];
  Maxima maxima[kBoxes];
  MaximaRow walking[kBoxes];  // of the boxes whose walks are not over
  // Results of several rounds are not streamed, because each round reads those of the one before.
  const bool stream_rows = stream && all <= kSamples;
  for (int64_t i = 0; i < boxes; ++i) {
    walks[i] = WalkOf(args, block.image, box_ids[i], block.border);
    walking[i] = stream_rows ? StreamedRow(args, block, box_ids[i])
                             : MaximaRow{maxima[i].values, maxima[i].samples, false};
  }
  int64_t remaining = boxes;
  for (int64_t first = 0; remaining != 0; first += kSamples) {
    const int64_t count = std::min(kSamples, all - first);
    AlignRound<T>(args, block, plane, remaining, first, count, walks, positions, walking);
    if (first + count == all) {
      break;
    }
    remaining = DropFinished(args, positions, remaining, walks, walking);
  }
  if (!stream_rows) {
    Write<T>(args, block, box_ids, boxes, maxima);
  }
}

template <class T>
HWY_INLINE void Align(const Args& args, const ChannelBlock& block, const float* plane,
                      const int32_t* box_ids, int64_t count, bool stream) {
  for (int64_t i = 0; i < count; i += kBoxes) {
    AlignFewBoxes<T>(args, block, plane, box_ids + i, std::min(kBoxes, count - i), stream);
  }
  if (stream) {
    hwy::FlushStream();
  }
}

void AlignTileT(const Args& args, const ChannelBlock& block, const float* plane,
                const int32_t* box_ids, int64_t count, bool stream) {
  if (args.half) {
    Align<Half>(args, block, plane, box_ids, count, stream);
  } else {
    Align<float>(args, block, plane, box_ids, count, stream);
  }
}

void FewChannelsTileT(const Args& args, int64_t image, int64_t box_begin, int64_t box_end) {
  if (args.half) {
    AlignBoxesOfFewChannels<Half>(args, image, box_begin, box_end);
  } else {
    AlignBoxesOfFewChannels<float>(args, image, box_begin, box_end);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::border_align_forward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::border_align_forward {

HWY_EXPORT(PackTileT);
HWY_EXPORT(AlignTileT);
HWY_EXPORT(FewChannelsTileT);

void PackPlane(const Args& args, const ChannelBlock& block, float* plane) {
  HWY_DYNAMIC_DISPATCH(PackTileT)(args, block, plane);
}

void AlignBoxes(const Args& args, const ChannelBlock& block, const float* plane,
                const int32_t* box_ids, int64_t count, bool stream) {
  HWY_DYNAMIC_DISPATCH(AlignTileT)(args, block, plane, box_ids, count, stream);
}

void AlignFewChannels(const Args& args, int64_t image, int64_t box_begin, int64_t box_end) {
  HWY_DYNAMIC_DISPATCH(FewChannelsTileT)(args, image, box_begin, box_end);
}

}  // namespace detops::border_align_forward
#endif  // HWY_ONCE
