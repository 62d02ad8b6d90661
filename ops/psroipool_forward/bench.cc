// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Benchmarks of whole calls, whose results are compared with the reference before they are timed,
// and of the constants in costs.h.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "bench/cost.h"
#include "bench/efficiency.h"
#include "bench/interleaved.h"
#include "core/aligned_buffer.h"
#include "measure/pinned_threads.h"
#include "measure/timing.h"
#include "ops/psroipool_forward/costs.h"
#include "ops/psroipool_forward/harness.h"
#include "ops/psroipool_forward/tiles.h"

namespace detops::psroipool_forward {
namespace {

// Returns the bytes of a call that reads and writes each tensor once.
double BytesOf(const Case& input) {
  const double results = static_cast<double>(input.results()) * (input.mapping ? 2 : 1);
  return (static_cast<double>(input.input.size() + input.rois.size()) + results) * sizeof(float);
}

// Returns the operations of a call: one addition per pixel and channel of a bin, one division per
// result.
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

// ---- Costs --------------------------------------------------------------------------------------

// One image and its RoIs, with everything that the tiles need.
class CostCall {
 public:
  // All RoIs have the corners (0, 0) and (side - 1, side - 1), so that each of their bins has
  // side / group rows and columns.
  CostCall(const Shape& shape, int64_t side, bool channels_first = false)
      : input_(RandomCase(Kind::kNetwork, shape, 1, 1)) {
    const auto last = static_cast<float>(side - 1);
    input_.rois.clear();
    for (int64_t roi = 0; roi < shape.rois; ++roi) {
      input_.rois.insert(input_.rois.end(), {0, 0, 0, last, last});
    }
    input_.channels_first = channels_first;
    memory_ = input_.InputInMemory();
    output_.resize(static_cast<size_t>(input_.results()));
    mapping_.resize(output_.size());
    args_ = input_.args(memory_.data(), output_.data(), mapping_.data());
    bins_.resize(static_cast<size_t>(BinTable::Numbers(shape.rois, shape.group)));
    rois_.resize(static_cast<size_t>(shape.rois));
    std::iota(rois_.begin(), rois_.end(), 0);
    means_.resize(static_cast<size_t>(shape.group * shape.dim));
    sums_.resize(static_cast<size_t>(MaxPixelFloats(shape.dim)));
    bin_floats_ = shape.width * PackingOf(shape.dim).floats();
    ring_.resize(static_cast<size_t>(shape.height * shape.group * bin_floats_));
    copies_.resize(static_cast<size_t>(CopiedPixels(args_) * MaxPixelFloats(shape.dim)));
    channels_.resize(static_cast<size_t>(args_.channels()));
    FindAllBins();
    PackRow(0);
  }

  // The numbers that the costs are per.
  double rois() const { return static_cast<double>(args_.roi_count); }
  double bins() const { return static_cast<double>(args_.roi_count * args_.bins()); }
  double results() const { return static_cast<double>(input_.results()); }
  double map_elements() const { return static_cast<double>(memory_.size()); }
  // Returns the number of pixels and channels of all bins.
  double bin_elements(int64_t side) const {
    const int64_t whole_side = side / args_.group;
    const auto bin_side = static_cast<double>(whole_side);
    return results() * bin_side * bin_side;
  }

  void FindAllBins() { FindBins(args_, 0, args_.roi_count, table()); }
  void PackMap() {
    for (int64_t row = 0; row < args_.group; ++row) {
      PackRow(row);
    }
  }
  // Pools all bins from a ring. The ring always holds the channels of the first row of bins, which
  // does not matter for the time.
  void PoolRing() {
    for (int64_t row = 0; row < args_.group; ++row) {
      PoolFromRing(args_, table(), RowOf(row), {ring_.data(), args_.height}, rois_.data(),
                   args_.roi_count, buffers());
    }
  }
  void PoolInput() {
    for (int64_t row = 0; row < args_.group; ++row) {
      PoolFromInput(args_, table(), RowOf(row), rois_.data(), args_.roi_count, copies_.data(),
                    buffers());
    }
  }
  void WriteMapping() {
    WriteChannels(args_, channels_.data(), rois_.data(), args_.roi_count, false);
  }

 private:
  BinTable table() { return {bins_.data(), args_.group}; }
  PoolBuffers buffers() { return {means_.data(), sums_.data(), false}; }
  BinRow RowOf(int64_t row) const { return {0, row, 0, args_.group}; }
  void PackRow(int64_t row) {
    for (int64_t y = 0; y < args_.height; ++y) {
      PackPixels(args_, RowOf(row), y, 0, args_.width, ring_.data() + y * args_.group * bin_floats_,
                 bin_floats_);
    }
  }

  Case input_;
  Args args_{};
  int64_t bin_floats_ = 0;
  std::vector<float> memory_, output_, means_, ring_, copies_;
  std::vector<double> sums_;
  std::vector<int32_t> mapping_, bins_, rois_, channels_;
};

// Returns how much longer first() takes than second(), in nanoseconds. Both run once per iteration.
template <class First, class Second>
double NanosecondsBetween(benchmark::State& state, const First& first, const Second& second) {
  std::vector<double> first_samples;
  std::vector<double> second_samples;
  for (auto _ : state) {
    first_samples.push_back(SecondsOf(first));
    second_samples.push_back(SecondsOf(second));
  }
  return (Median(first_samples) - Median(second_samples)) * 1e9;
}

// A map with bins of a typical number of channels.
constexpr Shape kCostShape{
    .images = 1, .height = 28, .width = 28, .group = 7, .dim = 21, .rois = 200};

double MeasurePacking(benchmark::State& state, bool channels_first) {
  CostCall call(kCostShape, 7, channels_first);
  return NanosecondsPer(call.map_elements(), state, [&] { call.PackMap(); });
}

// Bins of one pixel and few channels, less the cost of their elements.
double MeasureBin(benchmark::State& state) {
  constexpr Shape kShape{.images = 1, .height = 28, .width = 28, .group = 7, .dim = 8, .rois = 200};
  CostCall call(kShape, kShape.group);
  const double per_bin = NanosecondsPer(call.bins(), state, [&] { call.PoolRing(); });
  return per_bin - static_cast<double>(kShape.dim) * (kNanosecondsToAdd + kNanosecondsToWrite);
}

// Bins of 4 x 4 pixels, from the input instead of a ring.
double MeasureCopying(benchmark::State& state) {
  Shape shape = kCostShape;
  shape.rois = 20;  // short calls, which other processes rarely interrupt
  CostCall call(shape, 28);
  return NanosecondsBetween(
             state, [&] { call.PoolInput(); }, [&] { call.PoolRing(); }) /
         call.bin_elements(28);
}

// Bins of 4 x 4 pixels instead of one pixel.
double MeasureAdding(benchmark::State& state) {
  Shape shape = kCostShape;
  shape.rois = 20;
  CostCall large(shape, 28);
  CostCall small(shape, 7);
  return NanosecondsBetween(
             state, [&] { large.PoolRing(); }, [&] { small.PoolRing(); }) /
         (large.bin_elements(28) - small.bin_elements(7));
}

// Means of one pixel and many channels, so that the cost per bin hardly counts, and their channels.
double MeasureWriting(benchmark::State& state) {
  constexpr Shape kShape{
      .images = 1, .height = 14, .width = 14, .group = 7, .dim = 81, .rois = 200};
  CostCall call(kShape, kShape.group);
  const double per_result = NanosecondsPer(call.results(), state, [&] {
    call.PoolRing();
    call.WriteMapping();
  });
  return per_result - kNanosecondsToAdd - kNanosecondsPerBin / static_cast<double>(kShape.dim);
}

const bool costs_registered = [] {
  const auto add = [](const char* constant, const char* unit, double value, const auto& measure) {
    RegisterCost("psroipool_forward", constant, unit, value, measure);
  };
  add("kNanosecondsPerRoi", "ns per RoI", kNanosecondsPerRoi, [](benchmark::State& state) {
    CostCall call(kCostShape, 7);
    return NanosecondsPer(call.rois(), state, [&] { call.FindAllBins(); });
  });
  add("kNanosecondsPerBin", "ns per bin", kNanosecondsPerBin, MeasureBin);
  add("kNanosecondsToPack", "ns per element", kNanosecondsToPack,
      [](benchmark::State& state) { return MeasurePacking(state, false); });
  add("kNanosecondsToPackFirst", "ns per element", kNanosecondsToPackFirst,
      [](benchmark::State& state) { return MeasurePacking(state, true); });
  add("kNanosecondsToCopy", "ns per element", kNanosecondsToCopy, MeasureCopying);
  add("kNanosecondsToAdd", "ns per element", kNanosecondsToAdd, MeasureAdding);
  add("kNanosecondsToWrite", "ns per result", kNanosecondsToWrite, MeasureWriting);
  return true;
}();

}  // namespace
}  // namespace detops::psroipool_forward
