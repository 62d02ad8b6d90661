// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Many threads that create, use and destroy handles, queues and notifiers at the same time. Checks
// the results, and finds data races under ThreadSanitizer.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cnrt.h"
#include "detops/detops.hpp"
#include "measure/slow_build.h"
#include "tests/operator_calls.h"

namespace detops {
namespace {

constexpr int kRounds = kSlowBuild ? 4 : 40;
constexpr int kUsers = 6;

// Runs user(number) for all numbers below kUsers at the same time, each on its own thread.
void RunUsers(const std::function<void(int)>& user) {
  std::atomic<int> waiting{kUsers};
  std::vector<std::thread> threads;
  threads.reserve(kUsers);
  for (int number = 0; number < kUsers; ++number) {
    threads.emplace_back([&, number] {
      --waiting;
      while (waiting != 0) {
        std::this_thread::yield();
      }
      user(number);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// Calls a function repeatedly on another thread for its lifetime.
class Meanwhile {
 public:
  explicit Meanwhile(std::function<void()> what)
      : thread_([this, what = std::move(what)] {
          while (!stop_) {
            what();
            std::this_thread::yield();
          }
        }) {}
  ~Meanwhile() {
    stop_ = true;
    thread_.join();
  }
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// Calls of all operators, each of which belongs to one of the users.
class SharedCalls {
 public:
  template <class Use>
  void ForEachOf(int user, const Use& use) {
    for (size_t i = static_cast<size_t>(user); i < calls_.size(); i += kUsers) {
      use(calls_[i]);
    }
  }

 private:
  std::vector<OperatorCall> calls_ = AllCalls();
};

// Calls functions that are allowed at any time, from any thread.
void UseLogAndDescriptors() {
  detopsSetLogLevel(DETOPS_LOG_DEBUG);
  std::atomic<int> lines{0};
  detopsSetLogSink(
      [](detopsLogLevel_t, const char*, void* user) { ++*static_cast<std::atomic<int>*>(user); },
      &lines);
  mluOpTensorDescriptor_t desc = nullptr;
  EXPECT_EQ(mluOpCreateTensorDescriptor(&desc), MLUOP_STATUS_SUCCESS);
  const int dims[] = {-1};
  EXPECT_EQ(mluOpSetTensorDescriptor(desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 1, dims),
            MLUOP_STATUS_BAD_PARAM);
  EXPECT_NE(std::string(detopsGetLastError()).find("mluOpSetTensorDescriptor"), std::string::npos)
      << "a thread has its own last error";
  EXPECT_EQ(mluOpDestroyTensorDescriptor(desc), MLUOP_STATUS_SUCCESS);
  EXPECT_NE(detopsGetSimdTarget()[0], 0);
  EXPECT_NE(detopsGetSimdTargets()[0], 0);
  detopsSetLogSink([](detopsLogLevel_t, const char*, void*) {}, nullptr);
  detopsSetLogLevel(DETOPS_LOG_ERROR);
}

// Each user destroys its handles, queues and notifiers while they have pending jobs; another thread
// waits for all queues, and another one changes the log.
TEST(Concurrency, CreatesAndDestroysHandlesQueuesAndNotifiers) {
  SharedCalls calls;
  {
    const Meanwhile syncing([] { EXPECT_EQ(cnrtSyncDevice(), cnrtSuccess); });
    const Meanwhile using_log(UseLogAndDescriptors);
    RunUsers([&](int user) {
      for (int round = 0; round < kRounds; ++round) {
        calls.ForEachOf(user, [&](OperatorCall& call) {
          call.Clear();
          Context context;
          context.SetThreads(1 + (round + user) % 3);
          cnrtQueue_t queue = nullptr;
          cnrtNotifier_t before = nullptr;
          cnrtNotifier_t after = nullptr;
          ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
          ASSERT_EQ(cnrtNotifierCreate(&before), cnrtSuccess);
          ASSERT_EQ(cnrtNotifierCreate(&after), cnrtSuccess);
          ASSERT_EQ(mluOpSetQueue(context.handle(), queue), MLUOP_STATUS_SUCCESS);
          ASSERT_EQ(cnrtPlaceNotifier(before, queue), cnrtSuccess);
          ASSERT_EQ(call.make(context), MLUOP_STATUS_SUCCESS) << call.name;
          ASSERT_EQ(cnrtPlaceNotifier(after, queue), cnrtSuccess);
          switch (round % 4) {
            case 0:  // the handle is destroyed first: it waits for its job
              context = Context();
              break;
            case 1:  // the notifier is reached when the job is done
              ASSERT_EQ(cnrtWaitNotifier(after), cnrtSuccess);
              break;
            case 2:
              ASSERT_EQ(cnrtQueueSync(queue), cnrtSuccess);
              break;
            default:  // the queue is destroyed with pending jobs
              break;
          }
          if (round % 4 != 3) {
            EXPECT_TRUE(call.IsRight()) << call.name << ", round " << round;
          }
          ASSERT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
          EXPECT_TRUE(call.IsRight()) << call.name << ", round " << round;
          float us = -1;
          ASSERT_EQ(cnrtNotifierDuration(before, after, &us), cnrtSuccess);
          EXPECT_GE(us, 0);
          ASSERT_EQ(cnrtNotifierDestroy(before), cnrtSuccess);
          ASSERT_EQ(cnrtNotifierDestroy(after), cnrtSuccess);
        });
      }
    });
  }
  detopsSetLogSink(nullptr, nullptr);
}

// Each user computes on one queue and checks the result in a function on another one, which waits
// for a notifier. The notifier and the queues are destroyed while this is pending.
TEST(Concurrency, QueuesAreOrderedByNotifiers) {
  struct Check {
    OperatorCall* call;
    bool is_right = false;
  };
  const cnrtHostFn_t check_result = [](void* argument) {
    auto& check = *static_cast<Check*>(argument);
    check.is_right = check.call->IsRight();
  };
  SharedCalls calls;
  const Meanwhile syncing([] { EXPECT_EQ(cnrtDeviceReset(), cnrtSuccess); });
  RunUsers([&](int user) {
    Context context;
    for (int round = 0; round < kRounds; ++round) {
      calls.ForEachOf(user, [&](OperatorCall& call) {
        call.Clear();
        Check check{&call};
        cnrtQueue_t computing = nullptr;
        cnrtQueue_t checking = nullptr;
        cnrtNotifier_t notifier = nullptr;
        ASSERT_EQ(cnrtQueueCreate(&computing), cnrtSuccess);
        ASSERT_EQ(cnrtQueueCreate(&checking), cnrtSuccess);
        ASSERT_EQ(cnrtNotifierCreateWithFlags(&notifier, CNRT_NOTIFIER_DISABLE_TIMING_ALL),
                  cnrtSuccess);
        ASSERT_EQ(mluOpSetQueue(context.handle(), computing), MLUOP_STATUS_SUCCESS);
        ASSERT_EQ(call.make(context), MLUOP_STATUS_SUCCESS) << call.name;
        ASSERT_EQ(cnrtPlaceNotifier(notifier, computing), cnrtSuccess);
        ASSERT_EQ(cnrtQueueWaitNotifier(notifier, checking, 0), cnrtSuccess);
        ASSERT_EQ(cnrtInvokeHostFunc(checking, check_result, &check), cnrtSuccess);
        if (round % 2 == 0) {
          ASSERT_EQ(cnrtQueueSync(checking), cnrtSuccess);
        }
        ASSERT_EQ(cnrtNotifierDestroy(notifier), cnrtSuccess);
        ASSERT_EQ(cnrtQueueDestroy(checking), cnrtSuccess);
        EXPECT_TRUE(check.is_right) << call.name << ", round " << round;
        ASSERT_EQ(cnrtQueueDestroy(computing), cnrtSuccess);
      });
    }
  });
}

// Many handles use one queue: the jobs of each run in order, and each user may wait for the queue.
TEST(Concurrency, HandlesShareAQueue) {
  SharedCalls calls;
  Queue queue;
  RunUsers([&](int user) {
    Context context;
    context.SetThreads(1 + user % 2);
    context.SetQueue(queue);
    for (int round = 0; round < kRounds; ++round) {
      calls.ForEachOf(user, [&](OperatorCall& call) {
        call.Clear();
        ASSERT_EQ(call.make(context), MLUOP_STATUS_SUCCESS) << call.name;
      });
      ASSERT_EQ(cnrtQueueSync(queue.get()), cnrtSuccess);
      calls.ForEachOf(user, [&](OperatorCall& call) {
        EXPECT_TRUE(call.IsRight()) << call.name << ", round " << round;
      });
    }
  });
}

// All users share a handle, one at a time, each with its own queue or without a queue. The jobs of
// the handle run in parallel, each in the scratch memory of its queue.
TEST(Concurrency, AHandleIsPassedFromThreadToThread) {
  SharedCalls calls;
  Context context;
  std::mutex mutex;
  RunUsers([&](int user) {
    Queue queue;
    for (int round = 0; round < kRounds; ++round) {
      calls.ForEachOf(user, [&](OperatorCall& call) {
        call.Clear();
        {
          const std::lock_guard<std::mutex> lock(mutex);
          if ((round + user) % 5 == 0) {
            context.SetThreads(1 + (round + user) % 3);  // waits for the jobs of the other users
          }
          if ((round + user) % 4 == 0) {
            context.ClearQueue();
          } else {
            context.SetQueue(queue);
          }
          ASSERT_EQ(call.make(context), MLUOP_STATUS_SUCCESS) << call.name;
        }
        ASSERT_EQ(cnrtQueueSync(queue.get()), cnrtSuccess);
        EXPECT_TRUE(call.IsRight()) << call.name << ", round " << round;
      });
    }
  });
}

// A notifier is placed in many queues at once, and queried meanwhile.
TEST(Concurrency, ANotifierIsPlacedByManyAndDestroyedWhilePending) {
  for (int round = 0; round < kRounds; ++round) {
    cnrtNotifier_t notifier = nullptr;
    ASSERT_EQ(cnrtNotifierCreate(&notifier), cnrtSuccess);
    std::vector<Queue> queues(kUsers);
    RunUsers([&](int user) {
      for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(cnrtPlaceNotifier(notifier, queues[static_cast<size_t>(user)].get()),
                  cnrtSuccess);
        const cnrtRet_t state = cnrtQueryNotifier(notifier);
        ASSERT_TRUE(state == cnrtSuccess || state == cnrtErrorNotReady);
        if (i % 5 == 4) {
          ASSERT_EQ(cnrtWaitNotifier(notifier), cnrtSuccess);
        }
      }
    });
    ASSERT_EQ(cnrtNotifierDestroy(notifier), cnrtSuccess)
        << "must wait for the queues that it was placed in";
  }
}

// An error that a job found in its data is reported to exactly one of the waiting threads.
TEST(Concurrency, AnErrorIsReportedToOneOfMany) {
  detopsSetLogSink([](detopsLogLevel_t, const char*, void*) {}, nullptr);
  const std::vector<float> map(16, 1.0f);
  const std::vector<float> rois = {9, 0, 0, 1, 1};  // the batch index is out of range
  float mean = -1;
  for (int round = 0; round < kRounds; ++round) {
    Context context;
    Queue queue;
    context.SetQueue(queue);
    PsRoiPoolOptions options;
    options.group_size = 1;
    PsRoiPoolForward(context, {map.data(), {1, 4, 4, 1}}, {rois.data(), {1, 5}},
                     {&mean, {1, 1, 1, 1}}, std::nullopt, options);
    std::atomic<int> reports{0};
    RunUsers([&](int user) {
      const cnrtRet_t result = user % 2 == 0 ? cnrtQueueSync(queue.get()) : cnrtSyncDevice();
      if (result != cnrtSuccess) {
        ++reports;
        EXPECT_EQ(result, cnrtErrorArgsInvalid);
        const std::string message = detopsGetLastError();
        EXPECT_NE(message.find("rois[0] has batch index 9; it must be 0 to 0"), std::string::npos)
            << message;
      }
    });
    EXPECT_EQ(reports, 1);
  }
  EXPECT_EQ(mean, -1);
  detopsSetLogSink(nullptr, nullptr);
}

// Calls without a context use a context of their thread, which ends with the thread.
TEST(Concurrency, ThreadsHaveContextsOfTheirOwn) {
  const std::vector<float> boxes = {0, 0, 2, 2, 0, 0, 2, 4};
  for (int round = 0; round < kRounds; ++round) {
    RunUsers([&](int) {
      float ious[4] = {};
      BboxOverlaps({boxes.data(), {2, 4}}, {boxes.data(), {2, 4}}, {ious, {2, 2}});
      EXPECT_EQ(ious[0], 1);
      EXPECT_EQ(ious[1], 0.5f);
      EXPECT_EQ(BboxOverlapsPairs({boxes.data(), {2, 4}}, {boxes.data(), {2, 4}}, 0.7f).size(), 2u);
    });
  }
}

}  // namespace
}  // namespace detops
