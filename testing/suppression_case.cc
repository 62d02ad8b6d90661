// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "testing/suppression_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

namespace detops {

nms::SuppressCall SuppressionCase::CallWithoutBoxes(int64_t count, int32_t* output,
                                                    int32_t* result_num) const {
  return {nullptr,
          nullptr,
          1,
          count,
          iou_threshold,
          has_score_threshold ? score_threshold : std::numeric_limits<float>::quiet_NaN(),
          max_outputs,
          sort_by_score,
          groups.empty() ? nullptr : groups.data(),
          image_counts.empty() ? nullptr : image_counts.data(),
          static_cast<int64_t>(images()),
          output,
          result_num,
          nullptr};
}

std::string SuppressionCase::Describe(int64_t count) const {
  return fmt::format(
      "iou_threshold {}, score_threshold {}, max_outputs {}, sort_by_score {}, groups [{}], "
      "image_counts [{}], boxes [{}]",
      iou_threshold, has_score_threshold ? fmt::format("{}", score_threshold) : "none", max_outputs,
      sort_by_score, fmt::join(groups, ","), fmt::join(image_counts, ","),
      count > 20 ? "..." : fmt::format("{}", fmt::join(boxes, ",")));
}

void SuppressionCase::TakeOptionsAndBoxes(FuzzBytes& bytes, int count) {
  has_score_threshold = bytes.TakeInRange(0, 3) == 0;
  score_threshold = 0.25f;
  sort_by_score = bytes.TakeInRange(0, 1) == 0;
  if (bytes.TakeInRange(0, 3) == 0) {
    max_outputs = bytes.TakeInRange(0, 50);
  }
  const int group_count = bytes.TakeInRange(0, 4);
  for (int i = 0; i < count && group_count != 0; ++i) {
    groups.push_back(bytes.TakeInRange(0, group_count) - 1);
  }
  if (bytes.TakeInRange(0, 2) == 0) {
    const int first = bytes.TakeInRange(0, 255) % (count + 1);
    image_counts = {first, 0, count - first};
  }
  for (size_t i = 0; i < boxes.size() && !bytes.empty(); ++i) {
    boxes[i] = bytes.Take<float>();
  }
}

}  // namespace detops
