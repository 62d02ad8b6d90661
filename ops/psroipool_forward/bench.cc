// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Every result is compared with the reference before it is timed.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "bench/efficiency.h"
#include "bench/interleaved.h"
#include "core/aligned_buffer.h"
#include "measure/pinned_threads.h"
#include "ops/psroipool_forward/harness.h"

namespace detops::psroipool_forward {
namespace {

// Each tensor once.
double BytesOf(const Case& input) {
  const double results = static_cast<double>(input.results()) * (input.mapping ? 2 : 1);
  return (static_cast<double>(input.input.size() + input.rois.size()) + results) * sizeof(float);
}

// An addition for each pixel and channel of a bin, a division for each result.
double OperationsOf(const Case& input) {
  double pixels = 0;
  for (int64_t roi = 0; roi < input.shape.rois; ++roi) {
    for (const Rectangle& bin : BinsOf(input, roi)) {
      pixels += bin.empty()
                    ? 0
                    : static_cast<double>((bin.y_end - bin.y_begin) * (bin.x_end - bin.x_begin));
    }
  }
  return pixels * static_cast<double>(input.shape.dim) + static_cast<double>(input.results());
}

void Pool(benchmark::State& state, const Case& input) {
  PinnedThreads threads(static_cast<int>(state.range(0)));
  const std::vector<float> numbers = input.InputInMemory();
  const AlignedBuffer memory(numbers.size() * sizeof(float));
  std::copy(numbers.begin(), numbers.end(), static_cast<float*>(memory.data()));
  const auto results = static_cast<size_t>(input.results());
  const AlignedBuffer output(results * sizeof(float));
  const AlignedBuffer mapping(results * sizeof(int32_t));
  const Args args =
      input.args(static_cast<const float*>(memory.data()), static_cast<float*>(output.data()),
                 input.mapping ? static_cast<int32_t*>(mapping.data()) : nullptr);
  const AlignedBuffer scratch(ScratchBytes(args, threads.count()));
  RunContext context{threads, scratch.data()};
  Result expected;
  const double reference_seconds = SecondsOf([&] { expected = RunReference(input); });
  const bool ok =
      Run(context, args).ok() && ReadResult(input, args.output, args.mapping_channel) == expected;
  TimeEfficiency(state, threads, {BytesOf(input), OperationsOf(input), reference_seconds},
                 [&] { return ok && Run(context, args).ok(); });
}

constexpr Shape kSmall{.images = 1, .height = 14, .width = 14, .group = 7, .dim = 8, .rois = 320};
constexpr Shape kMedium{.images = 2, .height = 14, .width = 14, .group = 3, .dim = 21, .rois = 493};
constexpr Shape kLarge{.images = 1, .height = 38, .width = 63, .group = 7, .dim = 81, .rois = 2000};

Case Changed(Case input, void (*change)(Case&)) {
  change(input);
  return input;
}

void Small(benchmark::State& state) { Pool(state, RandomCase(Kind::kNetwork, kSmall, 1, 1)); }
void Medium(benchmark::State& state) {
  Pool(state, RandomCase(Kind::kNetwork, kMedium, 0.0625f, 1));
}
void Large(benchmark::State& state) { Pool(state, RandomCase(Kind::kNetwork, kLarge, 0.0625f, 1)); }
void LargeWithoutChannels(benchmark::State& state) {
  Pool(state, Changed(RandomCase(Kind::kNetwork, kLarge, 0.0625f, 1),
                      [](Case& input) { input.mapping = false; }));
}
void LargeChannelsFirst(benchmark::State& state) {
  Pool(state, Changed(RandomCase(Kind::kNetwork, kLarge, 0.0625f, 1),
                      [](Case& input) { input.channels_first = true; }));
}
void LargeRois(benchmark::State& state) {
  Pool(state,
       RandomCase(Kind::kLarge,
                  {.images = 1, .height = 38, .width = 63, .group = 7, .dim = 81, .rois = 300},
                  0.0625f, 1));
}
void FewRois(benchmark::State& state) {
  Pool(state,
       RandomCase(Kind::kNetwork,
                  {.images = 1, .height = 38, .width = 63, .group = 7, .dim = 21, .rois = 10},
                  0.0625f, 1));
}

void OnOneThreadAndTwo(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond)->UseManualTime();
}

BENCHMARK(Small)->Apply(OnOneThreadAndTwo);
BENCHMARK(Medium)->Apply(OnOneThreadAndTwo);
BENCHMARK(Large)->Apply(OnOneThreadAndTwo);
BENCHMARK(LargeWithoutChannels)->Apply(OnOneThreadAndTwo);
BENCHMARK(LargeChannelsFirst)->Apply(OnOneThreadAndTwo);
BENCHMARK(LargeRois)->Apply(OnOneThreadAndTwo);
BENCHMARK(FewRois)->Apply(OnOneThreadAndTwo);

}  // namespace
}  // namespace detops::psroipool_forward
