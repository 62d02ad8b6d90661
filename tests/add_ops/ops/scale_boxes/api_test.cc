// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C and C++ functions: results, queues and calls that fail.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ops/scale_boxes/cases.h"
#include "testing/c_api_fixture.h"
#include "testing/error_message.h"
#include "testing/log_capture.h"

namespace detops::scale_boxes {
namespace {

using testing::ElementsAre;

class MluOpScaleBoxes : public CApiTest {
 protected:
  MluOpScaleBoxes() : CApiTest("mluOpScaleBoxes") {}

  mluOpStatus_t Call(float factor = 0.1f) {
    return mluOpScaleBoxes(handle_, factor, boxes_desc_, boxes_.data(), scaled_desc_,
                           scaled_.data());
  }
  void ExpectBadParam(const std::string& why, float factor = 0.1f) {
    CApiTest::ExpectBadParam(
        why, [&] { return Call(factor); }, scaled_);
  }

  ScopedDescriptor boxes_desc_{{1, 4}};
  ScopedDescriptor scaled_desc_{{1, 4}};
  std::vector<float> boxes_ = {1, 2, 3, 4};
  std::vector<float> scaled_ = {0, 0, 0, 0};
};

TEST_F(MluOpScaleBoxes, EqualsReferenceForEveryNumberOfThreads) {
  for (const int threads : {1, 2, 7}) {
    ASSERT_EQ(detopsSetThreads(handle_, threads), MLUOP_STATUS_SUCCESS);
    for (const int64_t count : {1, 2, 3, 5, 17, 100'000}) {
      const Case input = RandomCase(count, 1);
      std::vector<float> expected(input.boxes.size());
      Reference(input.args(expected.data()));
      boxes_ = input.boxes;
      scaled_.assign(boxes_.size(), 0.0f);
      boxes_desc_.Set({count, 4});
      scaled_desc_.Set({count, 4});
      ASSERT_EQ(Call(input.factor), MLUOP_STATUS_SUCCESS);
      EXPECT_EQ(scaled_, expected);
    }
  }
}

TEST_F(MluOpScaleBoxes, RunsOnAQueue) {
  ScopedQueue queue(handle_);
  queue.Hold();
  EXPECT_EQ(Call(), MLUOP_STATUS_SUCCESS);
  boxes_desc_.Reset();
  scaled_desc_.Reset();
  EXPECT_EQ(queue.Sync(), cnrtSuccess);
  EXPECT_THAT(scaled_, ElementsAre(0.1f, 2 * 0.1f, 3 * 0.1f, 4 * 0.1f));
}

TEST_F(MluOpScaleBoxes, SucceedsWithoutBoxesAndLogsTheCall) {
  LogCapture log(DETOPS_LOG_DEBUG);
  boxes_desc_.Set({0, 4});
  EXPECT_EQ(mluOpScaleBoxes(handle_, 0.1f, boxes_desc_, nullptr, boxes_desc_, nullptr),
            MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(log.Take(), ElementsAre("mluOpScaleBoxes: boxes float[0,4], factor 0.1"));
}

TEST_F(MluOpScaleBoxes, IsRecorded) {
  LogCapture log;
  mluOpSetGenCaseMode(3);
  EXPECT_EQ(Call(), MLUOP_STATUS_SUCCESS);
  mluOpSetGenCaseMode(0);
  EXPECT_THAT(
      log.Take(),
      ElementsAre(testing::AllOf(
          testing::StartsWith("mluOpScaleBoxes: op_name: \"scale_boxes\" input { id: \"boxes\""),
          testing::EndsWith("scale_boxes_param { factor: 0.1 }"))));
}

TEST_F(MluOpScaleBoxes, RefusesInvalidArguments) {
  ExpectBadParam("factor is inf; it must be finite", INFINITY);
  scaled_desc_.Set({2, 4});
  ExpectBadParam("scaled has shape float[2,4]; dimension 0 must be 1");
  boxes_desc_.Set({1, 5});
  ExpectBadParam("boxes has shape float[1,5]; dimension 1 must be 4 (x1, y1, x2, y2)");
  boxes_desc_.Set({1, 4}, MLUOP_DTYPE_HALF);
  ExpectBadParam("boxes has type half; it must be float");
  boxes_desc_.Reset();
  ExpectBadParam("boxes_desc was never set; call mluOpSetTensorDescriptor first");
}

TEST_F(MluOpScaleBoxes, RefusesNulls) {
  CApiTest::ExpectBadParam("handle is NULL; it must be a valid pointer", [&] {
    return mluOpScaleBoxes(nullptr, 0.1f, boxes_desc_, boxes_.data(), scaled_desc_, scaled_.data());
  });
  CApiTest::ExpectBadParam("boxes is NULL; it must be a valid pointer", [&] {
    return mluOpScaleBoxes(handle_, 0.1f, boxes_desc_, nullptr, scaled_desc_, nullptr);
  });
}

TEST(ScaleBoxesCpp, ScalesAndThrows) {
  const float boxes[] = {1, 2, 3, 4};
  float scaled[4] = {};
  ScaleBoxes({boxes, {1, 4}}, {scaled, {1, 4}}, {.factor = 2});
  EXPECT_THAT(scaled, ElementsAre(2, 4, 6, 8));
  ExpectThrown("ScaleBoxes: scaled has shape float[4]; it must have rank 2", MLUOP_STATUS_BAD_PARAM,
               [&] {
                 ScaleBoxes({boxes, {1, 4}}, {scaled, {4}}, {.factor = 2});
               });
}

}  // namespace
}  // namespace detops::scale_boxes
