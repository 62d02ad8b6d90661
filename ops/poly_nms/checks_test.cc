// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Invalid calls of the C functions: their statuses and error texts.

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ops/poly_nms/test_calls.h"
#include "ops/poly_nms/test_polygons.h"
#include "testing/c_api_fixture.h"

namespace detops::poly_nms {
namespace {

constexpr const char* kNotSet = "_desc was never set; call mluOpSetTensorDescriptor first";
constexpr const char* kNullDescriptor = "_desc is NULL; it must be a tensor descriptor";
constexpr const char* kNullPointer = " is NULL; it must be a valid pointer";
constexpr const char* kNineColumns = "; dimension 1 must be 9 (x1, y1, ..., x4, y4, score)";
// One box more than a tensor of fewer than 2^31 elements can have.
constexpr int64_t kTooManyBoxes = 238'609'295;

class PolyNmsChecks : public PolyNmsCApiTest {
 protected:
  // Checks that Call(threshold) fails and writes nothing.
  void ExpectCallRefused(const std::string& why, float threshold = 0.5f,
                         mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM) {
    ExpectRefused(
        status, why, [&] { return Call(threshold); }, output_, result_num_);
    EXPECT_EQ(result_num_, kUntouched);
  }
};

TEST_F(PolyNmsChecks, RefusesWrongShapesAndTypes) {
  SetBoxes(ThreeBoxes(3, 2, 1));
  SetShapes({3, 9, 1}, {3});
  ExpectCallRefused("boxes has shape float[3,9,1]; it must have rank 2");
  SetShapes({27}, {3});
  ExpectCallRefused("boxes has shape float[27]; it must have rank 2");
  SetShapes({3, 9}, {3, 1});
  ExpectCallRefused("output has shape int32[3,1]; it must have rank 1");
  SetShapes({3, 8}, {3});
  ExpectCallRefused(std::string("boxes has shape float[3,8]") + kNineColumns);
  SetShapes({0, 8}, {0});
  ExpectCallRefused(std::string("boxes has shape float[0,8]") + kNineColumns);
  SetShapes({3, 9}, {2});
  ExpectCallRefused("output has shape int32[2]; dimension 0 must be 3");
  SetShapes({0, 9}, {3});
  ExpectCallRefused("output has shape int32[3]; dimension 0 must be 0");
  SetShapes({3, 9}, {3});
  boxes_desc_.Set({3, 9}, MLUOP_DTYPE_HALF);
  ExpectCallRefused("boxes has type half; it must be float");
  boxes_desc_.Set({3, 9});
  output_desc_.Set({3}, MLUOP_DTYPE_FLOAT);
  ExpectCallRefused("output has type float; it must be int32");
}

TEST_F(PolyNmsChecks, RefusesNaNAndNegativeThresholds) {
  SetBoxes(ThreeBoxes(3, 2, 1));
  ExpectCallRefused("iou_threshold is nan; it must be 0 or more", kNaN);
  ExpectCallRefused("iou_threshold is -0.5; it must be 0 or more", -0.5f);
  ExpectCallRefused("iou_threshold is -inf; it must be 0 or more", -kInfinity);
}

TEST_F(PolyNmsChecks, RefusesDescriptorsThatWereNeverSet) {
  boxes_ = ThreeBoxes(3, 2, 1);
  ExpectCallRefused(std::string("boxes") + kNotSet);
  boxes_desc_.Set({3, 9});
  ExpectCallRefused(std::string("output") + kNotSet);
}

TEST_F(PolyNmsChecks, RefusesNulls) {
  struct Pointers {
    mluOpHandle_t handle = nullptr;
    mluOpTensorDescriptor_t boxes_desc = nullptr;
    const void* boxes = nullptr;
    void* workspace = nullptr;
    mluOpTensorDescriptor_t output_desc = nullptr;
    void* output = nullptr;
    void* result_num = nullptr;
  };
  const auto expect_refused = [&](const std::string& why, const Pointers& p) {
    const auto call = [&] {
      return mluOpPolyNms(p.handle, p.boxes_desc, p.boxes, 0.5f, p.workspace, workspace_.size(),
                          p.output_desc, p.output, p.result_num);
    };
    ExpectBadParam(why, call, output_, result_num_);
    EXPECT_EQ(result_num_, kUntouched);
  };
  SetBoxes(ThreeBoxes(3, 2, 1));
  const Pointers valid{.handle = handle_,
                       .boxes_desc = boxes_desc_,
                       .boxes = boxes_.data(),
                       .workspace = workspace_.data(),
                       .output_desc = output_desc_,
                       .output = output_.data(),
                       .result_num = &result_num_};
  const std::pair<std::string, std::function<void(Pointers&)>> nulls[] = {
      {std::string("handle") + kNullPointer, [](Pointers& p) { p.handle = nullptr; }},
      {std::string("boxes") + kNullDescriptor, [](Pointers& p) { p.boxes_desc = nullptr; }},
      {std::string("boxes") + kNullPointer, [](Pointers& p) { p.boxes = nullptr; }},
      {std::string("workspace") + kNullPointer, [](Pointers& p) { p.workspace = nullptr; }},
      {std::string("output") + kNullDescriptor, [](Pointers& p) { p.output_desc = nullptr; }},
      {std::string("output") + kNullPointer, [](Pointers& p) { p.output = nullptr; }},
      {std::string("result_num") + kNullPointer, [](Pointers& p) { p.result_num = nullptr; }}};
  for (const auto& [why, set_null] : nulls) {
    Pointers pointers = valid;
    set_null(pointers);
    expect_refused(why, pointers);
  }
  // Without boxes, only result_num is needed.
  SetShapes({0, 9}, {0});
  expect_refused(std::string("result_num") + kNullPointer,
                 {.handle = handle_, .boxes_desc = boxes_desc_, .output_desc = output_desc_});
}

TEST_F(PolyNmsChecks, RefusesAWorkspaceThatIsTooSmall) {
  SetBoxes(ThreeBoxes(3, 2, 1));
  const std::string required = std::to_string(workspace_.size());
  workspace_.pop_back();
  ExpectCallRefused("workspace_size is " + std::to_string(workspace_.size()) +
                    "; it must be at least " + required);
}

TEST_F(PolyNmsChecks, WorkspaceSizeRefusesWhatTheCallRefuses) {
  size_t size = 77;
  const auto expect_refused = [&](mluOpHandle_t handle, mluOpTensorDescriptor_t desc,
                                  size_t* result, const std::string& why,
                                  mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM) {
    detops::ExpectRefused(
        "mluOpGetPolyNmsWorkspaceSize", status, why,
        [&] { return mluOpGetPolyNmsWorkspaceSize(handle, desc, result); }, size);
  };
  expect_refused(handle_, boxes_desc_, &size, std::string("boxes") + kNotSet);
  SetShapes({3, 9}, {3});
  expect_refused(nullptr, boxes_desc_, &size, std::string("handle") + kNullPointer);
  expect_refused(handle_, nullptr, &size, std::string("boxes") + kNullDescriptor);
  expect_refused(handle_, boxes_desc_, nullptr, std::string("size") + kNullPointer);
  SetShapes({3, 8}, {3});
  expect_refused(handle_, boxes_desc_, &size,
                 std::string("boxes has shape float[3,8]") + kNineColumns);
  SetShapes({9}, {3});
  expect_refused(handle_, boxes_desc_, &size, "boxes has shape float[9]; it must have rank 2");
  boxes_desc_.Set({3, 9}, MLUOP_DTYPE_INT32);
  expect_refused(handle_, boxes_desc_, &size, "boxes has type int32; it must be float");
  SetShapes({kTooManyBoxes, 9}, {kTooManyBoxes});
  expect_refused(handle_, boxes_desc_, &size,
                 "boxes has shape float[238609295,9]; it must have fewer than 2^31 elements",
                 MLUOP_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(size, 77u);
}

// Everything is invalid at first. Each step expects the next error of README.md and corrects its
// cause.
TEST_F(PolyNmsChecks, ReportsTheFirstOfSeveralErrors) {
  SetBoxes(ThreeBoxes(3, 2, 1));
  mluOpHandle_t handle = nullptr;
  float threshold = kNaN;
  const float* boxes = nullptr;
  size_t workspace_size = 0;
  const auto call = [&] {
    return mluOpPolyNms(handle, boxes_desc_, boxes, threshold, workspace_.data(), workspace_size,
                        output_desc_, output_.data(), &result_num_);
  };
  const auto expect = [&](const std::string& why, mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM) {
    ExpectRefused(status, why, call, output_, result_num_);
  };
  boxes_desc_.Set({3, 8}, MLUOP_DTYPE_HALF);
  output_desc_.Reset();
  expect(std::string("handle") + kNullPointer);
  handle = handle_;
  expect(std::string("output") + kNotSet);
  output_desc_.Set({2}, MLUOP_DTYPE_FLOAT);
  expect("boxes has type half; it must be float");
  boxes_desc_.Set({3, 8});
  expect("output has type float; it must be int32");
  output_desc_.SetStrided({2}, {2}, MLUOP_DTYPE_INT32);
  expect("iou_threshold is nan; it must be 0 or more");
  threshold = 0.1f;
  expect(std::string("boxes has shape float[3,8]") + kNineColumns);
  boxes_desc_.Set({3, 9});
  expect("output has shape int32[2]; dimension 0 must be 3");
  output_desc_.SetStrided({3}, {2}, MLUOP_DTYPE_INT32);
  expect("output has shape int32[3] and strides [2]; it must be contiguous",
         MLUOP_STATUS_NOT_SUPPORTED);
  SetShapes({kTooManyBoxes, 9}, {kTooManyBoxes});
  expect("boxes has shape float[238609295,9]; it must have fewer than 2^31 elements",
         MLUOP_STATUS_NOT_SUPPORTED);
  SetShapes({3, 9}, {3});
  expect(std::string("boxes") + kNullPointer);
  boxes = boxes_.data();
  expect("workspace_size is 0; it must be at least " + std::to_string(workspace_.size()));
  workspace_size = workspace_.size();
  EXPECT_EQ(call(), MLUOP_STATUS_SUCCESS);
}

TEST_F(PolyNmsChecks, DoesNotSupportStridesAndHugeTensors) {
  SetBoxes(ThreeBoxes(3, 2, 1));
  boxes_desc_.SetStrided({3, 9}, {10, 1});
  ExpectCallRefused("boxes has shape float[3,9] and strides [10,1]; it must be contiguous", 0.5f,
                    MLUOP_STATUS_NOT_SUPPORTED);
  SetShapes({3, 9}, {3});
  output_desc_.SetStrided({3}, {2}, MLUOP_DTYPE_INT32);
  ExpectCallRefused("output has shape int32[3] and strides [2]; it must be contiguous", 0.5f,
                    MLUOP_STATUS_NOT_SUPPORTED);
  SetShapes({kTooManyBoxes, 9}, {kTooManyBoxes});
  ExpectCallRefused("boxes has shape float[238609295,9]; it must have fewer than 2^31 elements",
                    0.5f, MLUOP_STATUS_NOT_SUPPORTED);
}

}  // namespace
}  // namespace detops::poly_nms
