// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The result is compared with the reference before it is timed.

#include <benchmark/benchmark.h>

#include <vector>

#include "bench/cost.h"
#include "ops/scale_boxes/cases.h"
#include "ops/scale_boxes/costs.h"
#include "ops/scale_boxes/op.h"

namespace detops::scale_boxes {
namespace {

void ScaleBoxes(benchmark::State& state) {
  const Case input = RandomCase(state.range(0), 1);
  std::vector<float> expected(input.boxes.size());
  Reference(input.args(expected.data()));
  std::vector<float> scaled(input.boxes.size());
  const Args args = input.args(scaled.data());
  Threads threads(2);
  RunContext context{.threads = threads, .scratch = nullptr};
  if (!Run(context, args).ok() || scaled != expected) {
    state.SkipWithError("wrong result");
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(Run(context, args));
  }
  // Each coordinate is read and written once.
  state.SetBytesProcessed(state.iterations() * args.count * 2 *
                          static_cast<int64_t>(sizeof(float)));
}
BENCHMARK(ScaleBoxes)->Arg(1000)->Arg(1'000'000)->UseRealTime();

[[maybe_unused]] const bool kCostsAreRegistered = [] {
  RegisterCost("scale_boxes", "kNanosecondsPerCoordinate", "ns per coordinate",
               kNanosecondsPerCoordinate, [](benchmark::State& state) {
                 const Case input = RandomCase(100'000, 1);
                 std::vector<float> scaled(input.boxes.size());
                 const Args args = input.args(scaled.data());
                 Threads threads(1);
                 RunContext context{.threads = threads, .scratch = nullptr};
                 return NanosecondsPer(static_cast<double>(args.count), state,
                                       [&] { benchmark::DoNotOptimize(Run(context, args)); });
               });
  return true;
}();

}  // namespace
}  // namespace detops::scale_boxes
