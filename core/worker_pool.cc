// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/worker_pool.h"

#include <hwy/cache_control.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <new>

#include "core/cores.h"
#include "core/float_mode.h"
#include "core/fork.h"

namespace detops {
namespace {

// How long a thread that has nothing to do looks for work before it sleeps. Loops often follow each
// other within microseconds, and waking a thread takes longer than that.
constexpr auto kSpinTime = std::chrono::microseconds(50);

// After a worker could not be started, loops run without it this long before the next attempt,
// which costs a system call.
constexpr auto kTimeBetweenAttempts = std::chrono::seconds(1);

// Initial-exec: accessing it never allocates. It takes one byte of each thread's static storage.
__attribute__((tls_model("initial-exec"))) thread_local bool inside_loop = false;

// Returns whether is_done() became true within kSpinTime.
template <class IsDone>
bool SpinUntil(const IsDone& is_done) {
  constexpr int kChecksPerLookAtTheClock = 32;
  const auto end = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int i = 0; i < kChecksPerLookAtTheClock; ++i) {
      if (is_done()) {
        return true;
      }
      hwy::Pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

// Starts a thread that runs until the process ends. Signals are blocked in it: the program's
// handlers run on the program's threads.
bool StartThread(void* (*function)(void*), void* argument) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool started = pthread_create(&thread, nullptr, function, argument) == 0;
  if (started) {
    pthread_detach(thread);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace

// ---- SharedLoop ---------------------------------------------------------------------------------

void SharedLoop::RunParts(Interruption* interruption) noexcept {
  const DefaultFloatMode float_mode;
  inside_loop = true;
  for (;;) {
    const int64_t part = next_part_.fetch_add(1, std::memory_order_relaxed);
    if (part >= parts_) {
      break;
    }
    try {
      if (interruption != nullptr && interruption->IsRequested()) {
        throw Interrupted();
      }
      run_part_(body_, part);
    } catch (...) {
      next_part_.store(parts_, std::memory_order_relaxed);
      if (!failed_.exchange(true, std::memory_order_relaxed)) {
        error_ = std::current_exception();
      }
    }
  }
  inside_loop = false;
}

void SharedLoop::RethrowError() const {
  if (error_ != nullptr) {
    std::rethrow_exception(error_);
  }
}

// ---- The calling thread -------------------------------------------------------------------------

// Initialized at compile time, so that loops may run before static objects are initialized, and
// never destroyed: workers use it until the process ends.
constinit WorkerPool WorkerPool::process_;

bool WorkerPool::IsInsideLoop() { return inside_loop; }

void WorkerPool::Run(SharedLoop& loop, int max_helpers, Interruption* interruption) {
  Offer(loop, max_helpers);
  loop.RunParts(interruption);
  Withdraw(loop);
  loop.RethrowError();
}

void WorkerPool::Offer(SharedLoop& loop, int max_helpers) {
  int places = 0;
  bool to_all = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const int wanted = std::min(max_helpers, AvailableCores() - 1);
    StartWorkers(wanted);
    places = std::min(wanted, workers_);
    if (places <= 0) {
      return;
    }
    to_all = places == workers_;
    loop.places_ = places;
    loop.previous_ = last_;
    (last_ != nullptr ? last_->next_ : first_) = &loop;
    last_ = &loop;
    offers_.fetch_add(1, std::memory_order_release);
  }
  if (to_all) {
    offers_.notify_all();
    return;
  }
  for (int i = 0; i < places; ++i) {
    offers_.notify_one();
  }
}

void WorkerPool::Unlink(SharedLoop& loop) {
  (loop.previous_ != nullptr ? loop.previous_->next_ : first_) = loop.next_;
  (loop.next_ != nullptr ? loop.next_->previous_ : last_) = loop.previous_;
  loop.places_ = 0;
}

void WorkerPool::Withdraw(SharedLoop& loop) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (loop.places_ != 0) {
      Unlink(loop);
    }
  }
  const auto is_empty = [&] { return loop.helpers_.load(std::memory_order_acquire) == 0; };
  if (SpinUntil(is_empty)) {
    return;
  }
  for (;;) {
    // Read before the helpers are counted: a worker that leaves after that changes it.
    const int seen = departures_.load(std::memory_order_acquire);
    if (is_empty()) {
      return;
    }
    departures_.wait(seen, std::memory_order_acquire);
  }
}

// ---- Workers ------------------------------------------------------------------------------------

void WorkerPool::StartWorkers(int count) {
  if (workers_ >= count || Clock::now() < next_attempt_) {
    return;
  }
  while (workers_ < count) {
    if (!StartThread(&WorkerMain, this)) {
      next_attempt_ = Clock::now() + kTimeBetweenAttempts;
      return;
    }
    ++workers_;
  }
}

void* WorkerPool::WorkerMain(void* pool) {
  pthread_setname_np(pthread_self(), "detops-worker");
  UseAllCores();
  static_cast<WorkerPool*>(pool)->Work();
}

void WorkerPool::Work() {
  for (;;) {
    const int seen = offers_.load(std::memory_order_acquire);
    SharedLoop* const loop = Join();
    if (loop != nullptr) {
      loop->RunParts(nullptr);
      Leave(*loop);
    } else {
      WaitForOffer(seen);
    }
  }
}

SharedLoop* WorkerPool::Join() {
  const std::lock_guard<std::mutex> lock(mutex_);
  SharedLoop* const loop = first_;
  if (loop != nullptr) {
    loop->helpers_.fetch_add(1, std::memory_order_relaxed);
    if (loop->places_ == 1) {
      Unlink(*loop);
    } else {
      --loop->places_;
    }
  }
  return loop;
}

void WorkerPool::Leave(SharedLoop& loop) {
  loop.helpers_.fetch_sub(1, std::memory_order_release);
  // The loop may be gone now.
  departures_.fetch_add(1, std::memory_order_release);
  departures_.notify_all();
}

void WorkerPool::WaitForOffer(int seen) {
  const auto has_changed = [&] { return offers_.load(std::memory_order_relaxed) != seen; };
  if (!SpinUntil(has_changed)) {
    offers_.wait(seen, std::memory_order_relaxed);
  }
}

// ---- fork() -------------------------------------------------------------------------------------

void WorkerPool::RenewInChild() { new (&process_) WorkerPool; }

const int WorkerPool::fork_handler_ = CallInForkedChild(&WorkerPool::RenewInChild);

}  // namespace detops
