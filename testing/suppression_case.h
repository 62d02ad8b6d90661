// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the inputs of all suppressing operators have in common, and what their calls keep.

#ifndef DETOPS_TESTING_SUPPRESSION_CASE_H_
#define DETOPS_TESTING_SUPPRESSION_CASE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/aligned_buffer.h"
#include "ops/nms/engine.h"
#include "runtime/job.h"
#include "testing/fuzz_bytes.h"

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
  nms::SuppressCall CallWithoutBoxes(int64_t count, int32_t* output, int32_t* result_num) const;

  // Options and boxes, for messages; many boxes would hide the rest.
  std::string Describe(int64_t count) const;

  // All options but the IoU's threshold; the bytes behind them go over the boxes.
  void TakeOptionsAndBoxes(FuzzBytes& bytes, int count);
};

// What a call wrote; entries that it left alone are -1.
struct Kept {
  std::vector<int32_t> output;
  std::vector<int32_t> result_num;

  static Kept Untouched(int64_t count, size_t images) {
    return {std::vector<int32_t>(static_cast<size_t>(count), -1), std::vector<int32_t>(images, -1)};
  }

  bool operator==(const Kept& other) const {
    return output == other.output && result_num == other.result_num;
  }
};

template <class Case, class Args>
Kept KeptByReference(const Case& input, void (*reference)(const Args&)) {
  Kept kept = Kept::Untouched(input.count(), input.images());
  reference(input.args(kept.output.data(), kept.result_num.data()));
  return kept;
}

// Without counts when the call fails, which equals no result of the reference.
template <class Case, class Args>
Kept KeptByRun(const Case& input, int thread_count, size_t workspace_bytes,
               Status (*run)(RunContext&, const Args&)) {
  Kept kept = Kept::Untouched(input.count(), input.images());
  Threads threads(thread_count);
  const AlignedBuffer scratch(workspace_bytes);
  RunContext context{threads, scratch.data()};
  if (!run(context, input.args(kept.output.data(), kept.result_num.data())).ok()) {
    kept.result_num.clear();
  }
  return kept;
}

}  // namespace detops

#endif  // DETOPS_TESTING_SUPPRESSION_CASE_H_
