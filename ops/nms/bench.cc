// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Every result is compared with the reference before it is timed, where the reference can be waited
// for.

#include <benchmark/benchmark.h>

#include "ops/nms/harness.h"
#include "suppression/bench.h"

namespace detops::nms {
namespace {

// Above this the reference, which compares every box with every kept one, takes too long.
constexpr int64_t kMaxReferenceCount = 20'000;

void Keep(benchmark::State& state, Kind kind, int groups) {
  const int64_t count = state.range(0);
  Case input = RandomCase(kind, count, 1);
  for (int64_t i = 0; i < count && groups != 0; ++i) {
    input.groups.push_back(static_cast<int32_t>(i * 7919 % groups));
  }
  TimeSuppression(state, input, WorkspaceBytes(count), Run,
                  count <= kMaxReferenceCount ? RunReference : nullptr);
}

void Scene(benchmark::State& state) { Keep(state, Kind::kScene, 0); }
void Image(benchmark::State& state) { Keep(state, Kind::kImage, 0); }
void ImageOf80Classes(benchmark::State& state) { Keep(state, Kind::kImage, 80); }
void Heap(benchmark::State& state) { Keep(state, Kind::kHeap, 0); }

BENCHMARK(Scene)->Apply([](auto* b) { ForCounts(b, {100, 1000, 10'000, 100'000, 1'000'000}); });
BENCHMARK(Image)->Apply([](auto* b) { ForCounts(b, {100, 1000, 10'000}); });
BENCHMARK(ImageOf80Classes)->Apply([](auto* b) { ForCounts(b, {1000, 10'000}); });
BENCHMARK(Heap)->Apply([](auto* b) { ForCounts(b, {1000, 10'000}); });

}  // namespace
}  // namespace detops::nms
