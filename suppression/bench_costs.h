// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Measures the constants of suppression/costs.h, and those of the same kind that an operator's
// kernels have, for `make costs`.

#ifndef DETOPS_SUPPRESSION_BENCH_COSTS_H_
#define DETOPS_SUPPRESSION_BENCH_COSTS_H_

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/cost.h"
#include "core/aligned_buffer.h"
#include "suppression/cells.h"
#include "suppression/costs.h"
#include "suppression/group.h"
#include "suppression/kept_boxes.h"
#include "suppression/kernels.h"
#include "suppression/order.h"
#include "suppression/pairs.h"
#include "suppression/prepare.h"
#include "suppression/workspace.h"

namespace detops::suppression {

// A group of boxes whose ranks are their indices, and its grid. Has the steps of the engine, to be
// measured one by one.
class CostScene {
 public:
  CostScene(const Kernels& kernels, const void* boxes, const void* metric, float threshold,
            int64_t count)
      : ids_(static_cast<size_t>(count)),
        kept_(static_cast<size_t>(count)),
        memory_(MemoryFor(kernels, count)),
        space_(WorkspaceIn(memory_, kernels, count)),
        group_{.threads = one_,
               .kernels = kernels,
               .boxes = boxes,
               .metric = metric,
               .threshold = threshold,
               .ids = ids_.data(),
               .count = count,
               .kept = kept_.data()} {
    // Boxes are not in the order of their scores.
    std::iota(ids_.begin(), ids_.end(), 0);
    std::shuffle(ids_.begin(), ids_.end(), std::mt19937(1));
    Gather();
  }
  CostScene(const CostScene&) = delete;
  CostScene& operator=(const CostScene&) = delete;

  const Group& group() const { return group_; }
  const Workspace& space() const { return space_; }
  LeastOverlap least_overlap() const {
    return group_.kernels.least_overlap(group_.metric, group_.threshold);
  }

  void Gather() const {
    group_.kernels.find_bounds(group_.boxes, group_.metric, ids_.data(), group_.count,
                               space_.rank_bounds);
  }

  // Prepares all boxes in the order of their ranks.
  PreparedBoxes PrepareByRank() const {
    const PreparedBoxes prepared = PreparedIn(space_, group_);
    std::copy(ids_.begin(), ids_.end(), prepared.ids);
    Prepare(group_, prepared, 0, group_.count);
    return prepared;
  }

  // Prepares all boxes in the order of their cells.
  PreparedBoxes PrepareByCell(const Grid& grid) const {
    const PreparedBoxes prepared = PreparedIn(space_, group_);
    FindCells(group_, space_, grid);
    SortIntoCells(group_, space_, grid, prepared);
    Prepare(group_, prepared, 0, group_.count);
    return prepared;
  }

 private:
  static AlignedBuffer MemoryFor(const Kernels& kernels, int64_t count) {
    Carver counter(nullptr);
    const Workspace size(counter, kernels, count);
    return AlignedBuffer(counter.used() + kAlignment);
  }
  static Workspace WorkspaceIn(const AlignedBuffer& memory, const Kernels& kernels, int64_t count) {
    Carver carver(memory.data());
    return Workspace(carver, kernels, count);
  }

  Threads one_{1};
  std::vector<int32_t> ids_;
  std::vector<uint8_t> kept_;
  AlignedBuffer memory_;
  Workspace space_;
  Group group_;
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

inline double MeasureSuppressFew(benchmark::State& state, const CostScene& scene) {
  Group few = scene.group();
  few.count = kFewBoxes;
  return NanosecondsPer(kFewBoxes, state, [&] { SuppressFew(few); });
}

// Measures a step of the engine, per box of the scene.
template <class Step>
double MeasureStep(benchmark::State& state, const CostScene& scene, const Step& step) {
  return NanosecondsPer(static_cast<double>(scene.group().count), state, step);
}

// Measures candidates against this many kept boxes in one list, per candidate. The threshold is so
// high that hardly any is suppressed.
inline double MeasureFilter(benchmark::State& state, const CostScene& scene, int32_t kept) {
  const Workspace& space = scene.space();
  const PreparedBoxes prepared = scene.PrepareByRank();
  constexpr int64_t kCandidates = 1000;
  std::vector<int32_t> slots(static_cast<size_t>(kept + kCandidates));
  std::iota(slots.begin(), slots.end(), 0);
  Work work{.limit = INT64_MAX};
  const KeptSearch search{.prepared = &prepared,
                          .grid = nullptr,
                          .tree = nullptr,
                          .cell_begin = nullptr,
                          .kept_count = &kept,
                          .kept = prepared.columns,
                          .kept_slots = slots.data(),
                          .threshold = 0.99f,
                          .bounds = space.rank_bounds,
                          .candidates = slots.data() + kept,
                          .suppressed = space.suppressed,
                          .work = &work};
  return NanosecondsPer(kCandidates, state, [&] {
    std::fill_n(space.suppressed, kCandidates, uint8_t{0});
    scene.group().kernels.kept_tile(search, 0, kCandidates);
  });
}

// Measures the blocks of a crowded scene with a grid, per box, without building the grid.
inline double MeasureLookUp(benchmark::State& state, const CostScene& scene) {
  const Group& group = scene.group();
  const Workspace& space = scene.space();
  const Grid grid(space.rank_bounds, group.count, scene.least_overlap(), kBoxesPerCellOfKept);
  FindCells(group, space, grid);
  CountCells(group, space, grid);
  const PreparedBoxes prepared = scene.PrepareByRank();
  return MeasureStep(state, scene, [&] {
    KeptBoxes kept(group, space, prepared, {.grid = &grid, .tree = nullptr});
    for (int64_t begin = 0, size = 64; begin < group.count; begin += size, size *= 2) {
      kept.Add(begin, std::min(begin + size, group.count));
    }
  });
}

inline double MeasureSearch(benchmark::State& state, const CostScene& scene) {
  const Grid grid(scene.space().rank_bounds, scene.group().count, scene.least_overlap());
  const PreparedBoxes prepared = scene.PrepareByCell(grid);
  return MeasureStep(state, scene, [&] {
    FindSuppressions(scene.group(), scene.space(), grid, prepared, kNanosecondsToSearch);
  });
}

inline double MeasureSuppression(benchmark::State& state, const CostScene& scene) {
  const Grid grid(scene.space().rank_bounds, scene.group().count, scene.least_overlap());
  const PreparedBoxes prepared = scene.PrepareByCell(grid);
  const int64_t found =
      FindSuppressions(scene.group(), scene.space(), grid, prepared, kNanosecondsToSearch);
  return NanosecondsPer(static_cast<double>(found), state, [&] {
    ResolveSuppressions(scene.group(), scene.space(), prepared, found);
  });
}

// Registers the constants of suppression/costs.h. The boxes of `scattered` hardly overlap;
// `crowded` has kBoxesPerObject detections of each object, which is not too many for the search for
// pairs.
inline constexpr double kBoxesPerObject = 6;
inline void RegisterSuppressionCosts(const CostScene& scattered, const CostScene& crowded,
                                     const std::vector<float>& scores) {
  const auto add = [](const char* constant, const char* unit, double value, const auto& measure) {
    RegisterCost("suppression", constant, unit, value, measure);
  };
  const auto add_step = [&](const char* constant, double value, const auto& step) {
    add(constant, "ns per box", value, [&scattered, step](benchmark::State& state) {
      const Grid grid(scattered.space().rank_bounds, scattered.group().count,
                      scattered.least_overlap());
      FindCells(scattered.group(), scattered.space(), grid);
      return MeasureStep(state, scattered, [&] { step(scattered, grid); });
    });
  };
  add("kNanosecondsToOrder", "ns per box", kNanosecondsToOrder,
      [=](benchmark::State& state) { return MeasureOrder(state, scores); });
  add("kNanosecondsToSuppress", "ns per box", kNanosecondsToSuppress,
      [&](benchmark::State& state) { return MeasureSuppressFew(state, scattered); });
  add("kNanosecondsToFilter", "ns per candidate", kNanosecondsToFilter,
      [&](benchmark::State& state) { return MeasureFilter(state, scattered, 1); });
  add_step("kNanosecondsToGather", kNanosecondsToGather,
           [](const CostScene& scene, const Grid& /*grid*/) { scene.Gather(); });
  add_step("kNanosecondsToChooseLevels", kNanosecondsToChooseLevels,
           [](const CostScene& scene, const Grid& /*grid*/) {
             const Grid another(scene.space().rank_bounds, scene.group().count,
                                scene.least_overlap());
             benchmark::DoNotOptimize(another.cells());
           });
  add_step("kNanosecondsToFindCell", kNanosecondsToFindCell,
           [](const CostScene& scene, const Grid& grid) {
             FindCells(scene.group(), scene.space(), grid);
           });
  add_step("kNanosecondsToCount", kNanosecondsToCount,
           [](const CostScene& scene, const Grid& grid) {
             CountCells(scene.group(), scene.space(), grid);
           });
  add_step("kNanosecondsToSortIntoCells", kNanosecondsToSortIntoCells,
           [](const CostScene& scene, const Grid& grid) {
             SortIntoCells(scene.group(), scene.space(), grid,
                           PreparedIn(scene.space(), scene.group()));
           });
  add("kNanosecondsToLookUp", "ns per candidate", kNanosecondsToLookUp,
      [&](benchmark::State& state) {
        return MeasureLookUp(state, crowded) - kNanosecondsPerSurvivor / kBoxesPerObject;
      });
  add("kNanosecondsPerSurvivor", "ns per survivor", kNanosecondsPerSurvivor,
      [&](benchmark::State& state) {
        return MeasureLookUp(state, scattered) - kNanosecondsToLookUp;
      });
  add("kNanosecondsToSearch", "ns per box", kNanosecondsToSearch,
      [&](benchmark::State& state) { return MeasureSearch(state, scattered); });
  add("kNanosecondsPerSuppression", "ns per pair", kNanosecondsPerSuppression,
      [&](benchmark::State& state) { return MeasureSuppression(state, crowded); });
}

// Registers the constants per test and per prepared box of an operator's costs.h.
inline void RegisterKernelCosts(const char* op, const CostScene& scattered) {
  const Kernels& kernels = scattered.group().kernels;
  RegisterCost(op, "kNanosecondsPerTest", "ns per kept box", kernels.nanoseconds_per_test,
               [&](benchmark::State& state) {
                 constexpr int32_t kKept = 2000;
                 return MeasureFilter(state, scattered, kKept) / kKept;
               });
  RegisterCost(op, "kNanosecondsToPrepare", "ns per box", kernels.nanoseconds_to_prepare,
               [&](benchmark::State& state) {
                 return MeasureStep(state, scattered, [&] { scattered.PrepareByRank(); });
               });
}

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_BENCH_COSTS_H_
