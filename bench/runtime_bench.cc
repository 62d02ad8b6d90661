// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What a call costs before any operator has done anything: the floor under small calls.

#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/parallel.h"
#include "runtime/submit.h"

namespace detops {
namespace {

struct NoArgs {};

Status DoNothing(RunContext&, const NoArgs&) { return {}; }

// A handle, with or without a queue.
class Calls {
 public:
  explicit Calls(bool with_queue) {
    mluOpCreate(&handle_);
    if (with_queue) {
      cnrtQueueCreate(&queue_);
      mluOpSetQueue(handle_, queue_);
    }
  }
  ~Calls() {
    mluOpDestroy(handle_);
    if (queue_ != nullptr) {
      cnrtQueueDestroy(queue_);
    }
  }

  bool Call() { return Submit<DoNothing>(handle_, "DoNothing", NoArgs{}).ok(); }
  bool Sync() { return cnrtQueueSync(queue_) == cnrtSuccess; }

 private:
  mluOpHandle_t handle_ = nullptr;
  cnrtQueue_t queue_ = nullptr;
};

void Check(benchmark::State& state, bool ok) {
  if (!ok) {
    state.SkipWithError("a call failed");
  }
}

void InlineCall(benchmark::State& state) {
  Calls calls(false);
  for (auto _ : state) {
    Check(state, calls.Call());
  }
}

void QueueSubmitAndSync(benchmark::State& state) {
  Calls calls(true);
  for (auto _ : state) {
    Check(state, calls.Call() && calls.Sync());
  }
}

// The queue's thread has gone to sleep, as in a program that does something else between its calls.
void QueueSubmitAndSyncAfterPause(benchmark::State& state) {
  Calls calls(true);
  for (auto _ : state) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    const auto start = std::chrono::steady_clock::now();
    Check(state, calls.Call() && calls.Sync());
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}

// What a producer pays for a job when nobody waits for it.
void QueueSubmitOnly(benchmark::State& state) {
  constexpr int kBatch = 1000;
  Calls calls(true);
  for (auto _ : state) {
    for (int i = 0; i < kBatch; ++i) {
      Check(state, calls.Call());
    }
    state.PauseTiming();
    Check(state, calls.Sync());
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
}

// A loop that is too small to share, and one that is just large enough: what sharing costs.
void ParallelForOverhead(benchmark::State& state) {
  Threads threads(2);
  const auto nanoseconds_per_item = static_cast<double>(state.range(0));
  std::atomic<int64_t> items{0};
  for (auto _ : state) {
    ParallelFor(threads, 2, nanoseconds_per_item, [&](int64_t begin, int64_t end) {
      items.fetch_add(end - begin, std::memory_order_relaxed);
    });
  }
  Check(state, items == 2 * static_cast<int64_t>(state.iterations()));
}

#define DETOPS_MEDIAN Repetitions(9)->ReportAggregatesOnly(true)->DisplayAggregatesOnly(true)
BENCHMARK(InlineCall)->DETOPS_MEDIAN->MinTime(0.05);
BENCHMARK(QueueSubmitAndSync)->DETOPS_MEDIAN->MinTime(0.05)->UseRealTime();
BENCHMARK(QueueSubmitAndSyncAfterPause)->DETOPS_MEDIAN->MinTime(0.02)->UseManualTime();
BENCHMARK(QueueSubmitOnly)->DETOPS_MEDIAN->MinTime(0.05)->UseRealTime();
BENCHMARK(ParallelForOverhead)->Arg(1)->Arg(10'000)->DETOPS_MEDIAN->MinTime(0.05)->UseRealTime();

}  // namespace
}  // namespace detops
