// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include "detops/detops.hpp"
#include "ops/border_align_forward/cases.h"

namespace detops::border_align_forward {
namespace {

class BorderAlignKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(BorderAlignKernel);

TEST_P(BorderAlignKernel, HasTheReferencesBits) {
  for (const Kind kind : kAllKinds) {
    for (const int64_t channels : {1, 3, 15, 16, 17, 33, 64, 70, 130}) {
      for (const Shape& shape :
           {Shape{2, 5, 7, channels, 4, 10}, Shape{1, 1, 1, channels, 3, 1},
            Shape{1, 30, 40, channels, 2, 3}, Shape{1, 4, 4, channels, 6, 40}}) {
        for (const bool half : {false, true}) {
          for (const bool channels_first : {false, true}) {
            Case input = RandomCase(kind, shape, static_cast<uint32_t>(channels));
            input.half = half;
            input.channels_first = channels_first;
            ASSERT_TRUE(RunOn(2, input) == RunReference(input))
                << NameOf(kind) << ' ' << input.ToString();
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace detops::border_align_forward
