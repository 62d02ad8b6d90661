// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Calls in the child of fork(): operators, handles, queues and notifiers that were created before,
// and new ones. A child that hangs is ended by its alarm, which fails the test.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cnrt.h"
#include "detops/detops.hpp"
#include "measure/slow_build.h"
#include "testing/gate.h"
#include "testing/soak.h"
#include "tests/operator_calls.h"

#if defined(DETOPS_COVERAGE)
extern "C" void __gcov_dump(void);
#endif

namespace detops {
namespace {

// Patience with one child, in seconds. A child needs milliseconds.
constexpr unsigned kPatience = 60;

// Returns the exit status of a child that runs `body`, or -1 if a signal, such as that of the
// alarm, ended it.
int ExitOfChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kPatience);
    const int status = body();
#if defined(DETOPS_COVERAGE)
    __gcov_dump();  // _exit does not write the counts of the child
#endif
    _exit(status);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A check inside a child: its number is the child's exit status when it fails.
#define CHILD_CHECK(number, condition) \
  do {                                 \
    if (!(condition)) {                \
      return number;                   \
    }                                  \
  } while (0)

bool LastErrorContains(const char* text) {
  return std::string(detopsGetLastError()).find(text) != std::string::npos;
}

// A call whose loops are shared with workers.
class ParallelCall {
 public:
  ParallelCall() { context_.SetThreads(2); }
  bool IsRight() {
    call_.Clear();
    return call_.make(context_) == MLUOP_STATUS_SUCCESS && call_.IsRight();
  }

 private:
  OperatorCall call_ = OverlapsOf(400);
  Context context_;
};

// Children that compute, at random moments. In all of them the call must return.
void ForkManyTimes(double seconds, int forks) {
  ParallelCall call;
  std::mt19937 random(31);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (int i = 0; i < forks || std::chrono::steady_clock::now() < end; ++i) {
    ASSERT_TRUE(call.IsRight());
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 120));
    ASSERT_EQ(ExitOfChild([&] { return call.IsRight() ? 0 : 1; }), 0) << "fork " << i;
  }
}

constexpr int kForks = kSlowBuild ? 100 : 2500;

TEST(Fork, ChildrenOfAnIdleProcessCompute) { ForkManyTimes(SoakSeconds(0), kForks); }

// Other threads are inside detops while the process forks: they hold locks, start workers, log.
TEST(Fork, ChildrenOfABusyProcessCompute) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  for (int i = 0; i < 2; ++i) {
    busy.emplace_back([&] {
      ParallelCall call;
      while (!stop) {
        EXPECT_TRUE(call.IsRight());
        mluOpDestroy(nullptr);  // logs an error
      }
    });
  }
  const detopsLogSink_t ignore = [](detopsLogLevel_t, const char*, void*) {};
  detopsSetLogSink(ignore, nullptr);
  ForkManyTimes(SoakSeconds(0), kForks);
  detopsSetLogSink(nullptr, nullptr);
  stop = true;
  for (std::thread& thread : busy) {
    thread.join();
  }
}

// The child of a child, and failing calls, which log and set the last error.
TEST(Fork, GrandchildrenComputeAndReportErrors) {
  ParallelCall call;
  ASSERT_TRUE(call.IsRight());
  EXPECT_EQ(ExitOfChild([&] {
              CHILD_CHECK(1, call.IsRight());
              CHILD_CHECK(2, ExitOfChild([&] { return call.IsRight() ? 0 : 1; }) == 0);
              CHILD_CHECK(3, mluOpDestroy(nullptr) == MLUOP_STATUS_BAD_PARAM);
              CHILD_CHECK(4, LastErrorContains("handle is NULL"));
              CHILD_CHECK(5, call.IsRight());
              return 0;
            }),
            0);
}

// Every operator, with a context of the parent and with a new one.
TEST(Fork, AllOperatorsWorkInAChild) {
  std::vector<OperatorCall> calls = AllCalls();
  Context context;
  for (OperatorCall& call : calls) {
    call.Clear();
    ASSERT_EQ(call.make(context), MLUOP_STATUS_SUCCESS) << call.name;
  }
  for (OperatorCall& call : calls) {
    EXPECT_EQ(ExitOfChild([&] {
                call.Clear();
                CHILD_CHECK(1, call.make(context) == MLUOP_STATUS_SUCCESS && call.IsRight());
                Context own;
                call.Clear();
                CHILD_CHECK(2, call.make(own) == MLUOP_STATUS_SUCCESS && call.IsRight());
                return 0;
              }),
              0)
        << call.name;
  }
}

// A queue of the parent, with a job in flight and without: refused, and destroyed without waiting.
// Here and below, the parent's queue has reached the gate when the process forks: a thread that
// starts may hold the lock of AddressSanitizer's allocator, which a fork does not release.
TEST(Fork, InheritedQueuesAreRefused) {
  for (const bool in_flight : {false, true}) {
    cnrtQueue_t queue = nullptr;
    ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
    {
      Gate gate;
      ASSERT_EQ(cnrtQueueSync(queue), cnrtSuccess);
      if (in_flight) {
        ASSERT_TRUE(gate.Block(queue).ok());
      }
      EXPECT_EQ(ExitOfChild([&] {
                  CHILD_CHECK(1, cnrtQueueSync(queue) == cnrtErrorArgsInvalid);
                  CHILD_CHECK(2, LastErrorContains("queue was created before this process"));
                  CHILD_CHECK(3, cnrtQueueQuery(queue) == cnrtErrorArgsInvalid);
                  CHILD_CHECK(4, cnrtInvokeHostFunc(
                                     queue, [](void*) {}, nullptr) == cnrtErrorArgsInvalid);
                  CHILD_CHECK(5, cnrtSyncDevice() == cnrtSuccess);
                  CHILD_CHECK(6, cnrtQueueDestroy(queue) == cnrtSuccess);
                  CHILD_CHECK(7, cnrtQueueDestroy(queue) == cnrtErrorArgsInvalid);
                  return 0;
                }),
                0)
          << in_flight;
    }
    EXPECT_EQ(cnrtQueueSync(queue), cnrtSuccess) << "the parent's queue still works";
    EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
  }
}

// A handle whose queue is the parent's computes again when it has another queue, or none.
TEST(Fork, InheritedHandlesNeedAQueueOfTheChild) {
  Context context;
  Queue queue;
  context.SetQueue(queue);
  OperatorCall call = OverlapsOf(50);
  Gate gate;
  ASSERT_TRUE(gate.Block(queue.get()).ok());
  ASSERT_EQ(call.make(context), MLUOP_STATUS_SUCCESS);  // in flight: waits for the gate
  EXPECT_EQ(ExitOfChild([&] {
              call.Clear();
              CHILD_CHECK(1, call.make(context) == MLUOP_STATUS_EXECUTION_FAILED);
              CHILD_CHECK(2, LastErrorContains("the handle's queue was created before"));
              CHILD_CHECK(3, call.IsUntouched());
              mluOpHandle_t handle = context.handle();
              CHILD_CHECK(4, mluOpSetQueue(handle, queue.get()) == MLUOP_STATUS_EXECUTION_FAILED);
              cnrtQueue_t own = nullptr;
              CHILD_CHECK(5, cnrtQueueCreate(&own) == cnrtSuccess);
              CHILD_CHECK(6, mluOpSetQueue(handle, own) == MLUOP_STATUS_SUCCESS);
              CHILD_CHECK(7, call.make(context) == MLUOP_STATUS_SUCCESS);
              CHILD_CHECK(8, cnrtQueueSync(own) == cnrtSuccess && call.IsRight());
              CHILD_CHECK(9, cnrtSyncDevice() == cnrtSuccess);
              CHILD_CHECK(10, mluOpSetQueue(handle, nullptr) == MLUOP_STATUS_SUCCESS);
              call.Clear();
              CHILD_CHECK(11, call.make(context) == MLUOP_STATUS_SUCCESS && call.IsRight());
              CHILD_CHECK(12, detopsSetThreads(handle, 2) == MLUOP_STATUS_SUCCESS);
              CHILD_CHECK(13, mluOpDestroy(handle) == MLUOP_STATUS_SUCCESS);
              CHILD_CHECK(14, cnrtQueueDestroy(own) == cnrtSuccess);
              return 0;
            }),
            0);
  gate.Open();
  EXPECT_EQ(cnrtQueueSync(queue.get()), cnrtSuccess) << "the job writes to memory of `call`";
  EXPECT_TRUE(call.IsRight());
}

TEST(Fork, InheritedNotifiersAreRefused) {
  cnrtNotifier_t notifier = nullptr;
  ASSERT_EQ(cnrtNotifierCreate(&notifier), cnrtSuccess);
  Queue queue;
  {
    Gate gate;
    ASSERT_TRUE(gate.Block(queue.get()).ok());
    ASSERT_EQ(cnrtPlaceNotifier(notifier, queue.get()), cnrtSuccess);
    EXPECT_EQ(ExitOfChild([&] {
                CHILD_CHECK(1, cnrtWaitNotifier(notifier) == cnrtErrorArgsInvalid);
                CHILD_CHECK(2, LastErrorContains("notifier was created before"));
                CHILD_CHECK(3, cnrtQueryNotifier(notifier) == cnrtErrorArgsInvalid);
                CHILD_CHECK(4, cnrtPlaceNotifier(notifier, nullptr) == cnrtErrorArgsInvalid);
                CHILD_CHECK(5, cnrtNotifierDestroy(notifier) == cnrtSuccess);
                CHILD_CHECK(6, cnrtNotifierDestroy(notifier) == cnrtErrorArgsInvalid);
                return 0;
              }),
              0);
  }
  EXPECT_EQ(cnrtWaitNotifier(notifier), cnrtSuccess);
  EXPECT_EQ(cnrtNotifierDestroy(notifier), cnrtSuccess);
}

}  // namespace
}  // namespace detops
