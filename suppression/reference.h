// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The specification of greedy suppression, for boxes of any shape. Shares no code with the engine.

#ifndef DETOPS_SUPPRESSION_REFERENCE_H_
#define DETOPS_SUPPRESSION_REFERENCE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "suppression/engine.h"

namespace detops::suppression {

// Returns the kept boxes of one image, in descending order of scores.
template <class Suppresses>
std::vector<int32_t> ReferenceGreedyImage(const Args& args, int32_t begin, int32_t end,
                                          const Suppresses& suppresses) {
  const auto score = [&](int32_t i) { return args.ScoreOf(i); };
  std::vector<int32_t> order;
  for (int32_t i = begin; i < end; ++i) {
    if (!(score(i) <= args.score_threshold)) {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return std::isnan(score(a)) ? !std::isnan(score(b)) : score(a) > score(b);
  });
  std::vector<int32_t> kept;
  for (const int32_t i : order) {
    const bool suppressed = std::any_of(kept.begin(), kept.end(), [&](int32_t k) {
      return args.GroupOf(k) == args.GroupOf(i) && suppresses(k, i);
    });
    if (!suppressed) {
      kept.push_back(i);
    }
  }
  return kept;
}

// suppresses(kept, i) returns whether a kept box suppresses box i of the same group.
template <class Suppresses>
void ReferenceGreedy(const Args& args, const Suppresses& suppresses) {
  int32_t* output = args.output;
  int32_t begin = 0;
  for (int64_t image = 0; image < args.images; ++image) {
    const int32_t end = args.image_counts == nullptr ? static_cast<int32_t>(args.count)
                                                     : begin + args.image_counts[image];
    std::vector<int32_t> kept = ReferenceGreedyImage(args, begin, end, suppresses);
    if (static_cast<int64_t>(kept.size()) > args.max_outputs) {
      kept.resize(static_cast<size_t>(args.max_outputs));
    }
    if (!args.sort_by_score) {
      std::sort(kept.begin(), kept.end());
    }
    output = std::copy(kept.begin(), kept.end(), output);
    args.result_num[image] = static_cast<int32_t>(kept.size());
    begin = end;
  }
}

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_REFERENCE_H_
