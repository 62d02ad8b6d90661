// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Times calls after comparing their results with the reference, and measures the constants of
// costs.h.

#include <benchmark/benchmark.h>

#include <cstring>
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

// The least operations for one sample of one channel: four products, three sums and the maximum.
// All channels share the position and the weights, which are not counted.
constexpr double kOperationsPerSample = 8;

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

// ---- Few channels -------------------------------------------------------------------------------

// Estimated time of the reference, in seconds per sample and channel.
constexpr double kReferenceSeconds = 8e-9;

// Calls with up to two vectors of channels against the reference, which must not be faster. Short
// calls are repeated, because looking at the clock takes as long as the shortest.
void FewChannels(benchmark::State& state) {
  const Shape shape =
      MakeShape({1, 10, 10, state.range(0)}, state.range(1), static_cast<int32_t>(state.range(2)));
  const Problem problem(NetworkCase(shape, state.range(3) != 0));
  PinnedThreads threads(static_cast<int>(state.range(4)));
  const auto output_bytes = static_cast<size_t>(problem.output_bytes());
  const auto argmax_bytes = static_cast<size_t>(problem.source().results()) * sizeof(int32_t);
  const AlignedBuffer output(output_bytes), expected(output_bytes);
  const AlignedBuffer argmax(argmax_bytes), expected_argmax(argmax_bytes);
  const Args args = problem.args(output.data(), static_cast<int32_t*>(argmax.data()));
  const Args expected_args =
      problem.args(expected.data(), static_cast<int32_t*>(expected_argmax.data()));
  const AlignedBuffer scratch(ScratchBytes(args, threads.count()));
  RunContext context{threads, scratch.data()};
  constexpr double kShortCall = 20e-6;
  const double samples = static_cast<double>(problem.source().results()) * (shape.pool_size + 1);
  const int repetitions = 1 + static_cast<int>(kShortCall / (samples * kReferenceSeconds));
  bool ok = true;
  const auto repeat = [&](const auto& call) {
    for (int i = 0; i < repetitions; ++i) {
      call();
    }
  };
  Interleave(
      state, [&] { repeat([&] { ok = Run(context, args).ok() && ok; }); }, "reference",
      [&] { repeat([&] { Reference(expected_args); }); });
  if (!ok || std::memcmp(output.data(), expected.data(), output_bytes) != 0 ||
      std::memcmp(argmax.data(), expected_argmax.data(), argmax_bytes) != 0) {
    state.SkipWithError("wrong result");
  }
}

// Omits calls that take the reference more than 20 ms.
void UpToTwoVectorsOfChannels(benchmark::internal::Benchmark* benchmark) {
  constexpr double kLongCall = 20e-3;
  benchmark->ArgNames({"C", "boxes", "pool_size", "half", "threads"});
  for (const int64_t boxes : {1, 5, 100, 10'000}) {
    for (const int64_t pool_size : {1, 10, 30}) {
      for (const int64_t channels : {1, 2, 3, 4, 6, 8, 12, 15, 16, 17, 24, 31, 32}) {
        const int64_t samples = boxes * kBorders * channels * (pool_size + 1);
        if (static_cast<double>(samples) * kReferenceSeconds > kLongCall) {
          continue;
        }
        for (const bool half : {false, true}) {
          for (const int64_t threads : {1, 2}) {
            benchmark->Args({channels, boxes, pool_size, half ? 1 : 0, threads});
          }
        }
      }
    }
  }
  benchmark->Iterations(3)->Unit(benchmark::kMicrosecond)->UseManualTime();
}

BENCHMARK(FewChannels)->Apply(UpToTwoVectorsOfChannels);

// ---- Costs --------------------------------------------------------------------------------------

constexpr ChannelBlock kBlock{0, 0, 0, kLarge.channels};

// An input with memory for the plane of all channels of a border, and for results.
class BlockProblem {
 public:
  explicit BlockProblem(const Shape& shape)
      : problem_(NetworkCase(shape)),
        output_(static_cast<size_t>(problem_.output_bytes())),
        argmax_(static_cast<size_t>(problem_.source().results()) * sizeof(int32_t)),
        plane_(static_cast<size_t>(PlaneFloats(args(), RoundUp(shape.channels, kChannelUnit))) *
               sizeof(float)),
        box_ids_(static_cast<size_t>(shape.boxes_per_image)) {
    std::iota(box_ids_.begin(), box_ids_.end(), 0);
  }

  Args args() const { return problem_.args(output_.data(), static_cast<int32_t*>(argmax_.data())); }
  float* plane() const { return static_cast<float*>(plane_.data()); }
  const int32_t* box_ids() const { return box_ids_.data(); }

 private:
  Problem problem_;
  AlignedBuffer output_;
  AlignedBuffer argmax_;
  AlignedBuffer plane_;
  std::vector<int32_t> box_ids_;
};

double MeasureSample(benchmark::State& state) {
  const BlockProblem problem(kLarge);
  const Args args = problem.args();
  PackPlane(args, kBlock, problem.plane());
  const int64_t samples = args.boxes_per_image * (args.pool_size + 1) * kBlock.channels;
  return NanosecondsPer(static_cast<double>(samples), state, [&] {
    AlignBoxes(args, kBlock, problem.plane(), problem.box_ids(), args.boxes_per_image, true);
  });
}

// Boxes with one step per border and as few channels as fill a vector.
double MeasureBorder(benchmark::State& state) {
  constexpr Shape kShape = MakeShape({1, 10, 10, kChannelUnit}, 1000, 1);
  constexpr ChannelBlock kNarrow{0, 0, 0, kChannelUnit};
  const BlockProblem problem(kShape);
  const Args args = problem.args();
  PackPlane(args, kNarrow, problem.plane());
  const double border = NanosecondsPer(static_cast<double>(args.boxes_per_image), state, [&] {
    AlignBoxes(args, kNarrow, problem.plane(), problem.box_ids(), args.boxes_per_image, false);
  });
  return border - (kShape.pool_size + 1) * kChannelUnit * kNanosecondsPerSample;
}

double MeasureGatheredSample(benchmark::State& state) {
  constexpr Shape kShape = MakeShape({1, 25, 38, 3}, 1000, 10);
  const BlockProblem problem(kShape);
  const Args args = problem.args();
  const int64_t samples = args.boxes_per_image * kBorders * (args.pool_size + 1);
  return NanosecondsPer(static_cast<double>(samples * (args.channels + 1)), state,
                        [&] { AlignFewChannels(args, 0, 0, args.boxes_per_image); });
}

double MeasurePackedValue(benchmark::State& state) {
  const BlockProblem problem(kLarge);
  const Args args = problem.args();
  return NanosecondsPer(static_cast<double>(args.pixels() * kBlock.channels), state,
                        [&] { PackPlane(args, kBlock, problem.plane()); });
}

double MeasureCopiedValue(benchmark::State& state) {
  constexpr ChannelBlock kNarrow{0, 0, 0, 3};
  const BlockProblem problem(MakeShape({1, 25, 38, kNarrow.channels}, 1, 1));
  const Args args = problem.args();
  return NanosecondsPer(static_cast<double>(args.pixels() * kNarrow.channels), state,
                        [&] { PackPlane(args, kNarrow, problem.plane()); });
}

const bool costs_registered = [] {
  RegisterCost("border_align_forward", "kNanosecondsPerSample", "ns per sample and channel",
               kNanosecondsPerSample, MeasureSample);
  RegisterCost("border_align_forward", "kNanosecondsPerBorder", "ns per border of a box",
               kNanosecondsPerBorder, MeasureBorder);
  RegisterCost("border_align_forward", "kNanosecondsPerGatheredSample",
               "ns per sample and channel, and one more per sample", kNanosecondsPerGatheredSample,
               MeasureGatheredSample);
  RegisterCost("border_align_forward", "kNanosecondsPerPackedValue", "ns per pixel and channel",
               kNanosecondsPerPackedValue, MeasurePackedValue);
  RegisterCost("border_align_forward", "kNanosecondsPerCopiedValue", "ns per pixel and channel",
               kNanosecondsPerCopiedValue, MeasureCopiedValue);
  return true;
}();

}  // namespace
}  // namespace detops::border_align_forward
