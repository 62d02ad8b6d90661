// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/handle.h"
#include "detops/detops.hpp"
#include "runtime/submit.h"
#include "testing/gate.h"
#include "testing/log_capture.h"
#include "testing/valgrind.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace detops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct AppendArgs {
  std::vector<int>* list;
  int value;
};

Status Append(RunContext&, const AppendArgs& args) {
  args.list->push_back(args.value);
  return {};
}

Status Fail(RunContext&, const int& number) { return BadParam("rois[{}] is out of range", number); }

Status Throw(RunContext&, const int&) { throw std::runtime_error("a defect"); }

// A queue and a handle that uses it.
class QueueTest : public testing::Test {
 protected:
  QueueTest() {
    EXPECT_EQ(mluOpCreate(&handle_), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(cnrtQueueCreate(&queue_), cnrtSuccess);
    EXPECT_EQ(mluOpSetQueue(handle_, queue_), MLUOP_STATUS_SUCCESS);
  }
  ~QueueTest() override {
    if (handle_ != nullptr) {
      EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS);
    }
    if (queue_ != nullptr) {
      EXPECT_EQ(cnrtQueueDestroy(queue_), cnrtSuccess);
    }
  }

  void SubmitFailure(int number) { ASSERT_TRUE(Submit<Fail>(handle_, "op", number).ok()); }

  LogCapture log_;
  mluOpHandle_t handle_ = nullptr;
  cnrtQueue_t queue_ = nullptr;
};

TEST_F(QueueTest, RunsJobsInOrder) {
  std::vector<int> list;
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  for (const int value : expected) {
    ASSERT_TRUE(Submit<Append>(handle_, "op", AppendArgs{&list, value}).ok());
  }
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  EXPECT_EQ(list, expected);
}

TEST_F(QueueTest, SubmittingDoesNotWait) {
  Gate gate;
  ASSERT_TRUE(gate.Block(queue_).ok());
  std::vector<int> list;
  ASSERT_TRUE(Submit<Append>(handle_, "op", AppendArgs{&list, 1}).ok());
  EXPECT_EQ(cnrtQueueQuery(queue_), cnrtErrorNotReady);
  gate.Open();
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  EXPECT_THAT(list, ElementsAre(1));
  EXPECT_EQ(cnrtQueueQuery(queue_), cnrtSuccess);
}

TEST_F(QueueTest, WorkerRunsJobsThatNobodyWaitsFor) {
  std::vector<int> list;
  ASSERT_TRUE(Submit<Append>(handle_, "op", AppendArgs{&list, 1}).ok());
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (cnrtQueueQuery(queue_) == cnrtErrorNotReady &&
         std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }
  ASSERT_EQ(cnrtQueueQuery(queue_), cnrtSuccess);
  EXPECT_THAT(list, ElementsAre(1));
}

TEST_F(QueueTest, QueuesRunSideBySide) {
  cnrtQueue_t other;
  ASSERT_EQ(cnrtQueueCreate(&other), cnrtSuccess);
  Gate gate;
  ASSERT_TRUE(gate.Block(queue_).ok());
  std::vector<int> list;
  ASSERT_TRUE(other->Submit(Job::Make<Append>("op", AppendArgs{&list, 1})).ok());
  EXPECT_EQ(cnrtQueueSync(other), cnrtSuccess) << "although the first queue is held up";
  EXPECT_THAT(list, ElementsAre(1));
  gate.Open();
  EXPECT_EQ(cnrtQueueDestroy(other), cnrtSuccess);
}

TEST_F(QueueTest, SyncDoesNotWaitForWhatComesLater) {
  Gate first;
  Gate second;
  ASSERT_TRUE(first.Block(queue_).ok());
  std::atomic<bool> synced{false};
  std::thread waiter([&] {
    EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
    synced = true;
  });
  // Long enough for the waiter to be waiting; should it come later, the test proves less but holds.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ASSERT_TRUE(second.Queue(queue_).ok());
  first.Open();
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!synced && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(synced) << "although the second gate is closed";
  second.Open();
  waiter.join();
}

// The worker goes back to sleep when it wakes for a job that a waiting thread is running already.
// It must be woken again for what was submitted meanwhile and nobody waits for.
TEST_F(QueueTest, WorkerIsWokenForWhatAWaiterLeaves) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    Gate gate;
    std::atomic<std::thread::id> waiter_id;
    std::thread waiter([&] {
      waiter_id = std::this_thread::get_id();
      EXPECT_TRUE(gate.Queue(queue_).ok());
      EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);  // usually comes before the worker wakes up
    });
    gate.WaitUntilReached();
    std::vector<int> list;
    ASSERT_TRUE(Submit<Append>(handle_, "op", AppendArgs{&list, 1}).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const bool waiter_runs_it = gate.runner() == waiter_id;
    gate.Open();
    waiter.join();
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (cnrtQueueQuery(queue_) == cnrtErrorNotReady &&
           std::chrono::steady_clock::now() < give_up) {
      std::this_thread::yield();
    }
    ASSERT_EQ(cnrtQueueQuery(queue_), cnrtSuccess);
    ASSERT_THAT(list, ElementsAre(1));
    if (waiter_runs_it) {
      return;
    }
  }
  FAIL() << "the waiting thread never ran the job, so nothing was tested";
}

TEST_F(QueueTest, DataErrorIsReportedOnceBySync) {
  SubmitFailure(7);
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtErrorArgsInvalid);
  EXPECT_STREQ(detopsGetLastError(), "op: rois[7] is out of range");
  EXPECT_THAT(log_.Take(), ElementsAre("op: rois[7] is out of range"))
      << "logged when it happened, not again";
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
}

TEST_F(QueueTest, DataErrorIsReportedByAnIdleQuery) {
  SubmitFailure(1);
  cnrtRet_t result;
  while ((result = cnrtQueueQuery(queue_)) == cnrtErrorNotReady) {
    std::this_thread::yield();
  }
  EXPECT_EQ(result, cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtQueueQuery(queue_), cnrtSuccess);
}

TEST_F(QueueTest, DataErrorIsReportedByDestroy) {
  SubmitFailure(2);
  EXPECT_EQ(cnrtQueueDestroy(queue_), cnrtErrorArgsInvalid);
  queue_ = nullptr;
  EXPECT_STREQ(detopsGetLastError(), "op: rois[2] is out of range");
}

TEST_F(QueueTest, DataErrorsOfAllQueuesAreReportedBySyncDevice) {
  cnrtQueue_t other;
  ASSERT_EQ(cnrtQueueCreate(&other), cnrtSuccess);
  SubmitFailure(3);
  const int number = 4;
  ASSERT_TRUE(other->Submit(Job::Make<Throw>("other op", number)).ok());
  EXPECT_EQ(cnrtSyncDevice(), cnrtErrorArgsInvalid);
  EXPECT_STREQ(detopsGetLastError(),
               "op: rois[3] is out of range; other op: unexpected exception: a defect");
  EXPECT_EQ(cnrtSyncDevice(), cnrtSuccess);
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  EXPECT_EQ(cnrtQueueDestroy(other), cnrtSuccess);
}

TEST_F(QueueTest, TheFirstErrorIsKeptAndLaterJobsRun) {
  std::vector<int> list;
  SubmitFailure(1);
  ASSERT_TRUE(Submit<Append>(handle_, "op", AppendArgs{&list, 1}).ok());
  SubmitFailure(2);
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtErrorArgsInvalid);
  EXPECT_STREQ(detopsGetLastError(), "op: rois[1] is out of range");
  EXPECT_THAT(list, ElementsAre(1));
  EXPECT_THAT(log_.Take(),
              ElementsAre("op: rois[1] is out of range", "op: rois[2] is out of range"));
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
}

enum class Thrown { kException, kBadAlloc, kNumber };

void ThrowOne(Thrown what) {
  switch (what) {
    case Thrown::kException:
      throw std::runtime_error("a defect");
    case Thrown::kBadAlloc:
      throw std::bad_alloc();
    case Thrown::kNumber:
      throw 7;  // NOLINT(misc-throw-by-value-catch-by-reference): a user's loop may
  }
}

Status ThrowInJob(RunContext&, const Thrown& what) {
  ThrowOne(what);
  return {};
}

// On the threads of a loop but the one that runs the job.
struct LoopThrowArgs {
  Thrown what;
  std::atomic<int>* thrown;
};

Status ThrowInLoop(RunContext& context, const LoopThrowArgs& args) {
  const std::thread::id caller = std::this_thread::get_id();
  ParallelFor(context.threads, 64, 1e5, [&](int64_t, int64_t) {
    if (std::this_thread::get_id() != caller) {
      ++*args.thrown;
      ThrowOne(args.what);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the others get their share
  });
  return {};
}

struct ThrownCase {
  Thrown what;
  cnrtRet_t result;
  const char* message;
};

constexpr ThrownCase kThrown[] = {
    {Thrown::kException, cnrtErrorUnknown, "op: unexpected exception: a defect"},
    {Thrown::kBadAlloc, cnrtErrorNoMem, "op: out of memory"},
    {Thrown::kNumber, cnrtErrorUnknown, "op: unexpected exception"}};

TEST_F(QueueTest, SurvivesAJobThatThrows) {
  for (const ThrownCase& thrown : kThrown) {
    ASSERT_TRUE(Submit<ThrowInJob>(handle_, "op", thrown.what).ok());
    std::vector<int> list;
    ASSERT_TRUE(Submit<Append>(handle_, "op", AppendArgs{&list, 1}).ok());
    EXPECT_EQ(cnrtQueueSync(queue_), thrown.result);
    EXPECT_STREQ(detopsGetLastError(), thrown.message);
    EXPECT_THAT(log_.Take(), ElementsAre(thrown.message));
    EXPECT_THAT(list, ElementsAre(1)) << "what was queued behind it runs";
    ASSERT_TRUE(Submit<Append>(handle_, "op", AppendArgs{&list, 2}).ok());
    EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
    EXPECT_THAT(list, ElementsAre(1, 2));
  }
}

TEST_F(QueueTest, SurvivesALoopThatThrowsOnAnotherThread) {
  if (AvailableCores() < 2) {
    GTEST_SKIP() << "there is no other thread";
  }
  ASSERT_EQ(detopsSetThreads(handle_, 2), MLUOP_STATUS_SUCCESS);
  for (const ThrownCase& thrown : kThrown) {
    std::atomic<int> count{0};
    for (int attempt = 0; attempt < 100 && count == 0; ++attempt) {
      ASSERT_TRUE(Submit<ThrowInLoop>(handle_, "op", LoopThrowArgs{thrown.what, &count}).ok());
      const cnrtRet_t result = cnrtQueueSync(queue_);
      ASSERT_EQ(result, count == 0 ? cnrtSuccess : thrown.result);
    }
    EXPECT_GT(count, 0) << "the other thread never took part, so nothing was tested";
    EXPECT_STREQ(detopsGetLastError(), thrown.message);
    std::vector<int> list;
    ASSERT_TRUE(Submit<Append>(handle_, "op", AppendArgs{&list, 1}).ok());
    EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
    EXPECT_THAT(list, ElementsAre(1));
  }
}

TEST(CppQueue, SyncThrowsTheDataError) {
  LogCapture log;
  detops::Queue queue;
  const int number = 6;
  ASSERT_TRUE(queue.get()->Submit(Job::Make<Fail>("op", number)).ok());
  try {
    queue.Sync();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), MLUOP_STATUS_BAD_PARAM);
    EXPECT_STREQ(error.what(), "op: rois[6] is out of range");
  }
  EXPECT_NO_THROW(queue.Sync());
}

TEST_F(QueueTest, InlineWorkReturnsItsErrorAtOnce) {
  ASSERT_EQ(mluOpSetQueue(handle_, nullptr), MLUOP_STATUS_SUCCESS);
  const int number = 5;
  const Status status = Submit<Fail>(handle_, "op", number);
  EXPECT_EQ(status.code(), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(status.message(), "rois[5] is out of range");
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
}

struct OrderArgs {
  std::atomic<int>* finished;
};

Status CountSlowly(RunContext&, const OrderArgs& args) {
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ++*args.finished;
  return {};
}

TEST_F(QueueTest, DestroyingTheHandleWaits) {
  std::atomic<int> finished{0};
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(Submit<CountSlowly>(handle_, "op", OrderArgs{&finished}).ok());
  }
  EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS);
  handle_ = nullptr;
  EXPECT_EQ(finished, 10);
}

TEST_F(QueueTest, DestroyingTheQueueWaitsAndTheHandleMayGoLater) {
  std::atomic<int> finished{0};
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(Submit<CountSlowly>(handle_, "op", OrderArgs{&finished}).ok());
  }
  EXPECT_EQ(cnrtQueueDestroy(queue_), cnrtSuccess);
  queue_ = nullptr;
  EXPECT_EQ(finished, 10);
  EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS);
  handle_ = nullptr;
}

TEST_F(QueueTest, ChangingTheThreadsWaitsForWorkThatUsesThem) {
  std::atomic<int> finished{0};
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(Submit<CountSlowly>(handle_, "op", OrderArgs{&finished}).ok());
  }
  EXPECT_EQ(detopsSetThreads(handle_, 3), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(finished, 5);
}

// Fills its scratch, waits for a moment in which a neighbour could do the same, and looks whether
// it is still there.
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

TEST_F(QueueTest, ScratchGrowsWhileJobsUseTheOldOne) {
  std::atomic<int> wrong{0};
  for (int i = 1; i <= 200; ++i) {
    const ScratchArgs args{static_cast<size_t>(i) * 1000, static_cast<unsigned char>(i), &wrong};
    ASSERT_TRUE(Submit<UseScratch>(handle_, "op", args, args.bytes).ok());
  }
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  EXPECT_EQ(wrong, 0);
}

TEST_F(QueueTest, AHandleMovesBetweenQueues) {
  cnrtQueue_t other;
  ASSERT_EQ(cnrtQueueCreate(&other), cnrtSuccess);
  std::atomic<int> wrong{0};
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(mluOpSetQueue(handle_, i % 2 == 0 ? queue_ : other), MLUOP_STATUS_SUCCESS);
    const ScratchArgs args{10'000, static_cast<unsigned char>(i), &wrong};
    ASSERT_TRUE(Submit<UseScratch>(handle_, "op", args, args.bytes).ok());
  }
  EXPECT_EQ(cnrtSyncDevice(), cnrtSuccess);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(cnrtQueueDestroy(other), cnrtSuccess);
}

TEST_F(QueueTest, ScratchThatCannotBeHadQueuesNothing) {
  std::vector<int> list;
  for (const size_t bytes : {SIZE_MAX / 2, SIZE_MAX}) {
    EXPECT_THROW(static_cast<void>(Submit<Append>(handle_, "op", AppendArgs{&list, 1}, bytes)),
                 std::bad_alloc);
  }
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  EXPECT_THAT(list, IsEmpty());
  EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS) << "no job is counted that never runs";
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
    ASSERT_TRUE(Submit<CountInParallel>(handle_, "op", ParallelArgs{&items}).ok());
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

// In the call, on the worker, and on a thread that waits: Run computes in the default mode.
TEST_F(QueueTest, EveryJobRunsInTheDefaultFloatMode) {
  if (UnderValgrind()) {
    GTEST_SKIP() << "Valgrind has but one float mode";
  }
  constexpr uint32_t kDefault = 0x1F80;
  constexpr uint32_t kUnusual = kDefault | 0x8040 | 0x2000;
  for (const bool queued : {false, true}) {
    ASSERT_EQ(mluOpSetQueue(handle_, queued ? queue_ : nullptr), MLUOP_STATUS_SUCCESS);
    std::atomic<uint32_t> seen{0};
    _mm_setcsr(kUnusual);
    const bool ok = Submit<ReadFloatMode>(handle_, "op", ModeArgs{&seen}).ok() &&
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

constexpr int kStressJobs = 1000;

struct Lane {
  int next = 0;  // touched by one job at a time: the queue's order is its lock
  int out_of_order = 0;
};

struct LaneArgs {
  Lane* lane;
  int number;
};

Status Step(RunContext&, const LaneArgs& args) {
  args.lane->out_of_order += args.lane->next == args.number ? 0 : 1;
  ++args.lane->next;
  return args.number == kStressJobs / 2 ? BadParam("job {}", args.number) : Status();
}

// Many threads, each with several queues and jobs that check their own order; one job of each queue
// fails.
TEST(QueueStress, InOrderNoneLostErrorsReportedOnce) {
  constexpr int kThreads = 8;
  constexpr int kQueues = 4;
  LogCapture log;
  std::atomic<int> errors_reported{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      mluOpHandle_t handle;
      ASSERT_EQ(mluOpCreate(&handle), MLUOP_STATUS_SUCCESS);
      std::vector<cnrtQueue_t> queues(kQueues);
      std::vector<Lane> lanes(kQueues);
      for (cnrtQueue_t& queue : queues) {
        ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
      }
      for (int job = 0; job < kStressJobs; ++job) {
        for (int q = 0; q < kQueues; ++q) {
          ASSERT_EQ(mluOpSetQueue(handle, queues[q]), MLUOP_STATUS_SUCCESS);
          ASSERT_TRUE(Submit<Step>(handle, "step", LaneArgs{&lanes[q], job}).ok());
        }
        if (job % 100 == 99) {
          errors_reported += cnrtQueueSync(queues[job / 100 % kQueues]) != cnrtSuccess ? 1 : 0;
        }
      }
      for (cnrtQueue_t queue : queues) {
        errors_reported += cnrtQueueDestroy(queue) != cnrtSuccess ? 1 : 0;
      }
      for (const Lane& lane : lanes) {
        EXPECT_EQ(lane.next, kStressJobs);
        EXPECT_EQ(lane.out_of_order, 0);
      }
      ASSERT_EQ(mluOpDestroy(handle), MLUOP_STATUS_SUCCESS);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(errors_reported, kThreads * kQueues);
  EXPECT_EQ(log.Take().size(), size_t{kThreads} * kQueues);
}

// Queues come and go while others wait for all of them.
TEST(QueueStress, SyncDeviceWhileQueuesAreCreatedAndDestroyed) {
  std::atomic<bool> stop{false};
  std::thread syncer([&] {
    while (!stop) {
      EXPECT_EQ(cnrtSyncDevice(), cnrtSuccess);
    }
  });
  constexpr int kUsers = 4;
  std::vector<std::thread> users;
  users.reserve(kUsers);
  for (int t = 0; t < kUsers; ++t) {
    users.emplace_back([] {
      for (int i = 0; i < 100; ++i) {
        cnrtQueue_t queue;
        ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
        std::vector<int> list;
        for (int job = 0; job < 5; ++job) {
          ASSERT_TRUE(queue->Submit(Job::Make<Append>("op", AppendArgs{&list, job})).ok());
        }
        ASSERT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
        EXPECT_THAT(list, ElementsAre(0, 1, 2, 3, 4));
      }
    });
  }
  for (std::thread& user : users) {
    user.join();
  }
  stop = true;
  syncer.join();
}

}  // namespace
}  // namespace detops
