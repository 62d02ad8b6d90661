// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// @brief Contexts and queues that release their resources automatically.

#ifndef DETOPS_CONTEXT_HPP_
#define DETOPS_CONTEXT_HPP_

#include "detops/export.hpp"
#include "mlu_op.h"

namespace detops {

/// @brief Queue that runs jobs in the order of submission; owns a cnrtQueue_t.
///
/// The destructor waits for jobs that have not finished.
class DETOPS_EXPORT Queue {
 public:
  /// @throws Error if memory runs out.
  Queue();
  ~Queue();
  Queue(Queue&& other) noexcept;
  Queue& operator=(Queue&& other) noexcept;

  /// @brief Waits for all jobs that were submitted before this call.
  /// @throws Error if one of them has failed since the last synchronization.
  void Sync();

  /// @brief Returns the queue for use with the C API.
  cnrtQueue_t get() const noexcept { return queue_; }

 private:
  cnrtQueue_t queue_ = nullptr;
};

/// @brief Threads, queue and scratch memory of operator calls; owns an mluOpHandle_t.
///
/// Two threads must not use the same context at the same time.
class DETOPS_EXPORT Context {
 public:
  /// @brief Creates a context without a queue: operators have finished when their call returns.
  ///
  /// The number of threads is DETOPS_NUM_THREADS if this environment variable is set, otherwise the
  /// number of cores.
  /// @throws Error if memory runs out.
  Context();
  ~Context();
  Context(Context&& other) noexcept;
  Context& operator=(Context&& other) noexcept;

  /// @brief Sets how many threads an operator may use, including the calling thread.
  /// @param threads Number of threads, up to 1024; 0 restores the default.
  /// @throws Error if threads is out of range.
  void SetThreads(int threads);

  /// @brief Returns how many threads an operator may use.
  int threads() const;

  /// @brief Makes later operator calls run on a queue.
  /// @param queue Queue; must outlive the work that is submitted to it.
  void SetQueue(const Queue& queue);

  /// @brief Makes later operator calls finish before they return.
  void ClearQueue();

  /// @brief Returns the handle for use with the C API.
  mluOpHandle_t handle() const noexcept { return handle_; }

 private:
  mluOpHandle_t handle_ = nullptr;
};

}  // namespace detops

#endif  // DETOPS_CONTEXT_HPP_
