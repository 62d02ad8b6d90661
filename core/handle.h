// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The object that mluOpHandle_t points to: a queue, a limit on threads, scratch memory and the
// modes that the C API stores in a handle.

#ifndef DETOPS_CORE_HANDLE_H_
#define DETOPS_CORE_HANDLE_H_

#include <condition_variable>
#include <memory>
#include <mutex>

#include "core/aligned_buffer.h"
#include "core/parallel.h"
#include "mlu_op.h"

struct mluOpContext {
 public:
  mluOpContext();

  // Counts the jobs on queues that use the handle. They use its threads, so destroying the handle
  // and changing its threads wait for them.
  void BeginJob() noexcept;
  void EndJob() noexcept;
  void WaitForJobs() noexcept;

  // Sets the number of threads; 0 means DefaultThreads(). Waits for the jobs in flight.
  void SetThreads(int count);
  // Reads the default again, unless the user has set the number of threads.
  void UpdateDefaultThreads();
  detops::Threads& threads() { return *threads_; }

  // Returns at least `bytes` of scratch memory for work that runs inside the call. The memory is
  // valid until the next call of this function. Throws std::bad_alloc.
  void* ReserveScratch(size_t bytes);

  cnrtQueue_t queue = nullptr;
  mluOpAtomicsMode_t atomics_mode = MLUOP_ATOMICS_NOT_ALLOWED;
  mluOpQuantizeRoundMode_t round_mode = MLUOP_ROUND_HALF_TO_EVEN;

 private:
  std::unique_ptr<detops::Threads> threads_;
  bool threads_set_by_user_ = false;
  detops::AlignedBuffer scratch_;

  std::mutex mutex_;
  std::condition_variable idle_;
  int jobs_in_flight_ = 0;
};

#endif  // DETOPS_CORE_HANDLE_H_
