// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "testing/log_capture.h"

namespace detops {
namespace {

using testing::ElementsAre;

constexpr const char* kName = "DETOPS_ENVIRONMENT_TEST";

class Environment : public testing::Test {
 protected:
  void TearDown() override { unsetenv(kName); }
};

TEST_F(Environment, HasOnlyValuesThatAreNotEmpty) {
  EXPECT_EQ(FromEnvironment(kName), std::nullopt);
  setenv(kName, "", 1);
  EXPECT_EQ(FromEnvironment(kName), std::nullopt);
  setenv(kName, " ", 1);
  EXPECT_EQ(FromEnvironment(kName), " ");
  setenv(kName, "value", 1);
  EXPECT_EQ(FromEnvironment(kName), "value");
}

TEST_F(Environment, AnEmptyNumberIsNotSet) {
  LogCapture log;
  EXPECT_EQ(IntegerFromEnvironment(kName, 0, 9), std::nullopt);
  setenv(kName, "", 1);
  EXPECT_EQ(IntegerFromEnvironment(kName, 0, 9), std::nullopt);
  EXPECT_THAT(log.Take(), ElementsAre());
}

TEST_F(Environment, NumbersHaveARange) {
  LogCapture log;
  for (const int valid : {0, 7, 9}) {
    setenv(kName, std::to_string(valid).c_str(), 1);
    EXPECT_EQ(IntegerFromEnvironment(kName, 0, 9), valid);
  }
  setenv(kName, "07", 1);
  EXPECT_EQ(IntegerFromEnvironment(kName, 0, 9), 7);
  EXPECT_THAT(log.Take(), ElementsAre());
  for (const char* const wrong : {"10", "-1", "3 ", " 3", "3x", "three", "99999999999"}) {
    setenv(kName, wrong, 1);
    EXPECT_EQ(IntegerFromEnvironment(kName, 0, 9), std::nullopt);
    EXPECT_THAT(log.Take(), ElementsAre("DETOPS_ENVIRONMENT_TEST is '" + std::string(wrong) +
                                        "'; it must be an integer from 0 to 9 (ignored)"));
  }
}

}  // namespace
}  // namespace detops
