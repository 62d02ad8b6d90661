// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include "detops/detops.hpp"
#include "ops/poly_nms/cases.h"
#include "ops/poly_nms/op.h"

namespace detops::poly_nms {
namespace {

// ---- Kernels against the reference, on every target ---------------------------------------------

class PolyNmsKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PolyNmsKernel);

TEST_P(PolyNmsKernel, KeepsWhatTheReferenceKeeps) {
  for (const Kind kind : kAllKinds) {
    for (const int64_t count : {1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 70, 160, 161, 300}) {
      for (const float threshold : {0.0f, 0.05f, 0.3f, 0.7f, 0.99f}) {
        Case input;
        input.boxes = RandomBoxes(kind, count, static_cast<uint32_t>(count));
        input.iou_threshold = threshold;
        ASSERT_EQ(RunOn(1, input), RunReference(input))
            << NameOf(kind) << ", threshold " << threshold << ", " << input.ToString();
      }
    }
  }
}

}  // namespace
}  // namespace detops::poly_nms
