// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/counting_sort.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <random>
#include <utility>
#include <vector>

namespace detops {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::Pair;

TEST(CountKeys, CountsAndOverwrites) {
  const std::vector<int> keys = {2, 0, 2, 3};
  std::vector<int32_t> counts(5, 99);
  CountKeys(
      4, [&](int64_t i) { return keys[i]; }, 4, counts.data());
  EXPECT_THAT(counts, ElementsAre(1, 0, 2, 1, 99)) << "only the first four are counts";
}

TEST(CountsToBegins, GivesTheSumsOfThoseBefore) {
  std::vector<int32_t> counts = {3, 0, 2, 5};
  EXPECT_EQ(CountsToBegins(counts.data(), 4), 10);
  EXPECT_THAT(counts, ElementsAre(0, 3, 3, 5));
}

TEST(CountsToBegins, OfNothingIsZero) { EXPECT_EQ(CountsToBegins(nullptr, 0), 0); }

TEST(ScatterByKey, AssignsPositionsInOrderAndAdvancesToTheEnds) {
  const std::vector<int> keys = {2, 0, 2, 3, 0};
  std::vector<int32_t> next = {0, 2, 2, 4};
  std::vector<std::pair<int64_t, int32_t>> placed;
  ScatterByKey(
      5, [&](int64_t i) { return keys[i]; }, next.data(),
      [&](int64_t i, int32_t position) { placed.emplace_back(i, position); });
  EXPECT_THAT(placed, ElementsAre(Pair(0, 2), Pair(1, 0), Pair(2, 3), Pair(3, 4), Pair(4, 1)));
  EXPECT_THAT(next, ElementsAre(2, 2, 4, 5));
}

TEST(EndsToBegins, ShiftsByOneKey) {
  std::vector<int32_t> ends = {2, 2, 4, 5};
  EndsToBegins(ends.data(), 4);
  EXPECT_THAT(ends, ElementsAre(0, 2, 2, 4));
  EndsToBegins(ends.data(), 1);
  EXPECT_THAT(ends, ElementsAre(0, 2, 2, 4));
  EndsToBegins(nullptr, 0);
}

struct SortCase {
  int64_t count;
  int64_t keys;
};

void PrintTo(const SortCase& sort, std::ostream* to) {
  *to << sort.count << " items with " << sort.keys << " keys";
}

class SortByRandomKeys : public testing::TestWithParam<SortCase> {
 protected:
  SortByRandomKeys() {
    std::mt19937 random(1);
    for (int64_t i = 0; i < GetParam().count; ++i) {
      key_of_.push_back(static_cast<int32_t>(random() % GetParam().keys));
    }
  }

  // Positions where `sorted` has a smaller key before them, with the end of the last key.
  std::vector<int32_t> ExpectedBegins() const {
    std::vector<int32_t> begins(GetParam().keys + 1, 0);
    for (int64_t key = 0; key <= GetParam().keys; ++key) {
      begins[key] = static_cast<int32_t>(
          std::count_if(key_of_.begin(), key_of_.end(), [&](int32_t k) { return k < key; }));
    }
    return begins;
  }

  std::vector<int32_t> key_of_;
};

TEST_P(SortByRandomKeys, SortByKeyAgreesWithStableSort) {
  std::vector<int32_t> expected(key_of_.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](int32_t a, int32_t b) { return key_of_[a] < key_of_[b]; });
  std::vector<int32_t> sorted(key_of_.size(), -1);
  std::vector<int32_t> begins(GetParam().keys + 1, -1);
  SortByKey(
      GetParam().count, [&](int64_t i) { return key_of_[i]; }, GetParam().keys, begins.data(),
      [&](int64_t i, int32_t position) { sorted[position] = static_cast<int32_t>(i); });
  EXPECT_EQ(sorted, expected);
  EXPECT_THAT(begins, ElementsAreArray(ExpectedBegins()));
}

// The items are the numbers from count - 1 down to 0: equal keys keep the order of the items, not
// that of their numbers.
TEST_P(SortByRandomKeys, CountingSortAgreesWithStableSort) {
  const auto item = [](int64_t i) { return static_cast<int32_t>(GetParam().count - 1 - i); };
  std::vector<int32_t> expected(key_of_.size());
  std::iota(expected.rbegin(), expected.rend(), 0);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](int32_t a, int32_t b) { return key_of_[a] < key_of_[b]; });
  std::vector<int32_t> order(key_of_.size(), -1);
  std::vector<int32_t> begins(GetParam().keys + 1, -1);
  CountingSort(
      GetParam().count, item, GetParam().keys, [&](int32_t i) { return key_of_[i]; }, order.data(),
      begins.data());
  EXPECT_EQ(order, expected);
  EXPECT_THAT(begins, ElementsAreArray(ExpectedBegins()));
}

INSTANTIATE_TEST_SUITE_P(Sizes, SortByRandomKeys,
                         testing::Values(SortCase{0, 1}, SortCase{0, 5}, SortCase{1, 1},
                                         SortCase{7, 1}, SortCase{7, 3}, SortCase{3, 100},
                                         SortCase{1000, 2}, SortCase{1000, 17},
                                         SortCase{1000, 4096}));

}  // namespace
}  // namespace detops
