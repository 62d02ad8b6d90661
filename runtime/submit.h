// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// From an operator's call to its Run: at once, or on the handle's queue.

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
// scratch, before it returns.
template <auto run, class Args>
Status RunInline(mluOpHandle_t handle, const Args& args, size_t scratch_bytes = 0) {
  RunContext context{handle->threads(), handle->ReserveScratch(scratch_bytes)};
  const DefaultFloatMode float_mode;
  return run(context, args);
}

// The same when the handle has no queue, else as the next job of the queue, and what it finds wrong
// with the data becomes the queue's error.
template <auto run, class Args>
Status Submit(mluOpHandle_t handle, const char* function, const Args& args,
              size_t scratch_bytes = 0) {
  if (handle->queue == nullptr) {
    return RunInline<run>(handle, args, scratch_bytes);
  }
  Job job = Job::Make<run>(function, args);
  job.handle = handle;
  return handle->queue->Submit(std::move(job), scratch_bytes);
}

}  // namespace detops

#endif  // DETOPS_RUNTIME_SUBMIT_H_
