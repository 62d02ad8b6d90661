// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// ParallelFor, the parallel loop that all operators use, and the threads it runs on. parallel.cc is
// the only file that uses the thread library (oneTBB).

#ifndef DETOPS_CORE_PARALLEL_H_
#define DETOPS_CORE_PARALLEL_H_

#include <cstdint>
#include <memory>

namespace detops {

// The largest number of threads that a handle accepts.
inline constexpr int kMaxThreads = 1024;

// Returns the number of cores that this process may use.
int AvailableCores();

// Returns the number of threads of a new handle: DETOPS_NUM_THREADS if set, otherwise all cores.
int DefaultThreads();

// How a loop is split: kWorthwhile makes parts that are worth handing to another thread; kAlways
// makes as many parts as possible, so that tests see several parts even with small inputs.
enum class Split { kWorthwhile, kAlways };

// The threads that a handle's work may use: a limit on workers that all handles of the process
// share. However many handles exist and whatever their limits, the process has at most
// AvailableCores() - 1 workers; a larger limit only splits the work into more parts.
class Threads {
 public:
  explicit Threads(int count, Split split = Split::kWorthwhile);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  int count() const { return count_; }

 private:
  friend class ParallelLoop;
  struct Arena;

  const int count_;
  const Split split_;
  std::unique_ptr<Arena> arena_;  // null if the limit, or the machine, is one thread
};

// The implementation of ParallelFor, with the type of the body erased so that it need not be a
// template.
class ParallelLoop {
 public:
  using Function = void (*)(const void* body, int64_t begin, int64_t end);
  ParallelLoop(Function function, const void* body) : function_(function), body_(body) {}

  void Run(Threads& threads, int64_t count, double nanoseconds_per_item) const;

 private:
  void RunPart(int64_t count, int64_t part, int64_t parts) const;
  void RunParts(int64_t count, int64_t parts) const;

  Function function_;
  const void* body_;
};

// Splits [0, count) into ranges and calls body(begin, end) once for each, on this thread and
// possibly others, always in the default floating-point mode. Returns when all calls have returned.
// `nanoseconds_per_item` is an estimate of the cost on one thread; it decides how many ranges there
// are, so results must not depend on how [0, count) is split. Inside another parallel loop,
// including one of the user's own, the work stays on the threads of that loop.
template <class Body>
void ParallelFor(Threads& threads, int64_t count, double nanoseconds_per_item, const Body& body) {
  const ParallelLoop::Function call = [](const void* erased, int64_t begin, int64_t end) {
    (*static_cast<const Body*>(erased))(begin, end);
  };
  ParallelLoop(call, &body).Run(threads, count, nanoseconds_per_item);
}

}  // namespace detops

#endif  // DETOPS_CORE_PARALLEL_H_
