// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What cnrtQueue_t points to: an in-order queue with a thread of its own.

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
#include "runtime/job.h"

namespace detops {

// Jobs in the order of submission. Grows by doubling, so a queue that has seen its longest backlog
// allocates no more.
class JobRing {
 public:
  bool empty() const { return size_ == 0; }
  // Makes room for one more. Throws std::bad_alloc, and nothing has changed.
  void Reserve();
  void Push(Job&& job);  // after Reserve
  Job Pop();

 private:
  std::vector<Job> slots_;
  size_t first_ = 0;
  size_t size_ = 0;
};

// The first failure of a queue's jobs: reported once, to whoever synchronises first.
struct QueueError {
  mluOpStatus_t code = MLUOP_STATUS_SUCCESS;
  std::string text;
};

class WorkQueue {
 public:
  WorkQueue() = default;
  // Finishes the work first.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Appends a job. Everything that can fail does so here, before it is queued: with ALLOC_FAILED by
  // std::bad_alloc, with EXECUTION_FAILED when the thread cannot be started. The job gets
  // `scratch_bytes` of the queue's scratch.
  Status Submit(Job&& job, size_t scratch_bytes = 0);

  // Waits for what has been submitted before the call. Runs jobs that have not started on this
  // thread rather than wait for the worker to wake up.
  void Wait();

  bool IsIdle();

  // The error that was kept, which is then forgotten.
  QueueError TakeError();

 private:
  using Lock = std::unique_lock<std::mutex>;

  void StartWorker();
  void WorkerLoop();
  // Takes the first job and runs it with the lock released. There must be one, and none running.
  void RunFirst(Lock& lock);
  void* ReserveScratch(size_t bytes, AlignedBuffer& retired);

  std::mutex mutex_;
  std::condition_variable work_;  // for the worker: a job may be started, or stop
  std::condition_variable done_;  // for those who wait: a job has finished
  JobRing jobs_;
  AlignedBuffer
      scratch_;  // of the latest submission; what earlier jobs use is retired by a later one
  uint64_t submitted_ = 0;
  uint64_t finished_ = 0;
  bool running_ = false;
  bool stop_ = false;
  QueueError error_;
  Threads single_thread_{1};  // for the runtime's own jobs, which have no handle
  std::thread worker_;
};

}  // namespace detops

struct cnrtQueueStruct final : detops::WorkQueue {
  // The list of all queues, for cnrtSyncDevice. Guarded by its mutex.
  cnrtQueueStruct* previous = nullptr;
  cnrtQueueStruct* next = nullptr;
  int visitors =
      0;  // how many cnrtSyncDevice calls are looking at it; it stays in the list meanwhile
};

#endif  // DETOPS_RUNTIME_QUEUE_H_
