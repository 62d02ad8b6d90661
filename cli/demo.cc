// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/demo.h"

#include <algorithm>
#include <utility>

#include "cli/operator_parts.h"
#include "cli/runner.h"

namespace detops::cli {
namespace {

constexpr double kTimingSeconds = 0.02;

struct OperatorStep {
  const char* op;
  DemoStep step;
};

// Returns all steps in the order in which they run.
const std::vector<OperatorStep>& Steps() {
  static const std::vector<OperatorStep> steps = [] {
#define DETOPS_DEMO(op) {#op, op::Demo()},
    std::vector<OperatorStep> listed = {
#include "cli/demos.inc"
    };
#undef DETOPS_DEMO
    std::stable_sort(
        listed.begin(), listed.end(),
        [](const OperatorStep& a, const OperatorStep& b) { return a.step.order < b.step.order; });
    return listed;
  }();
  return steps;
}

}  // namespace

const DemoStep* FindDemoStep(std::string_view op) {
  for (const OperatorStep& step : Steps()) {
    if (step.op == op) {
      return &step.step;
    }
  }
  return nullptr;
}

std::vector<DemoPart> RunDemo(const Machine& machine) {
  Scene scene = MakeScene();
  RunnerOptions options;
  options.timing_seconds = kTimingSeconds;
  Runner runner(machine, options);
  std::vector<DemoPart> parts;
  for (const OperatorStep& step : Steps()) {
    Case call = step.step.make(scene);
    const CaseResult result = runner.Run(call);
    if (result.status != MLUOP_STATUS_SUCCESS) {
      throw UserError(WhyItFailed(result));
    }
    parts.push_back({.op = call.op,
                     .shapes = result.shapes,
                     .results = ShapesOf(call.outputs),
                     .seconds = result.seconds,
                     .equals_reference = result.passed,
                     .picture = step.step.draw(scene, call)});
  }
  return parts;
}

}  // namespace detops::cli
