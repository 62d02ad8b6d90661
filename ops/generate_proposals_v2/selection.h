// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The highest scores of an image, in order, sorted only as far as somebody looks. A sample says
// which scores can be among them; one pass collects those; they are dealt out to buckets, and the
// buckets sorted when their turn comes.

#ifndef DETOPS_OPS_GENERATE_PROPOSALS_V2_SELECTION_H_
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_SELECTION_H_

#include <cstdint>

#include "core/carver.h"
#include "core/parallel.h"
#include "ops/generate_proposals_v2/tiles.h"
#include "suppression/order.h"

namespace detops::generate_proposals_v2 {

class Selection {
 public:
  // Memory for that many scores.
  struct Space {
    Space(Carver& carver, int64_t scores);

    suppression::Entry* collected;
    suppression::Entry* sorted;
    int32_t* part_counts;
  };

  // The `wanted` highest scores, of which there are as many, and perhaps more.
  Selection(Threads& threads, const Scores& scores, int64_t wanted, const Space& space);

  // Entries from the highest score down, of which the first `count` are in order then.
  const suppression::Entry* Sort(int64_t count);

 private:
  // Buckets hold runs of neighbouring keys.
  static constexpr int64_t kBuckets = 512;
  struct Keys {
    uint32_t first;  // of the second bucket
    int shift;

    int64_t BucketOf(uint32_t key) const {
      const int64_t bucket = key < first ? 0 : 1 + (int64_t{key - first} >> shift);
      return bucket < kBuckets ? bucket : kBuckets - 1;
    }
  };

  // What a sample of the scores says about all of them.
  struct Estimate {
    float threshold;  // so many as are wanted are probably not below it
    Keys keys;
  };
  static Estimate Look(const Scores& scores, int64_t wanted);

  // Returns how many there are.
  static int64_t Collect(Threads& threads, const Scores& scores, float threshold,
                         const Space& space);
  void Deal(const Scores& scores, const Keys& keys);

  const Space space_;
  int64_t count_ = 0;   // of entries
  int64_t sorted_ = 0;  // of entries
  int64_t bucket_ = 0;  // the first that is not sorted
  int32_t bucket_end_[kBuckets];
};

}  // namespace detops::generate_proposals_v2

#endif  // DETOPS_OPS_GENERATE_PROPOSALS_V2_SELECTION_H_
