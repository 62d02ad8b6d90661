// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <vector>

#include "ops/scale_boxes/cases.h"
#include "ops/scale_boxes/op.h"
#include "testing/log_capture.h"

namespace detops::scale_boxes {
namespace {

// A handle and a descriptor, on top of a kind of test.
template <class Base>
class WithHandle : public Base {
 protected:
  WithHandle() {
    mluOpCreate(&handle_);
    mluOpCreateTensorDescriptor(&desc_);
  }
  ~WithHandle() override {
    mluOpDestroyTensorDescriptor(desc_);
    mluOpDestroy(handle_);
  }

  mluOpStatus_t Call(int count, const float* boxes, float* scaled) {
    const int dims[] = {count, 4};
    mluOpSetTensorDescriptor(desc_, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2, dims);
    return mluOpScaleBoxes(handle_, 0.1f, desc_, boxes, desc_, scaled);
  }

  mluOpHandle_t handle_ = nullptr;
  mluOpTensorDescriptor_t desc_ = nullptr;
};

class ScaleBoxes : public WithHandle<hwy::TestWithParamTarget> {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(ScaleBoxes);

class ScaleBoxesChecks : public WithHandle<testing::Test> {};

TEST_P(ScaleBoxes, EqualsTheReference) {
  for (const int threads : {1, 2, 7}) {
    ASSERT_EQ(detopsSetThreads(handle_, threads), MLUOP_STATUS_SUCCESS);
    for (const int count : {1, 2, 3, 5, 17, 100'000}) {
      const std::vector<float> boxes = RandomBoxes(count, 1);
      std::vector<float> expected(boxes.size());
      Reference({boxes.data(), expected.data(), static_cast<int64_t>(boxes.size()), 0.1f});
      std::vector<float> scaled(boxes.size());
      ASSERT_EQ(Call(count, boxes.data(), scaled.data()), MLUOP_STATUS_SUCCESS);
      EXPECT_EQ(scaled, expected);
    }
  }
}

TEST_P(ScaleBoxes, RunsOnAQueue) {
  cnrtQueue_t queue;
  ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
  ASSERT_EQ(mluOpSetQueue(handle_, queue), MLUOP_STATUS_SUCCESS);
  const float boxes[4] = {1, 2, 3, 4};
  float scaled[4] = {};
  EXPECT_EQ(Call(1, boxes, scaled), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(cnrtQueueSync(queue), cnrtSuccess);
  EXPECT_EQ(scaled[3], 4 * 0.1f);
  EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
}

TEST_F(ScaleBoxesChecks, NothingToDoAndBadInput) {
  LogCapture log(DETOPS_LOG_DEBUG);
  EXPECT_EQ(Call(0, nullptr, nullptr), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Call(1, nullptr, nullptr), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(log.Take(), (std::vector<std::string>{
                            "mluOpScaleBoxes: boxes float[0,4], factor 0.1",
                            "mluOpScaleBoxes: boxes is NULL; it must be a valid pointer"}));
}

}  // namespace
}  // namespace detops::scale_boxes
