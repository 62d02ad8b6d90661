// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "core/boundary.h"
#include "core/check.h"
#include "core/interruption.h"
#include "detops/error.hpp"
#include "testing/log_capture.h"

namespace detops {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ErrorString, IsTheEnumeratorsName) {
  EXPECT_STREQ(mluOpGetErrorString(MLUOP_STATUS_SUCCESS), "MLUOP_STATUS_SUCCESS");
  EXPECT_STREQ(mluOpGetErrorString(MLUOP_STATUS_NOT_INITIALIZED), "MLUOP_STATUS_NOT_INITIALIZED");
  EXPECT_STREQ(mluOpGetErrorString(MLUOP_STATUS_ALLOC_FAILED), "MLUOP_STATUS_ALLOC_FAILED");
  EXPECT_STREQ(mluOpGetErrorString(MLUOP_STATUS_BAD_PARAM), "MLUOP_STATUS_BAD_PARAM");
  EXPECT_STREQ(mluOpGetErrorString(MLUOP_STATUS_INTERNAL_ERROR), "MLUOP_STATUS_INTERNAL_ERROR");
  EXPECT_STREQ(mluOpGetErrorString(MLUOP_STATUS_ARCH_MISMATCH), "MLUOP_STATUS_ARCH_MISMATCH");
  EXPECT_STREQ(mluOpGetErrorString(MLUOP_STATUS_EXECUTION_FAILED), "MLUOP_STATUS_EXECUTION_FAILED");
  EXPECT_STREQ(mluOpGetErrorString(MLUOP_STATUS_NOT_SUPPORTED), "MLUOP_STATUS_NOT_SUPPORTED");
  EXPECT_STREQ(mluOpGetErrorString(MLUOP_STATUS_NUMERICAL_OVERFLOW),
               "MLUOP_STATUS_NUMERICAL_OVERFLOW");
  EXPECT_STREQ(mluOpGetErrorString(static_cast<mluOpStatus_t>(9)), "unknown mluOpStatus_t");
}

TEST(Boundary, SuccessIsNotLoggedAndKeepsTheLastError) {
  LogCapture log(DETOPS_LOG_DEBUG);
  SetLastError("before", "fallback");
  EXPECT_EQ(ApiCall("f", [] { return Status(); }), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(log.Take(), IsEmpty());
  EXPECT_STREQ(detopsGetLastError(), "before");
}

TEST(Boundary, FailureIsLoggedOnceAndBecomesTheLastError) {
  LogCapture log;
  EXPECT_EQ(ApiCall("f", [] { return CheckRange("rank", 9, 0, 8); }), MLUOP_STATUS_BAD_PARAM);
  EXPECT_THAT(log.Take(), ElementsAre("f: rank is 9; it must be 0 to 8"));
  EXPECT_STREQ(detopsGetLastError(), "f: rank is 9; it must be 0 to 8");
}

TEST(Boundary, ExceptionsBecomeStatusCodes) {
  LogCapture log;
  EXPECT_EQ(ApiCall("f", []() -> Status { throw std::bad_alloc(); }), MLUOP_STATUS_ALLOC_FAILED);
  EXPECT_EQ(ApiCall("g", []() -> Status { throw std::runtime_error("why"); }),
            MLUOP_STATUS_INTERNAL_ERROR);
  EXPECT_EQ(ApiCall("h", []() -> Status { throw 1; }), MLUOP_STATUS_INTERNAL_ERROR);
  EXPECT_EQ(ApiCall("i", []() -> Status { throw Interrupted(); }), MLUOP_STATUS_EXECUTION_FAILED);
  EXPECT_THAT(log.Take(), ElementsAre("f: out of memory", "g: unexpected exception: why",
                                      "h: unexpected exception", "i: interrupted"));
}

TEST(Boundary, CppCallThrowsTheTextOfTheCApi) {
  LogCapture log;
  EXPECT_NO_THROW(CppCall("f", [] { return Status(); }));
  try {
    CppCall("f", [] { return CheckNotNull("boxes", nullptr); });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), MLUOP_STATUS_BAD_PARAM);
    EXPECT_STREQ(error.what(), "f: boxes is NULL; it must be a valid pointer");
    EXPECT_STREQ(error.what(), detopsGetLastError());
  }
  EXPECT_THAT(log.Take(), ElementsAre("f: boxes is NULL; it must be a valid pointer"));
}

TEST(Boundary, CppCallTurnsExceptionsIntoErrors) {
  LogCapture log;
  try {
    CppCall("f", []() -> Status { throw std::bad_alloc(); });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), MLUOP_STATUS_ALLOC_FAILED);
    EXPECT_STREQ(error.what(), "f: out of memory");
  }
  EXPECT_THAT(log.Take(), ElementsAre("f: out of memory"));
}

TEST(LastError, BelongsToItsThread) {
  SetLastError("mine", "fallback");
  std::thread([] {
    EXPECT_STREQ(detopsGetLastError(), "");
    SetLastError("other", "fallback");
    EXPECT_STREQ(detopsGetLastError(), "other");
  }).join();
  EXPECT_STREQ(detopsGetLastError(), "mine");
}

TEST(LastError, IsTruncatedWhenTooLong) {
  SetLastError(std::string(5000, 'x'), "fallback");
  EXPECT_EQ(detopsGetLastError(), std::string(1023, 'x'));
}

enum Fruit { kApple = 1, kPear = 2 };

TEST(Check, NamesTheArgumentItsValueAndWhatIsValid) {
  int something = 0;
  EXPECT_TRUE(CheckNotNull("a", &something).ok());
  EXPECT_EQ(CheckNotNull("a", nullptr).message(), "a is NULL; it must be a valid pointer");
  EXPECT_TRUE(CheckRange("a", 0, 0, 8).ok());
  EXPECT_TRUE(CheckRange("a", 8, 0, 8).ok());
  EXPECT_EQ(CheckRange("a", -1, 0, 8).message(), "a is -1; it must be 0 to 8");
  EXPECT_TRUE(CheckEnum("a", kPear, kApple, kPear).ok());
  EXPECT_EQ(CheckEnum("a", static_cast<Fruit>(-1), kApple, kPear).message(),
            "a is -1; it must be 1 to 2");
  EXPECT_EQ(CheckEnum("a", static_cast<Fruit>(3), kApple, kPear).message(),
            "a is 3; it must be 1 to 2");
  EXPECT_EQ(CheckEnum("a", static_cast<Fruit>(0), kApple, kPear).code(), MLUOP_STATUS_BAD_PARAM);
}

}  // namespace
}  // namespace detops
