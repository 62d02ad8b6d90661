// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Calls an operator's Run function, either immediately or as a job on the handle's queue.

#ifndef DETOPS_RUNTIME_SUBMIT_H_
#define DETOPS_RUNTIME_SUBMIT_H_

#include <cstddef>
#include <utility>

#include "core/float_mode.h"
#include "core/handle.h"
#include "runtime/job.h"
#include "runtime/queue.h"

namespace detops {

// Calls run(context, args), a `Status (RunContext&, const Args&)`, on this thread, with
// `scratch_bytes` of scratch memory.
template <auto run, class Args>
Status RunInline(mluOpHandle_t handle, const Args& args, size_t scratch_bytes = 0) {
  RunContext context{handle->threads(), handle->ReserveScratch(scratch_bytes)};
  const DefaultFloatMode float_mode;
  return run(context, args);
}

// If the handle has no queue, does the same as RunInline. Otherwise submits the call as a job to
// the queue; an error that the job returns is then reported by the queue, when the user
// synchronizes.
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
