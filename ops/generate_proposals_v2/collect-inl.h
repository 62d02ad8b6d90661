// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Collects the scores that reach a threshold, ordered by anchor in both layouts. A NaN reaches
// every threshold.

#if defined(DETOPS_OPS_GENERATE_PROPOSALS_V2_COLLECT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_GENERATE_PROPOSALS_V2_COLLECT_INL_H_
#undef DETOPS_OPS_GENERATE_PROPOSALS_V2_COLLECT_INL_H_
#else
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_COLLECT_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "core/counting_sort.h"
#include "ops/generate_proposals_v2/tiles.h"
#include "simd/lanes-inl.h"
#include "suppression/order.h"

HWY_BEFORE_NAMESPACE();
namespace detops::generate_proposals_v2 {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using detops::HWY_NAMESPACE::BitsOf;
using detops::HWY_NAMESPACE::ForEachSetBit;
using detops::HWY_NAMESPACE::LanesOf;

HWY_INLINE bool Reaches(float score, float threshold) { return !(score < threshold); }

template <class D>
HWY_INLINE hn::Mask<D> Reaches(D /*d*/, hn::Vec<D> scores, hn::Vec<D> threshold) {
  return hn::Not(hn::Lt(scores, threshold));
}

// Calls body(i) for each i in [begin, end), in ascending order, whose score reaches the threshold.
template <class D, class Body>
HWY_INLINE void ForEachThatReaches(D d, const float* scores, float threshold, int64_t begin,
                                   int64_t end, const Body& body) {
  const auto least = hn::Set(d, threshold);
  int64_t i = begin;
  for (; i + LanesOf(d) <= end; i += LanesOf(d)) {
    ForEachSetBit(BitsOf(d, Reaches(d, hn::LoadU(d, scores + i), least)),
                  [&](int64_t lane) HWY_ATTR { body(i + lane); });
  }
  for (; i < end; ++i) {
    if (Reaches(scores[i], threshold)) {
      body(i);
    }
  }
}

template <class D>
HWY_INLINE int64_t CollectChannelsLast(D d, const Scores& scores, float threshold, int64_t begin,
                                       int64_t end, suppression::Entry* entries) {
  int64_t count = 0;
  ForEachThatReaches(d, scores.first, threshold, begin * scores.anchors_per_position,
                     end * scores.anchors_per_position, [&](int64_t anchor) HWY_ATTR {
                       entries[count++] =
                           suppression::MakeEntry(suppression::ScoreKey(scores.first[anchor]),
                                                  static_cast<int32_t>(anchor));
                     });
  return count;
}

// Number of positions that CollectPositions handles at a time. Their counts stay in the L1 cache.
constexpr int64_t kPositions = 256;

// Sets counts[i - begin] to the number of scores at position i that reach the threshold.
template <class D>
HWY_INLINE void CountPositions(D d, const Scores& scores, float threshold, int64_t begin,
                               int64_t end, int32_t* counts) {
  const hn::RebindToSigned<D> di;
  const auto least = hn::Set(d, threshold);
  int64_t i = begin;
  for (; i + LanesOf(d) <= end; i += LanesOf(d)) {
    auto count = hn::Zero(di);
    for (int64_t a = 0; a < scores.anchors_per_position; ++a) {
      const auto reaches = Reaches(d, hn::LoadU(d, scores.first + a * scores.positions + i), least);
      count = hn::Sub(count, hn::BitCast(di, hn::VecFromMask(d, reaches)));  // a set lane is -1
    }
    hn::StoreU(count, di, counts + (i - begin));
  }
  for (; i < end; ++i) {
    counts[i - begin] = 0;
    for (int64_t a = 0; a < scores.anchors_per_position; ++a) {
      counts[i - begin] += Reaches(scores.first[a * scores.positions + i], threshold) ? 1 : 0;
    }
  }
}

// Collects the scores at no more than kPositions positions, which are stored channel by channel. A
// first pass counts the entries of each position, so that the second one can write them by anchor.
//
// Another thread may change scores between the passes. The second pass never writes out of bounds,
// because the entries of position i begin at i * anchors_per_position at the latest, and there are
// at most anchors_per_position of them. It may leave out entries that were counted; they keep the
// valid anchor that they are initialized with.
template <class D>
HWY_INLINE int64_t CollectPositions(D d, const Scores& scores, float threshold, int64_t begin,
                                    int64_t end, suppression::Entry* entries) {
  alignas(64) int32_t next[kPositions];
  CountPositions(d, scores, threshold, begin, end, next);
  const int32_t count = CountsToBegins(next, end - begin);
  std::fill_n(entries, count,
              suppression::MakeEntry(suppression::ScoreKey(threshold),
                                     static_cast<int32_t>(begin * scores.anchors_per_position)));
  for (int64_t a = 0; a < scores.anchors_per_position; ++a) {
    const float* const channel = scores.first + a * scores.positions;
    ForEachThatReaches(d, channel, threshold, begin, end, [&](int64_t i) HWY_ATTR {
      entries[next[i - begin]++] =
          suppression::MakeEntry(suppression::ScoreKey(channel[i]),
                                 static_cast<int32_t>(i * scores.anchors_per_position + a));
    });
  }
  return count;
}

template <class D>
HWY_INLINE int64_t CollectChannelsFirst(D d, const Scores& scores, float threshold, int64_t begin,
                                        int64_t end, suppression::Entry* entries) {
  int64_t count = 0;
  for (int64_t i = begin; i < end; i += kPositions) {
    count +=
        CollectPositions(d, scores, threshold, i, std::min(i + kPositions, end), entries + count);
  }
  return count;
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::generate_proposals_v2
HWY_AFTER_NAMESPACE();

#endif  // include guard
