// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The one parallel loop. parallel.cc is the only file that knows the thread library.

#ifndef DETOPS_CORE_PARALLEL_H_
#define DETOPS_CORE_PARALLEL_H_

#include <cstdint>
#include <memory>

namespace detops {

// Work that is estimated below this stays on the calling thread: waking another costs a good part
// of it.
inline constexpr double kMinParallelNanoseconds = 20'000;

// The most threads a handle can be told to use.
inline constexpr int kMaxThreads = 1024;

// How many threads can run at the same time: the cores that this process may use.
int AvailableCores();

// What a new handle uses: DETOPS_NUM_THREADS, or all cores.
int DefaultThreads();

// How work is cut: into parts that are worth a thread's while, or into as many as there can be,
// however small they are. The second is for tests, which then need no large inputs to see parts.
enum class Split { kWorthwhile, kAlways };

// The threads that a handle's work may use. They belong to the process; this is a limit and a place
// to meet. At most AvailableCores() - 1 workers exist, whatever the number of handles and the limit
// of each: a larger limit only splits the work into more pieces.
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
  std::unique_ptr<Arena> arena_;  // none when one thread is enough, or all there is
};

// A loop body without its type, so that the thread library stays in one file.
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

// Calls body(begin, end) for disjoint ranges that together are [0, count), each once, on this
// thread and perhaps others, all under the default floating-point mode. Returns when all are done.
// The estimate of the cost decides how many there are; results must not depend on it. From inside
// another parallel loop, also one of the user's, the work stays in the arena of that loop.
template <class Body>
void ParallelFor(Threads& threads, int64_t count, double nanoseconds_per_item, const Body& body) {
  const ParallelLoop::Function call = [](const void* erased, int64_t begin, int64_t end) {
    (*static_cast<const Body*>(erased))(begin, end);
  };
  ParallelLoop(call, &body).Run(threads, count, nanoseconds_per_item);
}

}  // namespace detops

#endif  // DETOPS_CORE_PARALLEL_H_
