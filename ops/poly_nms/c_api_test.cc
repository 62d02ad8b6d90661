// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Results of mluOpPolyNms, and when they are written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ops/poly_nms/test_calls.h"
#include "ops/poly_nms/test_polygons.h"
#include "testing/float_mode.h"
#include "testing/log_capture.h"

namespace detops::poly_nms {
namespace {

using testing::ElementsAre;

class PolyNmsCApi : public PolyNmsCApiTest {};

TEST_F(PolyNmsCApi, ExamplesOfTheDesignDocument) {
  EXPECT_THAT(Keep(WithScore(Upright(0, 0, 1, 1), 3), 0.1f), ElementsAre(0));
  EXPECT_THAT(Keep(ThreeBoxes(1, 2, 3), 0.1f), ElementsAre(1, 2));
  EXPECT_THAT(
      Keep(Boxes({WithScore(Upright(0, 0, 1, 1), 3), WithScore(Upright(0.5f, 0.5f, 1.5f, 1.5f), 2),
                  WithScore(Upright(0, 0, 0.5f, 0.5f), 1)}),
           0.1f),
      ElementsAre(0));
  EXPECT_THAT(Keep(ThreeBoxes(3, 2, 1), 0.1f), ElementsAre(0, 2));
}

TEST_F(PolyNmsCApi, ExamplesOfTheDesignDocumentWithSpecialNumbers) {
  const std::vector<float> second = WithScore(Upright(1.5f, 1.5f, 2.5f, 2.5f), 1);
  const std::vector<float> third = {0, 0, -0.5f, 0, -0.5f, -0.5f, 0, -0.5f, 3};
  const auto keep = [&](const std::vector<float>& first, const std::vector<float>& other) {
    return Keep(Boxes({first, other, third}), 0.05f);
  };
  const Polygon square = Upright(0, 0, 2, 2);
  EXPECT_THAT(keep(WithScore(square, kInfinity), second), ElementsAre(0, 2));
  EXPECT_THAT(keep(WithScore(square, -kInfinity), second), ElementsAre(1, 2));
  EXPECT_THAT(keep(WithScore(square, kNaN), second), ElementsAre(0, 2));
  EXPECT_THAT(keep({kInfinity, 0, 2, 0, 2, 2, kInfinity, 2, 2}, second), ElementsAre(0, 1, 2));
  EXPECT_THAT(keep({0, 0, kInfinity, kInfinity, 2, 2, 0, 2, 2},
                   {1.5f, 1.5f, kInfinity, kInfinity, 2.5f, 2.5f, 1.5f, 2.5f, 1}),
              ElementsAre(0, 1, 2));
  EXPECT_THAT(keep({0, 0, 2, 0, 2, 2, 0, kNaN, 2}, second), ElementsAre(0, 1, 2));
}

TEST_F(PolyNmsCApi, SuppressedBoxesSuppressNothing) {
  // Each overlaps half of the next.
  EXPECT_THAT(Keep(Boxes({WithScore(Upright(0, 0, 2, 1), 3), WithScore(Upright(1, 0, 3, 1), 2),
                          WithScore(Upright(2, 0, 4, 1), 1)}),
                   0.3f),
              ElementsAre(0, 2));
}

TEST_F(PolyNmsCApi, EqualScoresAreOrderedByIndex) {
  EXPECT_THAT(Keep(ThreeBoxes(1, 1, 1), 0.1f), ElementsAre(0, 2));
  EXPECT_THAT(Keep(ThreeBoxes(-0.0f, 0.0f, 1), 0.1f), ElementsAre(0, 2));
  EXPECT_THAT(Keep(ThreeBoxes(0.0f, -0.0f, 1), 0.1f), ElementsAre(0, 2));
  EXPECT_THAT(Keep(ThreeBoxes(kNaN, kNaN, 1), 0.1f), ElementsAre(0, 2));
  EXPECT_THAT(Keep(ThreeBoxes(kInfinity, kNaN, 1), 0.1f), ElementsAre(1, 2))
      << "NaN comes before infinity";
  EXPECT_THAT(Keep(ThreeBoxes(-kInfinity, -3e38f, 1), 0.1f), ElementsAre(1, 2));
}

TEST_F(PolyNmsCApi, BoxesWithoutAreaAreKeptAndSuppressNothing) {
  EXPECT_THAT(Keep(Boxes({WithScore(Upright(1, 1, 1, 1), 4), WithScore(Upright(0, 0, 2, 2), 3),
                          WithScore(Upright(1, 0, 1, 2), 2), WithScore(Upright(1, 1, 1, 1), 1)}),
                   0.0f),
              ElementsAre(0, 1, 2, 3));
}

TEST_F(PolyNmsCApi, ThresholdsOfZeroAndOfOneAndMore) {
  EXPECT_THAT(Keep(Boxes({WithScore(Upright(0, 0, 1, 1), 3), WithScore(Upright(1, 0, 2, 1), 2),
                          WithScore(Upright(1.5f, 0, 2.5f, 1), 1)}),
                   0.0f),
              ElementsAre(0, 1));
  const std::vector<float> twice =
      Boxes({WithScore(Upright(0, 0, 1, 1), 1), WithScore(Upright(0, 0, 1, 1), 1)});
  EXPECT_THAT(Keep(twice, 0.999f), ElementsAre(0));
  for (const float threshold : {1.0f, 5.0f, kInfinity}) {
    EXPECT_THAT(Keep(twice, threshold), ElementsAre(0, 1));
  }
}

TEST_F(PolyNmsCApi, NoBoxesNeedNoMemory) {
  SetShapes({0, 9}, {0});
  size_t bytes = 1;
  ASSERT_EQ(mluOpGetPolyNmsWorkspaceSize(handle_, boxes_desc_, &bytes), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(mluOpPolyNms(handle_, boxes_desc_, nullptr, 0.5f, nullptr, 0, output_desc_, nullptr,
                         &result_num_),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(result_num_, 0);
}

TEST_F(PolyNmsCApi, NoBoxesOnAQueueWriteResultNumInOrder) {
  ScopedQueue queue(handle_);
  queue.Hold();
  SetShapes({0, 9}, {0});
  EXPECT_EQ(mluOpPolyNms(handle_, boxes_desc_, nullptr, 0.5f, nullptr, 0, output_desc_, nullptr,
                         &result_num_),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(result_num_, kUntouched) << "written before its turn";
  EXPECT_EQ(queue.Sync(), cnrtSuccess);
  EXPECT_EQ(result_num_, 0);
}

TEST_F(PolyNmsCApi, RunsOnAQueueWithoutTheDescriptors) {
  ScopedQueue queue(handle_);
  queue.Hold();
  SetBoxes(ThreeBoxes(3, 2, 1));
  ASSERT_EQ(Call(0.1f), MLUOP_STATUS_SUCCESS);
  boxes_desc_.Recreate();
  output_desc_.Recreate();
  ASSERT_EQ(queue.Sync(), cnrtSuccess);
  EXPECT_EQ(result_num_, 2);
  EXPECT_THAT(output_, ElementsAre(0, 2, kUntouched));
}
TEST_F(PolyNmsCApi, LayoutIsIgnored) {
  SetBoxes(ThreeBoxes(3, 2, 1));
  boxes_desc_.Set({3, 9}, MLUOP_DTYPE_FLOAT, MLUOP_LAYOUT_NHWC);
  EXPECT_EQ(Call(), MLUOP_STATUS_SUCCESS);
}

TEST_F(PolyNmsCApi, LogsEachCallAtDebugLevel) {
  SetBoxes(ThreeBoxes(3, 2, 1));
  LogCapture log(DETOPS_LOG_DEBUG);
  ASSERT_EQ(Call(0.25f), MLUOP_STATUS_SUCCESS);
  SetShapes({0, 9}, {0});
  ASSERT_EQ(Call(), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(log.Take(),
              ElementsAre("mluOpPolyNms: boxes float[3,9], iou_threshold 0.25, images 1",
                          "mluOpPolyNms: boxes float[0,9], iou_threshold 0.5, images 1"));
}

TEST_F(PolyNmsCApi, UsesTheDefaultFloatMode) {
  const float tiny = 1e-40f;                                  // a denormal
  SetBoxes(Boxes({WithScore(Upright(10, 0, 11, 1), 3),        //
                  WithScore(Upright(10.5f, 0, 11.5f, 1), 2),  // IoU 1/3 with the first
                  WithScore(Upright(0, 0, tiny, tiny), 0),
                  // The same box, with a higher score unless denormals are zero.
                  WithScore(Upright(0, 0, tiny, tiny), tiny)}));
  // 1/3 rounded down equals this threshold and would not exceed it.
  const float threshold = std::nextafter(static_cast<float>(1.0 / 3), 0.0f);
  EXPECT_EQ(CallInUnusualFloatMode([&] { return Call(threshold); }), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(result_num_, 2);
  EXPECT_THAT(output_, ElementsAre(0, 3, kUntouched, kUntouched));
}

}  // namespace
}  // namespace detops::poly_nms
