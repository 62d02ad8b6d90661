// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "cnrt.h"
#include "runtime/queue.h"
#include "testing/gate.h"
#include "testing/log_capture.h"

namespace detops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Notifier : public testing::Test {
 protected:
  Notifier() {
    EXPECT_EQ(cnrtQueueCreate(&queue_), cnrtSuccess);
    EXPECT_EQ(cnrtNotifierCreate(&start_), cnrtSuccess);
    EXPECT_EQ(cnrtNotifierCreate(&end_), cnrtSuccess);
  }
  ~Notifier() override {
    EXPECT_EQ(cnrtNotifierDestroy(start_), cnrtSuccess);
    EXPECT_EQ(cnrtNotifierDestroy(end_), cnrtSuccess);
    EXPECT_EQ(cnrtQueueDestroy(queue_), cnrtSuccess);
  }

  cnrtQueue_t queue_ = nullptr;
  cnrtNotifier_t start_ = nullptr;
  cnrtNotifier_t end_ = nullptr;
};

TEST_F(Notifier, NeverPlacedIsReadyButHasNoTime) {
  LogCapture log;
  EXPECT_EQ(cnrtQueryNotifier(start_), cnrtSuccess);
  EXPECT_EQ(cnrtWaitNotifier(start_), cnrtSuccess);
  float us = 42;
  EXPECT_EQ(cnrtNotifierDuration(start_, end_, &us), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtPlaceNotifier(start_, nullptr), cnrtSuccess);
  EXPECT_EQ(cnrtNotifierDuration(start_, end_, &us), cnrtErrorArgsInvalid);
  EXPECT_EQ(us, 42);
  EXPECT_THAT(log.Take(),
              ElementsAre(HasSubstr("start was never placed"), HasSubstr("end was never placed")));
}

TEST_F(Notifier, IsReachedImmediatelyWithoutAQueue) {
  EXPECT_EQ(cnrtPlaceNotifier(start_, nullptr), cnrtSuccess);
  EXPECT_EQ(cnrtQueryNotifier(start_), cnrtSuccess);
}

TEST_F(Notifier, IsNotReadyUntilTheQueueReachesIt) {
  LogCapture log(DETOPS_LOG_DEBUG);
  Gate gate;
  ASSERT_TRUE(gate.Block(queue_).ok());
  EXPECT_EQ(cnrtPlaceNotifier(start_, nullptr), cnrtSuccess);
  EXPECT_EQ(cnrtPlaceNotifier(end_, queue_), cnrtSuccess);
  EXPECT_EQ(cnrtQueryNotifier(end_), cnrtErrorNotReady);
  float us = 42;
  EXPECT_EQ(cnrtNotifierDuration(start_, end_, &us), cnrtErrorNotReady);
  EXPECT_EQ(cnrtNotifierDuration(end_, start_, &us), cnrtErrorNotReady);
  EXPECT_EQ(us, 42);
  gate.Open();
  EXPECT_EQ(cnrtWaitNotifier(end_), cnrtSuccess);
  EXPECT_EQ(cnrtQueryNotifier(end_), cnrtSuccess);
  EXPECT_THAT(log.Take(), testing::IsEmpty()) << "not being ready is not a failure";
}

Status SleepFor(RunContext&, const int& milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  return {};
}

TEST_F(Notifier, DurationIsInMicroseconds) {
  const auto before = std::chrono::steady_clock::now();
  ASSERT_EQ(cnrtPlaceNotifier(start_, queue_), cnrtSuccess);
  ASSERT_TRUE(Find<HostQueue>(queue_)->Submit(Job::Make<SleepFor>("sleep", 20)).ok());
  ASSERT_EQ(cnrtPlaceNotifier(end_, queue_), cnrtSuccess);
  ASSERT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  const std::chrono::duration<float, std::micro> outside =
      std::chrono::steady_clock::now() - before;
  float us = 0;
  ASSERT_EQ(cnrtNotifierDuration(start_, end_, &us), cnrtSuccess);
  EXPECT_GE(us, 20'000.0f);
  EXPECT_LE(us, outside.count());
  float reversed = 0;
  ASSERT_EQ(cnrtNotifierDuration(end_, start_, &reversed), cnrtSuccess);
  EXPECT_EQ(reversed, -us);
}

TEST_F(Notifier, ElapsedTimeIsInMilliseconds) {
  float ms = 42;
  LogCapture log;
  EXPECT_EQ(cnrtNotifierElapsedTime(start_, end_, &ms), cnrtErrorArgsInvalid);
  Gate gate;
  ASSERT_TRUE(gate.Block(queue_).ok());
  ASSERT_EQ(cnrtPlaceNotifier(start_, nullptr), cnrtSuccess);
  ASSERT_EQ(cnrtPlaceNotifier(end_, queue_), cnrtSuccess);
  EXPECT_EQ(cnrtNotifierElapsedTime(start_, end_, &ms), cnrtErrorNotReady);
  EXPECT_EQ(ms, 42);
  gate.Open();
  ASSERT_EQ(cnrtWaitNotifier(end_), cnrtSuccess);
  float us = 0;
  ASSERT_EQ(cnrtNotifierDuration(start_, end_, &us), cnrtSuccess);
  ASSERT_EQ(cnrtNotifierElapsedTime(start_, end_, &ms), cnrtSuccess);
  EXPECT_FLOAT_EQ(ms, us / 1000);
  EXPECT_THAT(log.Take(),
              ElementsAre(HasSubstr("cnrtNotifierElapsedTime: start was never placed")));
}

TEST_F(Notifier, FlagsDisableTiming) {
  LogCapture log;
  EXPECT_EQ(cnrtPlaceNotifier(start_, nullptr), cnrtSuccess);
  for (const unsigned int flags :
       {CNRT_NOTIFIER_DEFAULT, CNRT_NOTIFIER_DISABLE_TIMING, CNRT_NOTIFIER_DISABLE_TIMING_ALL}) {
    cnrtNotifier_t notifier;
    ASSERT_EQ(cnrtNotifierCreateWithFlags(&notifier, flags), cnrtSuccess);
    ASSERT_EQ(cnrtPlaceNotifier(notifier, queue_), cnrtSuccess);
    ASSERT_EQ(cnrtWaitNotifier(notifier), cnrtSuccess);
    float time = 42;
    EXPECT_EQ(cnrtNotifierElapsedTime(start_, notifier, &time),
              flags == CNRT_NOTIFIER_DEFAULT ? cnrtSuccess : cnrtErrorArgsInvalid);
    EXPECT_EQ(cnrtNotifierDuration(start_, notifier, &time),
              flags != CNRT_NOTIFIER_DISABLE_TIMING_ALL ? cnrtSuccess : cnrtErrorArgsInvalid);
    EXPECT_EQ(cnrtNotifierDestroy(notifier), cnrtSuccess);
  }
  EXPECT_THAT(log.Take(),
              ElementsAre(HasSubstr("cnrtNotifierElapsedTime: end was created with flags 2, which "
                                    "disable timing"),
                          HasSubstr("cnrtNotifierElapsedTime: end was created with flags 4"),
                          HasSubstr("cnrtNotifierDuration: end was created with flags 4")));
}

TEST_F(Notifier, RefusesUnknownFlags) {
  LogCapture log;
  cnrtNotifier_t notifier = nullptr;
  EXPECT_EQ(cnrtNotifierCreateWithFlags(&notifier, 1), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtNotifierCreateWithFlags(&notifier, 8 | CNRT_NOTIFIER_DISABLE_TIMING_ALL),
            cnrtErrorArgsInvalid);
  EXPECT_EQ(notifier, nullptr);
  EXPECT_THAT(log.Take(),
              ElementsAre(HasSubstr("cnrtNotifierCreateWithFlags: flags is 1; it must be"),
                          HasSubstr("cnrtNotifierCreateWithFlags: flags is 12; it must be")));
}

TEST_F(Notifier, OnlyTheLatestPlacementCounts) {
  cnrtQueue_t other;
  ASSERT_EQ(cnrtQueueCreate(&other), cnrtSuccess);
  Gate gate;
  ASSERT_TRUE(gate.Block(queue_).ok());
  EXPECT_EQ(cnrtPlaceNotifier(end_, queue_), cnrtSuccess);  // cannot be reached yet
  EXPECT_EQ(cnrtPlaceNotifier(end_, other), cnrtSuccess);
  EXPECT_EQ(cnrtWaitNotifier(end_), cnrtSuccess);
  EXPECT_EQ(cnrtPlaceNotifier(start_, nullptr), cnrtSuccess);
  gate.Open();
  EXPECT_EQ(cnrtQueueSync(queue_), cnrtSuccess);
  float us = 0;
  EXPECT_EQ(cnrtNotifierDuration(end_, start_, &us), cnrtSuccess);
  EXPECT_GE(us, 0.0f) << "the earlier placement, reached last, must not change the time";
  EXPECT_EQ(cnrtQueueDestroy(other), cnrtSuccess);
}

TEST_F(Notifier, AThreadWaitsForThePlacementAtTheTimeOfItsCall) {
  Gate gate;
  ASSERT_TRUE(gate.Block(queue_).ok());
  ASSERT_EQ(cnrtPlaceNotifier(end_, queue_), cnrtSuccess);
  std::atomic<bool> opened{false};
  std::thread waiter([&] {
    EXPECT_EQ(cnrtWaitNotifier(end_), cnrtSuccess);
    EXPECT_TRUE(opened) << "a later placement must not end the wait";
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cnrtQueue_t other;
  ASSERT_EQ(cnrtQueueCreate(&other), cnrtSuccess);
  ASSERT_EQ(cnrtPlaceNotifier(end_, other), cnrtSuccess);
  ASSERT_EQ(cnrtQueueSync(other), cnrtSuccess);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  opened = true;
  gate.Open();
  waiter.join();
  EXPECT_EQ(cnrtQueueDestroy(other), cnrtSuccess);
}

TEST_F(Notifier, DestroyingWaitsForPendingPlacements) {
  cnrtNotifier_t notifier;
  ASSERT_EQ(cnrtNotifierCreate(&notifier), cnrtSuccess);
  Gate gate;
  ASSERT_TRUE(gate.Block(queue_).ok());
  ASSERT_EQ(cnrtPlaceNotifier(notifier, queue_), cnrtSuccess);
  std::atomic<bool> opened{false};
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    opened = true;
    gate.Open();
  });
  EXPECT_EQ(cnrtNotifierDestroy(notifier), cnrtSuccess);
  EXPECT_TRUE(opened);
  opener.join();
}

TEST_F(Notifier, RejectsNull) {
  LogCapture log;
  float us;
  EXPECT_EQ(cnrtNotifierCreate(nullptr), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtNotifierDestroy(nullptr), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtPlaceNotifier(nullptr, queue_), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtWaitNotifier(nullptr), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtQueryNotifier(nullptr), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtNotifierDuration(nullptr, end_, &us), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtNotifierDuration(start_, nullptr, &us), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtNotifierDuration(start_, end_, nullptr), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtNotifierElapsedTime(nullptr, end_, &us), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtNotifierElapsedTime(start_, nullptr, &us), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtNotifierElapsedTime(start_, end_, nullptr), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtNotifierCreateWithFlags(nullptr, 0), cnrtErrorArgsInvalid);
  EXPECT_THAT(log.Take(), testing::SizeIs(12));
}

}  // namespace
}  // namespace detops
