// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Measures the constants of suppression/costs.h with the kernels of an operator, for `make costs`.

#ifndef DETOPS_SUPPRESSION_BENCH_COSTS_H_
#define DETOPS_SUPPRESSION_BENCH_COSTS_H_

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <vector>

#include "bench/cost.h"
#include "core/aligned_buffer.h"
#include "core/counting_sort.h"
#include "suppression/costs.h"
#include "suppression/group.h"
#include "suppression/kernels.h"
#include "suppression/order.h"
#include "suppression/workspace.h"

namespace detops::suppression {

// A scattered scene, sorted into a grid as the engine does it.
class CostScene {
 public:
  CostScene(const Kernels& kernels, const void* boxes, const void* metric, int64_t count)
      : kernels_(kernels), boxes_(boxes), metric_(metric), count_(count), ids_(count) {
    std::iota(ids_.begin(), ids_.end(), 0);
    for (const int32_t id : ids_) {
      bounds_.push_back(kernels.bounds(boxes, metric, id));
    }
    Carver counter(nullptr);
    const Workspace size(counter, kernels, count);
    memory_ = AlignedBuffer(counter.used() + kAlignment);
  }

  // Prepares all boxes in their own order.
  PreparedBoxes Prepare(const Workspace& space) const {
    PreparedBoxes prepared{.boxes = boxes_,
                           .metric = metric_,
                           .ids = space.slot_ids,
                           .columns = space.columns,
                           .records = space.records,
                           .count = count_};
    std::copy(ids_.begin(), ids_.end(), prepared.ids);
    kernels_.prepare(prepared, 0, count_);
    return prepared;
  }

  Workspace MakeWorkspace() const {
    Carver carver(memory_.data());
    return Workspace(carver, kernels_, count_);
  }

  // Fills cells, slots and ranks for the pair search. Returns the prepared boxes.
  PreparedBoxes SortIntoCells(const Workspace& space, const Grid& grid) const {
    PreparedBoxes prepared = Prepare(space);
    SortByKey(
        count_, [&](int64_t i) { return grid.CellOf(bounds_[static_cast<size_t>(i)]); },
        grid.cells(), space.cell_begin,
        [&](int64_t i, int32_t slot) {
          space.slot_ranks[slot] = static_cast<int32_t>(i);
          space.bounds[slot] = bounds_[static_cast<size_t>(i)];
          prepared.ids[slot] = static_cast<int32_t>(i);
        });
    kernels_.prepare(prepared, 0, count_);
    return prepared;
  }

  const Kernels& kernels() const { return kernels_; }
  const std::vector<int32_t>& ids() const { return ids_; }
  const std::vector<Bounds>& bounds() const { return bounds_; }
  int64_t count() const { return count_; }

 private:
  const Kernels& kernels_;
  const void* boxes_;
  const void* metric_;
  int64_t count_;
  std::vector<int32_t> ids_;
  std::vector<Bounds> bounds_;
  AlignedBuffer memory_;
};

inline double MeasureOrder(benchmark::State& state, const std::vector<float>& scores) {
  std::vector<Entry> entries(scores.size());
  std::vector<Entry> spare(scores.size());
  return NanosecondsPer(static_cast<double>(scores.size()), state, [&] {
    for (size_t i = 0; i < scores.size(); ++i) {
      entries[i] = MakeEntry(ScoreKey(scores[i]), static_cast<int32_t>(i));
    }
    SortEntries(entries.data(), spare.data(), static_cast<int64_t>(entries.size()));
  });
}

inline double MeasureSuppressFew(benchmark::State& state, const CostScene& scene, const void* boxes,
                                 const void* metric) {
  Threads one(1);
  std::vector<uint8_t> kept(static_cast<size_t>(scene.count()));
  const Group group{.threads = one,
                    .kernels = scene.kernels(),
                    .boxes = boxes,
                    .metric = metric,
                    .threshold = 0.5f,
                    .ids = scene.ids().data(),
                    .count = kFewBoxes,
                    .kept = kept.data()};
  return NanosecondsPer(kFewBoxes, state, [&] { SuppressFew(group); });
}

inline double MeasurePrepare(benchmark::State& state, const CostScene& scene) {
  const Workspace space = scene.MakeWorkspace();
  return NanosecondsPer(static_cast<double>(scene.count()), state, [&] { scene.Prepare(space); });
}

inline double MeasureSearch(benchmark::State& state, const CostScene& scene) {
  const Workspace space = scene.MakeWorkspace();
  const Grid grid(scene.bounds().data(), scene.count());
  const PreparedBoxes prepared = scene.SortIntoCells(space, grid);
  return NanosecondsPer(static_cast<double>(scene.count()), state, [&] {
    std::atomic<int64_t> found{0};
    Work work{.limit = INT64_MAX};
    const PairSearch search{.prepared = &prepared,
                            .grid = &grid,
                            .cell_begin = space.cell_begin,
                            .bounds = space.bounds,
                            .ranks = space.slot_ranks,
                            .threshold = 0.5f,
                            .suppressions = space.suppressions,
                            .capacity = kSuppressionsPerBox * scene.count(),
                            .found = &found,
                            .work = &work};
    scene.kernels().pair_tile(search, 0, grid.cells());
  });
}

// Measures candidates against kept boxes: without a grid and with `kept` boxes in one list, or with
// a grid and no kept box at all.
inline double MeasureKeptSearch(benchmark::State& state, const CostScene& scene, int32_t kept) {
  const Workspace space = scene.MakeWorkspace();
  const Grid grid(scene.bounds().data(), scene.count());
  const PreparedBoxes prepared = scene.SortIntoCells(space, grid);
  std::fill_n(space.kept_count, grid.cells(), 0);
  space.kept_count[0] = kept;
  Work work{.limit = INT64_MAX};
  const KeptSearch search{.prepared = &prepared,
                          .grid = kept == 0 ? &grid : nullptr,
                          .tree = nullptr,
                          .cell_begin = space.cell_begin,
                          .kept_count = space.kept_count,
                          .kept = prepared.columns,
                          .kept_slots = scene.ids().data(),
                          .threshold = 0.99f,
                          .bounds = space.bounds,
                          .candidates = scene.ids().data() + kept,
                          .suppressed = space.suppressed,
                          .work = &work};
  constexpr int64_t kCandidates = 1000;
  std::fill_n(space.suppressed, kCandidates, uint8_t{0});
  return NanosecondsPer(static_cast<double>(kCandidates * std::max(kept, 1)), state,
                        [&] { scene.kernels().kept_tile(search, 0, kCandidates); });
}

// Registers all constants of suppression/costs.h. `boxes` are those of a scattered scene with few
// overlaps, as many as there are scores.
inline void RegisterSuppressionCosts(const Kernels& kernels, const void* boxes, const void* metric,
                                     const std::vector<float>& scores) {
  const auto count = static_cast<int64_t>(scores.size());
  const auto add = [](const char* constant, const char* unit, double value, const auto& measure) {
    RegisterCost("suppression", constant, unit, value, measure);
  };
  static const CostScene scene(kernels, boxes, metric, count);
  add("kNanosecondsToOrder", "ns per box", kNanosecondsToOrder,
      [=](benchmark::State& state) { return MeasureOrder(state, scores); });
  add("kNanosecondsToSuppress", "ns per box", kNanosecondsToSuppress,
      [=](benchmark::State& state) { return MeasureSuppressFew(state, scene, boxes, metric); });
  add("kNanosecondsToPrepare", "ns per box", kNanosecondsToPrepare,
      [](benchmark::State& state) { return MeasurePrepare(state, scene); });
  add("kNanosecondsToSearch", "ns per box", kNanosecondsToSearch,
      [](benchmark::State& state) { return MeasureSearch(state, scene); });
  add("kNanosecondsToLookUp", "ns per candidate", kNanosecondsToLookUp,
      [](benchmark::State& state) { return MeasureKeptSearch(state, scene, 0); });
  add("kNanosecondsPerTest", "ns per kept box", kNanosecondsPerTest,
      [](benchmark::State& state) { return MeasureKeptSearch(state, scene, 1000); });
}

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_BENCH_COSTS_H_
