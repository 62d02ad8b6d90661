// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A unit of work on its way from a call to the thread that runs it.

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

// What running work may use.
struct RunContext {
  Threads& threads;
  void* scratch;  // as many bytes as were asked for, aligned to kAlignment
};

// A function, and the plain data that it works on, held in place: a job is copied, never allocated.
class Job {
 public:
  static constexpr size_t kMaxArgsBytes = 512;

  Job() = default;

  // `run` is called as Status run(RunContext&, const Args&). `function` is the API function's name,
  // for messages.
  template <auto run, class Args>
  static Job Make(const char* function, const Args& args) {
    static_assert(std::is_trivially_copyable_v<Args> && std::is_trivially_destructible_v<Args>,
                  "Args cross threads as plain bytes");
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

  // Under the default floating-point mode. An exception becomes a status.
  Status Run(RunContext& context) const noexcept;

  // The handle whose threads the job uses and which it keeps alive; none for the runtime's own
  // jobs.
  mluOpContext* handle = nullptr;
  // Memory that the queue has reserved for the job.
  void* scratch = nullptr;
  // The queue's former scratch: jobs before this one may use it, so it goes when this one's turn
  // comes.
  AlignedBuffer retired_scratch;

 private:
  const char* function_ = nullptr;
  Status (*run_)(RunContext&, const void*) = nullptr;
  alignas(std::max_align_t) std::byte args_[kMaxArgsBytes];
};

}  // namespace detops

#endif  // DETOPS_RUNTIME_JOB_H_
