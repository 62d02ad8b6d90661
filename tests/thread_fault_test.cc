// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Operators when no thread can be started, and the number of threads that they start.

#include "testing/thread_fault.h"
#include "core/cores.h"

#include <gtest/gtest.h>

#if defined(DETOPS_HAS_THREAD_FAULT)

#include <chrono>
#include <string>
#include <vector>

#include "cnrt.h"
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

// Loops run on workers, none of which exists yet: ctest runs each test in its own process.
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

// A machine with eight cores on which only some threads can be started, as in a container with a
// limit on processes. The calling thread and the workers that exist do all the work; later, when
// more threads can be started, more are.
TEST(OperatorsWithFewThreads, RunOnTheThreadsThatCanBeStarted) {
  PretendCores(8);
  for (const int allowed : {1, 2, 5}) {
    for (OperatorCall& call : AllCalls()) {
      Context context;
      context.SetThreads(8);
      call.Clear();
      const int before = ThreadsStarted();
      const ThreadFault fault(allowed);
      EXPECT_EQ(call.make(context), MLUOP_STATUS_SUCCESS) << call.name;
      EXPECT_TRUE(call.IsRight()) << call.name;
      EXPECT_LE(ThreadsStarted() - before, allowed);
    }
  }
  PretendCores(0);
}

// After a failure, the next attempt to start a worker is made a second later.
TEST(OperatorsWithFewThreads, StartMoreThreadsLater) {
  PretendCores(4);
  OperatorCall call = OverlapsOf(1000);
  Context context;
  context.SetThreads(4);
  const int before = ThreadsStarted();
  {
    const ThreadFault fault(1);
    ASSERT_EQ(call.make(context), MLUOP_STATUS_SUCCESS);
  }
  EXPECT_EQ(ThreadsStarted(), before + 1);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (ThreadsStarted() < before + 3 && std::chrono::steady_clock::now() < give_up) {
    ASSERT_EQ(call.make(context), MLUOP_STATUS_SUCCESS);
  }
  EXPECT_EQ(ThreadsStarted(), before + 3);
  EXPECT_TRUE(call.IsRight());
  PretendCores(0);
}

// A loop that uses threads must start the first worker. Relies on a process of its own, too.
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
