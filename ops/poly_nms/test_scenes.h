// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Calls with the results that the reference gives, for tests that run on every target.

#ifndef DETOPS_OPS_POLY_NMS_TEST_SCENES_H_
#define DETOPS_OPS_POLY_NMS_TEST_SCENES_H_

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "ops/poly_nms/cases.h"
#include "suppression/harness.h"
#include "suppression/print_kept.h"

namespace detops::poly_nms {

// A call and its expected result. Tests make their scenes once for all targets because the
// reference is slow.
struct Scene {
  std::string name;
  Case input;
  Kept expected;
};

inline Scene MakeScene(const std::string& name, const Case& input) {
  return {name, input, RunReference(input)};
}

inline Scene MakeScene(const std::string& name, const std::vector<float>& boxes, float threshold) {
  Case input;
  input.boxes = boxes;
  input.iou_threshold = threshold;
  return MakeScene(name, input);
}

// Runs every scene on these numbers of threads.
inline void ExpectScenes(const std::vector<Scene>& scenes,
                         std::initializer_list<int> thread_counts) {
  for (const Scene& scene : scenes) {
    for (const int threads : thread_counts) {
      ASSERT_EQ(RunOn(threads, scene.input), scene.expected)
          << scene.name << ", threads " << threads << ", " << scene.input.ToString();
    }
  }
}

}  // namespace detops::poly_nms

#endif  // DETOPS_OPS_POLY_NMS_TEST_SCENES_H_
