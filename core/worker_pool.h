// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The threads that help with parallel loops. All handles of the process share them.
//
// A loop is offered to the workers. Those that are idle join it and take parts until none is left.
// The thread that offers the loop takes parts, too, so a loop never waits for a worker to start: a
// worker that cannot be started (a limit on threads, out of memory) only makes it slower. Nothing
// is allocated per loop.
//
// After fork(), the child has none of its parent's workers and starts its own when it needs them.

#ifndef DETOPS_CORE_WORKER_POOL_H_
#define DETOPS_CORE_WORKER_POOL_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>

#include "core/interruption.h"

namespace detops {

// A loop whose parts may run on several threads.
class SharedLoop {
 public:
  // Runs the part with this number.
  using RunPart = void (*)(const void* body, int64_t part);

  SharedLoop(RunPart run_part, const void* body, int64_t parts)
      : run_part_(run_part), body_(body), parts_(parts) {}
  SharedLoop(const SharedLoop&) = delete;
  SharedLoop& operator=(const SharedLoop&) = delete;

  // Runs the parts that no thread has taken yet, in the default floating-point mode. After an
  // exception or an interruption, no further parts are taken. `interruption` may be null.
  void RunParts(Interruption* interruption) noexcept;

  // Rethrows the first exception of a part. All threads must have left the loop.
  void RethrowError() const;

 private:
  friend class WorkerPool;

  const RunPart run_part_;
  const void* const body_;
  const int64_t parts_;
  std::atomic<int64_t> next_part_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;  // written by the thread that has set failed_

  std::atomic<int> helpers_{0};  // workers inside the loop
  // Guarded by the pool's mutex.
  int places_ = 0;  // workers that may still join; 0 when the loop is not in the pool's list
  SharedLoop* previous_ = nullptr;
  SharedLoop* next_ = nullptr;
};

class WorkerPool {
 public:
  // The pool of the process.
  static WorkerPool& Get() { return process_; }

  constexpr WorkerPool() = default;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Runs the loop on the calling thread and on at most `max_helpers` workers. Returns when all
  // parts have run. Throws the first exception of a part, or Interrupted.
  void Run(SharedLoop& loop, int max_helpers, Interruption* interruption);

  // Returns whether the calling thread is running a part of a loop.
  static bool IsInsideLoop();

 private:
  using Clock = std::chrono::steady_clock;

  void Offer(SharedLoop& loop, int max_helpers);
  // Takes back the places that no worker has taken, and waits for the workers inside the loop.
  void Withdraw(SharedLoop& loop);
  void Unlink(SharedLoop& loop);

  // Starts workers until there are `count`, or until one cannot be started.
  void StartWorkers(int count);
  static void* WorkerMain(void* pool);
  [[noreturn]] void Work();
  // Returns the oldest loop that has a place, or null.
  SharedLoop* Join();
  void Leave(SharedLoop& loop);
  void WaitForOffer(int seen);

  // Makes the pool of a forked child empty.
  static void RenewInChild();

  std::mutex mutex_;
  SharedLoop* first_ = nullptr;  // loops that have places, oldest first
  SharedLoop* last_ = nullptr;
  int workers_ = 0;
  Clock::time_point next_attempt_;  // to start a worker, after one could not be started

  // Threads that wait sleep on these numbers, which only change. Their values mean nothing.
  std::atomic<int> offers_{0};
  std::atomic<int> departures_{0};

  static WorkerPool process_;
  static const int fork_handler_;
};

}  // namespace detops

#endif  // DETOPS_CORE_WORKER_POOL_H_
