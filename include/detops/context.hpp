// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// Contexts and queues that clean up after themselves.

#ifndef DETOPS_CONTEXT_HPP_
#define DETOPS_CONTEXT_HPP_

#include "detops/export.hpp"
#include "mlu_op.h"

namespace detops {

/// An in-order queue (cnrtQueue_t). Jobs that are still in flight when it is destroyed are waited
/// for.
class DETOPS_EXPORT Queue {
 public:
  Queue();
  ~Queue();
  Queue(Queue&& other) noexcept;
  Queue& operator=(Queue&& other) noexcept;

  /// Waits for everything submitted so far. Throws the queue's data error when it kept one.
  void Sync();

  cnrtQueue_t get() const noexcept { return queue_; }

 private:
  cnrtQueue_t queue_ = nullptr;
};

/// What an operator runs with: threads, a queue, scratch memory (mluOpHandle_t). Used by one thread
/// at a time.
class DETOPS_EXPORT Context {
 public:
  /// As many threads as there are cores (or DETOPS_NUM_THREADS), no queue: an operator is done when
  /// its call returns.
  Context();
  ~Context();
  Context(Context&& other) noexcept;
  Context& operator=(Context&& other) noexcept;

  /// How many threads an operator may use, the calling one included; 0 goes back to the default.
  void SetThreads(int threads);
  int threads() const;

  /// Runs the operators that follow on a queue, which must outlive their work.
  void SetQueue(const Queue& queue);
  /// Runs the operators that follow in their calls.
  void ClearQueue();

  /// The same thing for the C API.
  mluOpHandle_t handle() const noexcept { return handle_; }

 private:
  mluOpHandle_t handle_ = nullptr;
};

}  // namespace detops

#endif  // DETOPS_CONTEXT_HPP_
