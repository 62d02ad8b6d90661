// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The checks of tensor arguments and their messages.

#include "core/operand.h"

#include <gtest/gtest.h>

#include <array>
#include <climits>

#include "core/tensor_view.h"

namespace detops {
namespace {

class OperandChecks : public testing::Test {
 protected:
  OperandChecks() : shape_(MakeShape(MLUOP_DTYPE_FLOAT, {3, 5})) {
    shape_.layout = MLUOP_LAYOUT_NHWC;
  }

  Operand With(const TensorShape& shape) {
    return {.name = "boxes", .shape = &shape, .data = &data_};
  }

  float data_ = 0;
  TensorShape shape_;
};

TEST_F(OperandChecks, AcceptWhatIsValid) {
  const Operand boxes = With(shape_);
  EXPECT_TRUE(CheckDescribed(boxes).ok());
  EXPECT_TRUE(CheckRank(boxes, 2).ok());
  EXPECT_TRUE(CheckDataType(boxes, {MLUOP_DTYPE_HALF, MLUOP_DTYPE_FLOAT}).ok());
  EXPECT_TRUE(CheckImageLayout(boxes, ImageLayout::kNhwc).ok());
  EXPECT_TRUE(CheckShape(boxes, {3, 5}).ok());
  EXPECT_TRUE(CheckShape(boxes, {kAnySize, 5}).ok());
  EXPECT_TRUE(CheckNotEmpty(boxes).ok());
  EXPECT_TRUE(CheckContiguous(boxes).ok());
  EXPECT_TRUE(CheckElementCount(boxes).ok());
  EXPECT_TRUE(CheckData(boxes).ok());
}

TEST_F(OperandChecks, NameTheTensorItsValueAndWhatIsValid) {
  const Operand boxes = With(shape_);
  EXPECT_EQ(CheckDescribed({.name = "boxes", .shape = nullptr, .data = &data_}).message(),
            "boxes_desc is NULL; it must be a tensor descriptor");
  EXPECT_EQ(CheckDescribed(With(TensorShape())).message(),
            "boxes_desc was never set; call mluOpSetTensorDescriptor first");
  EXPECT_EQ(CheckDescribed(With(MakeShape(MLUOP_DTYPE_FLOAT, {3, -4}))).message(),
            "boxes has shape float[3,-4]; no dimension may be negative and their product must be "
            "below 2^63");
  EXPECT_EQ(CheckRank(boxes, 3).message(), "boxes has shape float[3,5]; it must have rank 3");
  EXPECT_EQ(CheckDataType(boxes, {MLUOP_DTYPE_HALF, MLUOP_DTYPE_INT32}).message(),
            "boxes has type float; it must be half or int32");
  EXPECT_EQ(CheckImageLayout(boxes, ImageLayout::kNchw).message(),
            "boxes has layout NHWC; it must be NCHW");
  EXPECT_EQ(CheckShape(boxes, {3, 5, 1}).message(),
            "boxes has shape float[3,5]; it must have rank 3");
  EXPECT_EQ(CheckShape(boxes, {2, 5}, "x, y").message(),
            "boxes has shape float[3,5]; dimension 0 must be 2");
  EXPECT_EQ(CheckShape(boxes, {kAnySize, 4}, "x1, y1, x2, y2").message(),
            "boxes has shape float[3,5]; dimension 1 must be 4 (x1, y1, x2, y2)");
  EXPECT_EQ(CheckNotEmpty(With(MakeShape(MLUOP_DTYPE_FLOAT, {0, 5}))).message(),
            "boxes has shape float[0,5]; it must not be empty");
  EXPECT_EQ(CheckData({.name = "boxes", .shape = &shape_, .data = nullptr}).message(),
            "boxes is NULL; it must be a valid pointer");
}

TEST_F(OperandChecks, StridesAreNotSupported) {
  shape_.strides[0] = 8;
  const Status status = CheckContiguous(With(shape_));
  EXPECT_EQ(status.code(), MLUOP_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(status.message(),
            "boxes has shape float[3,5] and strides [8,1]; it must be contiguous");
}

TEST_F(OperandChecks, TooManyElementsAreNotSupported) {
  const Status status = CheckElementCount(With(MakeShape(MLUOP_DTYPE_FLOAT, {1 << 16, 1 << 15})));
  EXPECT_EQ(status.code(), MLUOP_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(status.message(),
            "boxes has shape float[65536,32768]; it must have fewer than 2^31 elements");
  EXPECT_TRUE(CheckElementCount(With(MakeShape(MLUOP_DTYPE_FLOAT, {INT_MAX}))).ok());
}

TEST_F(OperandChecks, EachPresentOperandIsChecked) {
  const Operand boxes = With(shape_);
  const Operand absent;
  const Operand without_data{.name = "scores", .shape = &shape_, .data = nullptr};
  const std::array valid = {&boxes, &absent};
  EXPECT_TRUE(CheckEach(valid, CheckData).ok());
  const std::array invalid = {&boxes, &absent, &without_data};
  EXPECT_EQ(CheckEach(invalid, CheckData).message(), "scores is NULL; it must be a valid pointer");
}

TEST_F(OperandChecks, AWorkspaceMustBeLargeEnough) {
  EXPECT_TRUE(CheckWorkspace(std::nullopt, 8).ok());
  EXPECT_TRUE(CheckWorkspace(CallerWorkspace{}, 0).ok());
  EXPECT_TRUE(CheckWorkspace(CallerWorkspace{.data = &data_, .size = 8}, 8).ok());
  EXPECT_EQ(CheckWorkspace(CallerWorkspace{.data = &data_, .size = 7}, 8).message(),
            "workspace_size is 7; it must be at least 8");
  EXPECT_EQ(CheckWorkspace(CallerWorkspace{.data = nullptr, .size = 8}, 8).message(),
            "workspace is NULL; it must be a valid pointer");
}

TEST(ViewedTensor, IsAnOperandUnderItsName) {
  const float data[6] = {};
  const ViewedTensor viewed("scores", ConstTensorView(data, {2, 3}));
  const Operand operand = viewed;
  EXPECT_STREQ(operand.name, "scores");
  EXPECT_EQ(operand.data, data);
  EXPECT_EQ(operand.shape->ToString(), "float[2,3]");
  EXPECT_EQ(operand.shape->layout, MLUOP_LAYOUT_ARRAY);
}

TEST(ViewedTensor, TakesTheLayoutOfTheOptionsUnlessItHasATag) {
  const float data[1] = {};
  const ViewedTensor untagged("input", ConstTensorView(data, {1, 1, 1, 1}), ImageLayout::kNchw);
  EXPECT_EQ(Operand(untagged).shape->layout, MLUOP_LAYOUT_NCHW);
  const ViewedTensor tagged("input", ConstTensorView(data, {1, 1, 1, 1}, MLUOP_LAYOUT_NHWC),
                            ImageLayout::kNchw);
  EXPECT_EQ(Operand(tagged).shape->layout, MLUOP_LAYOUT_NHWC);
}

TEST(ViewedTensor, IsAbsentWithoutAView) {
  const ViewedTensor groups("groups", std::optional<ConstTensorView>());
  EXPECT_FALSE(Operand(groups).is_present());
}

}  // namespace
}  // namespace detops
