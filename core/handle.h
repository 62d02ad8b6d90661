// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What mluOpHandle_t points to.

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

  // Jobs on queues use the handle's threads, so the handle outlives them.
  void BeginJob() noexcept;
  void EndJob() noexcept;
  void WaitForJobs() noexcept;

  // 0: the default. Waits for the jobs in flight, which use the threads there are.
  void SetThreads(int count);
  void UpdateDefaultThreads();
  detops::Threads& threads() { return *threads_; }

  // Scratch of work that runs in the call itself, grown to at least `bytes`. Throws std::bad_alloc.
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
