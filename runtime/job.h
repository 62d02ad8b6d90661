// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Job: a unit of work on its way from an API call to the thread that runs it.

#ifndef DETOPS_RUNTIME_JOB_H_
#define DETOPS_RUNTIME_JOB_H_

#include <cstddef>
#include <new>
#include <type_traits>

#include "core/aligned_buffer.h"
#include "core/handle.h"
#include "core/parallel.h"
#include "core/status.h"

namespace detops {

// The resources that a running job may use.
struct RunContext {
  Threads& threads;
  void* scratch;  // of the requested size, aligned to kAlignment
};

// A function and its arguments, which are plain data stored inside the job: creating and moving a
// job never allocates.
class Job {
 public:
  static constexpr size_t kMaxArgsBytes = 512;

  Job() = default;

  // Returns a job that calls run(context, args), a `Status (RunContext&, const Args&)`. `function`
  // is the name of the API function, for error messages.
  template <auto run, class Args>
  static Job Make(const char* function, const Args& args) {
    static_assert(std::is_trivially_copyable_v<Args> && std::is_trivially_destructible_v<Args>,
                  "Args are moved between threads as plain bytes");
    static_assert(sizeof(Args) <= kMaxArgsBytes && alignof(Args) <= alignof(std::max_align_t));
    Job job;
    job.function_ = function;
    job.run_ = [](RunContext& context, const void* erased) -> Status {
      return run(context, *static_cast<const Args*>(erased));
    };
    ::new (static_cast<void*>(job.args_)) Args(args);
    return job;
  }

  const char* function() const { return function_; }

  // Runs the job in the default floating-point mode. An exception becomes a Status.
  Status Run(RunContext& context) const noexcept;

  // The handle whose threads the job uses and which the job keeps alive; null for the runtime's own
  // jobs, such as copies.
  Handle* handle = nullptr;
  // The scratch memory that the queue has reserved for the job.
  void* scratch = nullptr;
  // The queue's previous scratch memory, if this job needed more. Earlier jobs may still use it, so
  // it is freed when this job starts.
  AlignedBuffer retired_scratch;

 private:
  const char* function_ = nullptr;
  Status (*run_)(RunContext&, const void*) = nullptr;
  alignas(std::max_align_t) std::byte args_[kMaxArgsBytes];
};

}  // namespace detops

#endif  // DETOPS_RUNTIME_JOB_H_
