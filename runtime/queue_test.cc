// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Order, waiting, lifetimes and resources of queues. Errors are in queue_error_test.cc.

#include "runtime/queue_test.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>

#include "detops/context.hpp"
#include "testing/gate.h"
#include "testing/valgrind.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace detops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(QueueTest, RunsJobsInOrder) {
  std::vector<int> list;
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  for (const int value : expected) {
    ASSERT_TRUE(Submit<Append>(handle(), "op", AppendArgs{&list, value}).ok());
  }
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  EXPECT_EQ(list, expected);
}

TEST_F(QueueTest, SubmittingDoesNotWait) {
  Gate gate;
  ASSERT_TRUE(gate.Block(queue_).ok());
  std::vector<int> list;
  ASSERT_TRUE(Submit<Append>(handle(), "op", AppendArgs{&list, 1}).ok());
  EXPECT_EQ(cnrtQueueQuery(queue_), cnrtErrorNotReady);
  gate.Open();
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  EXPECT_THAT(list, ElementsAre(1));
  EXPECT_EQ(cnrtQueueQuery(queue_), cnrtSuccess);
}

TEST_F(QueueTest, WorkerRunsJobsThatNobodyWaitsFor) {
  std::vector<int> list;
  ASSERT_TRUE(Submit<Append>(handle(), "op", AppendArgs{&list, 1}).ok());
  ASSERT_EQ(PollUntilIdle(), cnrtSuccess);
  EXPECT_THAT(list, ElementsAre(1));
}

TEST_F(QueueTest, QueuesRunIndependently) {
  cnrtQueue_t other;
  ASSERT_EQ(cnrtQueueCreate(&other), cnrtSuccess);
  Gate gate;
  ASSERT_TRUE(gate.Block(queue_).ok());
  std::vector<int> list;
  ASSERT_TRUE(Find<HostQueue>(other)->Submit(Job::Make<Append>("op", AppendArgs{&list, 1})).ok());
  EXPECT_EQ(cnrtQueueSync(other), cnrtSuccess) << "the first queue is blocked";
  EXPECT_THAT(list, ElementsAre(1));
  gate.Open();
  EXPECT_EQ(cnrtQueueDestroy(other), cnrtSuccess);
}

TEST_F(QueueTest, SyncDoesNotWaitForLaterJobs) {
  Gate first;
  Gate second;
  ASSERT_TRUE(first.Block(queue_).ok());
  std::atomic<bool> synced{false};
  std::thread waiter([&] {
    EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
    synced = true;
  });
  // Long enough for the waiter to wait. If it is late, the test proves less but still passes.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ASSERT_TRUE(second.Queue(queue_).ok());
  first.Open();
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!synced && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(synced) << "the second gate is still closed";
  second.Open();
  waiter.join();
}

// The worker goes back to sleep if it wakes for a job that a waiting thread is already running. It
// must be woken again for jobs that were submitted meanwhile and that no thread waits for.
TEST_F(QueueTest, WorkerIsWokenForJobsThatAWaiterLeaves) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    Gate gate;
    std::atomic<std::thread::id> waiter_id;
    std::thread waiter([&] {
      waiter_id = std::this_thread::get_id();
      EXPECT_TRUE(gate.Queue(queue_).ok());
      EXPECT_EQ(cnrtQueueSync(queue_),
                cnrtSuccess);  // usually runs the job before the worker wakes up
    });
    gate.WaitUntilReached();
    std::vector<int> list;
    ASSERT_TRUE(Submit<Append>(handle(), "op", AppendArgs{&list, 1}).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const bool waiter_runs_job = gate.runner() == waiter_id;
    gate.Open();
    waiter.join();
    ASSERT_EQ(PollUntilIdle(), cnrtSuccess);
    ASSERT_THAT(list, ElementsAre(1));
    if (waiter_runs_job) {
      return;
    }
  }
  FAIL() << "the waiting thread never ran the job, so nothing was tested";
}

struct OrderArgs {
  std::atomic<int>* finished;
};

Status CountSlowly(RunContext&, const OrderArgs& args) {
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ++*args.finished;
  return {};
}

TEST_F(QueueTest, DestroyingTheHandleWaitsForItsJobs) {
  std::atomic<int> finished{0};
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(Submit<CountSlowly>(handle(), "op", OrderArgs{&finished}).ok());
  }
  EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS);
  handle_ = nullptr;
  EXPECT_EQ(finished, 10);
}

TEST_F(QueueTest, TheQueueMayBeDestroyedBeforeTheHandle) {
  std::atomic<int> finished{0};
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(Submit<CountSlowly>(handle(), "op", OrderArgs{&finished}).ok());
  }
  EXPECT_EQ(cnrtQueueDestroy(queue_), cnrtSuccess);
  queue_ = nullptr;
  EXPECT_EQ(finished, 10);
  EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS);
  handle_ = nullptr;
}

TEST_F(QueueTest, ChangingTheThreadsWaitsForJobsThatUseThem) {
  std::atomic<int> finished{0};
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(Submit<CountSlowly>(handle(), "op", OrderArgs{&finished}).ok());
  }
  EXPECT_EQ(detopsSetThreads(handle_, 3), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(finished, 5);
}

TEST_F(QueueTest, UpdatingTheDefaultThreadsWaitsForJobsThatUseThem) {
  std::atomic<int> finished{0};
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(Submit<CountSlowly>(handle(), "op", OrderArgs{&finished}).ok());
  }
  EXPECT_EQ(mluOpUpdateContextInformation(handle_), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(finished, 5);
}

TEST(CppQueue, TheDestructorWaitsForJobs) {
  std::atomic<int> finished{0};
  {
    const detops::Queue queue;
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(Find<HostQueue>(queue.get())
                      ->Submit(Job::Make<CountSlowly>("op", OrderArgs{&finished}))
                      .ok());
    }
  }
  EXPECT_EQ(finished, 5);
}

// Fills its scratch memory, gives another job a chance to overwrite it, and checks that it is
// unchanged.
struct ScratchArgs {
  size_t bytes;
  unsigned char pattern;
  std::atomic<int>* wrong;
};

Status UseScratch(RunContext& context, const ScratchArgs& args) {
  auto* const bytes = static_cast<unsigned char*>(context.scratch);
  std::memset(bytes, args.pattern, args.bytes);
  std::this_thread::yield();
  *args.wrong +=
      std::all_of(bytes, bytes + args.bytes, [&](unsigned char b) { return b == args.pattern; })
          ? 0
          : 1;
  *args.wrong += reinterpret_cast<uintptr_t>(bytes) % kAlignment == 0 ? 0 : 1;
  return {};
}

TEST_F(QueueTest, ScratchGrowsWhileEarlierJobsUseTheOldMemory) {
  std::atomic<int> wrong{0};
  for (int i = 1; i <= 200; ++i) {
    const ScratchArgs args{static_cast<size_t>(i) * 1000, static_cast<unsigned char>(i), &wrong};
    ASSERT_TRUE(Submit<UseScratch>(handle(), "op", args, args.bytes).ok());
  }
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  EXPECT_EQ(wrong, 0);
}

TEST_F(QueueTest, AHandleMayAlternateBetweenQueues) {
  cnrtQueue_t other;
  ASSERT_EQ(cnrtQueueCreate(&other), cnrtSuccess);
  std::atomic<int> wrong{0};
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(mluOpSetQueue(handle_, i % 2 == 0 ? queue_ : other), MLUOP_STATUS_SUCCESS);
    const ScratchArgs args{10'000, static_cast<unsigned char>(i), &wrong};
    ASSERT_TRUE(Submit<UseScratch>(handle(), "op", args, args.bytes).ok());
  }
  EXPECT_EQ(cnrtSyncDevice(), cnrtSuccess);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(cnrtQueueDestroy(other), cnrtSuccess);
}

TEST_F(QueueTest, NothingIsQueuedWithoutMemoryForScratch) {
  std::vector<int> list;
  for (const size_t bytes : {SIZE_MAX / 2, SIZE_MAX}) {
    EXPECT_THROW(static_cast<void>(Submit<Append>(handle(), "op", AppendArgs{&list, 1}, bytes)),
                 std::bad_alloc);
  }
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  EXPECT_THAT(list, IsEmpty());
  EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS)
      << "jobs that were not queued are not waited for";
  handle_ = nullptr;
}

struct ParallelArgs {
  std::atomic<int64_t>* items;
};

Status CountInParallel(RunContext& context, const ParallelArgs& args) {
  ParallelFor(context.threads, 1000, 1000.0,
              [&](int64_t begin, int64_t end) { *args.items += end - begin; });
  return {};
}

TEST_F(QueueTest, JobsUseTheHandlesThreads) {
  std::atomic<int64_t> items{0};
  ASSERT_EQ(detopsSetThreads(handle_, 2), MLUOP_STATUS_SUCCESS);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(Submit<CountInParallel>(handle(), "op", ParallelArgs{&items}).ok());
  }
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  EXPECT_EQ(items, 50'000);
}

#if defined(__SSE2__)
struct ModeArgs {
  std::atomic<uint32_t>* seen;
};

Status ReadFloatMode(RunContext&, const ModeArgs& args) {
  *args.seen = _mm_getcsr() & ~0x3Fu;
  return {};
}

// The mode is the default inside the call, on the worker and on a thread that waits.
TEST_F(QueueTest, EveryJobRunsInTheDefaultFloatMode) {
  if (UnderValgrind()) {
    GTEST_SKIP() << "Valgrind has only one floating-point mode";
  }
  constexpr uint32_t kDefault = 0x1F80;
  constexpr uint32_t kUnusual = kDefault | 0x8040 | 0x2000;
  for (const bool queued : {false, true}) {
    ASSERT_EQ(mluOpSetQueue(handle_, queued ? queue_ : nullptr), MLUOP_STATUS_SUCCESS);
    std::atomic<uint32_t> seen{0};
    _mm_setcsr(kUnusual);
    const bool ok = Submit<ReadFloatMode>(handle(), "op", ModeArgs{&seen}).ok() &&
                    cnrtQueueSync(queue_) == cnrtSuccess;
    const uint32_t after = _mm_getcsr();
    _mm_setcsr(kDefault);
    EXPECT_TRUE(ok);
    EXPECT_EQ(seen, kDefault);
    EXPECT_EQ(after & ~0x3Fu, kUnusual);
  }
}
#endif

TEST(Queue, NullIsAnIdleQueueButCannotBeDestroyed) {
  LogCapture log;
  EXPECT_EQ(cnrtQueueSync(nullptr), cnrtSuccess);
  EXPECT_EQ(cnrtQueueQuery(nullptr), cnrtSuccess);
  EXPECT_THAT(log.Take(), IsEmpty());
  EXPECT_EQ(cnrtQueueDestroy(nullptr), cnrtErrorQueueInvalid);
  EXPECT_EQ(cnrtQueueCreate(nullptr), cnrtErrorArgsInvalid);
  EXPECT_THAT(log.Take(), ElementsAre(HasSubstr("cnrtQueueDestroy: queue is NULL"),
                                      HasSubstr("cnrtQueueCreate: queue is NULL")));
}

}  // namespace
}  // namespace detops
