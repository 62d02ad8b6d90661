// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A job that holds a queue up until the test lets it go on.

#ifndef DETOPS_TESTING_GATE_H_
#define DETOPS_TESTING_GATE_H_

#include <condition_variable>
#include <mutex>

#include "runtime/queue.h"

namespace detops {

class Gate {
 public:
  // Queues a job that waits for Open, and returns when the queue's worker has come to it: a thread
  // that waits for the queue from now on cannot find the job still unstarted and run it itself.
  Status Block(cnrtQueue_t queue) {
    DETOPS_RETURN_IF_ERROR(queue->Submit(Job::Make<Wait>("Gate", Args{this})));
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return reached_; });
    return {};
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
    gate->changed_.notify_all();
    gate->changed_.wait(lock, [&] { return gate->open_; });
    return {};
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool reached_ = false;
  bool open_ = false;
};

}  // namespace detops

#endif  // DETOPS_TESTING_GATE_H_
