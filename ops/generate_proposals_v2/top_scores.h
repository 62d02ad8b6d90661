// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The top-k scores of an image, sorted lazily. A sample of the scores yields a threshold that the
// top k probably reach. One pass collects the scores that reach it and distributes them to buckets
// of similar scores. A bucket is sorted when the caller gets to it.

#ifndef DETOPS_OPS_GENERATE_PROPOSALS_V2_TOP_SCORES_H_
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_TOP_SCORES_H_

#include <cstdint>

#include "core/carver.h"
#include "core/parallel.h"
#include "ops/generate_proposals_v2/tiles.h"
#include "suppression/order.h"

namespace detops::generate_proposals_v2 {

class TopScores {
 public:
  // Memory for an image with this number of scores.
  struct Space {
    Space(Carver& carver, int64_t scores);

    suppression::Entry* collected;  // part by part
    suppression::Entry* sorted;
    int32_t* part_counts;  // per part: number of entries collected
  };

  // Prepares the `wanted` highest scores. `wanted` must not exceed the number of scores.
  TopScores(Threads& threads, const Scores& scores, int64_t wanted, const Space& space);

  // Returns the entries in descending order of scores; equal scores in the order of their anchors.
  // Only the first `count` are valid. `count` must not exceed `wanted`.
  const suppression::Entry* Sort(int64_t count);

 private:
  static constexpr int64_t kBuckets = 512;

  // Assigns keys to buckets: keys below `first` to bucket 0, then 2^shift consecutive keys per
  // bucket, and all remaining ones to the last bucket.
  struct BucketRule {
    uint32_t first;
    int shift;

    int64_t BucketOf(uint32_t key) const {
      const int64_t bucket = key < first ? 0 : 1 + (int64_t{key - first} >> shift);
      return bucket < kBuckets ? bucket : kBuckets - 1;
    }
  };

  struct Estimate {
    float threshold;  // probably reached by at least the wanted number of scores
    BucketRule buckets;
  };
  static Estimate EstimateFromSample(const Scores& scores, int64_t wanted);

  // Collects the scores that reach the threshold, in parts, on all threads. Returns their number.
  static int64_t Collect(Threads& threads, const Scores& scores, float threshold,
                         const Space& space);
  // Moves the collected entries to their buckets in `sorted`.
  void Distribute(const Scores& scores, const BucketRule& buckets);

  const Space space_;
  int64_t count_ = 0;        // number of entries
  int64_t sorted_ = 0;       // number of entries that are in order
  int64_t next_bucket_ = 0;  // first bucket that is not sorted
  int32_t bucket_end_[kBuckets];
};

}  // namespace detops::generate_proposals_v2

#endif  // DETOPS_OPS_GENERATE_PROPOSALS_V2_TOP_SCORES_H_
