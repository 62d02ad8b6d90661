// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The work of suppression is proportional to the number of boxes and of overlaps, in every scene.
// Work is counted, not timed.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/aligned_buffer.h"
#include "core/carver.h"
#include "core/parallel.h"
#include "measure/slow_build.h"
#include "ops/nms/op.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/tiles.h"
#include "suppression/engine.h"
#include "suppression/group.h"
#include "suppression/hard_scenes.h"
#include "suppression/workspace.h"

namespace detops::suppression {
namespace {

// The bounds: at most this much work per box, and per pair of boxes whose bounding boxes overlap.
constexpr int64_t kMaxWorkPerBox = 600;
constexpr int64_t kMaxWorkPerOverlap = 32;
// The bound per box for scenes that defeat every grid. Giving up the grid takes up to 256 of it,
// and comparing blocks of boxes all with all up to 512.
constexpr int64_t kMaxWorkPerBoxInTree = 1400;

constexpr float kThreshold = 0.3f;

using Pair = std::pair<int32_t, int32_t>;

// Returns the pairs whose bounding boxes overlap, with the smaller index first: sorts boxes by x
// and compares those whose x ranges overlap.
std::vector<Pair> Overlaps(const std::vector<Bounds>& boxes) {
  std::vector<int32_t> order(boxes.size());
  std::iota(order.begin(), order.end(), 0);
  const auto at = [&](int32_t i) -> const Bounds& { return boxes[static_cast<size_t>(i)]; };
  std::sort(order.begin(), order.end(),
            [&](int32_t a, int32_t b) { return at(a).x_low < at(b).x_low; });
  std::vector<Bounds> sorted;
  for (const int32_t i : order) {
    sorted.push_back(at(i));
  }
  std::vector<Pair> pairs;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const Bounds a = sorted[i];
    for (size_t j = i + 1; j < sorted.size() && sorted[j].x_low < a.x_high; ++j) {
      if (sorted[j].y_low < a.y_high && a.y_low < sorted[j].y_high) {
        pairs.push_back(std::minmax(order[i], order[j]));
      }
    }
  }
  return pairs;
}

// An operator, and a scene in its format.
struct Boxes {
  const char* name;
  const Kernels& (*kernels)();
  std::vector<float> values;
  int64_t stride;  // floats per box
  const void* metric = nullptr;
  std::function<double(const float*, const float*)> iou;
};

Boxes Rectangles(const std::vector<Bounds>& bounds) {
  static constexpr nms::Metric kMetric{.offset = 0};
  Boxes boxes{.name = "nms",
              .kernels = nms::BoxKernels,
              .values = {},
              .stride = 4,
              .metric = &kMetric,
              .iou = {}};
  for (const Bounds& b : bounds) {
    boxes.values.insert(boxes.values.end(), {b.x_low, b.y_low, b.x_high, b.y_high});
  }
  boxes.iou = [](const float* a, const float* b) { return nms::ReferenceIou(a, b, 0); };
  return boxes;
}

// Alternately rectangles and diamonds.
Boxes Polygons(const std::vector<Bounds>& bounds) {
  Boxes boxes{.name = "poly_nms",
              .kernels = poly_nms::NmsKernels,
              .values = {},
              .stride = poly_nms::kBoxFloats,
              .iou = poly_nms::ReferencePolygonIou};
  for (size_t i = 0; i < bounds.size(); ++i) {
    const Bounds& b = bounds[i];
    const auto x = static_cast<float>(b.CenterX());
    const auto y = static_cast<float>(b.CenterY());
    if (i % 2 == 0) {
      boxes.values.insert(boxes.values.end(), {b.x_low, b.y_low, b.x_high, b.y_low, b.x_high,
                                               b.y_high, b.x_low, b.y_high, 0});
    } else {
      boxes.values.insert(boxes.values.end(),
                          {x, b.y_low, b.x_high, y, x, b.y_high, b.x_low, y, 0});
    }
  }
  return boxes;
}

struct Outcome {
  std::vector<uint8_t> kept;
  int64_t work = 0;
};

// Suppresses in the order of the boxes.
Outcome Suppress(const Boxes& boxes, int64_t count, int thread_count) {
  Threads threads(thread_count);
  const Kernels& kernels = boxes.kernels();
  const AlignedBuffer memory(WorkspaceBytes(kernels, count));
  Carver carver(memory.data());
  const Workspace space(carver, kernels, count);
  std::vector<int32_t> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  Outcome outcome;
  outcome.kept.resize(ids.size());
  SuppressMany({.threads = threads,
                .kernels = kernels,
                .boxes = boxes.values.data(),
                .metric = boxes.metric,
                .threshold = kThreshold,
                .ids = ids.data(),
                .count = count,
                .kept = outcome.kept.data(),
                .work = &outcome.work},
               space);
  return outcome;
}

// Greedy suppression by the definition of the IoU, among the pairs that overlap.
std::vector<uint8_t> ExpectedKept(const Boxes& boxes, size_t count, std::vector<Pair> overlaps) {
  std::sort(overlaps.begin(), overlaps.end());
  const auto at = [&](int32_t i) { return boxes.values.data() + i * boxes.stride; };
  std::vector<uint8_t> kept(count, 1);
  for (const auto& [first, second] : overlaps) {
    if (kept[static_cast<size_t>(first)] != 0 && kept[static_cast<size_t>(second)] != 0 &&
        Exceeds(boxes.iou(at(first), at(second)), kThreshold)) {
      kept[static_cast<size_t>(second)] = 0;
    }
  }
  return kept;
}

TEST(Work, IsProportionalToBoxesAndOverlaps) {
  const int size = kSlowBuild ? 5000 : 20'000;
  const std::vector<HardScene> scenes = HardScenes(size);
  EXPECT_GE(scenes.size(), 40u);
  for (const HardScene& scene : scenes) {
    const auto count = static_cast<int64_t>(scene.boxes.size());
    const std::vector<Pair> overlaps = Overlaps(scene.boxes);
    const auto pairs = static_cast<int64_t>(overlaps.size());
    for (const Boxes& boxes : {Rectangles(scene.boxes), Polygons(scene.boxes)}) {
      const Outcome outcome = Suppress(boxes, count, 1);
      const int64_t per_box = scene.defeats_grids ? kMaxWorkPerBoxInTree : kMaxWorkPerBox;
      EXPECT_LE(outcome.work, per_box * count + kMaxWorkPerOverlap * pairs)
          << scene.name << ", " << boxes.name << ": work per box " << outcome.work / count
          << ", overlaps per box " << pairs / count;
      EXPECT_EQ(outcome.kept, ExpectedKept(boxes, scene.boxes.size(), overlaps))
          << scene.name << ", " << boxes.name;
    }
  }
}

class HardScenesOnTargets : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(HardScenesOnTargets);

TEST_P(HardScenesOnTargets, HaveTheSameResult) {
  for (const HardScene& scene : HardScenes(kSlowBuild ? 1000 : 2000)) {
    const auto count = static_cast<int64_t>(scene.boxes.size());
    const std::vector<Pair> overlaps = Overlaps(scene.boxes);
    for (const Boxes& boxes : {Rectangles(scene.boxes), Polygons(scene.boxes)}) {
      const std::vector<uint8_t> expected = ExpectedKept(boxes, scene.boxes.size(), overlaps);
      for (const int threads : {1, 3}) {
        EXPECT_EQ(Suppress(boxes, count, threads).kept, expected)
            << scene.name << ", " << boxes.name << ", threads " << threads;
      }
    }
  }
}

}  // namespace
}  // namespace detops::suppression
