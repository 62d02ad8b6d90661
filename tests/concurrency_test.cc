// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Many threads with handles, queues and notifiers that come and go, all at once. ThreadSanitizer
// says whether they get in each other's way; the results say so, too.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <mutex>
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

// Runs user(number) on threads of their own, all at once.
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

// Does something again and again on a thread of its own while it lives.
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

// Each of them belongs to one of the users.
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

// What the library allows at any time, from any thread.
void LookAround() {
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

// Everything in one test: each user has its handles, queues and notifiers, which it leaves while
// they are at work; somebody waits for all queues; somebody changes the log.
TEST(Concurrency, HandlesQueuesAndNotifiersComeAndGo) {
  SharedCalls calls;
  {
    const Meanwhile syncing([] { EXPECT_EQ(cnrtSyncDevice(), cnrtSuccess); });
    const Meanwhile looking(LookAround);
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
            case 0:  // the handle goes first: it waits for its job
              context = Context();
              break;
            case 1:  // the notifier is reached when the job is done
              ASSERT_EQ(cnrtWaitNotifier(after), cnrtSuccess);
              break;
            case 2:
              ASSERT_EQ(cnrtQueueSync(queue), cnrtSuccess);
              break;
            default:  // the queue goes with work in flight
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

// Many handles on one queue: it is in order for each of them, and each may wait for it.
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

// One handle for all, used by one thread at a time, on a queue for each and without one. Its jobs
// run side by side, each in scratch of its queue.
TEST(Concurrency, AHandleGoesFromThreadToThread) {
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
            context.SetThreads(1 + (round + user) % 3);  // waits for the others' jobs
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

// A notifier in many queues at once, and looked at meanwhile.
TEST(Concurrency, ANotifierIsPlacedByManyAndGoesWhileItIsPlaced) {
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
    ASSERT_EQ(cnrtNotifierDestroy(notifier), cnrtSuccess) << "waits for the places that are left";
  }
}

// Errors of a queue's data go to one of those who wait, whole.
TEST(Concurrency, AnErrorIsReportedToOneOfMany) {
  detopsSetLogSink([](detopsLogLevel_t, const char*, void*) {}, nullptr);
  const std::vector<float> map(16, 1.0f);
  const std::vector<float> rois = {9, 0, 0, 1, 1};  // of an image that does not exist
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
        EXPECT_NE(std::string(detopsGetLastError()).find("rois[0] is of image 9"),
                  std::string::npos)
            << detopsGetLastError();
      }
    });
    EXPECT_EQ(reports, 1);
  }
  EXPECT_EQ(mean, -1);
  detopsSetLogSink(nullptr, nullptr);
}

// Threads that come and go with the contexts of calls that bring none.
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
