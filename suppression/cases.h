// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the inputs of all suppressing operators have in common, and what their calls keep.

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

// An operator's case adds count() and args(output, result_num), a call of it.
struct SuppressionCase {
  std::vector<float> boxes;  // the operator says how many numbers each has
  float iou_threshold = 0.5f;
  float score_threshold = 0;
  bool has_score_threshold = false;
  int64_t max_outputs = INT32_MAX;
  bool sort_by_score = false;
  std::vector<int32_t> groups;        // empty for none
  std::vector<int32_t> image_counts;  // empty for one image

  size_t images() const { return image_counts.empty() ? 1 : image_counts.size(); }

  // Everything but boxes and scores. The result goes to `output`, with room for all boxes, and
  // `result_num`.
  suppression::SuppressCall CallWithoutBoxes(int64_t count, int32_t* output,
                                             int32_t* result_num) const;

  // Options and boxes, for messages; many boxes would hide the rest.
  std::string Describe(int64_t count) const;

  // Whether the images have as many boxes as there are. No other call succeeds.
  bool CountsAddUp(int64_t count) const;

  // Of 0 to 255 boxes; rarely of so many that they are put into a grid.
  static int TakeCount(FuzzBytes& bytes, int most);
  // Everything but boxes and scores.
  void TakeOptions(FuzzBytes& bytes, int count);
  // Makes the threshold the IoU of two boxes that overlap, or the float before or after it: hardly
  // any two hit it by chance.
  struct Tie {
    bool is_wanted;
    int64_t second;
    float towards;
  };
  static Tie TakeTie(FuzzBytes& bytes);
  // score(i) is that of a box, iou(i, j) that of two in double. The first is one that is kept.
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

// What a call wrote; entries that it left alone are -1.
struct Kept {
  std::vector<int32_t> output;
  std::vector<int32_t> result_num;
  bool is_done = true;  // or the call failed

  static Kept Untouched(int64_t count, size_t images) {
    return {std::vector<int32_t>(static_cast<size_t>(count), -1), std::vector<int32_t>(images, -1)};
  }

  bool operator==(const Kept& other) const {
    return output == other.output && result_num == other.result_num && is_done == other.is_done;
  }
};

template <class Case, class Args>
Kept KeptByReference(const Case& input, void (*reference)(const Args&)) {
  Kept kept = Kept::Untouched(input.count(), input.images());
  kept.is_done = input.CountsAddUp(input.count());
  if (kept.is_done) {
    reference(input.args(kept.output.data(), kept.result_num.data()));
  }
  return kept;
}

}  // namespace detops

#endif  // DETOPS_SUPPRESSION_CASES_H_
