// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A fixture for tests of mluOpPolyNms.

#ifndef DETOPS_OPS_POLY_NMS_TEST_CALLS_H_
#define DETOPS_OPS_POLY_NMS_TEST_CALLS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mlu_op.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/test_polygons.h"
#include "testing/c_api_fixture.h"

namespace detops::poly_nms {

class PolyNmsCApiTest : public CApiTest {
 protected:
  PolyNmsCApiTest() : CApiTest("mluOpPolyNms") {}

  void SetShapes(const std::vector<int64_t>& boxes_dims, const std::vector<int64_t>& output_dims) {
    boxes_desc_.Set(boxes_dims);
    output_desc_.Set(output_dims, MLUOP_DTYPE_INT32);
  }
  // Sets boxes, descriptors and workspace for a call that succeeds.
  void SetBoxes(const std::vector<float>& boxes) {
    boxes_ = boxes;
    const auto count = static_cast<int64_t>(boxes.size()) / kBoxFloats;
    SetShapes({count, kBoxFloats}, {count});
    size_t bytes = 0;
    ASSERT_EQ(mluOpGetPolyNmsWorkspaceSize(handle_, boxes_desc_, &bytes), MLUOP_STATUS_SUCCESS);
    workspace_.resize(bytes);
    output_.assign(static_cast<size_t>(count), kUntouched);
    result_num_ = kUntouched;
  }
  mluOpStatus_t Call(float threshold = 0.5f) {
    return mluOpPolyNms(handle_, boxes_desc_, boxes_.data(), threshold, workspace_.data(),
                        workspace_.size(), output_desc_, output_.data(), &result_num_);
  }
  // Returns the kept indices. Checks that the rest of the output is unchanged.
  std::vector<int32_t> Keep(const std::vector<float>& boxes, float threshold) {
    SetBoxes(boxes);
    EXPECT_EQ(Call(threshold), MLUOP_STATUS_SUCCESS);
    EXPECT_TRUE(result_num_ >= 0 && result_num_ <= static_cast<int32_t>(output_.size()));
    const auto end = output_.begin() + result_num_;
    EXPECT_TRUE(std::all_of(end, output_.end(), [](int32_t i) { return i == kUntouched; }));
    return {output_.begin(), end};
  }

  // Returns two boxes with an IoU of 1/7, and one that is apart.
  static std::vector<float> ThreeBoxes(float score0, float score1, float score2) {
    return Boxes({WithScore(Upright(0, 0, 1, 1), score0),
                  WithScore(Upright(0.5f, 0.5f, 1.5f, 1.5f), score1),
                  {0, 0, -0.5f, 0, -0.5f, -0.5f, 0, -0.5f, score2}});
  }

  static constexpr int32_t kUntouched = -7;

  ScopedDescriptor boxes_desc_;
  ScopedDescriptor output_desc_;
  std::vector<float> boxes_;
  std::vector<std::byte> workspace_;
  std::vector<int32_t> output_ = std::vector<int32_t>(3, kUntouched);
  int32_t result_num_ = kUntouched;
};

}  // namespace detops::poly_nms

#endif  // DETOPS_OPS_POLY_NMS_TEST_CALLS_H_
