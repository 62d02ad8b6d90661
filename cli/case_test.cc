// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cli/test_numbers.h"
#include "core/half.h"

namespace detops::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor Drawn(mluOpDataType_t dtype, int64_t count, const RandomData& data) {
  Tensor tensor = MakeTensor(dtype, {count});
  tensor.random = data;
  DrawValues(tensor);
  return tensor;
}

TEST(Tensor, CountsItsElements) {
  EXPECT_EQ(MakeTensor(MLUOP_DTYPE_FLOAT, {}).count(), 1);
  EXPECT_EQ(MakeTensor(MLUOP_DTYPE_FLOAT, {2, 3}).count(), 6);
  EXPECT_EQ(MakeTensor(MLUOP_DTYPE_HALF, {2, 3}).bytes(), 12U);
  // A dimension of 0 makes the tensor empty.
  EXPECT_EQ(MakeTensor(MLUOP_DTYPE_FLOAT, {0, 1000}).count(), 0);
  EXPECT_TRUE(MakeTensor(MLUOP_DTYPE_FLOAT, {0, 1000}).has_values());
  EXPECT_FALSE(MakeTensor(MLUOP_DTYPE_FLOAT, {1}).has_values());
}

TEST(Tensor, RefusesImpossibleShapes) {
  const auto message = [](std::vector<int64_t> dims) -> std::string {
    try {
      static_cast<void>(MakeTensor(MLUOP_DTYPE_FLOAT, std::move(dims)).count());
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message({-1, 3}), HasSubstr("float[-1,3] has a negative dimension"));
  EXPECT_THAT(message({int64_t{1} << 40, int64_t{1} << 40}), HasSubstr("larger than any memory"));
  EXPECT_THAT(message({int64_t{1} << 62}), HasSubstr("larger than any memory"));
  EXPECT_EQ(message({int64_t{1} << 40}), "");
}

TEST(TensorOf, ConvertsToItsType) {
  EXPECT_THAT(NumbersOf(TensorOf(MLUOP_DTYPE_FLOAT, {3}, {1, -2.5f, 3}), 3),
              ElementsAre(1, -2.5, 3));
  const Tensor half = TensorOf(MLUOP_DTYPE_HALF, {2}, {1, 0.1f});
  EXPECT_EQ(half.as<Half>()[0].bits, 0x3c00);
  EXPECT_THAT(NumbersOf(half, 1), ElementsAre(1));
  EXPECT_THAT(NumbersOf(TensorOf(MLUOP_DTYPE_INT32, {2}, {7, -8}), 2), ElementsAre(7, -8));
}

TEST(DrawValues, UniformNumbersFillTheirRange) {
  RandomData data;
  data.seed = 3;
  data.lower_bound = -2;
  data.upper_bound = 6;
  const Tensor tensor = Drawn(MLUOP_DTYPE_FLOAT, 10'000, data);
  double sum = 0;
  double least = 100;
  double most = -100;
  for (const double number : NumbersOf(tensor, tensor.count())) {
    sum += number;
    least = std::min(least, number);
    most = std::max(most, number);
  }
  EXPECT_NEAR(sum / 10'000, 2, 0.1);
  EXPECT_GE(least, -2);
  EXPECT_LT(least, -1.99);
  EXPECT_LE(most, 6);
  EXPECT_GT(most, 5.99);
}

TEST(DrawValues, GaussianNumbersHaveTheirMeanAndDeviation) {
  RandomData data;
  data.distribution = RandomData::Distribution::kGaussian;
  data.mu = 5;
  data.sigma = 2;
  const Tensor tensor = Drawn(MLUOP_DTYPE_FLOAT, 20'000, data);
  double sum = 0;
  double squares = 0;
  for (const double number : NumbersOf(tensor, tensor.count())) {
    sum += number;
    squares += (number - 5) * (number - 5);
  }
  EXPECT_NEAR(sum / 20'000, 5, 0.05);
  EXPECT_NEAR(std::sqrt(squares / 20'000), 2, 0.05);
}

TEST(DrawValues, TheSameSeedGivesTheSameNumbers) {
  RandomData data;
  data.seed = 42;
  const std::vector<double> first = NumbersOf(Drawn(MLUOP_DTYPE_FLOAT, 100, data), 100);
  EXPECT_EQ(first, NumbersOf(Drawn(MLUOP_DTYPE_FLOAT, 100, data), 100));
  data.seed = 43;
  EXPECT_NE(first, NumbersOf(Drawn(MLUOP_DTYPE_FLOAT, 100, data), 100));
  // The C++ standard specifies the Mersenne twister: its first number for seed 5489 is 3499211612.
  data.seed = 5489;
  EXPECT_FLOAT_EQ(static_cast<float>(NumbersOf(Drawn(MLUOP_DTYPE_FLOAT, 1, data), 1)[0]),
                  static_cast<float>(3499211612.0 / 4294967296.0));
}

TEST(DrawValues, EqualBoundsGiveThatNumber) {
  RandomData data;
  data.lower_bound = data.upper_bound = 1.5;
  EXPECT_THAT(NumbersOf(Drawn(MLUOP_DTYPE_HALF, 3, data), 3), ElementsAre(1.5, 1.5, 1.5));
}

TEST(DrawValues, IntegersStayWithinTheirRange) {
  RandomData data;
  data.lower_bound = data.upper_bound = 1e12;
  EXPECT_THAT(NumbersOf(Drawn(MLUOP_DTYPE_INT32, 1, data), 1), ElementsAre(2147483647));
  data.lower_bound = data.upper_bound = -1e12;
  EXPECT_THAT(NumbersOf(Drawn(MLUOP_DTYPE_INT32, 1, data), 1), ElementsAre(-2147483648.0));
}

TEST(Diffs, FollowTheirDefinitions) {
  const std::vector<double> found = {1.1, 2, -1e-7, 0};
  const std::vector<double> right = {1, 2, 0, 0};
  const Diffs diffs = ComputeDiffs(found, right);
  EXPECT_NEAR(diffs.diff1, (0.1 + 1e-7) / 3, 1e-12);
  EXPECT_NEAR(diffs.diff2, std::sqrt((0.01 + 1e-14) / 5), 1e-12);
  EXPECT_NEAR(diffs.diff3_relative, 0.1, 1e-12);
  EXPECT_DOUBLE_EQ(diffs.diff3_absolute, 1e-7);
  EXPECT_NEAR(diffs.diff3_2, 0.1, 1e-12);
  EXPECT_EQ(diffs.unequal, 2);
  EXPECT_DOUBLE_EQ(diffs.share_above(), 0.5);
  EXPECT_DOUBLE_EQ(diffs.share_below(), 0.5);
}

TEST(Diffs, EqualInfinitiesAndNaNsDoNotDiffer) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  const std::vector<double> odd = {nan, kInfinity, -kInfinity};
  const Diffs same = ComputeDiffs(odd, odd);
  EXPECT_EQ(same.diff1, 0);
  EXPECT_EQ(same.diff3_2, 0);
  EXPECT_EQ(same.unequal, 0);
  for (const double wrong : {nan, -kInfinity, 1.0}) {
    const Diffs diffs = ComputeDiffs(std::vector<double>{wrong}, std::vector<double>{kInfinity});
    EXPECT_EQ(diffs.diff1, kInfinity);
    EXPECT_EQ(diffs.diff2, kInfinity);
    EXPECT_EQ(diffs.diff3_relative, kInfinity);
    EXPECT_EQ(diffs.diff3_2, kInfinity);
  }
  // An error where the right answer is 0: the denominator of 0 must not hide it.
  EXPECT_EQ(ComputeDiffs(std::vector<double>{1}, std::vector<double>{0}).diff1, kInfinity);
}

}  // namespace
}  // namespace detops::cli
