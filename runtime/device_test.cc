// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

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

TEST(Device, ResetWaitsForAllQueues) {
  cnrtQueue_t queue;
  ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
  bool done = false;
  const cnrtHostFn_t finish_late = [](void* flag) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    *static_cast<bool*>(flag) = true;
  };
  void* memory = nullptr;
  cnrtNotifier_t notifier;
  mluOpHandle_t handle;
  ASSERT_EQ(cnrtMalloc(&memory, 8), cnrtSuccess);
  ASSERT_EQ(cnrtNotifierCreate(&notifier), cnrtSuccess);
  ASSERT_EQ(mluOpCreate(&handle), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(cnrtInvokeHostFunc(queue, finish_late, &done), cnrtSuccess);
  EXPECT_EQ(cnrtDeviceReset(), cnrtSuccess);
  EXPECT_TRUE(done);
  // A reset frees and destroys nothing.
  EXPECT_EQ(cnrtMemset(memory, 1, 8), cnrtSuccess);
  EXPECT_EQ(cnrtFree(memory), cnrtSuccess);
  EXPECT_EQ(cnrtNotifierDestroy(notifier), cnrtSuccess);
  EXPECT_EQ(mluOpDestroy(handle), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
}

TEST(CnrtCheckDeathTest, PrintsAndExits) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  CNRT_CHECK(cnrtSuccess);
  EXPECT_EXIT(CNRT_CHECK(cnrtSetDevice(7)), testing::ExitedWithCode(1),
              "device_test.cc:[0-9]+: cnrtSetDevice\\(7\\) returned cnrtErrorArgsInvalid");
}

}  // namespace
}  // namespace detops
