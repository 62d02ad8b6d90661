// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The specification: the plainest scalar code.

#include <cmath>
#include <cstring>
#include <limits>

#include "core/half.h"
#include "ops/bbox_overlaps/op.h"

namespace detops::bbox_overlaps {
namespace {

struct Box {
  float x1, y1, x2, y2;
};

Box Load(const void* boxes, bool half, int64_t index) {
  float values[4];
  for (int i = 0; i < 4; ++i) {
    values[i] = half ? HalfToFloat(static_cast<const Half*>(boxes)[index * 4 + i])
                     : static_cast<const float*>(boxes)[index * 4 + i];
  }
  return {values[0], values[1], values[2], values[3]};
}

bool HasNaN(const Box& box) {
  return std::isnan(box.x1) || std::isnan(box.y1) || std::isnan(box.x2) || std::isnan(box.y2);
}

// The larger and the smaller value; NaN if either is NaN.
float Max(float a, float b) { return a > b || std::isnan(a) ? a : b; }
float Min(float a, float b) { return a < b || std::isnan(a) ? a : b; }

float Overlap(const Box& a, const Box& b, OverlapMode mode, int offset) {
  if (HasNaN(a) || HasNaN(b)) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  const auto plus = static_cast<float>(offset);
  const float width = Max(0.0f, Min(a.x2, b.x2) - Max(a.x1, b.x1) + plus);
  const float height = Max(0.0f, Min(a.y2, b.y2) - Max(a.y1, b.y1) + plus);
  const float inter = width * height;
  const float area_a = (a.x2 - a.x1 + plus) * (a.y2 - a.y1 + plus);
  const float area_b = (b.x2 - b.x1 + plus) * (b.y2 - b.y1 + plus);
  const float base = mode == OverlapMode::kIou ? area_a + area_b - inter : area_a;
  const float overlap = inter / Max(base, plus);
  return std::isnan(overlap) ? 0.0f : overlap;
}

float Overlap(const Boxes& boxes, int64_t row, int64_t column) {
  return Overlap(Load(boxes.first, boxes.half, row), Load(boxes.second, boxes.half, column),
                 boxes.mode, boxes.offset);
}

void Store(const Args& args, int64_t index, float overlap) {
  if (args.boxes.half) {
    static_cast<Half*>(args.ious)[index] = FloatToHalf(overlap);
  } else {
    static_cast<float*>(args.ious)[index] = overlap;
  }
}

}  // namespace

void Reference(const Args& args) {
  for (int64_t row = 0; row < args.boxes.rows; ++row) {
    if (args.aligned) {
      Store(args, row, Overlap(args.boxes, row, row));
      continue;
    }
    for (int64_t column = 0; column < args.boxes.columns; ++column) {
      Store(args, row * args.boxes.columns + column, Overlap(args.boxes, row, column));
    }
  }
}

void ReferenceRowMaximum(const RowMaximumArgs& args) {
  for (int64_t row = 0; row < args.boxes.rows; ++row) {
    float best = args.boxes.columns == 0 ? 0.0f : std::numeric_limits<float>::quiet_NaN();
    int32_t best_column = -1;
    for (int64_t column = 0; column < args.boxes.columns; ++column) {
      const float overlap = Overlap(args.boxes, row, column);
      if (!std::isnan(overlap) && (best_column == -1 || overlap > best)) {
        best = overlap;
        best_column = static_cast<int32_t>(column);
      }
    }
    args.values[row] = best;
    args.columns[row] = best_column;
  }
}

void ReferencePairs(const PairsArgs& args) {
  args.pairs->clear();
  for (int64_t row = 0; row < args.boxes.rows; ++row) {
    for (int64_t column = 0; column < args.boxes.columns; ++column) {
      const float overlap = Overlap(args.boxes, row, column);
      if (overlap > args.threshold) {
        args.pairs->push_back({static_cast<int32_t>(row), static_cast<int32_t>(column), overlap});
      }
    }
  }
}

}  // namespace detops::bbox_overlaps
