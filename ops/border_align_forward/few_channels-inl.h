// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The kernel for few channels. A walk is one border of one box; each lane has one walk, so that
// vectors are full however few channels there are. Positions, weights and maxima need no exchange
// between lanes, and pixels are read from the input, without copies.

#if defined(DETOPS_OPS_BORDER_ALIGN_FORWARD_FEW_CHANNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_BORDER_ALIGN_FORWARD_FEW_CHANNELS_INL_H_
#undef DETOPS_OPS_BORDER_ALIGN_FORWARD_FEW_CHANNELS_INL_H_
#else
#define DETOPS_OPS_BORDER_ALIGN_FORWARD_FEW_CHANNELS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "core/half.h"
#include "ops/border_align_forward/neighbors-inl.h"
#include "ops/border_align_forward/op.h"
#include "ops/border_align_forward/tiles.h"
#include "simd/half-inl.h"
#include "simd/lanes-inl.h"
#include "simd/nan-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::border_align_forward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Walks of the widest vector, and samples per round. Walks with more samples take several rounds.
constexpr int64_t kMaxWalks = 16;
constexpr int64_t kRoundSamples = 32;

template <class DF>
struct Walks {
  hn::Vec<DF> x, y;            // of the next sample
  hn::Vec<DF> x_step, y_step;  // one of them is 0
  hn::Vec<DF> last_x, last_y;  // of the sample before
  bool were_outside;           // whether all of them were outside the map at the same time
};

template <class DF>
HWY_INLINE void Step(Walks<DF>& walks) {
  walks.last_x = walks.x;
  walks.last_y = walks.y;
  walks.x = hn::Add(walks.x, walks.x_step);
  walks.y = hn::Add(walks.y, walks.y_step);
}

// Returns the walks from `walk` on; walk w is border w % 4 of box w / 4. `boxes` are those of the
// image.
template <class DF, class T>
HWY_INLINE Walks<DF> LoadWalks(DF d, const T* boxes, int64_t walk, int32_t pool_size) {
  const auto zero = hn::Zero(d);
  const auto steps = hn::Set(d, static_cast<float>(pool_size));
#if HWY_TARGET == HWY_SCALAR
  const T* const box = boxes + walk / kBorders * kBoxNumbers;
  const int64_t border = walk % kBorders;
  const auto corner = [&](int64_t i) HWY_ATTR { return hn::Set(d, WidenToFloat(box[i])); };
  const auto x = corner(border < 2 ? 0 : 2);
  const auto y = corner(border < 2 ? 1 : 3);
  const auto opposite = corner((border + 2) % kBoxNumbers);
  const auto step = hn::Div(hn::Sub(opposite, corner(border)), steps);
  return {x, y, border % 2 == 0 ? step : zero, border % 2 == 0 ? zero : step, x, y, false};
#else
  // A box has as many numbers as borders: x1, y1, x2, y2. In this order, the differences from the
  // opposite corner are the lengths of the borders with the sign of their direction.
  const auto corners = detops::HWY_NAMESPACE::LoadAsFloat(d, boxes + walk);
  const auto x = hn::DupEven(corners);
  const auto y = hn::DupOdd(corners);
  const auto step = hn::Div(hn::Sub(hn::Shuffle1032(corners), corners), steps);
  return {x, y, hn::OddEven(zero, step), hn::OddEven(step, zero), x, y, false};
#endif
}

// The samples of a round. The neighbors are in the order of the formula; offsets are elements from
// the start of the channel in the image.
struct WalkSamples {
  alignas(64) float weights[kRoundSamples][4][kMaxWalks];
  alignas(64) int32_t offsets[kRoundSamples][4][kMaxWalks];
  alignas(64) int32_t inside[kRoundSamples][kMaxWalks];  // -1 if interpolated, otherwise 0
  int32_t numbers[kRoundSamples];                        // the indices of the samples
};

// The distances between pixels of a channel in the input, in elements, and the first pixel of each
// lane's border.
template <class DI>
struct MapOffsets {
  hn::Vec<DI> border, row, column;
};

template <class DI>
HWY_INLINE MapOffsets<DI> MapOffsetsOf(DI di, const Args& args, int64_t walk) {
  const int64_t pixel = args.channels_first ? 1 : kBorders * args.channels;
  const int64_t border = args.channels * (args.channels_first ? args.pixels() : 1);
  const auto borders = hn::And(hn::Iota(di, static_cast<int32_t>(walk % kBorders)),
                               hn::Set(di, static_cast<int32_t>(kBorders - 1)));
  return {hn::Mul(borders, hn::Set(di, static_cast<int32_t>(border))),
          hn::Set(di, static_cast<int32_t>(args.width * pixel)),
          hn::Set(di, static_cast<int32_t>(pixel))};
}

// Takes the steps [first, end) of the walks and computes the neighbors of their samples. Returns
// the number of samples. Those that are outside the map in every lane are 0: all but the first of
// them are left out, because they cannot replace the maximum.
template <class DF, class DI = hn::RebindToSigned<DF>>
HWY_INLINE int64_t TakeSamples(DF d, const Args& args, const MapOffsets<DI>& map, int64_t first,
                               int64_t end, Walks<DF>& walks, WalkSamples& samples) {
  const DI di;
  int64_t i = 0;
  for (int64_t number = first; number < end; ++number) {
    const auto inside =
        hn::And(IsInside(d, walks.x, args.width), IsInside(d, walks.y, args.height));
    if (hn::AllFalse(d, inside)) {
      if (walks.were_outside) {
        Step(walks);
        continue;
      }
      walks.were_outside = true;
    }
    const auto column = NeighborsOf(d, hn::IfThenElseZero(inside, walks.x), args.width);
    const auto row = NeighborsOf(d, hn::IfThenElseZero(inside, walks.y), args.height);
    const auto left = hn::Add(map.border, hn::Mul(column.low, map.column));
    const auto right = hn::Add(map.border, hn::Mul(column.high, map.column));
    const auto top = hn::Mul(row.low, map.row);
    const auto bottom = hn::Mul(row.high, map.row);
    hn::Store(hn::Mul(row.low_weight, column.low_weight), d, samples.weights[i][0]);
    hn::Store(hn::Mul(row.low_weight, column.high_weight), d, samples.weights[i][1]);
    hn::Store(hn::Mul(row.high_weight, column.low_weight), d, samples.weights[i][2]);
    hn::Store(hn::Mul(row.high_weight, column.high_weight), d, samples.weights[i][3]);
    hn::Store(hn::Add(top, left), di, samples.offsets[i][0]);
    hn::Store(hn::Add(top, right), di, samples.offsets[i][1]);
    hn::Store(hn::Add(bottom, left), di, samples.offsets[i][2]);
    hn::Store(hn::Add(bottom, right), di, samples.offsets[i][3]);
    hn::Store(hn::VecFromMask(di, hn::RebindMask(di, inside)), di, samples.inside[i]);
    samples.numbers[i++] = static_cast<int32_t>(number);
    Step(walks);
  }
  return i;
}

// Returns whether a position that moves by `step` stays outside an axis of `size` pixels for good.
template <class DF>
HWY_INLINE hn::Mask<DF> StaysOutside(DF d, hn::Vec<DF> position, hn::Vec<DF> step, int64_t size) {
  const auto zero = hn::Zero(d);
  const auto before = hn::And(hn::Lt(position, hn::Set(d, -1.0f)), hn::Le(step, zero));
  const auto after =
      hn::And(hn::Gt(position, hn::Set(d, static_cast<float>(size))), hn::Ge(step, zero));
  return hn::Or(hn::Or(before, after), hn::IsNaN(position));
}

// Returns the walks that stay outside the map for good, from the last sample on.
template <class DF>
HWY_INLINE hn::Mask<DF> StayOutside(DF d, const Args& args, const Walks<DF>& walks) {
  return hn::Or(StaysOutside(d, walks.last_x, walks.x_step, args.width),
                StaysOutside(d, walks.last_y, walks.y_step, args.height));
}

// Returns whether, in each walk, all further samples are equal to the last one: they cannot replace
// the maximum. A step that rounding undoes once is undone again. NaN stays NaN.
template <class DF>
HWY_INLINE bool AreOver(DF d, const Args& args, const Walks<DF>& walks) {
  const auto stand_still = hn::And(hn::Eq(walks.x, walks.last_x), hn::Eq(walks.y, walks.last_y));
  return hn::AllTrue(d, hn::Or(stand_still, StayOutside(d, args, walks)));
}

// Returns the element at `from` + offsets[i] in lane i.
template <class DF>
HWY_INLINE hn::Vec<DF> Gather(DF d, const float* from, const int32_t* offsets) {
  alignas(64) float values[kMaxWalks];
  for (int64_t i = 0; i < detops::HWY_NAMESPACE::LanesOf(d); ++i) {
    values[i] = from[offsets[i]];
  }
  return hn::Load(d, values);
}
template <class DF>
HWY_INLINE hn::Vec<DF> Gather(DF d, const Half* from, const int32_t* offsets) {
  alignas(64) uint16_t bits[kMaxWalks];
  for (int64_t i = 0; i < detops::HWY_NAMESPACE::LanesOf(d); ++i) {
    bits[i] = from[offsets[i]].bits;
  }
  return detops::HWY_NAMESPACE::HalfToFloat(d, hn::Load(hn::Rebind<uint16_t, DF>(), bits));
}

// The largest sample of each walk so far, for each channel, and its index.
struct WalkMaxima {
  alignas(64) float values[kMaxFewChannels][kMaxWalks];
  alignas(64) int32_t samples[kMaxFewChannels][kMaxWalks];
};

// Updates the maxima of one channel with `count` samples. The first sample of all initializes them.
// `channel` is the channel's first element of the image.
template <class DF, class T>
HWY_INLINE void MaximumOfChannel(DF d, const WalkSamples& samples, int64_t count, bool is_first,
                                 const T* channel, float* values, int32_t* indices) {
  const hn::RebindToSigned<DF> di;
  const auto sample = [&](int64_t i) HWY_ATTR {
    const auto product = [&](int neighbor) HWY_ATTR {
      return hn::Mul(hn::Load(d, samples.weights[i][neighbor]),
                     Gather(d, channel, samples.offsets[i][neighbor]));
    };
    const auto sum = hn::Add(hn::Add(hn::Add(product(0), product(1)), product(2)), product(3));
    return hn::And(sum, hn::BitCast(d, hn::Load(di, samples.inside[i])));
  };
  auto largest = is_first ? sample(0) : hn::Load(d, values);
  auto index = is_first ? hn::Zero(di) : hn::Load(di, indices);
  for (int64_t i = is_first ? 1 : 0; i < count; ++i) {
    const auto value = sample(i);
    const auto greater = hn::Gt(value, largest);
    largest = detops::HWY_NAMESPACE::MaxOrSecond(value, largest);
    index = hn::IfThenElse(hn::RebindMask(di, greater), hn::Set(di, samples.numbers[i]), index);
  }
  hn::Store(largest, d, values);
  hn::Store(index, di, indices);
}

// Writes the results of the walks from `walk` on. With channels first, or with one channel, those
// of consecutive walks are next to each other.
template <class T, class DF>
HWY_INLINE void WriteWalks(DF d, const Args& args, int64_t image, int64_t walk,
                           const WalkMaxima& maxima) {
  const hn::RebindToSigned<DF> di;
  const int64_t stride = args.channels_first ? 1 : args.channels;
  for (int64_t c = 0; c < args.channels; ++c) {
    const int64_t at = args.OutputOffset(image, walk / kBorders, walk % kBorders, c);
    T* const output = static_cast<T*>(args.output) + at;
    int32_t* const argmax_idx = args.argmax_idx == nullptr ? nullptr : args.argmax_idx + at;
    const auto largest = hn::Load(d, maxima.values[c]);
    if (stride == 1) {
      detops::HWY_NAMESPACE::StoreRounded(largest, d, output);
      if (argmax_idx != nullptr) {
        hn::StoreU(hn::Load(di, maxima.samples[c]), di, argmax_idx);
      }
      continue;
    }
    T rounded[kMaxWalks];
    detops::HWY_NAMESPACE::StoreRounded(largest, d, rounded);
    for (int64_t i = 0; i < detops::HWY_NAMESPACE::LanesOf(d); ++i) {
      output[i * stride] = rounded[i];
      if (argmax_idx != nullptr) {
        argmax_idx[i * stride] = maxima.samples[c][i];
      }
    }
  }
}

// Computes the maxima of one vector of walks.
template <class T, class DF>
HWY_INLINE void MaximaOfWalks(DF d, const Args& args, int64_t image, int64_t walk, Walks<DF>& walks,
                              WalkMaxima& maxima) {
  const int64_t all = int64_t{args.pool_size} + 1;
  const auto map = MapOffsetsOf(hn::RebindToSigned<DF>(), args, walk);
  const T* const input = static_cast<const T*>(args.input);
  WalkSamples samples;
  for (int64_t first = 0; first < all; first += kRoundSamples) {
    const int64_t end = std::min(all, first + kRoundSamples);
    const int64_t count = TakeSamples(d, args, map, first, end, walks, samples);
    for (int64_t c = 0; c < args.channels; ++c) {
      MaximumOfChannel(d, samples, count, first == 0, input + args.InputOffset(image, 0, 0, 0, c),
                       maxima.values[c], maxima.samples[c]);
    }
    if (AreOver(d, args, walks)) {
      break;
    }
  }
}

// Computes and writes the results of one vector of walks.
template <class T, class DF>
HWY_INLINE void AlignWalks(DF d, const Args& args, int64_t image, int64_t walk) {
  const T* const boxes =
      static_cast<const T*>(args.boxes) + image * args.boxes_per_image * kBoxNumbers;
  Walks<DF> walks = LoadWalks(d, boxes, walk, args.pool_size);
  WalkMaxima maxima;
  if (hn::AllTrue(d, StayOutside(d, args, walks))) {
    for (int64_t c = 0; c < args.channels; ++c) {
      hn::Store(hn::Zero(d), d, maxima.values[c]);
      hn::Store(hn::Zero(hn::RebindToSigned<DF>()), hn::RebindToSigned<DF>(), maxima.samples[c]);
    }
  } else {
    MaximaOfWalks<T>(d, args, image, walk, walks, maxima);
  }
  WriteWalks<T>(d, args, image, walk, maxima);
}

// Computes the results of the boxes [begin, end) of an image: whole vectors of walks first, then
// the four walks of one box at a time.
template <class T>
HWY_INLINE void AlignBoxesOfFewChannels(const Args& args, int64_t image, int64_t begin,
                                        int64_t end) {
  const hn::CappedTag<float, kMaxWalks> d;
  const hn::CappedTag<float, kBorders> d4;
  const int64_t last = end * kBorders;
  int64_t walk = begin * kBorders;
  for (; walk + detops::HWY_NAMESPACE::LanesOf(d) <= last;
       walk += detops::HWY_NAMESPACE::LanesOf(d)) {
    AlignWalks<T>(d, args, image, walk);
  }
  for (; walk < last; walk += detops::HWY_NAMESPACE::LanesOf(d4)) {
    AlignWalks<T>(d4, args, image, walk);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::border_align_forward
HWY_AFTER_NAMESPACE();

#endif  // include guard
