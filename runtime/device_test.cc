// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cn_api.h"
#include "cnrt.h"
#include "mlu_op.h"
#include "testing/log_capture.h"

namespace detops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Device, IsTheHost) {
  int device = -1;
  EXPECT_EQ(cnrtGetDevice(&device), cnrtSuccess);
  EXPECT_EQ(device, 0);
  unsigned int count = 0;
  EXPECT_EQ(cnrtGetDeviceCount(&count), cnrtSuccess);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(cnrtSetDevice(0), cnrtSuccess);
}

TEST(Device, RejectsBadInput) {
  LogCapture log;
  EXPECT_EQ(cnrtGetDevice(nullptr), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtGetDeviceCount(nullptr), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtSetDevice(1), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtSetDevice(-1), cnrtErrorArgsInvalid);
  EXPECT_THAT(log.Take(), ElementsAre(HasSubstr("cnrtGetDevice: ordinal is NULL"),
                                      HasSubstr("cnrtGetDeviceCount: count is NULL"),
                                      HasSubstr("cnrtSetDevice: ordinal is 1; it must be 0 to 0"),
                                      HasSubstr("ordinal is -1")));
}

TEST(Device, SyncWithoutQueuesSucceeds) { EXPECT_EQ(cnrtSyncDevice(), cnrtSuccess); }

TEST(CnrtErrorStr, IsTheEnumeratorsName) {
  EXPECT_STREQ(cnrtGetErrorStr(cnrtSuccess), "cnrtSuccess");
  EXPECT_STREQ(cnrtGetErrorStr(cnrtErrorNotReady), "cnrtErrorNotReady");
  EXPECT_STREQ(cnrtGetErrorStr(cnrtErrorArgsInvalid), "cnrtErrorArgsInvalid");
  EXPECT_STREQ(cnrtGetErrorStr(cnrtErrorNoMem), "cnrtErrorNoMem");
  EXPECT_STREQ(cnrtGetErrorStr(cnrtErrorQueueInvalid), "cnrtErrorQueueInvalid");
  EXPECT_STREQ(cnrtGetErrorStr(cnrtErrorUnknown), "cnrtErrorUnknown");
  EXPECT_STREQ(cnrtGetErrorStr(static_cast<cnrtRet_t>(6)), "unknown cnrtRet_t");
}

TEST(CnrtCheckDeathTest, PrintsAndExits) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  CNRT_CHECK(cnrtSuccess);
  EXPECT_EXIT(CNRT_CHECK(cnrtSetDevice(7)), testing::ExitedWithCode(1),
              "device_test.cc:[0-9]+: cnrtSetDevice\\(7\\) returned cnrtErrorArgsInvalid");
}

}  // namespace
}  // namespace detops
