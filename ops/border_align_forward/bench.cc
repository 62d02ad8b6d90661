// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Times calls after comparing their results with the reference, and measures the constants of
// costs.h.

#include <benchmark/benchmark.h>

#include <numeric>
#include <vector>

#include "bench/cost.h"
#include "bench/efficiency.h"
#include "bench/interleaved.h"
#include "core/aligned_buffer.h"
#include "measure/pinned_threads.h"
#include "ops/border_align_forward/costs.h"
#include "ops/border_align_forward/harness.h"
#include "ops/border_align_forward/tiles.h"

namespace detops::border_align_forward {
namespace {

// Operations per channel, border and sample, as the acceptance tests of MLU-OPS count them: four
// products, three sums, and those for positions and maximum.
constexpr double kOperationsPerSample = 14;

// Each tensor is read or written once.
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

constexpr Shape kLarge = MakeShape({2, 25, 38, 256}, 950, 10);
constexpr Shape kMedium = MakeShape({2, 7, 10, 256}, 70, 10);
constexpr Shape kSmall = MakeShape({2, 10, 7, 128}, 70, 10);
constexpr Shape kFewBoxes = MakeShape({1, 200, 304, 64}, 4, 10);

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

// ---- Costs --------------------------------------------------------------------------------------

constexpr ChannelBlock kBlock{0, 0, 0, kLarge.channels};

// One block of the large input, with memory for its plane and results.
class BlockProblem {
 public:
  BlockProblem()
      : problem_(NetworkCase(kLarge)),
        output_(static_cast<size_t>(problem_.output_bytes())),
        argmax_(static_cast<size_t>(problem_.source().results()) * sizeof(int32_t)),
        plane_(static_cast<size_t>(PlaneFloats(args(), kBlock.padded_channels())) * sizeof(float)) {
  }

  Args args() const { return problem_.args(output_.data(), static_cast<int32_t*>(argmax_.data())); }
  float* plane() const { return static_cast<float*>(plane_.data()); }

 private:
  Problem problem_;
  AlignedBuffer output_;
  AlignedBuffer argmax_;
  AlignedBuffer plane_;
};

double MeasureSample(benchmark::State& state) {
  const BlockProblem problem;
  const Args args = problem.args();
  PackPlane(args, kBlock, problem.plane());
  std::vector<int32_t> box_ids(static_cast<size_t>(args.boxes_per_image));
  std::iota(box_ids.begin(), box_ids.end(), 0);
  const int64_t samples = args.boxes_per_image * (args.pool_size + 1) * kBlock.channels;
  return NanosecondsPer(static_cast<double>(samples), state, [&] {
    AlignBoxes(args, kBlock, problem.plane(), box_ids.data(), args.boxes_per_image, true);
  });
}

double MeasurePackedValue(benchmark::State& state) {
  const BlockProblem problem;
  const Args args = problem.args();
  return NanosecondsPer(static_cast<double>(args.pixels() * kBlock.channels), state,
                        [&] { PackPlane(args, kBlock, problem.plane()); });
}

const bool costs_registered = [] {
  RegisterCost("border_align_forward", "kNanosecondsPerSample", "ns per sample and channel",
               kNanosecondsPerSample, MeasureSample);
  RegisterCost("border_align_forward", "kNanosecondsPerPackedValue", "ns per pixel and channel",
               kNanosecondsPerPackedValue, MeasurePackedValue);
  return true;
}();

}  // namespace
}  // namespace detops::border_align_forward
