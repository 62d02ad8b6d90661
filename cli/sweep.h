// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Looks for cliffs: times an operator along lines of sizes and densities, and finds neighboring
// points whose times differ by too much. Operators that take part have a sweep.cc.

#ifndef DETOPS_CLI_SWEEP_H_
#define DETOPS_CLI_SWEEP_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/case.h"
#include "cli/results.h"

namespace detops::cli {

struct SweepPoint {
  std::string name;
  double boxes;  // times are compared per box
  std::function<Case(uint32_t seed)> make;
};

// Neighboring points differ by a factor of kSweepFactor in one quantity, or in two that grow
// together.
struct SweepLine {
  std::string name;
  std::vector<SweepPoint> points;
};
inline constexpr double kSweepFactor = 1.25;

// Neighboring points whose times per box differ by more than this are a cliff.
inline constexpr double kCliff = 1.6;

// A scene of detections (suppression/detections.h).
struct SceneSize {
  int64_t boxes;
  double boxes_per_object;
  double iou_threshold;
};

// Returns lines along which the number of boxes, the boxes per object, both of them and the
// threshold grow.
std::vector<SweepLine> SceneLines(
    const std::function<Case(const SceneSize& size, uint32_t seed)>& make);

// Two results of one line, of which the second is the next point.
struct Cliff {
  const BenchResult* point;
  const BenchResult* next;

  double Ratio() const;  // of the times per box; at least 1
};

struct SweepOptions {
  std::string op;                // empty: all operators that take part
  int rounds = 5;                // how often each point is timed
  double most_boxes = HUGE_VAL;  // points with more boxes are left out
};

// The results of neighboring points follow each other. The names of results are those of the line
// and the point.
struct SweepResults {
  std::vector<BenchResult> results;
  std::vector<Cliff> cliffs;  // pointers into `results`
};

// Times all points of a line in turns, with several data sets each. A line with a cliff is timed
// again, and only cliffs that are there again count. Throws UserError when the operator has no
// sweep, or when the result of a point is wrong. Calls step(name) before each line.
SweepResults RunSweep(const Machine& machine, const SweepOptions& options,
                      const std::function<void(const std::string&)>& step);

// Returns the number of calls of `step`.
size_t CountSweepLines(const Machine& machine, const SweepOptions& options);

// Returns the cliffs among the results of one line, which has at most one number of threads.
std::vector<Cliff> FindCliffs(const std::vector<BenchResult>& line);

}  // namespace detops::cli

#endif  // DETOPS_CLI_SWEEP_H_
