// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/demo.h"

#include <algorithm>
#include <utility>

#include "cli/runner.h"
#include "core/operators.h"

namespace detops::cli {
namespace {

constexpr double kTimingSeconds = 0.02;

}  // namespace

std::vector<DemoPart> RunDemo(const Machine& machine) {
  std::vector<const Adapter*> adapters;
  for (size_t i = 0; i < Operators().size(); ++i) {
    if (AdapterOf(i).DemoStage() >= 0) {
      adapters.push_back(&AdapterOf(i));
    }
  }
  std::stable_sort(adapters.begin(), adapters.end(), [](const Adapter* a, const Adapter* b) {
    return a->DemoStage() < b->DemoStage();
  });
  Scene scene = MakeScene();
  RunnerOptions options;
  options.timing_seconds = kTimingSeconds;
  Runner runner(machine, options);
  std::vector<DemoPart> parts;
  for (const Adapter* const adapter : adapters) {
    Case call = adapter->DemoCase(scene);
    const CaseResult result = runner.Run(call);
    if (result.status != MLUOP_STATUS_SUCCESS) {
      throw UserError(WhyItFailed(result));
    }
    DemoPart part;
    part.op = call.op;
    part.shapes = result.shapes;
    part.results = ShapesOf(call.outputs);
    part.seconds = result.seconds;
    part.equals_reference = result.passed;
    part.picture = adapter->DemoResult(scene, call);
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace detops::cli
