// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The forecast, the density and the choice of a strategy. Results do not depend on them;
// work_test.cc and the operators' tests check these.

#include "suppression/strategy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "core/aligned_buffer.h"
#include "core/carver.h"
#include "ops/nms/op.h"
#include "suppression/detections.h"
#include "suppression/engine.h"

namespace detops::suppression {
namespace {

TEST(KeptForecast, FindsTheNumberOfObjects) {
  for (const double objects : {50.0, 1000.0, 30'000.0}) {
    for (const double draws : {0.5, 2.0, 8.0}) {  // per object
      const double boxes = objects * draws;
      const double kept = objects * (1 - std::exp(-draws));
      const KeptForecast forecast({.decided = std::llround(boxes), .kept = std::llround(kept)});
      // Two standard deviations below.
      EXPECT_LE(forecast.objects(), objects * 1.01) << draws;
      EXPECT_GE(forecast.objects(), objects * (objects > 100 ? 0.75 : 0.2)) << draws;
      EXPECT_LE(forecast.KeptOf(boxes), kept * 1.01);
      EXPECT_LE(forecast.KeptOf(1e9), forecast.objects() * 1.01);
    }
  }
}

TEST(KeptForecast, IsFiniteWhileAllOrNoneAreKept) {
  const KeptForecast all({.decided = 32, .kept = 32});
  EXPECT_GT(all.objects(), 100);
  EXPECT_LT(all.objects(), 1000);
  const KeptForecast one({.decided = 1'000'000, .kept = 1});
  EXPECT_GT(one.objects(), 0);
  EXPECT_LT(one.objects(), 2);
  const KeptForecast first({.decided = 1, .kept = 1});
  EXPECT_GT(first.TestsAfter(1000), 0);
  EXPECT_LT(first.TestsAfter(1000), 1000);
}

TEST(KeptForecast, ExpectsHalfTheTestsForBoxesThatAreSuppressed) {
  const KeptForecast forecast({.decided = 10'000, .kept = 100});
  EXPECT_NEAR(forecast.TestsAfter(1e6), forecast.objects() / 2, 1);
}

// A group of detections in descending order of scores.
class Scene {
 public:
  Scene(int64_t boxes, double boxes_per_object, float threshold)
      : ids_(static_cast<size_t>(boxes)), kept_(ids_.size()) {
    for (const Detection& d : RandomDetections(boxes, boxes_per_object, 1)) {
      boxes_.insert(boxes_.end(),
                    {d.x - d.width / 2, d.y - d.height / 2, d.x + d.width / 2, d.y + d.height / 2});
    }
    std::iota(ids_.begin(), ids_.end(), 0);
    memory_ = AlignedBuffer(WorkspaceBytes(nms::BoxKernels(), boxes));
    threshold_ = threshold;
  }

  Group group() {
    return {.threads = threads_,
            .kernels = nms::BoxKernels(),
            .boxes = boxes_.data(),
            .metric = &metric_,
            .threshold = threshold_,
            .ids = ids_.data(),
            .count = static_cast<int64_t>(ids_.size()),
            .kept = kept_.data()};
  }
  Workspace space() const {
    Carver carver(memory_.data());
    return {carver, nms::BoxKernels(), static_cast<int64_t>(ids_.size())};
  }

 private:
  Threads threads_{1};
  const nms::Metric metric_{.offset = 0};
  std::vector<float> boxes_;
  std::vector<int32_t> ids_;
  std::vector<uint8_t> kept_;
  float threshold_;
  AlignedBuffer memory_;
};

TEST(MeasureDensity, CountsOverlapsAndPartners) {
  for (const double per_object : {1.0, 10.0, 100.0}) {
    for (const int64_t boxes : {1000, 30'000}) {
      Scene scene(boxes, per_object, 0.3f);
      const Density density = MeasureDensity(scene.group(), scene.space());
      // Detections of one object exceed 0.3. Their number varies, which adds one to the mean.
      EXPECT_NEAR(density.partners, per_object, 0.5 * per_object + 1.5) << boxes;
      EXPECT_GE(density.overlaps, density.partners) << boxes;
      EXPECT_LE(density.overlaps, 6 * per_object + 10) << boxes;
    }
  }
}

Strategy ChoiceFor(int64_t boxes, double per_object, const Progress& progress) {
  Scene scene(boxes, per_object, 0.5f);
  const Group group = scene.group();
  const Workspace space = scene.space();
  return StrategyChooser(group, space).Choose(progress);
}

TEST(StrategyChooser, PrefersOrderForFewObjectsAndPairsForScatteredBoxes) {
  EXPECT_EQ(ChoiceFor(20'000, 500, {.decided = 480, .kept = 40}), Strategy::kInOrder);
  EXPECT_EQ(ChoiceFor(20'000, 1, {.decided = 480, .kept = 478}), Strategy::kPairs);
  EXPECT_EQ(ChoiceFor(100'000, 25, {.decided = 480, .kept = 451}), Strategy::kBlocks);
}

TEST(StrategyChooser, WaitsForEvidence) {
  EXPECT_EQ(ChoiceFor(20'000, 25, {.decided = 32, .kept = 32}), Strategy::kInOrder);
}

TEST(StrategyChooser, DoesNotChangeNearTheEnd) {
  EXPECT_EQ(ChoiceFor(20'000, 1, {.decided = 19'900, .kept = 19'900}), Strategy::kInOrder);
}

// All boxes overlap: no grid helps.
TEST(StrategyChooser, StaysInOrderInAHeap) {
  Scene scene(3000, 3000, 0.99f);
  const Group group = scene.group();
  const Workspace space = scene.space();
  EXPECT_EQ(StrategyChooser(group, space).Choose({.decided = 480, .kept = 470}),
            Strategy::kInOrder);
}

}  // namespace
}  // namespace detops::suppression
