// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <benchmark/benchmark.h>

#include <vector>

#include "ops/scale_boxes/cases.h"
#include "ops/scale_boxes/op.h"

namespace detops::scale_boxes {
namespace {

void ScaleBoxes(benchmark::State& state) {
  const std::vector<float> boxes = RandomBoxes(state.range(0), 1);
  std::vector<float> scaled(boxes.size());
  std::vector<float> expected(boxes.size());
  const auto values = static_cast<int64_t>(boxes.size());
  Reference({boxes.data(), expected.data(), values, 2.0f});
  Threads threads(2);
  RunContext context{threads, nullptr};
  const Args args{boxes.data(), scaled.data(), values, 2.0f};
  if (!Run(context, args).ok() || scaled != expected) {
    state.SkipWithError("wrong result");
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(Run(context, args));
  }
  state.SetBytesProcessed(state.iterations() * values * 8);
}
BENCHMARK(ScaleBoxes)->Arg(1000)->Arg(1'000'000)->UseRealTime();

}  // namespace
}  // namespace detops::scale_boxes
