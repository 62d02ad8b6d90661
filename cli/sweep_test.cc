// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

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
  SceneSize made{};
  const std::vector<SweepLine> lines = SceneLines([&](const SceneSize& size, uint32_t /*seed*/) {
    made = size;
    return Case();
  });
  for (const SweepLine& line : lines) {
    ASSERT_GT(line.points.size(), 5u) << line.name;
    line.points[0].make(1);
    for (size_t i = 1; i < line.points.size(); ++i) {
      const SceneSize before = made;
      line.points[i].make(1);
      EXPECT_EQ(line.points[i].boxes, static_cast<double>(made.boxes));
      const double growth[] = {static_cast<double>(made.boxes) / static_cast<double>(before.boxes),
                               made.boxes_per_object / before.boxes_per_object,
                               before.iou_threshold < 0.4
                                   ? made.iou_threshold / before.iou_threshold
                                   : (1 - before.iou_threshold) / (1 - made.iou_threshold)};
      for (const double factor : growth) {
        EXPECT_TRUE(std::abs(factor - 1) < 1e-9 || std::abs(factor - kSweepFactor) < 0.02)
            << line.name << ": " << factor;
      }
      EXPECT_GT(*std::max_element(std::begin(growth), std::end(growth)), 1.2) << line.name;
    }
  }
}

TEST(RunSweep, TimesEveryPointOfEveryLine) {
  const Machine machine = MeasureMachine();
  SweepOptions options;
  options.rounds = 1;
  options.most_boxes = 300;
  size_t steps = 0;
  const SweepResults sweep = RunSweep(machine, options, [&](const std::string&) { ++steps; });
  EXPECT_EQ(steps, CountSweepLines(machine, options));
  EXPECT_GT(sweep.results.size(), 2 * steps);
  for (const BenchResult& result : sweep.results) {
    EXPECT_TRUE(result.op == "nms" || result.op == "poly_nms");
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
