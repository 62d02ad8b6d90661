// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The specification: compares one pair of boxes at a time, in double.

#include <algorithm>
#include <cmath>

#include "ops/nms/op.h"
#include "suppression/reference.h"

namespace detops::nms {
namespace {

bool IsFinite(const float* box) {
  return std::all_of(box, box + kBoxFloats, [](float value) { return std::isfinite(value); });
}

double Length(double low, double high, int offset) { return high - low + offset; }

}  // namespace

double ReferenceIou(const float* a, const float* b, int offset) {
  if (!IsFinite(a) || !IsFinite(b)) {
    return 0;
  }
  const double width = Length(std::max(a[0], b[0]), std::min(a[2], b[2]), offset);
  const double height = Length(std::max(a[1], b[1]), std::min(a[3], b[3]), offset);
  if (!(width > 0 && height > 0)) {
    return 0;
  }
  const double inter = width * height;
  const double area_a = Length(a[0], a[2], offset) * Length(a[1], a[3], offset);
  const double area_b = Length(b[0], b[2], offset) * Length(b[1], b[3], offset);
  return inter / (area_a + area_b - inter);
}

void Reference(const Args& args) {
  const auto* const boxes = static_cast<const float*>(args.suppression.boxes);
  const auto box = [&](int32_t i) { return boxes + i * kBoxFloats; };
  suppression::ReferenceGreedy(args.suppression, [&](int32_t kept, int32_t i) {
    return suppression::Exceeds(ReferenceIou(box(kept), box(i), args.metric.offset),
                                args.suppression.iou_threshold);
  });
}

}  // namespace detops::nms
