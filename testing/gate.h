// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A job that holds a queue up until the test lets it go on.

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
  // The gate outlives its jobs, which may be on their way out of it.
  ~Gate() {
    std::unique_lock<std::mutex> lock(mutex_);
    open_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return jobs_ == 0; });
  }

  // Queues a job that waits for Open.
  Status Queue(cnrtQueue_t queue) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++jobs_;
    }
    Status status = queue->Submit(Job::Make<Wait>("Gate", Args{this}));
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

  // Both: from now on a thread that waits for the queue cannot find the job still unstarted and run
  // it itself.
  Status Block(cnrtQueue_t queue) {
    DETOPS_RETURN_IF_ERROR(Queue(queue));
    WaitUntilReached();
    return {};
  }

  // The thread that runs the job, once it is reached.
  std::thread::id runner() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return runner_;
  }

  void Open() {
    // Under the lock to the end: the job may be the last to use the gate.
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
  int jobs_ = 0;  // that have not left yet
};

}  // namespace detops

#endif  // DETOPS_TESTING_GATE_H_
