// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/benchmark.h"

#include <gtest/gtest.h>

namespace detops::cli {
namespace {

BenchResult Result(const char* name, int threads, double lower, double median, double upper) {
  BenchResult result{};
  result.op = "some_op";
  result.name = name;
  result.threads = threads;
  result.seconds = median;
  result.lower = lower;
  result.upper = upper;
  return result;
}

TEST(FindSlowdowns, ReportsOnlyWhatExceedsBothSpreads) {
  const std::vector<BenchResult> before = {Result("a", 1, 0.9, 1.0, 1.1)};
  EXPECT_TRUE(FindSlowdowns(before, {Result("a", 1, 0.9, 1.0, 1.1)}).empty());
  // Slower in the median, but within the noise between the quartiles.
  EXPECT_TRUE(FindSlowdowns(before, {Result("a", 1, 1.15, 1.4, 1.6)}).empty());
  const std::vector<BenchResult> slower = {Result("a", 1, 1.2, 1.4, 1.6)};
  const std::vector<Slowdown> found = FindSlowdowns(before, slower);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].before, before.data());
  EXPECT_EQ(found[0].now, slower.data());
}

TEST(FindSlowdowns, ComparesOnlyTheSameBenchmark) {
  const std::vector<BenchResult> before = {Result("a", 1, 1, 1, 1)};
  EXPECT_TRUE(FindSlowdowns(before, {Result("a", 2, 9, 9, 9)}).empty());
  EXPECT_TRUE(FindSlowdowns(before, {Result("b", 1, 9, 9, 9)}).empty());
  EXPECT_TRUE(FindSlowdowns({}, {Result("a", 1, 9, 9, 9)}).empty());
}

}  // namespace
}  // namespace detops::cli
