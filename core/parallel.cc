// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>

#include "core/costs.h"
#include "core/environment.h"
#include "core/float_mode.h"

// Debian's TBB is not instrumented, so ThreadSanitizer does not see that TBB orders the start of a
// loop before its parts and the parts before its end. These macros declare it. This file is not
// instrumented either (see CMakeLists.txt), because TBB's templates, which are compiled here, share
// memory with the library. Loop bodies are compiled elsewhere and are instrumented.
#if defined(DETOPS_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#define DETOPS_TSAN_RELEASE(address) __tsan_release(address)
#define DETOPS_TSAN_ACQUIRE(address) __tsan_acquire(address)
#else
#define DETOPS_TSAN_RELEASE(address) static_cast<void>(address)
#define DETOPS_TSAN_ACQUIRE(address) static_cast<void>(address)
#endif

namespace detops {
namespace {

// Enough parts to balance uneven costs.
constexpr int64_t kPartsPerThread = 8;

// Releases the writes of a range of parts when it ends, also by an exception.
struct JoinAnnouncement {
  char* join;
  ~JoinAnnouncement() { DETOPS_TSAN_RELEASE(join); }
};

// Acquires the writes that the workers released (see JoinAnnouncement).
struct JoinNotice {
  char* join;
  ~JoinNotice() { DETOPS_TSAN_ACQUIRE(join); }
};

int64_t CountParts(int threads, Split split, int64_t count, double nanoseconds) {
  if (split == Split::kWorthwhile && nanoseconds < kMinParallelNanoseconds) {
    return 1;
  }
  const int64_t most = threads * kPartsPerThread;
  const int64_t worthwhile =
      split == Split::kAlways
          ? most
          : static_cast<int64_t>(std::min(nanoseconds / kMinPartNanoseconds, 1e9));
  return std::clamp<int64_t>(std::min(worthwhile, most), 1, count);
}

}  // namespace

int AvailableCores() {
  static const int cores = [] {
    try {
      return std::max(1, tbb::info::default_concurrency());
    } catch (...) {
      return 1;  // Out of memory. TBB would hang when asked again; one thread does not need it.
    }
  }();
  return cores;
}

int DefaultThreads() {
  return IntegerFromEnvironment("DETOPS_NUM_THREADS", 1, kMaxThreads).value_or(AvailableCores());
}

// One slot is reserved for the calling thread, so that work never waits for a worker. The process
// has at most AvailableCores() - 1 workers, and TBB prints a warning when an arena asks for more.
struct Threads::Arena {
  explicit Arena(int count) : tbb(std::min(count, AvailableCores()), 1) { tbb.initialize(); }
  tbb::task_arena tbb;
};

Threads::Threads(int count, Split split)
    : count_(count),
      split_(split),
      arena_(count > 1 && AvailableCores() > 1 ? std::make_unique<Arena>(count) : nullptr) {}

Threads::~Threads() = default;

void ParallelLoop::RunPart(int64_t count, int64_t part, int64_t parts) const {
  // The first `longer` parts have one item more. (part * count may overflow.)
  const int64_t size = count / parts;
  const int64_t longer = count % parts;
  const int64_t begin = part * size + std::min(part, longer);
  const int64_t end = begin + size + (part < longer ? 1 : 0);
  function_(body_, begin, end);
}

void ParallelLoop::RunParts(int64_t count, int64_t parts) const {
  char fork = 0;
  char join = 0;
  std::atomic<bool> started{false};
  const auto run = [&](const tbb::blocked_range<int64_t>& range) {
    DETOPS_TSAN_ACQUIRE(&fork);
    const JoinAnnouncement announcement{&join};
    started.store(true, std::memory_order_relaxed);
    const DefaultFloatMode float_mode;
    for (int64_t part = range.begin(); part != range.end(); ++part) {
      RunPart(count, part, parts);
    }
  };
  DETOPS_TSAN_RELEASE(&fork);
  try {
    tbb::parallel_for(tbb::blocked_range<int64_t>(0, parts), run, tbb::simple_partitioner());
  } catch (...) {
    DETOPS_TSAN_ACQUIRE(&join);
    if (started) {
      throw;  // a part has thrown
    }
    RunPart(count, 0, 1);  // TBB failed to start its first worker: run everything here
  }
  DETOPS_TSAN_ACQUIRE(&join);
}

void ParallelLoop::Run(Threads& threads, int64_t count, double nanoseconds_per_item) const {
  if (count <= 0) {
    return;
  }
  const DefaultFloatMode float_mode;
  const double nanoseconds = static_cast<double>(count) * nanoseconds_per_item;
  const int64_t parts =
      threads.count_ == 1 ? 1 : CountParts(threads.count_, threads.split_, count, nanoseconds);
  if (threads.arena_ == nullptr) {
    for (int64_t part = 0; part < parts; ++part) {
      RunPart(count, part, parts);
    }
  } else if (parts == 1) {
    RunPart(count, 0, 1);
  } else if (tbb::task::current_context() != nullptr) {
    // Inside another task: stay in its arena, and while waiting do not run tasks from outside this
    // loop, which might need a lock that the caller holds.
    tbb::this_task_arena::isolate([&] { RunParts(count, parts); });
  } else {
    // If other jobs of the handle occupy all slots of the arena, one of their threads runs the loop
    // on behalf of this one.
    char fork = 0;
    char join = 0;
    const JoinNotice notice{&join};
    DETOPS_TSAN_RELEASE(&fork);
    threads.arena_->tbb.execute([&] {
      DETOPS_TSAN_ACQUIRE(&fork);
      const JoinAnnouncement announcement{&join};
      RunParts(count, parts);
    });
  }
}

}  // namespace detops
