// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The overhead of a call: what it costs before any operator does any work. Also measures the
// constants of core/costs.h and measure/costs.h.

#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "bench/cost.h"
#include "core/aligned_buffer.h"
#include "core/cores.h"
#include "core/costs.h"
#include "core/parallel.h"
#include "core/tensor_descriptor.h"
#include "measure/costs.h"
#include "measure/limits.h"
#include "measure/timing.h"
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

  bool Call() {
    Handle* handle = nullptr;
    return FindHandle(handle_, handle).ok() &&
           Submit<DoNothing>(*handle, "DoNothing", NoArgs{}).ok();
  }
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

// What a call pays per object to know that it is alive: the difference between finding descriptors
// and only checking that they are not NULL.
template <bool kFind>
void CheckDescriptors(benchmark::State& state) {
  std::vector<mluOpTensorDescriptor_t> descriptors(static_cast<size_t>(state.range(0)));
  for (mluOpTensorDescriptor_t& descriptor : descriptors) {
    mluOpCreateTensorDescriptor(&descriptor);
  }
  int64_t found = 0;
  for (auto _ : state) {
    for (mluOpTensorDescriptor_t descriptor : descriptors) {
      benchmark::DoNotOptimize(descriptor);
      found += kFind ? Find<TensorDescriptor>(descriptor) != nullptr : descriptor != nullptr;
    }
    benchmark::DoNotOptimize(found);
  }
  Check(state, found == static_cast<int64_t>(state.iterations()) * state.range(0));
  state.SetItemsProcessed(found);
  for (const mluOpTensorDescriptor_t descriptor : descriptors) {
    mluOpDestroyTensorDescriptor(descriptor);
  }
}

void CreateAndDestroyDescriptor(benchmark::State& state) {
  for (auto _ : state) {
    mluOpTensorDescriptor_t descriptor = nullptr;
    mluOpCreateTensorDescriptor(&descriptor);
    Check(state, mluOpDestroyTensorDescriptor(descriptor) == MLUOP_STATUS_SUCCESS);
  }
}

void QueueSubmitAndSync(benchmark::State& state) {
  Calls calls(true);
  for (auto _ : state) {
    Check(state, calls.Call() && calls.Sync());
  }
}

// The queue's thread is asleep, as in a program that does other work between its calls.
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

// The time of a submission that no thread waits for.
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

// A loop that is too small to share and one that is just large enough. The difference is the cost
// of sharing.
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

// Two items that take as long as kSpin on two threads, of which one sleeps at first, as between the
// calls of a program. Returns by how much the loop takes longer than one item.
double MeasureSharing(benchmark::State& state) {
  constexpr auto kSpin = std::chrono::microseconds(50);
  if (AvailableCores() < 2) {
    state.SkipWithError("needs two cores");
    return 0;
  }
  Threads threads(2);
  std::vector<double> samples;
  for (auto _ : state) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    samples.push_back(SecondsOf([&] {
      ParallelFor(threads, 2, kMinParallelNanoseconds, [&](int64_t begin, int64_t end) {
        const auto stop = std::chrono::steady_clock::now() + (end - begin) * kSpin;
        while (std::chrono::steady_clock::now() < stop) {
        }
      });
    }));
  }
  return (Median(samples) - std::chrono::duration<double>(kSpin).count()) * 1e9;
}

// The time that the threads spend on an empty part, all of them together.
double MeasureHandingOut(benchmark::State& state) {
  constexpr int64_t kParts = int64_t{8} * kMaxThreads;
  Threads threads(kMaxThreads, Split::kAlways);
  const double nanoseconds = NanosecondsPer(kParts, state, [&] {
    ParallelFor(threads, kParts, 0.0, [&](int64_t begin, int64_t end) {
      benchmark::DoNotOptimize(begin);
      benchmark::DoNotOptimize(end);
    });
  });
  return nanoseconds * AvailableCores();
}

double MeasureMemoryBlock(benchmark::State& state) {
  constexpr size_t kBytes = 64 << 20;
  const AlignedBuffer from(kBytes);
  const AlignedBuffer to(kBytes);
  std::memset(from.data(), 1, kBytes);
  Threads threads(1);
  constexpr int64_t kBlocks = kBytes / kMemoryBlockBytes;
  return NanosecondsPer(static_cast<double>(kBlocks), state, [&] {
    ReadAndFillStreaming(threads, from.data(), kBytes, to.data(), kBytes);
  });
}

const bool costs_registered = [] {
  RegisterCost("core", "kNanosecondsToShareLoop", "ns per loop", kNanosecondsToShareLoop,
               MeasureSharing);
  RegisterCost("core", "kNanosecondsToHandOutPart", "ns per part", kNanosecondsToHandOutPart,
               MeasureHandingOut);
  RegisterCost("measure", "kNanosecondsPerMemoryBlock", "ns per block", kNanosecondsPerMemoryBlock,
               MeasureMemoryBlock);
  return true;
}();

#define DETOPS_MEDIAN Repetitions(9)->ReportAggregatesOnly(true)->DisplayAggregatesOnly(true)
BENCHMARK(InlineCall)->DETOPS_MEDIAN->MinTime(0.05);
BENCHMARK_TEMPLATE(CheckDescriptors, true)->Arg(1000)->DETOPS_MEDIAN->MinTime(0.05);
BENCHMARK_TEMPLATE(CheckDescriptors, false)->Arg(1000)->DETOPS_MEDIAN->MinTime(0.05);
BENCHMARK(CreateAndDestroyDescriptor)->DETOPS_MEDIAN->MinTime(0.05);
BENCHMARK(QueueSubmitAndSync)->DETOPS_MEDIAN->MinTime(0.05)->UseRealTime();
BENCHMARK(QueueSubmitAndSyncAfterPause)->DETOPS_MEDIAN->MinTime(0.02)->UseManualTime();
BENCHMARK(QueueSubmitOnly)->DETOPS_MEDIAN->MinTime(0.05)->UseRealTime();
BENCHMARK(ParallelForOverhead)->Arg(1)->Arg(10'000)->DETOPS_MEDIAN->MinTime(0.05)->UseRealTime();

}  // namespace
}  // namespace detops
