// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <cmath>
#include <limits>
#include <ostream>
#include <vector>

#include "detops/detops.hpp"
#include "ops/generate_proposals_v2/cases.h"
#include "ops/generate_proposals_v2/op.h"

namespace detops::generate_proposals_v2 {

void PrintTo(const Proposals& proposals, std::ostream* stream) {
  *stream << "total " << proposals.total << ", counts " << testing::PrintToString(proposals.counts)
          << ", anchors " << testing::PrintToString(proposals.anchor_indices);
}

namespace {

class GenerateProposalsKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(GenerateProposalsKernel);

TEST_P(GenerateProposalsKernel, HasTheReferencesBits) {
  for (const Kind kind : kAllKinds) {
    for (const Shape& shape : {Shape{1, 1, 1, 1}, Shape{2, 3, 5, 3}, Shape{1, 11, 11, 3},
                               Shape{2, 25, 38, 3}, Shape{1, 40, 20, 15}}) {
      for (const float size : {4.0f, 32.0f, 200.0f}) {
        for (const float threshold : {0.1f, 0.5f, 0.9f, 1.0f}) {
          Case input = RandomCase(kind, shape, 8, size, 1);
          input.nms_thresh = threshold;
          input.pixel_offset = size == 32;
          const Proposals expected = RunReference(input);
          ASSERT_EQ(RunOn(1, input), expected) << NameOf(kind) << ' ' << input.ToString();
          ASSERT_EQ(RunOn(2, input.ChannelsFirst()), expected)
              << NameOf(kind) << ' ' << input.ToString();
        }
      }
    }
  }
}

}  // namespace
}  // namespace detops::generate_proposals_v2
