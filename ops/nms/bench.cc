// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Every result is compared with the reference before it is timed, where the reference can be waited
// for.

#include <benchmark/benchmark.h>

#include <vector>

#include "bench/interleaved.h"
#include "bench/pinned_threads.h"
#include "core/aligned_buffer.h"
#include "ops/nms/cases.h"

namespace detops::nms {
namespace {

// Above this the reference, which compares every box with every kept one, takes too long.
constexpr int64_t kMaxReferenceCount = 20'000;

// The counters give the time in the median, the boxes that are kept, and boxes in a second.
void Keep(benchmark::State& state, Kind kind, int groups) {
  const int64_t count = state.range(0);
  Case input = RandomCase(kind, count, 1);
  for (int64_t i = 0; i < count && groups != 0; ++i) {
    input.groups.push_back(static_cast<int32_t>(i * 7919 % groups));
  }
  PinnedThreads threads(static_cast<int>(state.range(1)));
  const AlignedBuffer scratch(WorkspaceBytes(count));
  RunContext context{threads, scratch.data()};
  std::vector<int32_t> output(static_cast<size_t>(count), -1);
  int32_t kept = 0;
  const Args args = input.args(output.data(), &kept);
  bool ok = Run(context, args).ok();
  double reference_seconds = 0;
  if (count <= kMaxReferenceCount) {
    Kept expected;
    reference_seconds = SecondsOf([&] { expected = RunReference(input); });
    ok = ok && expected.output == output && expected.result_num[0] == kept;
  }
  std::vector<double> samples;
  for (auto _ : state) {
    samples.push_back(SecondsOf([&] { ok = Run(context, args).ok() && ok; }));
    state.SetIterationTime(samples.back());
  }
  const double seconds = Median(samples);
  state.counters["ours_us"] = seconds * 1e6;
  state.counters["kept"] = kept;
  state.counters["boxes_per_s"] = static_cast<double>(count) / seconds;
  state.counters["bytes_per_box"] =
      static_cast<double>(WorkspaceBytes(count)) / static_cast<double>(count);
  if (reference_seconds != 0) {
    state.counters["reference_ratio"] = seconds / reference_seconds;
  }
  if (!ok) {
    state.SkipWithError("wrong result");
  }
}

void Scene(benchmark::State& state) { Keep(state, Kind::kScene, 0); }
void Image(benchmark::State& state) { Keep(state, Kind::kImage, 0); }
void ImageOf80Classes(benchmark::State& state) { Keep(state, Kind::kImage, 80); }
void Heap(benchmark::State& state) { Keep(state, Kind::kHeap, 0); }

void Sizes(benchmark::internal::Benchmark* benchmark, std::initializer_list<int64_t> counts) {
  benchmark->ArgNames({"N", "threads"})->Unit(benchmark::kMicrosecond)->UseManualTime();
  for (const int64_t count : counts) {
    for (const int64_t threads : {1, 2}) {
      benchmark->Args({count, threads});
    }
  }
}

BENCHMARK(Scene)->Apply([](auto* b) { Sizes(b, {100, 1000, 10'000, 100'000, 1'000'000}); });
BENCHMARK(Image)->Apply([](auto* b) { Sizes(b, {100, 1000, 10'000}); });
BENCHMARK(ImageOf80Classes)->Apply([](auto* b) { Sizes(b, {1000, 10'000}); });
BENCHMARK(Heap)->Apply([](auto* b) { Sizes(b, {1000, 10'000}); });

}  // namespace
}  // namespace detops::nms
