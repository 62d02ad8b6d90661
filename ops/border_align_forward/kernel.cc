// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The vector tiles: positions and weights of a border's samples first, a vector of samples at a
// time; then the maximum over them, a few vectors of channels at a time.

#include <algorithm>
#include <cstring>

#include "core/half.h"
#include "ops/border_align_forward/op.h"
#include "ops/border_align_forward/tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/border_align_forward/kernel.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "simd/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::border_align_forward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, kGroupUnit>;
using DI = hn::RebindToSigned<DF>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;

HWY_INLINE int64_t Lanes() { return static_cast<int64_t>(hn::Lanes(DF())); }

// ---- Pixels -------------------------------------------------------------------------------------

HWY_INLINE VF LoadAsFloat(const float* from) { return hn::LoadU(DF(), from); }
HWY_INLINE VF LoadAsFloat(const Half* from) {
  return detops::HWY_NAMESPACE::HalfToFloat(
      DF(), hn::LoadU(hn::Rebind<uint16_t, DF>(), reinterpret_cast<const uint16_t*>(from)));
}
HWY_INLINE float AsFloat(float value) { return value; }
HWY_INLINE float AsFloat(Half value) { return HalfToFloat(value); }

// One pixel's channels of a group, padded with zeros.
template <class T>
HWY_INLINE void CopyPixel(const Args& args, const Group& group, int64_t pixel, float* to) {
  const auto* const input = static_cast<const T*>(args.input);
  const T* const from =
      input + args.InputOffset(group.image, 0, pixel, group.border, group.first_channel);
  int64_t c = 0;
  if (!args.channels_first) {
    for (; c + Lanes() <= group.channels; c += Lanes()) {
      hn::StoreU(LoadAsFloat(from + c), DF(), to + c);
    }
  }
  const int64_t stride = args.channels_first ? args.pixels() : 1;
  for (; c < group.channels; ++c) {
    to[c] = AsFloat(from[c * stride]);
  }
  std::fill(to + c, to + group.padded(), 0.0f);
}

// Pixels lie pages apart, where the machine does not fetch ahead by itself.
constexpr int64_t kPixelsAhead = 8;

template <class T>
HWY_INLINE void PrefetchPixel(const Args& args, const Group& group, int64_t pixel) {
  constexpr int64_t kLine = 64 / sizeof(T);
  const T* const from = static_cast<const T*>(args.input) +
                        args.InputOffset(group.image, 0, pixel, group.border, group.first_channel);
  for (int64_t c = 0; c < group.channels; c += kLine) {
    hwy::Prefetch(from + c);
  }
}

// Pixels whose channels lie far apart are packed so many at a time: lines of the input are read
// whole, and lines of the plane stay in the cache until they are full.
constexpr int64_t kPixels = 64;

template <class T>
HWY_INLINE void PackChannelsFirst(const Args& args, const Group& group, float* plane) {
  const int64_t padded = group.padded();
  const T* const input = static_cast<const T*>(args.input) +
                         args.InputOffset(group.image, 0, 0, group.border, group.first_channel);
  for (int64_t begin = 0; begin < args.pixels(); begin += kPixels) {
    const int64_t end = std::min(begin + kPixels, args.pixels());
    for (int64_t c = 0; c < padded; ++c) {
      const T* const channel = input + c * args.pixels();
      for (int64_t pixel = begin; pixel < end; ++pixel) {
        plane[pixel * padded + c] = c < group.channels ? AsFloat(channel[pixel]) : 0;
      }
    }
  }
}

template <class T>
HWY_INLINE void Pack(const Args& args, const Group& group, float* plane) {
  const int64_t padded = group.padded();
  if (args.channels_first) {
    PackChannelsFirst<T>(args, group, plane);
  } else {
    for (int64_t pixel = 0; pixel < args.pixels(); ++pixel) {
      PrefetchPixel<T>(args, group, std::min(pixel + kPixelsAhead, args.pixels() - 1));
      CopyPixel<T>(args, group, pixel, plane + pixel * padded);
    }
  }
  std::fill_n(plane + args.pixels() * padded, padded, 0.0f);
}

void PackTileT(const Args& args, const Group& group, float* plane) {
  if (args.half) {
    Pack<Half>(args, group, plane);
  } else {
    Pack<float>(args, group, plane);
  }
}

// ---- Samples ------------------------------------------------------------------------------------

// Samples whose weights are computed together. Longer borders come in parts.
constexpr int64_t kSamples = 32;
static_assert(kSamples % kGroupUnit == 0);

// Of each sample four pixels, in the order of the formula, and their weights.
struct Samples {
  alignas(64) float weights[4][kSamples];
  alignas(64) int32_t offsets[4][kSamples];  // in a plane
};

// Where they lie: along one axis, at one place of the other.
struct Positions {
  alignas(64) float along[kSamples];
  float across;
  bool along_x;
};

// A border's samples, one after the other.
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

// The next `count` positions of a walk, which moves on.
HWY_INLINE void TakePositions(Walk& walk, int64_t count, Positions& positions) {
  for (int64_t i = 0; i < count; ++i) {
    positions.along[i] = walk.along;
    walk.along += walk.step;
  }
  // The rest of the last vector is computed with, too.
  for (int64_t i = count; i % Lanes() != 0; ++i) {
    positions.along[i] = 0;
  }
  positions.across = walk.across;
  positions.along_x = walk.along_x;
}

// Two neighbours along an axis and their weights.
struct Neighbours {
  VI low, high;
  VF low_weight, high_weight;
};

HWY_INLINE Neighbours NeighboursOf(VF position, int64_t size) {
  const DF d;
  const DI di;
  const VF inside = hn::IfThenElseZero(hn::Gt(position, hn::Zero(d)), position);
  const VI whole = hn::ConvertTo(di, inside);
  const VI last = hn::Set(di, static_cast<int32_t>(size - 1));
  const VI low = hn::Min(whole, last);
  const auto is_last = hn::RebindMask(d, hn::Eq(low, last));
  const VF weight = hn::IfThenZeroElse(is_last, hn::Sub(inside, hn::ConvertTo(d, whole)));
  return {low, hn::Min(hn::Add(low, hn::Set(di, 1)), last), hn::Sub(hn::Set(d, 1.0f), weight),
          weight};
}

// Not for a NaN.
HWY_INLINE hn::Mask<DF> IsInside(VF position, int64_t size) {
  const DF d;
  return hn::And(hn::Ge(position, hn::Set(d, -1.0f)),
                 hn::Le(position, hn::Set(d, static_cast<float>(size))));
}

HWY_INLINE void MakeSamples(const Args& args, const Positions& positions, int64_t count,
                            int64_t pixel_floats, Samples& samples) {
  const DF d;
  const DI di;
  const bool along_x = positions.along_x;
  const int64_t length = along_x ? args.width : args.height;
  const int64_t breadth = along_x ? args.height : args.width;
  const VF across_position = hn::Set(d, positions.across);
  const auto across_inside = IsInside(across_position, breadth);
  const Neighbours across =
      NeighboursOf(hn::IfThenElseZero(across_inside, across_position), breadth);
  const auto floats = [&](int64_t pixels) HWY_ATTR {
    return hn::Set(di, static_cast<int32_t>(pixels * pixel_floats));
  };
  const VI along_floats = floats(along_x ? 1 : args.width);
  const VI across_floats = floats(along_x ? args.width : 1);
  const VI across_low = hn::Mul(across.low, across_floats);
  const VI across_high = hn::Mul(across.high, across_floats);
  const VI outside = floats(args.pixels());
  // Of the formula's neighbours, the second is one column further and the third one row.
  const int next_along = along_x ? 1 : 2;
  const int next_across = along_x ? 2 : 1;
  for (int64_t i = 0; i < count; i += Lanes()) {
    const VF position = hn::Load(d, positions.along + i);
    const auto inside = hn::And(IsInside(position, length), across_inside);
    const Neighbours along = NeighboursOf(hn::IfThenElseZero(inside, position), length);
    const VI low = hn::Mul(along.low, along_floats);
    const VI high = hn::Mul(along.high, along_floats);
    const auto store = [&](int neighbour, VF weight, VI offset) HWY_ATTR {
      hn::Store(weight, d, samples.weights[neighbour] + i);
      hn::Store(hn::IfThenElse(hn::RebindMask(di, inside), offset, outside), di,
                samples.offsets[neighbour] + i);
    };
    store(0, hn::Mul(across.low_weight, along.low_weight), hn::Add(across_low, low));
    store(next_along, hn::Mul(across.low_weight, along.high_weight), hn::Add(across_low, high));
    store(next_across, hn::Mul(across.high_weight, along.low_weight), hn::Add(across_high, low));
    store(3, hn::Mul(across.high_weight, along.high_weight), hn::Add(across_high, high));
  }
}

// ---- Maxima -------------------------------------------------------------------------------------

// `value` where it is greater than `largest`; a NaN is not.
HWY_INLINE VF Larger(VF value, VF largest) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  return hn::Max(value, largest);  // x86's maximum gives its second operand when either is a NaN
#else
  return hn::IfThenElse(hn::Gt(value, largest), value, largest);
#endif
}

// The largest sample of each channel so far, and which it is.
struct Maxima {
  alignas(64) float values[kMaxGroup];
  alignas(64) int32_t samples[kMaxGroup];
};

// kVectors of channels, from channel c on, over samples that are numbered from `first` on.
template <int kVectors>
HWY_INLINE void MaximumOf(const Samples& samples, int64_t count, int64_t first, const float* plane,
                          int64_t c, Maxima& maxima) {
  const DF d;
  const DI di;
  const int64_t lanes = Lanes();
  VF largest[kVectors];
  VI index[kVectors];
  const auto sample = [&](int64_t i, int v, VF w0, VF w1, VF w2, VF w3) HWY_ATTR {
    const auto pixel = [&](int neighbour) HWY_ATTR {
      return hn::LoadU(d, plane + samples.offsets[neighbour][i] + c + v * lanes);
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
  for (; i < count; ++i) {
    const VF w0 = hn::Set(d, samples.weights[0][i]);
    const VF w1 = hn::Set(d, samples.weights[1][i]);
    const VF w2 = hn::Set(d, samples.weights[2][i]);
    const VF w3 = hn::Set(d, samples.weights[3][i]);
    const VI number = hn::Set(di, static_cast<int32_t>(first + i));
    for (int v = 0; v < kVectors; ++v) {
      const VF value = sample(i, v, w0, w1, w2, w3);
      const auto greater = hn::Gt(value, largest[v]);
      largest[v] = Larger(value, largest[v]);
      index[v] = hn::IfThenElse(hn::RebindMask(di, greater), number, index[v]);
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    hn::StoreU(largest[v], d, maxima.values + c + v * lanes);
    hn::StoreU(index[v], di, maxima.samples + c + v * lanes);
  }
}

HWY_INLINE void Accumulate(const Samples& samples, int64_t count, int64_t first, const float* plane,
                           int64_t padded, Maxima& maxima) {
  constexpr int kVectors = 4;  // more would not stay in registers
  int64_t c = 0;
  for (; c + kVectors * Lanes() <= padded; c += kVectors * Lanes()) {
    MaximumOf<kVectors>(samples, count, first, plane, c, maxima);
  }
  for (; c < padded; c += Lanes()) {
    MaximumOf<1>(samples, count, first, plane, c, maxima);
  }
}

// Where a border has no plane: the pixels of some samples, one after the other.
struct Fetched {
  alignas(64) float pixels[4 * kSamples * kFetchedGroup];
};

// Copies what the samples need, and makes them point to it.
template <class T>
HWY_INLINE void Fetch(const Args& args, const Group& group, int64_t count, Samples& samples,
                      Fetched& fetched) {
  const int64_t padded = group.padded();
  for (int neighbour = 0; neighbour < 4; ++neighbour) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t to = (neighbour * kSamples + i) * padded;
      const int64_t pixel = samples.offsets[neighbour][i];
      if (pixel == args.pixels()) {
        std::fill_n(fetched.pixels + to, padded, 0.0f);
      } else {
        CopyPixel<T>(args, group, pixel, fetched.pixels + to);
      }
      samples.offsets[neighbour][i] = static_cast<int32_t>(to);
    }
  }
}

// ---- Results ------------------------------------------------------------------------------------

HWY_INLINE void StreamLines(const Maxima& maxima, int64_t channels, float* output,
                            int32_t* argmax_idx) {
  for (int64_t c = 0; c < channels; c += Lanes()) {
    hn::Stream(hn::LoadU(DF(), maxima.values + c), DF(), output + c);
  }
  for (int64_t c = 0; argmax_idx != nullptr && c < channels; c += Lanes()) {
    hn::Stream(hn::LoadU(DI(), maxima.samples + c), DI(), argmax_idx + c);
  }
}

HWY_INLINE void Convert(const float* from, int64_t count, float* to) {
  std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
}
HWY_INLINE void Convert(const float* from, int64_t count, Half* to) {
  int64_t i = 0;
  for (; i + Lanes() <= count; i += Lanes()) {
    hn::StoreU(detops::HWY_NAMESPACE::FloatToHalf(DF(), hn::LoadU(DF(), from + i)),
               hn::Rebind<uint16_t, DF>(), reinterpret_cast<uint16_t*>(to + i));
  }
  for (; i < count; ++i) {
    to[i] = FloatToHalf(from[i]);
  }
}
HWY_INLINE void Convert(float from, float& to) { to = from; }
HWY_INLINE void Convert(float from, Half& to) { to = FloatToHalf(from); }

template <class T>
HWY_INLINE void WriteLastChannels(const Args& args, const Group& group, int64_t box, bool stream,
                                  const Maxima& maxima) {
  const int64_t begin = args.OutputOffset(group.image, box, group.border, group.first_channel);
  auto* const output = static_cast<T*>(args.output) + begin;
  int32_t* const argmax_idx = args.argmax_idx == nullptr ? nullptr : args.argmax_idx + begin;
  if (stream) {
    StreamLines(maxima, group.channels, reinterpret_cast<float*>(output), argmax_idx);
    return;
  }
  Convert(maxima.values, group.channels, output);
  if (argmax_idx != nullptr) {
    std::copy_n(maxima.samples, group.channels, argmax_idx);
  }
}

template <class T>
HWY_INLINE void WriteFirstChannels(const Args& args, const Group& group, const int32_t* numbers,
                                   int64_t boxes, const Maxima* maxima) {
  for (int64_t c = 0; c < group.channels; ++c) {
    for (int64_t i = 0; i < boxes; ++i) {
      const int64_t at =
          args.OutputOffset(group.image, numbers[i], group.border, group.first_channel + c);
      Convert(maxima[i].values[c], static_cast<T*>(args.output)[at]);
      if (args.argmax_idx != nullptr) {
        args.argmax_idx[at] = maxima[i].samples[c];
      }
    }
  }
}

template <class T>
HWY_INLINE void Write(const Args& args, const Group& group, const int32_t* numbers, int64_t boxes,
                      bool stream, const Maxima* maxima) {
  if (args.channels_first) {
    WriteFirstChannels<T>(args, group, numbers, boxes, maxima);
    return;
  }
  for (int64_t i = 0; i < boxes; ++i) {
    WriteLastChannels<T>(args, group, numbers[i], stream, maxima[i]);
  }
}

// Boxes that go through each step together: what one step writes in pieces has left for the cache
// when the next reads it in vectors.
constexpr int64_t kBoxes = 4;

template <class T>
HWY_INLINE void AlignSome(const Args& args, const Group& group, const float* plane,
                          const int32_t* numbers, int64_t boxes, bool stream) {
  const int64_t all = int64_t{args.pool_size} + 1;
  const int64_t pixel_floats = plane == nullptr ? 1 : group.padded();
  Walk walks[kBoxes];
  Positions positions[kBoxes];
  Samples samples[kBoxes];
  Maxima maxima[kBoxes];
  for (int64_t i = 0; i < boxes; ++i) {
    walks[i] = WalkOf(args, group.image, numbers[i], group.border);
  }
  for (int64_t first = 0; first < all; first += kSamples) {
    const int64_t count = std::min(kSamples, all - first);
    for (int64_t i = 0; i < boxes; ++i) {
      TakePositions(walks[i], count, positions[i]);
    }
    for (int64_t i = 0; i < boxes; ++i) {
      MakeSamples(args, positions[i], count, pixel_floats, samples[i]);
    }
    for (int64_t i = 0; i < boxes; ++i) {
      if (plane != nullptr) {
        Accumulate(samples[i], count, first, plane, group.padded(), maxima[i]);
      } else {
        Fetched fetched;
        Fetch<T>(args, group, count, samples[i], fetched);
        Accumulate(samples[i], count, first, fetched.pixels, group.padded(), maxima[i]);
      }
    }
  }
  Write<T>(args, group, numbers, boxes, stream, maxima);
}

template <class T>
HWY_INLINE void Align(const Args& args, const Group& group, const float* plane,
                      const int32_t* numbers, int64_t boxes, bool stream) {
  for (int64_t i = 0; i < boxes; i += kBoxes) {
    AlignSome<T>(args, group, plane, numbers + i, std::min(kBoxes, boxes - i), stream);
  }
  if (stream) {
    hwy::FlushStream();
  }
}

void AlignTileT(const Args& args, const Group& group, const float* plane, const int32_t* numbers,
                int64_t boxes, bool stream) {
  if (args.half) {
    Align<Half>(args, group, plane, numbers, boxes, stream);
  } else {
    Align<float>(args, group, plane, numbers, boxes, stream);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::border_align_forward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::border_align_forward {

HWY_EXPORT(PackTileT);
HWY_EXPORT(AlignTileT);

void PackPlane(const Args& args, const Group& group, float* plane) {
  HWY_DYNAMIC_DISPATCH(PackTileT)(args, group, plane);
}

void AlignBoxes(const Args& args, const Group& group, const float* plane, const int32_t* numbers,
                int64_t boxes, bool stream) {
  HWY_DYNAMIC_DISPATCH(AlignTileT)(args, group, plane, numbers, boxes, stream);
}

}  // namespace detops::border_align_forward
#endif  // HWY_ONCE
