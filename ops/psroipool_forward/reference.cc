// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The specification: one bin at a time, with float operations in the order in which they are
// written.

#include <algorithm>
#include <cmath>

#include "ops/psroipool_forward/op.h"

namespace detops::psroipool_forward {
namespace {

// Rows or columns [begin, end).
struct PixelRange {
  int64_t begin, end;
};

// Returns the position as an integer, clamped to [0, last].
int64_t Clamped(float position, int64_t last) {
  constexpr float kAboveEveryMap = 0x1p40f;
  return std::min(static_cast<int64_t>(std::clamp(position, 0.0f, kAboveEveryMap)), last);
}

// Returns the pixels of bin p along one axis of the map, which has `size` pixels. `first` and
// `last` are the coordinates of the RoI on this axis.
PixelRange BinOf(const Args& args, float first, float last, int64_t p, int64_t size) {
  const auto bins = static_cast<float>(args.group);
  const auto index = static_cast<float>(p);
  const auto next = static_cast<float>(p + 1);
  float start = 0;
  float stop = 0;
  float begin = 0;
  float end = 0;
  if (args.rounding == RoiRounding::kBeforeScaling) {
    start = std::round(first) * args.scale;
    stop = (std::round(last) + 1) * args.scale;
    const float bin = std::max(stop - start, 0.1f) / bins;
    begin = std::floor(index * bin + start);
    end = std::ceil(next * bin + start);
  } else {
    start = std::round(first * args.scale);
    stop = std::round(last * args.scale);
    const float bin = std::max(stop - start, 1.0f) / bins;
    begin = std::floor(index * bin) + start;
    end = std::ceil(next * bin) + start;
  }
  for (const float position : {start, stop, begin, end}) {
    if (!std::isfinite(position)) {
      return {0, 0};
    }
  }
  const int64_t map_end = args.rounding == RoiRounding::kBeforeScaling ? size : size - 1;
  return {Clamped(begin, map_end), Clamped(end, map_end)};
}

float MeanOf(const Args& args, int64_t image, PixelRange rows, PixelRange columns,
             int64_t channel) {
  const int64_t pixels = (rows.end - rows.begin) * (columns.end - columns.begin);
  float float_sum = 0;
  double sum = 0;
  for (int64_t y = rows.begin; y < rows.end; ++y) {
    for (int64_t x = columns.begin; x < columns.end; ++x) {
      const float value = args.input[args.InputOffset(image, y, x, channel)];
      float_sum += value;
      sum += value;
    }
  }
  return pixels <= kMaxFloatPixels ? float_sum / static_cast<float>(pixels)
                                   : static_cast<float>(sum / static_cast<double>(pixels));
}

void ReferenceRoi(const Args& args, int64_t roi) {
  const float* const numbers = args.rois + roi * kRoiNumbers;
  const int64_t image = *ImageOf(args, numbers[0]);
  const bool is_finite =
      std::all_of(numbers + 1, numbers + kRoiNumbers, [](float x) { return std::isfinite(x); });
  for (int64_t ph = 0; ph < args.group; ++ph) {
    const PixelRange rows = BinOf(args, numbers[2], numbers[4], ph, args.height);
    for (int64_t pw = 0; pw < args.group; ++pw) {
      const PixelRange columns = BinOf(args, numbers[1], numbers[3], pw, args.width);
      const bool is_empty = !is_finite || rows.begin >= rows.end || columns.begin >= columns.end;
      for (int64_t d = 0; d < args.dim; ++d) {
        const int64_t channel = args.ChannelOf(ph, pw, d);
        const int64_t offset = args.OutputOffset(roi, ph, pw, d);
        args.output[offset] = is_empty ? 0 : MeanOf(args, image, rows, columns, channel);
        if (args.mapping_channel != nullptr) {
          args.mapping_channel[offset] = static_cast<int32_t>(channel);
        }
      }
    }
  }
}

}  // namespace

Status Reference(const Args& args) {
  if (args.images == 0 || args.pixels() == 0) {
    return {};
  }
  for (int64_t roi = 0; roi < args.roi_count; ++roi) {
    const float number = args.rois[roi * kRoiNumbers];
    if (!ImageOf(args, number)) {
      return BatchIndexOutOfRange(args, roi, number);
    }
  }
  for (int64_t roi = 0; roi < args.roi_count; ++roi) {
    ReferenceRoi(args, roi);
  }
  return {};
}

Status BatchIndexOutOfRange(const Args& args, int64_t roi, float number) {
  return BadParam("rois[{}] has batch index {}; it must be 0 to {}", roi, number, args.images - 1);
}

}  // namespace detops::psroipool_forward
