// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The lazily sorted top-k scores.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "measure/random_floats.h"
#include "ops/generate_proposals_v2/test_scenes.h"
#include "ops/generate_proposals_v2/tiles.h"
#include "ops/generate_proposals_v2/top_scores.h"
#include "suppression/order.h"

namespace detops::generate_proposals_v2 {
namespace {

class GenerateProposalsTopScores : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(GenerateProposalsTopScores);

// Describes scores that are stored by anchor: the channels of a position come last.
Scores ScoresOf(const std::vector<float>& scores, int64_t anchors_per_position) {
  return {.first = scores.data(),
          .positions = static_cast<int64_t>(scores.size()) / anchors_per_position,
          .anchors_per_position = anchors_per_position,
          .channels_first = false};
}

std::vector<int32_t> SortedAnchors(const std::vector<float>& scores) {
  std::vector<int32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const float first = scores[static_cast<size_t>(a)];
    const float second = scores[static_cast<size_t>(b)];
    return std::isnan(first) ? !std::isnan(second) : first > second;
  });
  return order;
}

// Checks that each step yields the first entries of a stable sort.
void ExpectSorts(const Scores& scores, int64_t wanted, const std::vector<int32_t>& expected,
                 int thread_count) {
  SpaceInMemory<TopScores::Space> memory(scores.count());
  Threads threads(thread_count);
  TopScores top_scores(threads, scores, wanted, memory.Get(scores.count()));
  int64_t step = 1;
  for (int64_t count = 0; count < wanted; step *= 3) {
    const int64_t next = std::min(count + step, wanted);
    const suppression::Entry* const entries = top_scores.Sort(next);
    for (int64_t i = 0; i < next; ++i) {
      ASSERT_EQ(suppression::IndexOf(entries[i]), expected[static_cast<size_t>(i)])
          << "entry " << i << " of " << next << ", wanted " << wanted << " of " << scores.count();
    }
    count = next;
  }
}

// Checks both layouts, one on one thread and the other on two.
void ExpectSelects(const std::vector<float>& by_anchor, int64_t anchors_per_position,
                   std::initializer_list<int64_t> wanted) {
  const Scores scores = ScoresOf(by_anchor, anchors_per_position);
  std::vector<float> by_channel;
  for (int64_t a = 0; a < anchors_per_position; ++a) {
    for (int64_t i = 0; i < scores.positions; ++i) {
      by_channel.push_back(by_anchor[static_cast<size_t>(i * anchors_per_position + a)]);
    }
  }
  Scores channels_first = scores;
  channels_first.first = by_channel.data();
  channels_first.channels_first = true;
  const std::vector<int32_t> expected = SortedAnchors(by_anchor);
  for (const int64_t count : wanted) {
    ASSERT_NO_FATAL_FAILURE(ExpectSorts(scores, std::min(count, scores.count()), expected, 1));
    ASSERT_NO_FATAL_FAILURE(
        ExpectSorts(channels_first, std::min(count, scores.count()), expected, 2));
  }
}

std::vector<float> MakeScores(int64_t count, const std::function<float(int64_t)>& score) {
  std::vector<float> scores;
  for (int64_t i = 0; i < count; ++i) {
    scores.push_back(score(i));
  }
  return scores;
}

TEST_P(GenerateProposalsTopScores, OrdersAnyDistributionLikeAStableSort) {
  Random random(22);
  const std::function<float(int64_t)> distributions[] = {
      [&](int64_t) { return Uniform(random, 0, 1); },
      [&](int64_t) { return static_cast<float>(random() % 3); },
      [](int64_t) { return 0.5f; },
      [](int64_t) { return kNaN; },
      [](int64_t) { return -kInfinity; },
      [](int64_t i) { return static_cast<float>(i); },
      [](int64_t i) { return -static_cast<float>(i); },
      [](int64_t i) { return i % 2 == 0 ? 0.0f : -0.0f; },
      [&](int64_t) { return FloatOf(static_cast<uint32_t>(random())); },
      [&](int64_t i) { return i % 500 == 0 ? 1e30f : Uniform(random, 0.25f, 0.2500001f); },
      [&](int64_t i) { return i % 50 == 0 ? kNaN : Uniform(random, -1, 1); },
      [](int64_t i) { return static_cast<float>(i % 1000); }};
  for (const auto& distribution : distributions) {
    for (const auto& [count, anchors_per_position] : {std::pair<int64_t, int64_t>{1, 1},
                                                      {3, 3},
                                                      {1023, 1},
                                                      {1024, 1},
                                                      {1025, 5},
                                                      {8191, 1},
                                                      {8192, 2},
                                                      {8193, 1},
                                                      {12'291, 4097},
                                                      {24'000, 15},
                                                      {20'001, 3}}) {
      ASSERT_NO_FATAL_FAILURE(ExpectSelects(MakeScores(count, distribution), anchors_per_position,
                                            {1, 100, 1000, count / 2, count - 1, count}))
          << &distribution - distributions;
    }
  }
}

// Each position has enough anchors to form a part by itself, so that there are many parts.
TEST_P(GenerateProposalsTopScores, PositionsMayHaveManyAnchors) {
  Random random(29);
  constexpr int64_t kManyAnchors = 4097;
  ASSERT_NO_FATAL_FAILURE(ExpectSelects(RandomScores(random, 120 * kManyAnchors), kManyAnchors,
                                        {500, 120 * kManyAnchors}));
}

// The sample takes one score from each of 1024 intervals. With 1.5 * 1024 scores, every other
// interval is a single score. If these are the high ones, half of the sample is high, but only a
// third of the scores: too few scores reach the estimated threshold.
TEST_P(GenerateProposalsTopScores, CollectsAgainWhenTheSampleMisleads) {
  constexpr int64_t kIntervals = 1024;
  constexpr int64_t kCount = 3 * kIntervals / 2;
  std::vector<float> scores(kCount);
  int64_t high = 0;
  for (int64_t interval = 0; interval < kIntervals; ++interval) {
    const int64_t begin = interval * kCount / kIntervals;
    const int64_t end = (interval + 1) * kCount / kIntervals;
    for (int64_t i = begin; i < end; ++i) {
      const bool alone = end - begin == 1;
      // The low scores follow without a gap, far below the estimated threshold.
      scores[static_cast<size_t>(i)] = 1e6f + static_cast<float>(alone ? i : -10 * (i + 1));
      high += alone ? 1 : 0;
    }
  }
  ASSERT_EQ(high, kIntervals / 2);
  // A few more than the high scores, all of which are in the sample.
  ASSERT_NO_FATAL_FAILURE(ExpectSelects(scores, 1, {high + 1, high + 50, high + 88}));
}

// For any range of positions, at any alignment and up to the end of the scores.
TEST_P(GenerateProposalsTopScores, CollectsScoresThatReachTheThreshold) {
  Random random(23);
  for (const int64_t anchors_per_position : {1, 3, 16}) {
    for (const int64_t positions : {1, 5, 33, 255, 256, 257, 600}) {
      std::vector<float> by_anchor;
      for (int64_t i = 0; i < positions * anchors_per_position; ++i) {
        by_anchor.push_back(random() % 9 == 0 ? kNaN : Uniform(random, -1, 1));
      }
      by_anchor[by_anchor.size() / 2] = 0.25f;
      for (const bool channels_first : {false, true}) {
        std::vector<float> numbers = by_anchor;
        for (int64_t i = 0; i < positions * anchors_per_position && channels_first; ++i) {
          numbers[static_cast<size_t>(i % anchors_per_position * positions +
                                      i / anchors_per_position)] =
              by_anchor[static_cast<size_t>(i)];
        }
        const GuardedCopy<float> guarded(numbers);
        const Scores scores{.first = guarded.data(),
                            .positions = positions,
                            .anchors_per_position = anchors_per_position,
                            .channels_first = channels_first};
        for (const float threshold : {-kInfinity, 0.25f, kInfinity}) {
          for (const auto& [begin, end] : {std::pair<int64_t, int64_t>{0, positions},
                                           {positions / 3, positions},
                                           {positions / 2, positions - positions / 4},
                                           {positions, positions}}) {
            std::vector<int32_t> expected;
            for (int64_t i = begin * anchors_per_position; i < end * anchors_per_position; ++i) {
              if (!(by_anchor[static_cast<size_t>(i)] < threshold)) {
                expected.push_back(static_cast<int32_t>(i));
              }
            }
            const std::vector<suppression::Entry> room(
                static_cast<size_t>((end - begin) * anchors_per_position));
            const GuardedCopy<suppression::Entry> entries(room);
            const int64_t count = CollectScores(scores, threshold, begin, end, entries.data());
            std::vector<int32_t> found;
            for (int64_t i = 0; i < count; ++i) {
              const suppression::Entry entry = entries.data()[i];
              found.push_back(suppression::IndexOf(entry));
              ASSERT_EQ(suppression::KeyOf(entry),
                        suppression::ScoreKey(
                            by_anchor[static_cast<size_t>(suppression::IndexOf(entry))]));
            }
            ASSERT_EQ(found, expected) << positions << " x " << anchors_per_position;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace detops::generate_proposals_v2
