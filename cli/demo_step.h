// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// An operator's step in the demonstration. Operators that take part have a demo.cc.

#ifndef DETOPS_CLI_DEMO_STEP_H_
#define DETOPS_CLI_DEMO_STEP_H_

#include <string>
#include <string_view>

#include "cli/case.h"
#include "cli/scene.h"

namespace detops::cli {

// The picture of a result: an SVG element and a sentence about it.
struct Picture {
  std::string svg;
  std::string caption;
};

struct DemoStep {
  int order = 0;  // steps run in ascending order
  // Makes the call. Must also work on a scene to which no earlier step has added anything.
  Case (*make)(const Scene& scene) = nullptr;
  // Draws the results of the call, and adds to the scene what later steps use.
  Picture (*draw)(Scene& scene, const Case& done) = nullptr;
};

// Returns the step of an operator, or null when it takes no part in the demonstration.
const DemoStep* FindDemoStep(std::string_view op);

}  // namespace detops::cli

#endif  // DETOPS_CLI_DEMO_STEP_H_
