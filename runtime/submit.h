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
Status Submit(mluOpHandle_t handle, const char* function, const Args& args,
              size_t scratch_bytes = 0) {
  if (handle->queue == nullptr) {
    RunContext context{.threads = handle->threads(),
                       .scratch = handle->ReserveScratch(scratch_bytes)};
    const DefaultFloatMode float_mode;
    return run(context, args);
  }
  Job job = Job::Make<run>(function, args);
  job.handle = handle;
  return handle->queue->Submit(std::move(job), scratch_bytes);
}

// While it lives, the handle's work runs inside the call. For functions that return their result.
// Waits for the queue first, because inputs may be results of earlier jobs.
class InlineExecution {
 public:
  explicit InlineExecution(mluOpHandle_t handle)
      : handle_(handle), queue_(std::exchange(handle->queue, nullptr)) {
    if (queue_ != nullptr) {
      queue_->Wait();
    }
  }
  ~InlineExecution() { handle_->queue = queue_; }
  InlineExecution(const InlineExecution&) = delete;
  InlineExecution& operator=(const InlineExecution&) = delete;

 private:
  const mluOpHandle_t handle_;
  const cnrtQueue_t queue_;
};

}  // namespace detops

#endif  // DETOPS_RUNTIME_SUBMIT_H_
