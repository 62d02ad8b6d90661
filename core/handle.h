// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The object that mluOpHandle_t names: a queue, a limit on threads, scratch memory and the
// modes that the C API stores in a handle.

#ifndef DETOPS_CORE_HANDLE_H_
#define DETOPS_CORE_HANDLE_H_

#include <condition_variable>
#include <memory>
#include <mutex>

#include "core/aligned_buffer.h"
#include "core/fork.h"
#include "core/live_objects.h"
#include "core/parallel.h"
#include "mlu_op.h"

namespace detops {

class Handle {
 public:
  using Opaque = mluOpHandle_t;
  static constexpr ObjectKind kKind = ObjectKind::kHandle;

  Handle();
  ~Handle() { ForgetInheritedJobs(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // Counts the jobs on queues that use the handle. They use its threads, so destroying the handle
  // and changing its threads wait for them.
  void BeginJob() noexcept;
  void EndJob() noexcept;
  void WaitForJobs() noexcept;

  // Sets the number of threads; 0 means DefaultThreads(). Waits for the jobs in flight.
  void SetThreads(int count);
  // Reads the default again, unless the user has set the number of threads.
  void UpdateDefaultThreads();
  Threads& threads() { return threads_; }

  // Returns at least `bytes` of scratch memory for work that runs inside the call. The memory is
  // valid until the next call of this function. Throws std::bad_alloc.
  void* ReserveScratch(size_t bytes);

  cnrtQueue_t queue = nullptr;
  mluOpAtomicsMode_t atomics_mode = MLUOP_ATOMICS_NOT_ALLOWED;
  mluOpQuantizeRoundMode_t round_mode = MLUOP_ROUND_HALF_TO_EVEN;

 private:
  Threads threads_;
  bool threads_set_by_user_ = false;
  AlignedBuffer scratch_;

  // The jobs in flight. In a forked child, those of the parent never end.
  struct Jobs {
    std::mutex mutex;
    std::condition_variable idle;
    int in_flight = 0;
  };
  // Forgets the jobs of the parent process. Their lock may be locked, and a thread of the parent
  // may have waited for them.
  void ForgetInheritedJobs() noexcept;

  Jobs jobs_;
  uint32_t fork_count_ = ForkCount::Get();  // of the process that jobs_ belongs to
};

// Finds the handle that a call was made with.
inline Status FindHandle(mluOpHandle_t handle, Handle*& found) {
  return FindLive("handle", handle, found);
}

}  // namespace detops

#endif  // DETOPS_CORE_HANDLE_H_
