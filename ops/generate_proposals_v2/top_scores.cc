// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/generate_proposals_v2/top_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/counting_sort.h"
#include "core/math.h"
#include "ops/generate_proposals_v2/costs.h"

namespace detops::generate_proposals_v2 {
namespace {

constexpr float kEverything = -std::numeric_limits<float>::infinity();

// Up to this number of scores, all of them are collected and sorted at once: cheaper than a sample.
constexpr int64_t kFewScores = 1024;

// Number of scores in a sample.
constexpr int64_t kSample = 1024;

// Number of scores that one call of the tile collects.
constexpr int64_t kPart = 8192;

// Buckets are sorted together until they hold this number of entries: a radix sort of fewer entries
// takes as long.
constexpr int64_t kSortTogether = 512;

int64_t PositionsPerPart(const Scores& scores) {
  return std::max<int64_t>(kPart / scores.anchors_per_position, 1);
}

int64_t PartsOf(const Scores& scores) {
  return CeilDiv(scores.positions, PositionsPerPart(scores));
}

}  // namespace

TopScores::Space::Space(Carver& carver, int64_t scores)
    : collected(carver.Take<suppression::Entry>(scores)),
      sorted(carver.Take<suppression::Entry>(scores)),
      // A part holds more than half of kPart scores, except for the last one.
      part_counts(carver.Take<int32_t>(2 * scores / kPart + 2)) {}

TopScores::Estimate TopScores::EstimateFromSample(const Scores& scores, int64_t wanted) {
  const int64_t count = scores.count();
  uint32_t sample[kSample];
  uint32_t random = 1;
  for (int64_t i = 0; i < kSample; ++i) {
    // Takes one score at a random place of each of kSample intervals: scores may be periodic.
    const int64_t begin = i * count / kSample;
    const int64_t size = (i + 1) * count / kSample - begin;
    random = random * 1664525 + 1013904223;
    sample[i] = suppression::ScoreKey(
        scores.first[begin + (static_cast<int64_t>(random >> 8) * size >> 24)]);
  }
  // The expected number of wanted scores in the sample, plus four standard deviations.
  const double share = static_cast<double>(wanted) * kSample / static_cast<double>(count);
  const double rank = share + 4 * std::sqrt(share) + 2;
  const bool takes_all = rank >= kSample - 1;
  uint32_t* const last = sample + (takes_all ? kSample - 1 : static_cast<int64_t>(rank));
  std::nth_element(sample, last, sample + kSample);
  const uint32_t first_key = *std::min_element(sample, last + 1);
  int shift = 0;
  while ((int64_t{*last - first_key} >> shift) >= kBuckets - 2) {
    ++shift;
  }
  // Key 0 is a NaN, which cannot be a threshold.
  return {takes_all || *last == 0 ? kEverything : suppression::ScoreOfKey(*last),
          {first_key, shift}};
}

int64_t TopScores::Collect(Threads& threads, const Scores& scores, float threshold,
                           const Space& space) {
  const int64_t positions = PositionsPerPart(scores);
  const int64_t parts = PartsOf(scores);
  ParallelFor(threads, parts, kPart * kNanosecondsToCollect, [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) {
      const int64_t begin = part * positions;
      space.part_counts[part] = static_cast<int32_t>(
          CollectScores(scores, threshold, begin, std::min(begin + positions, scores.positions),
                        space.collected + begin * scores.anchors_per_position));
    }
  });
  int64_t count = 0;
  for (int64_t part = 0; part < parts; ++part) {
    count += space.part_counts[part];
  }
  return count;
}

void TopScores::Distribute(const Scores& scores, const BucketRule& buckets) {
  const int64_t scores_per_part = PositionsPerPart(scores) * scores.anchors_per_position;
  const int64_t parts = PartsOf(scores);
  const auto for_each_entry = [&](const auto& body) {
    for (int64_t part = 0; part < parts; ++part) {
      const suppression::Entry* const entries = space_.collected + part * scores_per_part;
      for (int32_t i = 0; i < space_.part_counts[part]; ++i) {
        body(entries[i], buckets.BucketOf(suppression::KeyOf(entries[i])));
      }
    }
  };
  std::fill_n(bucket_end_, kBuckets, 0);
  for_each_entry([&](suppression::Entry, int64_t bucket) { ++bucket_end_[bucket]; });
  CountsToBegins(bucket_end_, kBuckets);
  // Turns the begin of each bucket into its end.
  for_each_entry([&](suppression::Entry entry, int64_t bucket) {
    space_.sorted[bucket_end_[bucket]++] = entry;
  });
}

TopScores::TopScores(Threads& threads, const Scores& scores, int64_t wanted, const Space& space)
    : space_(space) {
  if (scores.count() <= kFewScores) {
    count_ = CollectScores(scores, kEverything, 0, scores.positions, space.sorted);
    std::fill_n(bucket_end_, kBuckets, static_cast<int32_t>(count_));
    return;
  }
  const Estimate estimate = EstimateFromSample(scores, wanted);
  count_ = Collect(threads, scores, estimate.threshold, space);
  if (count_ < wanted) {
    count_ = Collect(threads, scores, kEverything, space);
  }
  Distribute(scores, estimate.buckets);
}

const suppression::Entry* TopScores::Sort(int64_t count) {
  while (sorted_ < count) {
    const int64_t enough = std::min(sorted_ + kSortTogether, count_);
    while (bucket_end_[next_bucket_] < enough) {
      ++next_bucket_;
    }
    const int64_t end = bucket_end_[next_bucket_++];
    // The memory of the collected entries is free: they have been moved to their buckets.
    suppression::SortEntries(space_.sorted + sorted_, space_.collected, end - sorted_);
    sorted_ = end;
  }
  return space_.sorted;
}

}  // namespace detops::generate_proposals_v2
