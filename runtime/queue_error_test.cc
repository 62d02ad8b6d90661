// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Jobs that fail or throw: what is reported, when, and that the queue stays usable.

#include <gmock/gmock.h>

#include <atomic>
#include <new>
#include <ostream>
#include <stdexcept>

#include "core/cores.h"
#include "detops/detops.hpp"
#include "runtime/queue_test.h"

namespace detops {
namespace {

using testing::ElementsAre;

Status Throw(RunContext&, const int&) { throw std::runtime_error("a defect"); }

TEST_F(QueueTest, DataErrorIsReportedOnceBySync) {
  SubmitFailure(7);
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtErrorArgsInvalid);
  EXPECT_STREQ(detopsGetLastError(), "op: rois[7] is out of range");
  EXPECT_THAT(log_.Take(), ElementsAre("op: rois[7] is out of range"))
      << "logged when the job failed, not again by the sync";
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
}

TEST_F(QueueTest, DataErrorIsReportedByAnIdleQuery) {
  SubmitFailure(1);
  EXPECT_EQ(PollUntilIdle(), cnrtErrorArgsInvalid);
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
  ASSERT_TRUE(Find<HostQueue>(other)->Submit(Job::Make<Throw>("other op", number)).ok());
  EXPECT_EQ(cnrtSyncDevice(), cnrtErrorArgsInvalid);
  EXPECT_STREQ(detopsGetLastError(),
               "op: rois[3] is out of range; other op: unexpected exception: a defect");
  EXPECT_EQ(cnrtSyncDevice(), cnrtSuccess);
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  EXPECT_EQ(cnrtQueueDestroy(other), cnrtSuccess);
}

TEST_F(QueueTest, TheFirstErrorIsReportedAndLaterJobsRun) {
  std::vector<int> list;
  SubmitFailure(1);
  ASSERT_TRUE(Submit<Append>(handle(), "op", AppendArgs{&list, 1}).ok());
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
      throw 7;  // NOLINT(misc-throw-by-value-catch-by-reference): any type may be thrown
  }
}

Status ThrowInJob(RunContext&, const Thrown& what) {
  ThrowOne(what);
  return {};
}

// Throws on every thread of a loop except the one that runs the job.
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
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // leave parts to the other threads
  });
  return {};
}

struct ThrownCase {
  const char* name;
  Thrown what;
  cnrtRet_t result;
  const char* message;
};

void PrintTo(const ThrownCase& thrown, std::ostream* to) { *to << thrown.name; }

class QueueExceptionTest : public QueueTest, public testing::WithParamInterface<ThrownCase> {};

TEST_P(QueueExceptionTest, SurvivesAJobThatThrows) {
  const ThrownCase& thrown = GetParam();
  ASSERT_TRUE(Submit<ThrowInJob>(handle(), "op", thrown.what).ok());
  std::vector<int> list;
  ASSERT_TRUE(Submit<Append>(handle(), "op", AppendArgs{&list, 1}).ok());
  EXPECT_EQ(cnrtQueueSync(queue_), thrown.result);
  EXPECT_STREQ(detopsGetLastError(), thrown.message);
  EXPECT_THAT(log_.Take(), ElementsAre(thrown.message));
  EXPECT_THAT(list, ElementsAre(1)) << "the job after it runs";
  ASSERT_TRUE(Submit<Append>(handle(), "op", AppendArgs{&list, 2}).ok());
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  EXPECT_THAT(list, ElementsAre(1, 2));
}

TEST_P(QueueExceptionTest, SurvivesALoopThatThrowsOnAnotherThread) {
  if (AvailableCores() < 2) {
    GTEST_SKIP() << "needs more than one core";
  }
  const ThrownCase& thrown = GetParam();
  ASSERT_EQ(detopsSetThreads(handle_, 2), MLUOP_STATUS_SUCCESS);
  std::atomic<int> count{0};
  for (int attempt = 0; attempt < 100 && count == 0; ++attempt) {
    ASSERT_TRUE(Submit<ThrowInLoop>(handle(), "op", LoopThrowArgs{thrown.what, &count}).ok());
    const cnrtRet_t result = cnrtQueueSync(queue_);
    ASSERT_EQ(result, count == 0 ? cnrtSuccess : thrown.result);
  }
  EXPECT_GT(count, 0) << "the other thread never ran a part, so nothing was tested";
  EXPECT_STREQ(detopsGetLastError(), thrown.message);
  std::vector<int> list;
  ASSERT_TRUE(Submit<Append>(handle(), "op", AppendArgs{&list, 1}).ok());
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  EXPECT_THAT(list, ElementsAre(1));
}

INSTANTIATE_TEST_SUITE_P(
    Exceptions, QueueExceptionTest,
    testing::Values(ThrownCase{"StandardException", Thrown::kException, cnrtErrorUnknown,
                               "op: unexpected exception: a defect"},
                    ThrownCase{"BadAlloc", Thrown::kBadAlloc, cnrtErrorNoMem, "op: out of memory"},
                    ThrownCase{"Number", Thrown::kNumber, cnrtErrorUnknown,
                               "op: unexpected exception"}),
    [](const auto& test) { return test.param.name; });

TEST(CppQueue, SyncThrowsTheDataError) {
  LogCapture log;
  detops::Queue queue;
  const int number = 6;
  ASSERT_TRUE(Find<HostQueue>(queue.get())->Submit(Job::Make<Fail>("op", number)).ok());
  try {
    queue.Sync();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), MLUOP_STATUS_BAD_PARAM);
    EXPECT_STREQ(error.what(), "op: rois[6] is out of range");
  }
  EXPECT_NO_THROW(queue.Sync());
}

TEST_F(QueueTest, WithoutAQueueTheCallReturnsTheError) {
  ASSERT_EQ(mluOpSetQueue(handle_, nullptr), MLUOP_STATUS_SUCCESS);
  const int number = 5;
  const Status status = Submit<Fail>(handle(), "op", number);
  EXPECT_EQ(status.code(), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(status.message(), "rois[5] is out of range");
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
}

}  // namespace
}  // namespace detops
