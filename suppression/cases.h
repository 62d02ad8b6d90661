// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Inputs and results that all suppressing operators share, for suites, tests and fuzz targets.

#ifndef DETOPS_SUPPRESSION_CASES_H_
#define DETOPS_SUPPRESSION_CASES_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "measure/fuzz_bytes.h"
#include "suppression/engine.h"

namespace detops {

// The options of a call. An operator's case derives from it and adds count() and
// args(output, result_num).
struct SuppressionCase {
  std::vector<float> boxes;  // the operator defines how many numbers a box has
  float iou_threshold = 0.5f;
  float score_threshold = 0;
  bool has_score_threshold = false;
  int64_t max_outputs = INT32_MAX;
  bool sort_by_score = false;
  std::vector<int32_t> groups;        // empty for none
  std::vector<int32_t> image_counts;  // empty for one image

  size_t images() const { return image_counts.empty() ? 1 : image_counts.size(); }

  // Returns the engine's arguments without boxes and scores. The result goes to `output`, which has
  // room for all boxes, and to `result_num`.
  suppression::Args ArgsWithoutBoxes(int64_t count, int32_t* output, int32_t* result_num) const;

  // Returns the options, and the boxes when there are few, for messages.
  std::string Describe(int64_t count) const;

  // Returns whether the image counts are valid: not negative, with a sum of `count`.
  bool CountsAddUp(int64_t count) const;

  // Returns 0 to 255 boxes; rarely up to `most`, which is enough for a grid.
  static int TakeCount(FuzzBytes& bytes, int most);
  // Sets everything but boxes and scores.
  void TakeOptions(FuzzBytes& bytes, int count);
  // Asks for a threshold that equals the IoU of two overlapping boxes, or is the float next to it.
  // Random thresholds hardly ever hit an IoU.
  struct Tie {
    bool is_wanted;
    int64_t second;
    float towards;
  };
  static Tie TakeTie(FuzzBytes& bytes);
  // Sets the threshold from score(i) and iou(i, j), which is in double. The first box of the pair
  // is the one with the highest score, which is always kept.
  template <class Score, class Iou>
  void SetThreshold(const Tie& tie, int64_t count, const Score& score, const Iou& iou) {
    int64_t first = 0;
    for (int64_t i = 1; tie.is_wanted && i < count; ++i) {
      first = score(i) > score(first) ? i : first;
    }
    for (int64_t i = 0; tie.is_wanted && i < count; ++i) {
      const auto value = static_cast<float>(iou(first, (tie.second + i) % count));
      if (value > 0 && value < 1) {
        iou_threshold = std::isnan(tie.towards) ? value : std::nextafter(value, tie.towards);
        return;
      }
    }
  }
};

// The results of a call. Entries that it did not write are -1.
struct Kept {
  std::vector<int32_t> output;
  std::vector<int32_t> result_num;
  bool is_done = true;  // false when the call failed

  static Kept Untouched(int64_t count, size_t images) {
    return {std::vector<int32_t>(static_cast<size_t>(count), -1), std::vector<int32_t>(images, -1)};
  }

  bool operator==(const Kept& other) const {
    return output == other.output && result_num == other.result_num && is_done == other.is_done;
  }
};

}  // namespace detops

#endif  // DETOPS_SUPPRESSION_CASES_H_
