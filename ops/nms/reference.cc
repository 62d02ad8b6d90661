// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The specification: one pair of boxes after the other, in double.

#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/nms/op.h"

namespace detops::nms {
namespace {

bool IsFinite(const float* box) {
  return std::all_of(box, box + kBoxFloats, [](float value) { return std::isfinite(value); });
}

double Length(double low, double high, int offset) { return high - low + offset; }

// The kept boxes of one image, highest score first.
std::vector<int32_t> ReferenceImage(const Args& args, int32_t begin, int32_t end) {
  const SuppressCall& call = args.call;
  const auto score = [&](int32_t i) { return call.ScoreOf(i); };
  const auto box = [&](int32_t i) { return args.boxes.coordinates + i * kBoxFloats; };
  std::vector<int32_t> order;
  for (int32_t i = begin; i < end; ++i) {
    if (!(score(i) <= call.score_threshold)) {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return std::isnan(score(a)) ? !std::isnan(score(b)) : score(a) > score(b);
  });
  std::vector<int32_t> kept;
  for (const int32_t i : order) {
    const bool suppressed = std::any_of(kept.begin(), kept.end(), [&](int32_t k) {
      return call.GroupOf(k) == call.GroupOf(i) &&
             Exceeds(ReferenceIou(box(k), box(i), args.boxes.offset), call.iou_threshold);
    });
    if (!suppressed) {
      kept.push_back(i);
    }
  }
  return kept;
}

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
  const SuppressCall& call = args.call;
  int32_t* output = call.output;
  int32_t begin = 0;
  for (int64_t image = 0; image < call.images; ++image) {
    const int32_t end = call.image_counts == nullptr ? static_cast<int32_t>(call.count)
                                                     : begin + call.image_counts[image];
    std::vector<int32_t> kept = ReferenceImage(args, begin, end);
    if (static_cast<int64_t>(kept.size()) > call.max_outputs) {
      kept.resize(static_cast<size_t>(call.max_outputs));
    }
    if (!call.sort_by_score) {
      std::sort(kept.begin(), kept.end());
    }
    output = std::copy(kept.begin(), kept.end(), output);
    call.result_num[image] = static_cast<int32_t>(kept.size());
    begin = end;
  }
}

}  // namespace detops::nms
