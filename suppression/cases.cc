// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "measure/random_floats.h"

namespace detops {

suppression::Args SuppressionCase::ArgsWithoutBoxes(int64_t count, int32_t* output,
                                                    int32_t* result_num) const {
  return {.count = count,
          .iou_threshold = iou_threshold,
          .score_threshold =
              has_score_threshold ? score_threshold : std::numeric_limits<float>::quiet_NaN(),
          .max_outputs = max_outputs,
          .sort_by_score = sort_by_score,
          .groups = groups.empty() ? nullptr : groups.data(),
          .image_counts = image_counts.empty() ? nullptr : image_counts.data(),
          .images = static_cast<int64_t>(images()),
          .output = output,
          .result_num = result_num};
}

std::string SuppressionCase::Describe(int64_t count) const {
  return fmt::format(
      "iou_threshold {}, score_threshold {}, max_outputs {}, sort_by_score {}, groups [{}], "
      "image_counts [{}], boxes [{}]",
      iou_threshold, has_score_threshold ? fmt::format("{}", score_threshold) : "none", max_outputs,
      sort_by_score, fmt::join(groups, ","), fmt::join(image_counts, ","),
      count > 20 ? "..." : fmt::format("{}", fmt::join(boxes, ",")));
}

bool SuppressionCase::CountsAddUp(int64_t count) const {
  const auto is_negative = [](int32_t of_image) { return of_image < 0; };
  return image_counts.empty() ||
         (std::none_of(image_counts.begin(), image_counts.end(), is_negative) &&
          std::accumulate(image_counts.begin(), image_counts.end(), int64_t{0}) == count);
}

int SuppressionCase::TakeCount(FuzzBytes& bytes, int most) {
  const int count = bytes.TakeInRange(0, 255);
  return bytes.TakeRarely() ? 160 + count * (most - 160) / 255 : count;
}

void SuppressionCase::TakeOptions(FuzzBytes& bytes, int count) {
  // Exhausted bytes read as zeros; zeros choose the options that hide no results.
  constexpr float kThresholds[] = {0.5f, 0.0f, 0.05f, 0.1f, 0.25f, 0.7f, 0.99f, 1.0f};
  const int threshold = bytes.TakeInRange(0, 15);
  iou_threshold = threshold < 8 ? kThresholds[threshold] : bytes.Take<uint16_t>() * 0x1p-16f;
  has_score_threshold = bytes.TakeInRange(0, 3) == 3;
  // A NaN would mean "no threshold".
  const float least_score = bytes.TakeFloat();
  score_threshold = std::isnan(least_score) ? 0.25f : least_score;
  sort_by_score = bytes.TakeInRange(0, 1) == 0;
  if (bytes.TakeInRange(0, 3) == 3) {
    max_outputs = bytes.TakeInRange(0, 50);
  }
  // A few different groups, or nearly one per box.
  constexpr int32_t kGroups[] = {0, -1, 7, INT32_MIN, INT32_MAX};
  const int group_count = bytes.TakeInRange(0, 6);
  Random random(bytes.Take<uint16_t>());
  for (int i = 0; i < count && group_count != 0; ++i) {
    groups.push_back(group_count == 6
                         ? static_cast<int32_t>(random() % static_cast<uint32_t>(count))
                         : kGroups[random() % static_cast<uint32_t>(group_count)]);
  }
  const int images = std::max(bytes.TakeInRange(0, 12) - 5, 0);
  int left = count;
  for (int image = 1; image < images; ++image) {
    image_counts.push_back(static_cast<int32_t>(random() % static_cast<uint32_t>(left + 1)));
    left -= image_counts.back();
  }
  if (images != 0) {
    image_counts.push_back(left);
    // Rarely, the counts are invalid.
    image_counts[0] = bytes.TakeRarely() ? bytes.Take<int32_t>() : image_counts[0];
  }
}

SuppressionCase::Tie SuppressionCase::TakeTie(FuzzBytes& bytes) {
  constexpr float kTowards[] = {0.0f, 1.0f, std::numeric_limits<float>::quiet_NaN()};
  const int choice = bytes.TakeInRange(0, 5);
  return {choice < 3, bytes.Take<uint16_t>(), kTowards[choice % 3]};
}

}  // namespace detops
