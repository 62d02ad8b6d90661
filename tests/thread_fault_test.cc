// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Operators when no thread can be started, and the number of threads that they start.

#include "testing/thread_fault.h"

#include <gtest/gtest.h>

#if defined(DETOPS_HAS_THREAD_FAULT)

#include <string>
#include <vector>

#include "cnrt.h"
#include "core/parallel.h"
#include "testing/log_capture.h"
#include "tests/operator_calls.h"

namespace detops {
namespace {

TEST(OperatorsWithoutThreads, FailToQueueAndCanBeQueuedLater) {
  const LogCapture log;
  for (OperatorCall& call : AllCalls()) {
    if (!call.in_place) {
      continue;  // returned results are computed by the caller
    }
    Context context;
    Queue queue;  // starts its thread with the first job
    context.SetQueue(queue);
    call.Clear();
    {
      const ThreadFault fault;
      EXPECT_EQ(call.make(context), MLUOP_STATUS_EXECUTION_FAILED) << call.name;
      const std::string message = detopsGetLastError();
      EXPECT_NE(message.find("the queue's thread could not be started"), std::string::npos)
          << message;
      EXPECT_EQ(cnrtQueueSync(queue.get()), cnrtSuccess) << call.name;
    }
    EXPECT_TRUE(call.IsUntouched()) << call.name;
    EXPECT_EQ(call.make(context), MLUOP_STATUS_SUCCESS) << call.name;
    EXPECT_EQ(cnrtQueueSync(queue.get()), cnrtSuccess) << call.name;
    EXPECT_TRUE(call.IsRight()) << call.name;
  }
}

// Loops run on TBB's threads, none of which exists yet: ctest runs each test in its own process.
TEST(OperatorsWithoutThreads, RunOnTheCallingThread) {
  for (OperatorCall& call : AllCalls()) {
    Context context;
    context.SetThreads(2);
    call.Clear();
    const ThreadFault fault;
    EXPECT_EQ(call.make(context), MLUOP_STATUS_SUCCESS) << call.name;
    EXPECT_TRUE(call.IsRight()) << call.name;
  }
}

// A loop that uses threads must start TBB's first. Relies on a process of its own, too.
TEST(SmallCalls, StartNoThread) {
  OperatorCall small = OverlapsOf(8);
  Context context;
  context.SetThreads(2);
  const int before = ThreadsStarted();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(small.make(context), MLUOP_STATUS_SUCCESS);
  }
  EXPECT_EQ(ThreadsStarted(), before);
  EXPECT_TRUE(small.IsRight());
  if (AvailableCores() > 1) {
    OperatorCall large = OverlapsOf(1000);
    ASSERT_EQ(large.make(context), MLUOP_STATUS_SUCCESS);
    EXPECT_GT(ThreadsStarted(), before) << "threads are not counted";
  }
}

}  // namespace
}  // namespace detops

#endif
