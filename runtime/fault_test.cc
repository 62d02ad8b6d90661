// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The system cannot create threads: the call reports it, nothing is queued, and everything stays
// usable.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/thread_fault.h"

#if defined(DETOPS_HAS_THREAD_FAULT)

#include <atomic>
#include <optional>

#include "runtime/recording.h"
#include "runtime/submit.h"
#include "testing/gate.h"
#include "testing/log_capture.h"

namespace detops {
namespace {

struct CountArgs {
  int* count;
};

Status Count(RunContext&, const CountArgs& args) {
  ++*args.count;
  return {};
}

TEST(NoMoreThreads, QueueReportsItAndIsUsableLater) {
  LogCapture log;
  mluOpHandle_t handle;
  cnrtQueue_t queue;
  cnrtNotifier_t notifier;
  ASSERT_EQ(mluOpCreate(&handle), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
  ASSERT_EQ(cnrtNotifierCreate(&notifier), cnrtSuccess);
  ASSERT_EQ(mluOpSetQueue(handle, queue), MLUOP_STATUS_SUCCESS);
  int count = 0;
  // Holds a notifier back, so that there is something to wait for.
  cnrtQueue_t blocked;
  cnrtNotifier_t unreached;
  Gate gate;
  ASSERT_EQ(cnrtQueueCreate(&blocked), cnrtSuccess);
  ASSERT_EQ(cnrtNotifierCreate(&unreached), cnrtSuccess);
  ASSERT_TRUE(gate.Block(blocked).ok());
  ASSERT_EQ(cnrtPlaceNotifier(unreached, blocked), cnrtSuccess);

  std::optional<ThreadFault> no_more_threads(std::in_place);
  const Status status = Submit<Count>(*Find<Handle>(handle), "op", CountArgs{&count});
  EXPECT_EQ(cnrtPlaceNotifier(notifier, queue), cnrtErrorUnknown);
  EXPECT_EQ(cnrtMemcpyAsync(nullptr, nullptr, 0, queue, cnrtMemcpyHostToDev), cnrtErrorUnknown);
  EXPECT_EQ(cnrtMemsetAsync(nullptr, 0, 0, queue), cnrtErrorUnknown);
  EXPECT_EQ(cnrtInvokeHostFunc(
                queue, [](void*) {}, nullptr),
            cnrtErrorUnknown);
  EXPECT_EQ(cnrtQueueWaitNotifier(unreached, queue, 0), cnrtErrorUnknown);
  no_more_threads.reset();

  EXPECT_EQ(status.code(), MLUOP_STATUS_EXECUTION_FAILED);
  EXPECT_THAT(status.message(), testing::HasSubstr("the queue's thread could not be started"));
  EXPECT_THAT(log.Take(), testing::ElementsAre(
                              testing::HasSubstr("cnrtPlaceNotifier: the queue's thread"),
                              testing::HasSubstr("cnrtMemcpyAsync: the queue's thread"),
                              testing::HasSubstr("cnrtMemsetAsync: the queue's thread"),
                              testing::HasSubstr("cnrtInvokeHostFunc: the queue's thread"),
                              testing::HasSubstr("cnrtQueueWaitNotifier: the queue's thread")));
  EXPECT_EQ(cnrtQueueSync(queue), cnrtSuccess);
  EXPECT_EQ(cnrtWaitNotifier(notifier), cnrtSuccess) << "a failed placement is not waited for";
  EXPECT_EQ(count, 0);

  EXPECT_TRUE(Submit<Count>(*Find<Handle>(handle), "op", CountArgs{&count}).ok());
  EXPECT_EQ(cnrtPlaceNotifier(notifier, queue), cnrtSuccess);
  EXPECT_EQ(cnrtQueueSync(queue), cnrtSuccess);
  EXPECT_EQ(count, 1) << "the queue must not wait for the notifier";
  gate.Open();
  EXPECT_EQ(cnrtNotifierDestroy(unreached), cnrtSuccess);
  EXPECT_EQ(cnrtQueueDestroy(blocked), cnrtSuccess);
  EXPECT_EQ(cnrtNotifierDestroy(notifier), cnrtSuccess);
  EXPECT_EQ(mluOpDestroy(handle), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
}

// The call itself reports the failure; that it cannot be recorded either must not change that.
TEST(NoMoreThreads, ACallOnAQueueIsNotRecorded) {
  LogCapture log;
  mluOpHandle_t handle;
  cnrtQueue_t queue;
  ASSERT_EQ(mluOpCreate(&handle), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
  ASSERT_EQ(mluOpSetQueue(handle, queue), MLUOP_STATUS_SUCCESS);
  mluOpSetGenCaseMode(3);
  {
    const ThreadFault no_more_threads;
    RecordCall(*Find<Handle>(handle), "op",
               [] { return RecordedCase{.op_name = "op", .parameters_name = "p"}; });
  }
  EXPECT_THAT(log.Take(),
              testing::ElementsAre(testing::HasSubstr(
                  "op: the call is not recorded: the queue's thread could not be started")));
  RecordCall(*Find<Handle>(handle), "op",
             [] { return RecordedCase{.op_name = "op", .parameters_name = "p"}; });
  mluOpSetGenCaseMode(0);
  EXPECT_EQ(cnrtQueueSync(queue), cnrtSuccess);
  EXPECT_THAT(log.Take(), testing::ElementsAre("op: op_name: \"op\" p { }"));
  EXPECT_EQ(mluOpDestroy(handle), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
}

struct LoopArgs {
  std::atomic<int>* items;
};

Status Loop(RunContext& context, const LoopArgs& args) {
  ParallelFor(context.threads, 64, 1e5,
              [&](int64_t begin, int64_t end) { *args.items += static_cast<int>(end - begin); });
  return {};
}

// ctest runs each test in its own process, so there is no worker yet.
TEST(NoMoreThreads, ALoopRunsOnTheCallingThread) {
  mluOpHandle_t handle;
  ASSERT_EQ(mluOpCreate(&handle), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(detopsSetThreads(handle, 2), MLUOP_STATUS_SUCCESS);
  std::atomic<int> items{0};
  std::optional<ThreadFault> no_more_threads(std::in_place);
  const Status status = Submit<Loop>(*Find<Handle>(handle), "op", LoopArgs{&items});
  no_more_threads.reset();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(items, 64);
  EXPECT_TRUE(Submit<Loop>(*Find<Handle>(handle), "op", LoopArgs{&items}).ok());
  EXPECT_EQ(items, 128);
  EXPECT_EQ(mluOpDestroy(handle), MLUOP_STATUS_SUCCESS);
}

}  // namespace
}  // namespace detops

#endif
