// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Times nms, and measures the costs of nms and of the suppression engine. Results are compared with
// the reference before they are timed, except for sizes where the reference takes too long.

#include <benchmark/benchmark.h>

#include <vector>

#include "bench/cost.h"
#include "ops/nms/cases.h"
#include "ops/nms/costs.h"
#include "suppression/bench.h"
#include "suppression/bench_costs.h"
#include "suppression/detections.h"
#include "suppression/harness.h"

namespace detops::nms {
namespace {

// Above this, the reference takes too long: it compares every box with every kept box.
constexpr int64_t kMaxReferenceCount = 20'000;

void Keep(benchmark::State& state, Kind kind, int groups) {
  const int64_t count = state.range(0);
  Case input = RandomCase(kind, count, 1);
  for (int64_t i = 0; i < count && groups != 0; ++i) {
    input.groups.push_back(static_cast<int32_t>(i * 7919 % groups));
  }
  TimeSuppression(state, input, WorkspaceBytes(count), Run,
                  count <= kMaxReferenceCount ? RunReference<Case> : nullptr);
}

void Scene(benchmark::State& state) { Keep(state, Kind::kScene, 0); }
void Image(benchmark::State& state) { Keep(state, Kind::kImage, 0); }
void ImageOf80Classes(benchmark::State& state) { Keep(state, Kind::kImage, 80); }
void Heap(benchmark::State& state) { Keep(state, Kind::kHeap, 0); }

BENCHMARK(Scene)->Apply([](auto* b) { ForCounts(b, {100, 1000, 10'000, 100'000, 1'000'000}); });
BENCHMARK(Image)->Apply([](auto* b) { ForCounts(b, {100, 1000, 10'000}); });
BENCHMARK(ImageOf80Classes)->Apply([](auto* b) { ForCounts(b, {1000, 10'000}); });
BENCHMARK(Heap)->Apply([](auto* b) { ForCounts(b, {1000, 10'000}); });

// Compares a block of boxes all with all.
double MeasurePairs(benchmark::State& state, const suppression::CostScene& scene) {
  constexpr int64_t kCount = suppression::kLargestBlock;
  const suppression::PreparedBoxes prepared = scene.PrepareByRank();
  const suppression::Block block{.prepared = &prepared,
                                 .metric = scene.group().metric,
                                 .columns = prepared.columns,
                                 .slot_of = nullptr,
                                 .count = kCount,
                                 .threshold = 0.5f,
                                 .rows = scene.space().block_rows,
                                 .words_per_row = suppression::WordsFor(kCount)};
  constexpr double kPairs = 0.5 * kCount * (kCount - 1);
  return NanosecondsPer(kPairs, state, [&] { BoxKernels().block_tile(block, 0, kCount); });
}

// Returns the boxes of detections, in random order.
std::vector<float> BoxesOf(int64_t count, double boxes_per_object) {
  std::vector<float> boxes;
  for (const Detection& d : RandomDetections(count, boxes_per_object, 1)) {
    boxes.insert(boxes.end(),
                 {d.x - d.width / 2, d.y - d.height / 2, d.x + d.width / 2, d.y + d.height / 2});
  }
  return boxes;
}

const bool kCostsAreRegistered = [] {
  constexpr int64_t kCount = 20'000;
  static const Metric metric{.offset = 0};
  static const std::vector<float> scattered_boxes = BoxesOf(kCount, 1);
  static const std::vector<float> crowded_boxes = BoxesOf(kCount, suppression::kBoxesPerObject);
  static const suppression::CostScene scattered(BoxKernels(), scattered_boxes.data(), &metric, 0.5f,
                                                kCount);
  static const suppression::CostScene crowded(BoxKernels(), crowded_boxes.data(), &metric, 0.5f,
                                              kCount);
  RegisterCost("nms", "kNanosecondsPerPair", "ns per pair", kNanosecondsPerPair,
               [](benchmark::State& state) { return MeasurePairs(state, scattered); });
  suppression::RegisterKernelCosts("nms", scattered);
  suppression::RegisterSuppressionCosts(scattered, crowded, RandomScores(kCount, 2));
  return true;
}();

}  // namespace
}  // namespace detops::nms
