// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Blocks a queue until the test opens the gate.

#ifndef DETOPS_TESTING_GATE_H_
#define DETOPS_TESTING_GATE_H_

#include <condition_variable>
#include <mutex>
#include <thread>

#include "runtime/queue.h"

namespace detops {

class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  // Opens the gate and waits until all of its jobs have returned.
  ~Gate() {
    std::unique_lock<std::mutex> lock(mutex_);
    open_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return jobs_ == 0; });
  }

  // Submits a job that waits for Open.
  Status Queue(cnrtQueue_t queue) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++jobs_;
    }
    HostQueue* found = nullptr;
    Status status = FindLive("queue", queue, found);
    if (status.ok()) {
      status = found->Submit(Job::Make<Wait>("Gate", Args{this}));
    }
    if (!status.ok()) {
      const std::lock_guard<std::mutex> lock(mutex_);
      --jobs_;
    }
    return status;
  }

  void WaitUntilReached() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return reached_; });
  }

  // Submits a job that waits for Open, and waits until it runs. A thread that syncs the queue
  // afterwards cannot run that job itself.
  Status Block(cnrtQueue_t queue) {
    DETOPS_RETURN_IF_ERROR(Queue(queue));
    WaitUntilReached();
    return {};
  }

  // Returns the thread that runs the job. Call after WaitUntilReached.
  std::thread::id runner() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return runner_;
  }

  void Open() {
    // Notifies under the lock: the job may be the last user of the gate.
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  struct Args {
    Gate* gate;
  };

  static Status Wait(RunContext&, const Args& args) {
    Gate* const gate = args.gate;
    std::unique_lock<std::mutex> lock(gate->mutex_);
    gate->reached_ = true;
    gate->runner_ = std::this_thread::get_id();
    gate->changed_.notify_all();
    gate->changed_.wait(lock, [&] { return gate->open_; });
    --gate->jobs_;
    gate->changed_.notify_all();
    return {};
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool reached_ = false;
  std::thread::id runner_;
  bool open_ = false;
  int jobs_ = 0;  // jobs that have not returned yet
};

}  // namespace detops

#endif  // DETOPS_TESTING_GATE_H_
