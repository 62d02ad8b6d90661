// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// When operators ask the system for threads, and what they do without.

#include "testing/thread_fault.h"

#include <gtest/gtest.h>

#if defined(DETOPS_HAS_THREAD_FAULT)

#include <cstring>
#include <vector>

#include "cnrt.h"
#include "core/parallel.h"
#include "testing/log_capture.h"
#include "tests/operator_calls.h"

namespace detops {
namespace {

TEST(OperatorsWithoutThreads, AreNotQueuedAndCanBeLater) {
  const LogCapture log;
  for (OperatorCall& call : AllCalls()) {
    if (!call.in_place) {
      continue;  // what is returned is computed by the call
    }
    Context context;
    Queue queue;  // its thread starts with its first job
    context.SetQueue(queue);
    call.Clear();
    {
      const ThreadFault fault;
      EXPECT_EQ(call.make(context), MLUOP_STATUS_EXECUTION_FAILED) << call.name;
      EXPECT_NE(std::strstr(detopsGetLastError(), "the queue's thread could not be started"),
                nullptr)
          << detopsGetLastError();
      EXPECT_EQ(cnrtQueueSync(queue.get()), cnrtSuccess) << call.name;
    }
    EXPECT_TRUE(call.IsUntouched()) << call.name;
    EXPECT_EQ(call.make(context), MLUOP_STATUS_SUCCESS) << call.name;
    EXPECT_EQ(cnrtQueueSync(queue.get()), cnrtSuccess) << call.name;
    EXPECT_TRUE(call.IsRight()) << call.name;
  }
}

// The threads of loops are TBB's, and there is none yet: ctest runs each test in a process of its
// own.
TEST(OperatorsWithoutThreads, RunOnTheirCaller) {
  for (OperatorCall& call : AllCalls()) {
    Context context;
    context.SetThreads(2);
    call.Clear();
    const ThreadFault fault;
    EXPECT_EQ(call.make(context), MLUOP_STATUS_SUCCESS) << call.name;
    EXPECT_TRUE(call.IsRight()) << call.name;
  }
}

// A loop starts TBB's threads before it can wake them. In a process of its own, as above: there is
// none yet.
TEST(SmallCalls, WakeNoThread) {
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
