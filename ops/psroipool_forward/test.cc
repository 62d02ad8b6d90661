// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include "ops/psroipool_forward/cases.h"

namespace detops::psroipool_forward {
namespace {

class PsRoiPoolKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PsRoiPoolKernel);

TEST_P(PsRoiPoolKernel, EqualsTheReference) {
  for (const Kind kind : kAllKinds) {
    for (const bool channels_first : {false, true}) {
      for (const auto rounding : {RoiRounding::kBeforeScaling, RoiRounding::kAfterScaling}) {
        for (const int64_t group : {1, 2, 3, 7}) {
          for (const int64_t dim : {1, 3, 4, 7, 8, 9, 16, 21, 81, 130}) {
            for (const int64_t rois : {3, 60}) {
              Case input = RandomCase(kind, {2, 20, 13, group, dim, rois}, 0.1f, 5);
              input.channels_first = channels_first;
              input.rounding = rounding;
              const Result expected = RunReference(input);
              for (const int threads : {1, 2, 7}) {
                ASSERT_TRUE(RunOn(threads, input) == expected)
                    << NameOf(kind) << ": " << input.ToString() << ", threads " << threads;
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace detops::psroipool_forward
