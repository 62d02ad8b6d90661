// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The object that cnrtQueue_t names: an in-order queue of jobs with its own worker thread.

#ifndef DETOPS_RUNTIME_QUEUE_H_
#define DETOPS_RUNTIME_QUEUE_H_

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cnrt.h"
#include "core/aligned_buffer.h"
#include "core/live_objects.h"
#include "runtime/job.h"

namespace detops {

// A ring buffer of jobs in the order of submission. It grows by doubling and never shrinks, so a
// queue stops allocating once it has seen its longest backlog.
class JobRing {
 public:
  bool empty() const { return size_ == 0; }
  // Makes room for one more job. Throws std::bad_alloc and then changes nothing.
  void Reserve();
  // Appends a job. Reserve must have been called for it.
  void Push(Job&& job);
  // Removes and returns the oldest job. There must be one.
  Job Pop();

 private:
  std::vector<Job> slots_;
  size_t first_ = 0;
  size_t size_ = 0;
};

// The first failure of a queue's jobs. It is reported once, to the first thread that synchronizes.
struct QueueError {
  mluOpStatus_t code = MLUOP_STATUS_SUCCESS;
  std::string text;
};

// Runs jobs one at a time in the order of submission, on a worker thread or on a thread that waits.
// All functions may be called from any thread.
class WorkQueue {
 public:
  WorkQueue() = default;
  // Waits for all submitted jobs.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Appends a job, which gets `scratch_bytes` of scratch memory. On failure nothing is queued:
  // throws std::bad_alloc when out of memory, returns EXECUTION_FAILED if the worker cannot be
  // started.
  Status Submit(Job&& job, size_t scratch_bytes = 0);

  // Waits for the jobs that were submitted before the call. Runs jobs that have not started on the
  // calling thread instead of waiting for the worker to wake up.
  void Wait();

  // Returns whether all submitted jobs have finished.
  bool IsIdle();

  // Returns the stored error and clears it.
  QueueError TakeError();

 private:
  using Lock = std::unique_lock<std::mutex>;

  void StartWorker();
  void WorkerLoop();
  // Removes the oldest job and runs it with the lock released. There must be a job, and none may be
  // running.
  void RunFirst(Lock& lock);
  // Returns at least `bytes` of scratch memory. If it had to grow, moves the old memory to
  // `retired`.
  void* ReserveScratch(size_t bytes, AlignedBuffer& retired);

  std::mutex mutex_;
  std::condition_variable work_;  // the worker may have a job to start, or must stop
  std::condition_variable done_;  // a job has finished
  JobRing jobs_;
  // Scratch memory of the latest job. The memory of earlier jobs is the same, or is kept alive by
  // the job that replaced it (Job::retired_scratch).
  AlignedBuffer scratch_;
  uint64_t submitted_ = 0;
  uint64_t finished_ = 0;
  bool running_ = false;
  bool stop_ = false;
  QueueError error_;
  Threads single_thread_{1};  // for jobs without a handle
  std::thread worker_;
};

struct HostQueue final : WorkQueue {
  using Opaque = cnrtQueue_t;
  static constexpr ObjectKind kKind = ObjectKind::kQueue;

  // Links and state of the list of all queues (QueueList in queue.cc), guarded by the list's mutex.
  HostQueue* previous = nullptr;
  HostQueue* next = nullptr;
  int visitors = 0;  // cnrtSyncDevice calls that use the queue; it stays in the list meanwhile
};

// Finds the queue that an argument names. A queue that the process has inherited from its parent is
// an error with this code: the thread that would run its jobs does not exist.
inline Status FindOwnQueue(const char* argument, cnrtQueue_t queue, mluOpStatus_t inherited,
                           HostQueue*& found) {
  DETOPS_RETURN_IF_ERROR(FindLive(argument, queue, found));
  if (IsInherited(queue)) [[unlikely]] {
    found = nullptr;
    return InheritedError(argument, ObjectKind::kQueue, inherited);
  }
  return {};
}

// Finds the queue that a call of the runtime was made with. NULL is the default queue, whose jobs
// run inside the call: `found` is null.
inline Status FindQueue(cnrtQueue_t queue, HostQueue*& found) {
  found = nullptr;
  return queue == nullptr ? Status() : FindOwnQueue("queue", queue, MLUOP_STATUS_BAD_PARAM, found);
}

// Finds the queue of a handle, which must have one.
inline Status FindQueueOf(const Handle& handle, HostQueue*& found) {
  return FindOwnQueue("the handle's queue", handle.queue, MLUOP_STATUS_EXECUTION_FAILED, found);
}

}  // namespace detops

#endif  // DETOPS_RUNTIME_QUEUE_H_
