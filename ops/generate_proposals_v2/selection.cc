// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/generate_proposals_v2/selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace detops::generate_proposals_v2 {
namespace {

constexpr float kEverything = -std::numeric_limits<float>::infinity();

// Up to so many scores are sorted at once.
constexpr int64_t kFewScores = 1024;

constexpr int64_t kSample = 1024;

// Scores that one call of the tile collects.
constexpr int64_t kPart = 8192;

// Of one thread, for estimates only.
constexpr double kNanosecondsToCollect = 0.4;

// Buckets are sorted together until they hold so many entries: a radix sort of a few takes as long.
constexpr int64_t kSortTogether = 512;

int64_t PositionsOfPart(const Scores& scores) {
  return std::max<int64_t>(kPart / scores.anchors_per_position, 1);
}

int64_t PartsOf(const Scores& scores) {
  return (scores.positions + PositionsOfPart(scores) - 1) / PositionsOfPart(scores);
}

}  // namespace

Selection::Space::Space(Carver& carver, int64_t scores)
    : collected(carver.Take<suppression::Entry>(scores)),
      sorted(carver.Take<suppression::Entry>(scores)),
      // A part has more than half of kPart scores, or there is but one position in it.
      part_counts(carver.Take<int32_t>(2 * scores / kPart + 2)) {}

Selection::Estimate Selection::Look(const Scores& scores, int64_t wanted) {
  const int64_t count = scores.count();
  uint32_t sample[kSample];
  uint32_t random = 1;
  for (int64_t i = 0; i < kSample; ++i) {
    // One from each of so many parts, at any place: scores may have a period.
    const int64_t begin = i * count / kSample;
    const int64_t size = (i + 1) * count / kSample - begin;
    random = random * 1664525 + 1013904223;
    sample[i] = suppression::ScoreKey(
        scores.first[begin + (static_cast<int64_t>(random >> 8) * size >> 24)]);
  }
  // As many of the sample as are wanted of all, and four standard deviations more.
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
  // A NaN is no threshold.
  return {takes_all || *last == 0 ? kEverything : suppression::ScoreOfKey(*last),
          {first_key, shift}};
}

int64_t Selection::Collect(Threads& threads, const Scores& scores, float threshold,
                           const Space& space) {
  const int64_t positions = PositionsOfPart(scores);
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

void Selection::Deal(const Scores& scores, const Keys& keys) {
  const int64_t scores_of_part = PositionsOfPart(scores) * scores.anchors_per_position;
  const int64_t parts = PartsOf(scores);
  const auto for_each_entry = [&](const auto& body) {
    for (int64_t part = 0; part < parts; ++part) {
      const suppression::Entry* const entries = space_.collected + part * scores_of_part;
      for (int32_t i = 0; i < space_.part_counts[part]; ++i) {
        body(entries[i]);
      }
    }
  };
  std::fill_n(bucket_end_, kBuckets, 0);
  for_each_entry(
      [&](suppression::Entry entry) { ++bucket_end_[keys.BucketOf(suppression::KeyOf(entry))]; });
  int32_t sum = 0;
  for (int32_t& begin : bucket_end_) {
    sum += std::exchange(begin, sum);
  }
  // Each beginning moves to the end of its bucket.
  for_each_entry([&](suppression::Entry entry) {
    space_.sorted[bucket_end_[keys.BucketOf(suppression::KeyOf(entry))]++] = entry;
  });
}

Selection::Selection(Threads& threads, const Scores& scores, int64_t wanted, const Space& space)
    : space_(space) {
  if (scores.count() <= kFewScores) {
    count_ = CollectScores(scores, kEverything, 0, scores.positions, space.sorted);
    std::fill_n(bucket_end_, kBuckets, static_cast<int32_t>(count_));
    return;
  }
  const Estimate estimate = Look(scores, wanted);
  count_ = Collect(threads, scores, estimate.threshold, space);
  if (count_ < wanted) {
    count_ = Collect(threads, scores, kEverything, space);
  }
  Deal(scores, estimate.keys);
}

const suppression::Entry* Selection::Sort(int64_t count) {
  while (sorted_ < count) {
    const int64_t enough = std::min(sorted_ + kSortTogether, count_);
    while (bucket_end_[bucket_] < enough) {
      ++bucket_;
    }
    const int64_t end = bucket_end_[bucket_++];
    // What was collected has been dealt out: its memory is free.
    suppression::SortEntries(space_.sorted + sorted_, space_.collected, end - sorted_);
    sorted_ = end;
  }
  return space_.sorted;
}

}  // namespace detops::generate_proposals_v2
