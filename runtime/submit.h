// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The way from an operator's call to its Run: inside the call, or as a job of the handle's queue.

#ifndef DETOPS_RUNTIME_SUBMIT_H_
#define DETOPS_RUNTIME_SUBMIT_H_

#include <cstddef>
#include <utility>

#include "core/float_mode.h"
#include "core/handle.h"
#include "runtime/job.h"
#include "runtime/queue.h"

namespace detops {

// Runs `run(context, args)`, a `Status (RunContext&, const Args&)`, with `scratch_bytes` of
// scratch. Without a queue it has finished when Submit returns. With a queue it becomes the queue's
// next job, and a data error that it finds becomes the queue's error.
template <auto run, class Args>
Status Submit(Handle& handle, const char* function, const Args& args, size_t scratch_bytes = 0) {
  if (handle.queue == nullptr) {
    RunContext context{.threads = handle.threads(),
                       .scratch = handle.ReserveScratch(scratch_bytes)};
    const DefaultFloatMode float_mode;
    return run(context, args);
  }
  HostQueue* queue = nullptr;
  DETOPS_RETURN_IF_ERROR(FindQueueOf(handle, queue));
  Job job = Job::Make<run>(function, args);
  job.handle = &handle;
  return queue->Submit(std::move(job), scratch_bytes);
}

// Makes a handle's work run inside the call, for functions that return their result.
class InlineExecution {
 public:
  InlineExecution() = default;
  ~InlineExecution() {
    if (handle_ != nullptr) {
      handle_->queue = queue_;
    }
  }
  InlineExecution(const InlineExecution&) = delete;
  InlineExecution& operator=(const InlineExecution&) = delete;

  // From now on, work of this handle runs inside the call. Waits for the handle's queue first,
  // because inputs may be results of earlier jobs.
  Status Begin(mluOpHandle_t handle) {
    Handle* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindHandle(handle, found));
    if (found->queue != nullptr) {
      HostQueue* queue = nullptr;
      DETOPS_RETURN_IF_ERROR(FindQueueOf(*found, queue));
      queue->Wait();
    }
    handle_ = found;
    queue_ = std::exchange(found->queue, nullptr);
    return {};
  }
  // The handle that work begins with. Begin must have succeeded.
  Handle& handle() const { return *handle_; }

 private:
  Handle* handle_ = nullptr;
  cnrtQueue_t queue_ = nullptr;
};

}  // namespace detops

#endif  // DETOPS_RUNTIME_SUBMIT_H_
