// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/sweep.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cli/machine.h"
#include "cli/test_folder.h"

namespace detops::cli {
namespace {

BenchResult Result(int64_t boxes, double nanoseconds_per_box) {
  BenchResult result{};
  result.elements = boxes;
  result.seconds = nanoseconds_per_box * 1e-9 * static_cast<double>(boxes);
  return result;
}

TEST(FindCliffs, ComparesTimesPerBox) {
  EXPECT_TRUE(FindCliffs({}).empty());
  EXPECT_TRUE(FindCliffs({Result(100, 10)}).empty());
  EXPECT_TRUE(FindCliffs({Result(100, 10), Result(125, 15.9), Result(156, 10)}).empty());
  const std::vector<BenchResult> line = {Result(100, 10), Result(125, 16.1), Result(156, 17),
                                         Result(195, 10)};
  const std::vector<Cliff> cliffs = FindCliffs(line);
  ASSERT_EQ(cliffs.size(), 2u);
  EXPECT_EQ(cliffs[0].point, &line[0]);
  EXPECT_EQ(cliffs[0].next, &line[1]);
  EXPECT_NEAR(cliffs[0].Ratio(), 1.61, 1e-9);
  EXPECT_EQ(cliffs[1].point, &line[2]);
  EXPECT_NEAR(cliffs[1].Ratio(), 1.7, 1e-9);
}

TEST(SceneLines, NeighborsDifferByOneFactor) {
  std::vector<SceneSize> sizes;
  const std::vector<SweepLine> lines = SceneLines([&](const SceneSize& size, uint32_t /*seed*/) {
    sizes.push_back(size);
    return Case();
  });
  for (const SweepLine& line : lines) {
    sizes.clear();
    for (const SweepPoint& point : line.points) {
      point.make(1);
      EXPECT_EQ(point.boxes, static_cast<double>(sizes.back().boxes));
    }
    ASSERT_GT(sizes.size(), 5u) << line.name;
    for (size_t i = 1; i < sizes.size(); ++i) {
      const SceneSize& a = sizes[i - 1];
      const SceneSize& b = sizes[i];
      const double growth[] = {static_cast<double>(b.boxes) / static_cast<double>(a.boxes),
                               b.boxes_per_object / a.boxes_per_object,
                               a.iou_threshold < 0.4
                                   ? b.iou_threshold / a.iou_threshold
                                   : (1 - a.iou_threshold) / (1 - b.iou_threshold)};
      bool grows = false;
      for (const double factor : growth) {
        EXPECT_TRUE(std::abs(factor - 1) < 1e-9 || std::abs(factor - kSweepFactor) < 0.02)
            << line.name << ": " << factor;
        grows = grows || factor > 1.2;
      }
      EXPECT_TRUE(grows) << line.name;
    }
  }
}

TEST(RunSweep, TimesEveryPointOfEveryLine) {
  const Machine machine = MeasureMachine();
  SweepOptions options;
  options.op = "nms";
  options.rounds = 1;
  options.most_boxes = 300;
  size_t steps = 0;
  const SweepResults sweep = RunSweep(machine, options, [&](const std::string&) { ++steps; });
  EXPECT_EQ(steps, CountSweepLines(machine, options));
  EXPECT_GT(sweep.results.size(), 2 * steps);
  for (const BenchResult& result : sweep.results) {
    EXPECT_EQ(result.op, "nms");
    EXPECT_LE(result.elements, 300);
    EXPECT_GT(result.seconds, 0) << result.name;
    EXPECT_LE(result.lower, result.upper) << result.name;
  }
  for (const Cliff& cliff : sweep.cliffs) {
    EXPECT_EQ(cliff.next, cliff.point + 1);
    EXPECT_GT(cliff.Ratio(), kCliff);
  }
}

TEST(RunSweep, NamesOperatorsWithoutASweep) {
  SweepOptions options;
  options.op = "bbox_overlaps";
  EXPECT_EQ(UserErrorOf([&] { CountSweepLines(Machine(), options); }),
            "bbox_overlaps has no sweep");
}

}  // namespace
}  // namespace detops::cli
