// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Many queues and threads at once.

#include <gmock/gmock.h>

#include <atomic>

#include "runtime/queue_test.h"

namespace detops {
namespace {

using testing::ElementsAre;

constexpr int kStressJobs = 1000;

// The jobs of one queue, as seen by the jobs themselves. Not locked: a queue runs one job at a
// time.
struct JobSequence {
  int next = 0;
  int out_of_order = 0;
};

struct StepArgs {
  JobSequence* sequence;
  int number;
};

Status Step(RunContext&, const StepArgs& args) {
  args.sequence->out_of_order += args.sequence->next == args.number ? 0 : 1;
  ++args.sequence->next;
  return args.number == kStressJobs / 2 ? BadParam("job {}", args.number) : Status();
}

// Several threads, each with several queues whose jobs check their own order. One job of each queue
// fails.
TEST(QueueStress, JobsRunInOrderAndErrorsAreReportedOnce) {
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
      std::vector<JobSequence> sequences(kQueues);
      for (cnrtQueue_t& queue : queues) {
        ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
      }
      for (int job = 0; job < kStressJobs; ++job) {
        for (int q = 0; q < kQueues; ++q) {
          ASSERT_EQ(mluOpSetQueue(handle, queues[q]), MLUOP_STATUS_SUCCESS);
          ASSERT_TRUE(
              Submit<Step>(*Find<Handle>(handle), "step", StepArgs{&sequences[q], job}).ok());
        }
        if (job % 100 == 99) {
          errors_reported += cnrtQueueSync(queues[job / 100 % kQueues]) != cnrtSuccess ? 1 : 0;
        }
      }
      for (cnrtQueue_t queue : queues) {
        errors_reported += cnrtQueueDestroy(queue) != cnrtSuccess ? 1 : 0;
      }
      for (const JobSequence& sequence : sequences) {
        EXPECT_EQ(sequence.next, kStressJobs);
        EXPECT_EQ(sequence.out_of_order, 0);
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

// Queues are created and destroyed while another thread waits for all of them.
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
          ASSERT_TRUE(
              Find<HostQueue>(queue)->Submit(Job::Make<Append>("op", AppendArgs{&list, job})).ok());
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
