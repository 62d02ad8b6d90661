// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Queues that wait for notifiers in other queues.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "measure/slow_build.h"
#include "runtime/queue_test.h"
#include "testing/gate.h"

namespace detops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Two queues and a notifier. The first queue is blocked by a gate in most tests.
class QueueOrder : public testing::Test {
 protected:
  QueueOrder() {
    EXPECT_EQ(cnrtQueueCreate(&first_), cnrtSuccess);
    EXPECT_EQ(cnrtQueueCreate(&second_), cnrtSuccess);
    EXPECT_EQ(cnrtNotifierCreate(&notifier_), cnrtSuccess);
  }
  ~QueueOrder() override {
    EXPECT_EQ(cnrtNotifierDestroy(notifier_), cnrtSuccess);
    EXPECT_EQ(cnrtQueueDestroy(first_), cnrtSuccess);
    EXPECT_EQ(cnrtQueueDestroy(second_), cnrtSuccess);
  }

  void SubmitAppend(cnrtQueue_t queue, int value) {
    ASSERT_TRUE(Find<HostQueue>(queue)
                    ->Submit(Job::Make<Append>("append", AppendArgs{&list_, value}))
                    .ok());
  }

  // Returns the state of the second queue after it had time to run jobs that it must not run.
  cnrtRet_t QuerySecondLater() {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return cnrtQueueQuery(second_);
  }

  LogCapture log_;
  cnrtQueue_t first_ = nullptr;
  cnrtQueue_t second_ = nullptr;
  cnrtNotifier_t notifier_ = nullptr;
  std::vector<int> list_;  // written by jobs that are ordered by the notifier
};

TEST_F(QueueOrder, LaterJobsRunAfterTheNotifier) {
  Gate gate;
  ASSERT_TRUE(gate.Block(first_).ok());
  SubmitAppend(first_, 1);
  ASSERT_EQ(cnrtPlaceNotifier(notifier_, first_), cnrtSuccess);
  ASSERT_EQ(cnrtQueueWaitNotifier(notifier_, second_, 0), cnrtSuccess);
  SubmitAppend(second_, 2);
  EXPECT_EQ(QuerySecondLater(), cnrtErrorNotReady);
  gate.Open();
  EXPECT_EQ(cnrtQueueSync(second_), cnrtSuccess);
  EXPECT_THAT(list_, ElementsAre(1, 2));
}

TEST_F(QueueOrder, EarlierJobsDoNotWait) {
  Gate gate;
  ASSERT_TRUE(gate.Block(first_).ok());
  ASSERT_EQ(cnrtPlaceNotifier(notifier_, first_), cnrtSuccess);
  cnrtNotifier_t earlier;
  ASSERT_EQ(cnrtNotifierCreate(&earlier), cnrtSuccess);
  SubmitAppend(second_, 1);
  ASSERT_EQ(cnrtPlaceNotifier(earlier, second_), cnrtSuccess);
  ASSERT_EQ(cnrtQueueWaitNotifier(notifier_, second_, 0), cnrtSuccess);
  EXPECT_EQ(cnrtWaitNotifier(earlier), cnrtSuccess);
  EXPECT_THAT(list_, ElementsAre(1));
  EXPECT_EQ(cnrtNotifierDestroy(earlier), cnrtSuccess);
}

TEST_F(QueueOrder, ANotifierThatWasNeverPlacedOrIsReachedDoesNotWait) {
  ASSERT_EQ(cnrtQueueWaitNotifier(notifier_, second_, 0), cnrtSuccess);
  ASSERT_EQ(cnrtQueueWaitNotifier(notifier_, nullptr, 0), cnrtSuccess);
  EXPECT_EQ(cnrtQueueQuery(second_), cnrtSuccess) << "there is nothing to wait for";
  ASSERT_EQ(cnrtPlaceNotifier(notifier_, first_), cnrtSuccess);
  ASSERT_EQ(cnrtQueueSync(first_), cnrtSuccess);
  ASSERT_EQ(cnrtQueueWaitNotifier(notifier_, second_, 0), cnrtSuccess);
  EXPECT_EQ(cnrtQueueQuery(second_), cnrtSuccess);
}

TEST_F(QueueOrder, LaterPlacementsDoNotReplaceTheOneThatIsWaitedFor) {
  Gate gate;
  ASSERT_TRUE(gate.Block(first_).ok());
  SubmitAppend(first_, 1);
  ASSERT_EQ(cnrtPlaceNotifier(notifier_, first_), cnrtSuccess);
  ASSERT_EQ(cnrtQueueWaitNotifier(notifier_, second_, 0), cnrtSuccess);
  SubmitAppend(second_, 2);
  ASSERT_EQ(cnrtPlaceNotifier(notifier_, nullptr), cnrtSuccess);  // reached now
  EXPECT_EQ(cnrtQueryNotifier(notifier_), cnrtSuccess);
  EXPECT_EQ(QuerySecondLater(), cnrtErrorNotReady);
  gate.Open();
  EXPECT_EQ(cnrtQueueSync(second_), cnrtSuccess);
  EXPECT_THAT(list_, ElementsAre(1, 2));
}

TEST_F(QueueOrder, PlacementsAfterTheCallAreNotWaitedFor) {
  ASSERT_EQ(cnrtPlaceNotifier(notifier_, nullptr), cnrtSuccess);
  ASSERT_EQ(cnrtQueueWaitNotifier(notifier_, second_, 0), cnrtSuccess);
  Gate gate;
  ASSERT_TRUE(gate.Block(first_).ok());
  ASSERT_EQ(cnrtPlaceNotifier(notifier_, first_), cnrtSuccess);  // cannot be reached yet
  SubmitAppend(second_, 1);
  EXPECT_EQ(cnrtQueueSync(second_), cnrtSuccess);
  EXPECT_THAT(list_, ElementsAre(1));
}

TEST_F(QueueOrder, WithoutAQueueTheCallWaits) {
  Gate gate;
  ASSERT_TRUE(gate.Block(first_).ok());
  SubmitAppend(first_, 1);
  ASSERT_EQ(cnrtPlaceNotifier(notifier_, first_), cnrtSuccess);
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    gate.Open();
  });
  EXPECT_EQ(cnrtQueueWaitNotifier(notifier_, nullptr, 0), cnrtSuccess);
  EXPECT_THAT(list_, ElementsAre(1));
  opener.join();
}

TEST_F(QueueOrder, AQueueMayWaitForItself) {
  SubmitAppend(first_, 1);
  ASSERT_EQ(cnrtPlaceNotifier(notifier_, first_), cnrtSuccess);
  ASSERT_EQ(cnrtQueueWaitNotifier(notifier_, first_, 0), cnrtSuccess);
  SubmitAppend(first_, 2);
  EXPECT_EQ(cnrtQueueSync(first_), cnrtSuccess);
  EXPECT_THAT(list_, ElementsAre(1, 2));
}

TEST_F(QueueOrder, AFailureBeforeTheNotifierStaysInItsQueue) {
  ASSERT_TRUE(Find<HostQueue>(first_)->Submit(Job::Make<Fail>("op", 1)).ok());
  ASSERT_EQ(cnrtPlaceNotifier(notifier_, first_), cnrtSuccess);
  ASSERT_EQ(cnrtQueueWaitNotifier(notifier_, second_, 0), cnrtSuccess);
  SubmitAppend(second_, 1);
  EXPECT_EQ(cnrtQueueSync(second_), cnrtSuccess);
  EXPECT_THAT(list_, ElementsAre(1));
  EXPECT_EQ(cnrtQueueSync(first_), cnrtErrorArgsInvalid);
}

TEST_F(QueueOrder, DestroyingANotifierWaitsForTheQueuesThatWaitForIt) {
  cnrtNotifier_t notifier;
  ASSERT_EQ(cnrtNotifierCreate(&notifier), cnrtSuccess);
  Gate first_gate;
  Gate second_gate;
  ASSERT_TRUE(first_gate.Block(first_).ok());
  ASSERT_TRUE(second_gate.Block(second_).ok());
  ASSERT_EQ(cnrtPlaceNotifier(notifier, first_), cnrtSuccess);
  ASSERT_EQ(cnrtQueueWaitNotifier(notifier, second_, 0), cnrtSuccess);
  first_gate.Open();
  ASSERT_EQ(cnrtWaitNotifier(notifier), cnrtSuccess);  // the second queue still uses it
  std::atomic<bool> opened{false};
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    opened = true;
    second_gate.Open();
  });
  EXPECT_EQ(cnrtNotifierDestroy(notifier), cnrtSuccess);
  EXPECT_TRUE(opened);
  EXPECT_EQ(cnrtQueueSync(second_), cnrtSuccess);
  opener.join();
}

TEST_F(QueueOrder, RefusesNullAndUnknownFlags) {
  EXPECT_EQ(cnrtQueueWaitNotifier(nullptr, second_, 0), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtQueueWaitNotifier(notifier_, second_, 1), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtQueueWaitNotifier(notifier_, nullptr, 8), cnrtErrorArgsInvalid);
  EXPECT_THAT(log_.Take(), ElementsAre(HasSubstr("cnrtQueueWaitNotifier: notifier is NULL"),
                                       HasSubstr("cnrtQueueWaitNotifier: flags is 1; it must be"),
                                       HasSubstr("cnrtQueueWaitNotifier: flags is 8; it must be")));
}

// Each queue waits for the other in turn. A thread that synchronizes runs jobs itself, also those
// that wait, so this must not deadlock for any combination of waiting threads.
TEST_F(QueueOrder, QueuesMayWaitForEachOther) {
  constexpr int kSteps = 20;
  std::array<cnrtNotifier_t, kSteps> notifiers{};
  for (cnrtNotifier_t& notifier : notifiers) {
    ASSERT_EQ(cnrtNotifierCreate(&notifier), cnrtSuccess);
  }
  std::vector<int> expected(kSteps);
  for (int i = 0; i < kSteps; ++i) {
    expected[i] = i;
  }
  for (int round = 0; round < 60; ++round) {
    list_.clear();
    const std::array<cnrtQueue_t, 2> queues = {first_, second_};
    for (int i = 0; i < kSteps; ++i) {
      if (i > 0) {
        ASSERT_EQ(cnrtQueueWaitNotifier(notifiers[i - 1], queues[i % 2], 0), cnrtSuccess);
      }
      SubmitAppend(queues[i % 2], i);
      ASSERT_EQ(cnrtPlaceNotifier(notifiers[i], queues[i % 2]), cnrtSuccess);
    }
    std::vector<std::thread> others;
    others.reserve(2);
    for (int other = 0; other < round % 3; ++other) {
      others.emplace_back(
          [&, other] { EXPECT_EQ(cnrtQueueSync(queues[(round + other) % 2]), cnrtSuccess); });
    }
    if (round % 4 == 0) {
      EXPECT_EQ(cnrtSyncDevice(), cnrtSuccess);
    } else {
      EXPECT_EQ(cnrtQueueSync(queues[round % 2]), cnrtSuccess);
      EXPECT_EQ(cnrtQueueSync(queues[1 - round % 2]), cnrtSuccess);
    }
    for (std::thread& other : others) {
      other.join();
    }
    ASSERT_EQ(list_, expected) << "round " << round;
  }
  for (cnrtNotifier_t notifier : notifiers) {
    EXPECT_EQ(cnrtNotifierDestroy(notifier), cnrtSuccess);
  }
}

// ---- Random orders ------------------------------------------------------------------------------

struct Task {
  int delay_us = 0;
  std::vector<size_t> after;  // tasks of other queues that must have finished
  bool done = false;          // not atomic: only the order makes it safe to read
  int missing = 0;            // tasks of `after` that had not finished when this one ran
};

struct TaskArgs {
  std::vector<Task>* tasks;
  size_t number;
};

Status RunTask(RunContext&, const TaskArgs& args) {
  Task& task = (*args.tasks)[args.number];
  std::this_thread::sleep_for(std::chrono::microseconds(task.delay_us));
  for (const size_t earlier : task.after) {
    task.missing += (*args.tasks)[earlier].done ? 0 : 1;
  }
  task.done = true;
  return {};
}

// Submits random tasks to random queues, ordered by notifiers that are used again and again.
void RunRandomTasks(unsigned seed) {
  constexpr size_t kQueues = 5;
  constexpr size_t kNotifiers = 3;
  std::mt19937 random(seed);
  const auto below = [&](size_t limit) { return static_cast<size_t>(random()) % limit; };
  std::array<cnrtQueue_t, kQueues> queues{};
  std::array<cnrtNotifier_t, kNotifiers> notifiers{};
  std::array<std::vector<size_t>, kQueues> submitted;  // the tasks of each queue
  // The tasks that come before the latest placement of each notifier: those of its queue.
  std::array<std::vector<size_t>, kNotifiers> before;
  for (cnrtQueue_t& queue : queues) {
    ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
  }
  for (cnrtNotifier_t& notifier : notifiers) {
    ASSERT_EQ(cnrtNotifierCreate(&notifier), cnrtSuccess);
  }
  std::vector<Task> tasks(kSlowBuild ? 60 : 200);
  std::array<std::vector<size_t>, kQueues> pending;  // what the next task of a queue comes after
  for (size_t i = 0; i < tasks.size(); ++i) {
    const size_t q = below(kQueues);
    const size_t n = below(kNotifiers);
    if (below(2) == 0) {
      ASSERT_EQ(cnrtQueueWaitNotifier(notifiers[n], queues[q], 0), cnrtSuccess);
      pending[q] = before[n];
    }
    tasks[i].delay_us = below(4) == 0 ? static_cast<int>(below(300)) : 0;
    tasks[i].after = pending[q];
    ASSERT_TRUE(
        Find<HostQueue>(queues[q])->Submit(Job::Make<RunTask>("task", TaskArgs{&tasks, i})).ok());
    submitted[q].push_back(i);
    if (below(2) == 0) {
      const size_t placed = below(kNotifiers);
      ASSERT_EQ(cnrtPlaceNotifier(notifiers[placed], queues[q]), cnrtSuccess);
      before[placed] = submitted[q];
    }
    if (below(20) == 0) {
      ASSERT_EQ(cnrtQueueSync(queues[below(kQueues)]), cnrtSuccess);
    }
  }
  for (cnrtNotifier_t notifier : notifiers) {
    ASSERT_EQ(cnrtNotifierDestroy(notifier), cnrtSuccess);
  }
  for (cnrtQueue_t queue : queues) {
    ASSERT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
  }
  for (size_t i = 0; i < tasks.size(); ++i) {
    EXPECT_TRUE(tasks[i].done) << "task " << i << ", seed " << seed;
    EXPECT_EQ(tasks[i].missing, 0) << "task " << i << ", seed " << seed;
  }
}

TEST(QueueOrderStress, RandomTasksRunInTheOrderOfTheirNotifiers) {
  std::thread syncer([] {
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(cnrtSyncDevice(), cnrtSuccess);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  for (unsigned seed = 1; seed <= 10; ++seed) {
    RunRandomTasks(seed);
  }
  syncer.join();
}

}  // namespace
}  // namespace detops
