// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Results and effects of mluOpBboxOverlaps. checks_test.cc has the calls that fail.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "ops/bbox_overlaps/test_calls.h"
#include "testing/log_capture.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace detops::bbox_overlaps {
namespace {

using testing::ElementsAre;

TEST_F(MluOpBboxOverlaps, ComputesTheDocumentExample) {
  SetShapes({3, 4}, {3, 4}, {3, 3});
  ASSERT_EQ(Call(), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(ious_, ElementsAre(0.5f, 0, 0, 0, 0, 1, 0, 0, 0));
}

TEST_F(MluOpBboxOverlaps, AlignedModesAndOffset) {
  ious_.assign(3, -7.0f);
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{3}, std::vector<int64_t>{3, 1}}) {
    SetShapes({3, 4}, {3, 4}, shape);
    ASSERT_EQ(Call({.aligned = true}), MLUOP_STATUS_SUCCESS);
    EXPECT_THAT(ious_, ElementsAre(0.5f, 0, 0));
    ASSERT_EQ(Call({.aligned = true, .mode = 1}), MLUOP_STATUS_SUCCESS);
    EXPECT_THAT(ious_, ElementsAre(1, 0, 0));
    ASSERT_EQ(Call({.aligned = true, .offset = 1}), MLUOP_STATUS_SUCCESS);
    EXPECT_THAT(ious_, ElementsAre(121.0f / 231.0f, 1.0f * 10.0f / (121.0f + 110.0f - 10.0f), 0));
    ASSERT_EQ(Call({.aligned = true, .mode = 1, .offset = 1}), MLUOP_STATUS_SUCCESS);
    EXPECT_THAT(ious_, ElementsAre(1, 10.0f / 121.0f, 0));
  }
}

struct EmptyShapes {
  bool aligned;
  std::vector<int64_t> dims1;
  std::vector<int64_t> dims2;
  std::vector<int64_t> ious_dims;
};

class MluOpBboxOverlapsEmpty : public MluOpBboxOverlaps,
                               public testing::WithParamInterface<EmptyShapes> {};

TEST_P(MluOpBboxOverlapsEmpty, SucceedsWithoutData) {
  const EmptyShapes& shapes = GetParam();
  SetShapes(shapes.dims1, shapes.dims2, shapes.ious_dims);
  EXPECT_EQ(mluOpBboxOverlaps(handle_, 0, shapes.aligned, 0, desc1_, nullptr, desc2_, nullptr,
                              ious_desc_, nullptr),
            MLUOP_STATUS_SUCCESS);
}

INSTANTIATE_TEST_SUITE_P(Shapes, MluOpBboxOverlapsEmpty,
                         testing::Values(EmptyShapes{false, {0, 4}, {1, 4}, {0, 1}},
                                         EmptyShapes{false, {1, 4}, {0, 4}, {1, 0}},
                                         EmptyShapes{false, {0, 4}, {0, 4}, {0, 0}},
                                         EmptyShapes{false, {0, 0}, {1, 4}, {0, 1}},
                                         EmptyShapes{false, {0, 7}, {0, 9}, {0, 0}},
                                         EmptyShapes{true, {0, 4}, {0, 4}, {0}},
                                         EmptyShapes{true, {0, 4}, {0, 4}, {0, 1}}));

TEST_F(MluOpBboxOverlaps, IgnoresTheLayout) {
  SetShapes({3, 4}, {3, 4}, {3, 3});
  desc1_.Set({3, 4}, MLUOP_DTYPE_FLOAT, MLUOP_LAYOUT_NHWC);
  EXPECT_EQ(Call(), MLUOP_STATUS_SUCCESS);
}

TEST_F(MluOpBboxOverlaps, NaNRules) {
  const float nan = std::nanf("1");
  const float inf = INFINITY;
  boxes1_ = {0,    0,    10,  10,  // an ordinary box
             0,    nan,  10,  10,  // a NaN coordinate
             5,    5,    5,   5,   // a point, which makes 0 / 0
             -inf, -inf, inf, inf};
  boxes2_ = {0, 0, 10, 10, 0, 0, 10, -nan, 5, 5, 5, 5, -inf, -inf, inf, inf};
  ious_.assign(16, -7.0f);
  SetShapes({4, 4}, {4, 4}, {4, 4});
  ASSERT_EQ(Call(), MLUOP_STATUS_SUCCESS);
  constexpr uint32_t kQuietNaN = 0x7FC00000;
  uint32_t bits[16];
  std::memcpy(bits, ious_.data(), sizeof(bits));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(bits[4 + i], kQuietNaN);
    EXPECT_EQ(bits[4 * i + 1], kQuietNaN);
  }
  EXPECT_EQ(ious_[0], 1.0f);
  EXPECT_EQ(bits[2], 0u) << "without overlap the result is +0";
  EXPECT_EQ(bits[10], 0u) << "0 / 0";
  EXPECT_EQ(bits[3], 0u) << "100 / infinity";
  EXPECT_EQ(bits[15], 0u) << "infinity - infinity";
}

TEST_F(MluOpBboxOverlaps, RunsOnAQueueAfterItsDescriptorsWereReset) {
  SetShapes({3, 4}, {3, 4}, {3, 3});
  ScopedQueue queue(handle_);
  queue.Hold();
  ASSERT_EQ(Call(), MLUOP_STATUS_SUCCESS);
  for (ScopedDescriptor* const descriptor : {&desc1_, &desc2_, &ious_desc_}) {
    descriptor->Reset();
  }
  ASSERT_EQ(queue.Sync(), cnrtSuccess);
  EXPECT_THAT(ious_, ElementsAre(0.5f, 0, 0, 0, 0, 1, 0, 0, 0));
}

TEST_F(MluOpBboxOverlaps, LogsEachCallAtDebugLevel) {
  LogCapture log(DETOPS_LOG_DEBUG);
  SetShapes({3, 4}, {3, 4}, {3, 3});
  ASSERT_EQ(Call({.mode = 1, .offset = 1}), MLUOP_STATUS_SUCCESS);
  SetShapes({0, 4}, {0, 4}, {0});
  ASSERT_EQ(Call({.aligned = true}), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(
      log.Take(),
      ElementsAre(
          "mluOpBboxOverlaps: bbox1 float[3,4], bbox2 float[3,4], mode 1, offset 1",
          "mluOpBboxOverlaps: bbox1 float[0,4], bbox2 float[0,4], mode 0, offset 0, aligned"));
}

#if defined(__SSE2__)
TEST_F(MluOpBboxOverlaps, ComputesInTheDefaultFloatModeAndRestoresTheCallers) {
  boxes1_ = {0, 0, 1e-20f, 1e-20f};  // an area of 1e-40, which is denormal
  boxes2_ = {0, 0, 2e-20f, 1e-20f};
  ious_.assign(1, -7.0f);
  SetShapes({1, 4}, {1, 4}, {1, 1});
  const uint32_t saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040 | 0x2000);  // denormals are zero, round down
  const uint32_t unusual = _mm_getcsr();
  const mluOpStatus_t status = Call();
  const uint32_t after = _mm_getcsr();
  _mm_setcsr(saved);
  EXPECT_EQ(status, MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(after, unusual);
  EXPECT_NEAR(ious_[0], 0.5f, 1e-3f);
}
#endif

}  // namespace
}  // namespace detops::bbox_overlaps
