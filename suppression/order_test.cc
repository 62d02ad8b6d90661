// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Sort keys and sorting.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "suppression/order.h"

namespace detops::suppression {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

TEST(Order, ScoreKeysAscendWhileScoresDescend) {
  constexpr float kMax = std::numeric_limits<float>::max();
  constexpr float kDenormal = std::numeric_limits<float>::denorm_min();
  const float descending[] = {kNaN, kInfinity,  kMax,    1.5f,  1.0f,  1e-30f, kDenormal,
                              0.0f, -kDenormal, -1e-30f, -1.0f, -1.5f, -kMax,  -kInfinity};
  for (size_t i = 1; i < std::size(descending); ++i) {
    EXPECT_LT(ScoreKey(descending[i - 1]), ScoreKey(descending[i]))
        << descending[i - 1] << " before " << descending[i];
  }
  EXPECT_EQ(ScoreKey(0.0f), ScoreKey(-0.0f));
  EXPECT_EQ(ScoreKey(kNaN), ScoreKey(-kNaN));
  EXPECT_EQ(ScoreKey(kNaN), ScoreKey(std::nanf("7")));
}

TEST(Order, IntegerKeysAscend) {
  const int32_t ascending[] = {INT32_MIN, -2, -1, 0, 1, INT32_MAX};
  for (size_t i = 1; i < std::size(ascending); ++i) {
    EXPECT_LT(IntegerKey(ascending[i - 1]), IntegerKey(ascending[i]));
  }
}

// Counts around the limits between algorithms, and keys with digits that are all equal.
TEST(Order, SortsStably) {
  std::mt19937 random(19);
  for (const uint32_t mask : {0xFFFFFFFFu, 0x7u, 0xFF00u, 0xFF0000FFu, 0u}) {
    for (const int64_t count : {0, 1, 2, 47, 48, 49, 1000}) {
      std::vector<Entry> entries;
      for (int64_t i = 0; i < count; ++i) {
        entries.push_back(MakeEntry(static_cast<uint32_t>(random()) & mask, static_cast<int>(i)));
      }
      std::vector<Entry> expected = entries;
      std::stable_sort(expected.begin(), expected.end(),
                       [](Entry a, Entry b) { return KeyOf(a) < KeyOf(b); });
      std::vector<Entry> spare(entries.size());
      SortEntries(entries.data(), spare.data(), count);
      ASSERT_EQ(entries, expected) << count << " entries, mask " << mask;
    }
  }
}

}  // namespace
}  // namespace detops::suppression
