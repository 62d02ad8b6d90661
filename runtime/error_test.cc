// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The names of the runtime's return values, and the last error of each thread.

#include <gtest/gtest.h>

#include <thread>

#include "runtime/queue_test.h"
#include "testing/gate.h"

namespace detops {
namespace {

TEST(CnrtErrorNames, AreTheEnumerators) {
  for (const auto name : {cnrtGetErrorStr, cnrtGetErrorName}) {
    EXPECT_STREQ(name(cnrtSuccess), "cnrtSuccess");
    EXPECT_STREQ(name(cnrtErrorNotReady), "cnrtErrorNotReady");
    EXPECT_STREQ(name(cnrtErrorArgsInvalid), "cnrtErrorArgsInvalid");
    EXPECT_STREQ(name(cnrtErrorNoMem), "cnrtErrorNoMem");
    EXPECT_STREQ(name(cnrtErrorQueueInvalid), "cnrtErrorQueueInvalid");
    EXPECT_STREQ(name(cnrtErrorUnknown), "cnrtErrorUnknown");
    EXPECT_STREQ(name(static_cast<cnrtRet_t>(6)), "unknown cnrtRet_t");
  }
}

class CnrtLastError : public QueueTest {
 protected:
  CnrtLastError() { cnrtGetLastError(); }
};

TEST_F(CnrtLastError, IsReturnedOnceAndSurvivesSuccess) {
  EXPECT_EQ(cnrtPeekAtLastError(), cnrtSuccess);
  EXPECT_EQ(cnrtSetDevice(7), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtSetDevice(0), cnrtSuccess);
  EXPECT_EQ(cnrtPeekAtLastError(), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtPeekAtLastError(), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtGetLastError(), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtGetLastError(), cnrtSuccess);
}

TEST_F(CnrtLastError, IsTheLatest) {
  EXPECT_EQ(cnrtSetDevice(7), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtQueueDestroy(nullptr), cnrtErrorQueueInvalid);
  EXPECT_EQ(cnrtGetLastError(), cnrtErrorQueueInvalid);
}

TEST_F(CnrtLastError, BelongsToAThread) {
  EXPECT_EQ(cnrtSetDevice(7), cnrtErrorArgsInvalid);
  std::thread([] {
    EXPECT_EQ(cnrtPeekAtLastError(), cnrtSuccess);
    EXPECT_EQ(cnrtQueueDestroy(nullptr), cnrtErrorQueueInvalid);
  }).join();
  EXPECT_EQ(cnrtGetLastError(), cnrtErrorArgsInvalid);
}

TEST_F(CnrtLastError, IncludesTheErrorsOfQueues) {
  SubmitFailure(1);
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtGetLastError(), cnrtErrorArgsInvalid);
}

TEST_F(CnrtLastError, NotReadyIsNotAnError) {
  Gate gate;
  ASSERT_TRUE(gate.Block(queue_).ok());
  EXPECT_EQ(cnrtQueueQuery(queue_), cnrtErrorNotReady);
  EXPECT_EQ(cnrtGetLastError(), cnrtSuccess);
}

TEST_F(CnrtLastError, OperatorsDoNotSetIt) {
  EXPECT_EQ(mluOpDestroy(nullptr), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(cnrtGetLastError(), cnrtSuccess);
}

}  // namespace
}  // namespace detops
