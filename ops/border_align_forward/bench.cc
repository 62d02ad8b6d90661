// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Every result is compared with the reference before it is timed.

#include <benchmark/benchmark.h>

#include "bench/efficiency.h"
#include "bench/interleaved.h"
#include "core/aligned_buffer.h"
#include "measure/pinned_threads.h"
#include "ops/border_align_forward/harness.h"

namespace detops::border_align_forward {
namespace {

// The acceptance tests' work: each tensor once, and of each channel, border and sample four
// products, three sums, and what positions and maximum take.
constexpr double kOperationsPerSample = 14;

double BytesOf(const Case& input) {
  const double element = input.half ? 2 : 4;
  const auto results = static_cast<double>(input.results());
  return (static_cast<double>(input.input.size() + input.boxes.size()) + results) * element +
         (input.argmax ? results * sizeof(int32_t) : 0);
}

double OperationsOf(const Case& input) {
  return static_cast<double>(input.results()) * (input.shape.pool_size + 1) * kOperationsPerSample;
}

void Align(benchmark::State& state, const Case& input) {
  PinnedThreads threads(static_cast<int>(state.range(0)));
  const Problem problem(input);
  const auto results = static_cast<size_t>(input.results());
  const AlignedBuffer output(static_cast<size_t>(problem.output_bytes()));
  const AlignedBuffer argmax(results * sizeof(int32_t));
  const Args args =
      problem.args(output.data(), input.argmax ? static_cast<int32_t*>(argmax.data()) : nullptr);
  const AlignedBuffer scratch(ScratchBytes(args, threads.count()));
  RunContext context{threads, scratch.data()};
  Result expected;
  const double reference_seconds = SecondsOf([&] { expected = RunReference(input); });
  const bool ok = RunOn(static_cast<int>(state.range(0)), input) == expected;
  TimeEfficiency(state, threads, {BytesOf(input), OperationsOf(input), reference_seconds},
                 [&] { return ok && Run(context, args).ok(); });
}

Case NetworkCase(const Shape& shape, bool half = false, bool channels_first = false) {
  Case input = RandomCase(Kind::kNetwork, shape, 1);
  input.half = half;
  input.channels_first = channels_first;
  return input;
}

constexpr Shape kLarge{2, 25, 38, 256, 950, 10};
constexpr Shape kMedium{2, 7, 10, 256, 70, 10};
constexpr Shape kSmall{2, 10, 7, 128, 70, 10};
constexpr Shape kFewBoxes{1, 200, 304, 64, 4, 10};

void Large(benchmark::State& state) { Align(state, NetworkCase(kLarge)); }
void LargeHalf(benchmark::State& state) { Align(state, NetworkCase(kLarge, true)); }
void LargeChannelsFirst(benchmark::State& state) { Align(state, NetworkCase(kLarge, false, true)); }
void LargeWithoutArgmax(benchmark::State& state) {
  Case input = NetworkCase(kLarge);
  input.argmax = false;
  Align(state, input);
}
void Medium(benchmark::State& state) { Align(state, NetworkCase(kMedium)); }
void Small(benchmark::State& state) { Align(state, NetworkCase(kSmall)); }
void FewBoxes(benchmark::State& state) { Align(state, NetworkCase(kFewBoxes)); }

void OnOneThreadAndTwo(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond)->UseManualTime();
}

BENCHMARK(Large)->Apply(OnOneThreadAndTwo);
BENCHMARK(LargeHalf)->Apply(OnOneThreadAndTwo);
BENCHMARK(LargeChannelsFirst)->Apply(OnOneThreadAndTwo);
BENCHMARK(LargeWithoutArgmax)->Apply(OnOneThreadAndTwo);
BENCHMARK(Medium)->Apply(OnOneThreadAndTwo);
BENCHMARK(Small)->Apply(OnOneThreadAndTwo);
BENCHMARK(FewBoxes)->Apply(OnOneThreadAndTwo);

}  // namespace
}  // namespace detops::border_align_forward
