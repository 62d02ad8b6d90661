// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// After ten calls with the same shape, further calls make no heap allocation.

#include "testing/allocations.h"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "cnrt.h"
#include "tests/operator_calls.h"

namespace detops {
namespace {

constexpr int kWarmUps = 10;
constexpr int kCalls = 5;

TEST(Allocations, AreCounted) {
  const int64_t made = AllocationsMade();
  const int64_t alive = AllocationsAlive();
  {
    const std::vector<int> some(1000);
    EXPECT_EQ(AllocationsMade(), made + 1);
    EXPECT_EQ(AllocationsAlive(), alive + 1);
  }
  EXPECT_EQ(AllocationsAlive(), alive);
}

// A number of threads, with and without a queue.
class NoAllocations : public testing::TestWithParam<std::tuple<int, bool>> {};
INSTANTIATE_TEST_SUITE_P(ThreadsAndQueue, NoAllocations,
                         testing::Combine(testing::Values(1, 2), testing::Bool()));

TEST_P(NoAllocations, InRepeatedCalls) {
  const auto [threads, queued] = GetParam();
  for (OperatorCall& call : AllCalls()) {
    if (!call.in_place) {
      continue;  // returned results are allocated
    }
    Context context;
    Queue queue;
    context.SetThreads(threads);
    if (queued) {
      context.SetQueue(queue);
    }
    int64_t before = 0;
    bool succeeded = true;
    for (int i = 0; i < kWarmUps + kCalls; ++i) {
      if (i == kWarmUps) {
        before = AllocationsMade();
      }
      succeeded = succeeded && call.make(context) == MLUOP_STATUS_SUCCESS &&
                  cnrtQueueSync(queue.get()) == cnrtSuccess;
    }
    const int64_t after = AllocationsMade();
    EXPECT_TRUE(succeeded) << call.name;
    EXPECT_TRUE(call.IsRight()) << call.name;
    EXPECT_EQ(after, before) << call.name;
  }
}

// The matrix of bbox_overlaps needs no memory of its own: its first call in a context makes no
// allocation, either.
TEST(FirstCall, OfOverlapsAllocatesNothing) {
  OperatorCall warm_up = OverlapsOf(8);
  OperatorCall call = OverlapsOf(300);
  Context first;
  first.SetThreads(1);
  ASSERT_EQ(warm_up.make(first), MLUOP_STATUS_SUCCESS);  // what a process creates once
  Context context;
  context.SetThreads(1);
  const int64_t before = AllocationsMade();
  const mluOpStatus_t status = call.make(context);
  EXPECT_EQ(AllocationsMade(), before);
  EXPECT_EQ(status, MLUOP_STATUS_SUCCESS);
  EXPECT_TRUE(call.IsRight());
}

// Calls of all operators alternate in one context.
TEST_P(NoAllocations, InCallsThatAreQueuedTogether) {
  const auto [threads, queued] = GetParam();
  Context context;
  Queue queue;
  context.SetThreads(threads);
  if (queued) {
    context.SetQueue(queue);
  }
  std::vector<OperatorCall> calls = AllCalls();
  int64_t before = 0;
  bool succeeded = true;
  for (int i = 0; i < kWarmUps + kCalls; ++i) {
    if (i == kWarmUps) {
      before = AllocationsMade();
    }
    int waiting = 0;
    for (OperatorCall& call : calls) {
      if (call.in_place) {
        succeeded = succeeded && call.make(context) == MLUOP_STATUS_SUCCESS;
        if (++waiting % 8 == 0) {  // longer backlogs may not have occurred during the warm-up
          succeeded = succeeded && cnrtQueueSync(queue.get()) == cnrtSuccess;
        }
      }
    }
    succeeded = succeeded && cnrtQueueSync(queue.get()) == cnrtSuccess;
  }
  EXPECT_EQ(AllocationsMade(), before);
  EXPECT_TRUE(succeeded);
  for (const OperatorCall& call : calls) {
    EXPECT_TRUE(!call.in_place || call.IsRight()) << call.name;
  }
}

}  // namespace
}  // namespace detops
