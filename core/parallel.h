// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// ParallelFor, the parallel loop that all operators use. core/worker_pool.h has the threads.

#ifndef DETOPS_CORE_PARALLEL_H_
#define DETOPS_CORE_PARALLEL_H_

#include <cstdint>

#include "core/interruption.h"

namespace detops {

// The largest number of threads that a handle accepts.
inline constexpr int kMaxThreads = 1024;

// Returns the number of threads of a new handle: DETOPS_NUM_THREADS if set, otherwise all cores.
int DefaultThreads();

// How a loop is split: kWorthwhile makes parts that are worth handing to another thread; kAlways
// makes as many parts as possible, so that tests see several parts even with small inputs.
enum class Split { kWorthwhile, kAlways };

// The threads that a loop may use: a limit on workers that all handles of the process share.
// However many handles exist and whatever their limits, the process has at most AvailableCores() -
// 1 workers; a larger limit only splits the work into more parts.
class Threads {
 public:
  explicit Threads(int count, Split split = Split::kWorthwhile) : count_(count), split_(split) {}

  int count() const { return count_; }

  // Lets loops end early; null for loops that always run to their end.
  void SetInterruption(Interruption* interruption) { interruption_ = interruption; }

 private:
  friend class ParallelLoop;

  int count_;
  Split split_;
  Interruption* interruption_ = nullptr;
};

// The implementation of ParallelFor, with the type of the body erased so that it need not be a
// template.
class ParallelLoop {
 public:
  using Function = void (*)(const void* body, int64_t begin, int64_t end);
  ParallelLoop(Function function, const void* body) : function_(function), body_(body) {}

  void Run(const Threads& threads, int64_t count, double nanoseconds_per_item) const;

 private:
  void RunPart(int64_t count, int64_t part, int64_t parts) const;
  void RunHere(Interruption* interruption, int64_t count, int64_t parts) const;

  Function function_;
  const void* body_;
};

// Splits [0, count) into ranges and calls body(begin, end) once for each, on this thread and
// possibly others, always in the default floating-point mode. Returns when all calls have returned.
// `nanoseconds_per_item` is an estimate of the cost on one thread; it decides how many ranges there
// are, so results must not depend on how [0, count) is split. Inside another parallel loop, the
// work stays on the calling thread.
template <class Body>
void ParallelFor(const Threads& threads, int64_t count, double nanoseconds_per_item,
                 const Body& body) {
  const ParallelLoop::Function call = [](const void* erased, int64_t begin, int64_t end) {
    (*static_cast<const Body*>(erased))(begin, end);
  };
  ParallelLoop(call, &body).Run(threads, count, nanoseconds_per_item);
}

}  // namespace detops

#endif  // DETOPS_CORE_PARALLEL_H_
