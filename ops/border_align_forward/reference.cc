// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The specification: one sample at a time, with float operations in the written order.

#include <cmath>

#include "core/half.h"
#include "ops/border_align_forward/op.h"

namespace detops::border_align_forward {
namespace {

float Read(const Args& args, const void* tensor, int64_t offset) {
  return args.half ? HalfToFloat(static_cast<const Half*>(tensor)[offset])
                   : static_cast<const float*>(tensor)[offset];
}

void Write(const Args& args, int64_t offset, float value) {
  if (args.half) {
    static_cast<Half*>(args.output)[offset] = FloatToHalf(value);
  } else {
    static_cast<float*>(args.output)[offset] = value;
  }
}

// The two neighbors of a position along an axis, and the weight of the second.
struct Neighbors {
  int64_t low, high;
  float weight;
};

Neighbors NeighborsOf(float position, int64_t size) {
  const float inside = position > 0 ? position : 0;
  const auto low = static_cast<int64_t>(inside);
  if (low >= size - 1) {
    return {size - 1, size - 1, 0};
  }
  return {low, low + 1, inside - static_cast<float>(low)};
}

float Sample(const Args& args, int64_t image, int64_t border, int64_t channel, float x, float y) {
  const bool inside = std::isfinite(x) && std::isfinite(y) && y >= -1 &&
                      y <= static_cast<float>(args.height) && x >= -1 &&
                      x <= static_cast<float>(args.width);
  if (!inside) {
    return 0;
  }
  const Neighbors column = NeighborsOf(x, args.width);
  const Neighbors row = NeighborsOf(y, args.height);
  const auto value = [&](int64_t at_row, int64_t at_column) {
    return Read(args, args.input, args.InputOffset(image, at_row, at_column, border, channel));
  };
  const float lx = column.weight;
  const float ly = row.weight;
  const float hx = 1 - lx;
  const float hy = 1 - ly;
  return (hy * hx) * value(row.low, column.low) + (hy * lx) * value(row.low, column.high) +
         (ly * hx) * value(row.high, column.low) + (ly * lx) * value(row.high, column.high);
}

void ReferenceBorder(const Args& args, int64_t image, int64_t box, int64_t border,
                     int64_t channel) {
  float corners[kBoxNumbers];
  for (int64_t i = 0; i < kBoxNumbers; ++i) {
    corners[i] = Read(args, args.boxes, (image * args.boxes_per_image + box) * kBoxNumbers + i);
  }
  const float width = corners[2] - corners[0];
  const float height = corners[3] - corners[1];
  const auto steps = static_cast<float>(args.pool_size);
  const float x_steps[kBorders] = {width / steps, 0, -width / steps, 0};
  const float y_steps[kBorders] = {0, height / steps, 0, -height / steps};
  float x = border < 2 ? corners[0] : corners[2];
  float y = border < 2 ? corners[1] : corners[3];
  float largest = Sample(args, image, border, channel, x, y);
  int32_t index = 0;
  for (int64_t i = 1; i <= args.pool_size; ++i) {
    x += x_steps[border];
    y += y_steps[border];
    const float sample = Sample(args, image, border, channel, x, y);
    if (sample > largest) {
      largest = sample;
      index = static_cast<int32_t>(i);
    }
  }
  const int64_t offset = args.OutputOffset(image, box, border, channel);
  Write(args, offset, largest);
  if (args.argmax_idx != nullptr) {
    args.argmax_idx[offset] = index;
  }
}

}  // namespace

void Reference(const Args& args) {
  for (int64_t image = 0; image < args.images; ++image) {
    for (int64_t box = 0; box < args.boxes_per_image; ++box) {
      for (int64_t border = 0; border < kBorders; ++border) {
        for (int64_t channel = 0; channel < args.channels; ++channel) {
          ReferenceBorder(args, image, box, border, channel);
        }
      }
    }
  }
}

}  // namespace detops::border_align_forward
