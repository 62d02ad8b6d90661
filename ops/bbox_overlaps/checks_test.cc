// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The calls of mluOpBboxOverlaps that fail.

#include <gtest/gtest.h>

#include <string>

#include "ops/bbox_overlaps/test_calls.h"

namespace detops::bbox_overlaps {
namespace {

TEST_F(MluOpBboxOverlaps, RefusesInvalidShapes) {
  SetShapes({3, 4, 1}, {3, 4}, {3, 3});
  ExpectBadParam("bbox1 has shape float[3,4,1]; it must have rank 2");
  SetShapes({3, 4}, {12}, {3, 3});
  ExpectBadParam("bbox2 has shape float[12]; it must have rank 2");
  SetShapes({3, 4}, {3, 4}, {9});
  ExpectBadParam("ious has shape float[9]; it must have rank 2");
  SetShapes({3, 5}, {3, 4}, {3, 3});
  ExpectBadParam("bbox1 has shape float[3,5]; dimension 1 must be 4 (x1, y1, x2, y2)");
  SetShapes({3, 4}, {3, 3}, {3, 3});
  ExpectBadParam("bbox2 has shape float[3,3]; dimension 1 must be 4 (x1, y1, x2, y2)");
  SetShapes({3, 4}, {3, 4}, {2, 3});
  ExpectBadParam("ious has shape float[2,3]; dimension 0 must be 3");
  SetShapes({3, 4}, {2, 4}, {3, 3});
  ExpectBadParam("ious has shape float[3,3]; dimension 1 must be 2");
}

TEST_F(MluOpBboxOverlaps, RefusesInvalidShapesOfAlignedPairs) {
  SetShapes({3, 4}, {3, 4}, {3, 1, 1});
  ExpectBadParam("ious has shape float[3,1,1]; it must have rank 1 or 2", {.aligned = true});
  SetShapes({3, 4}, {2, 4}, {3});
  ExpectBadParam("bbox2 has shape float[2,4]; aligned, dimension 0 must be 3, as in bbox1",
                 {.aligned = true});
  SetShapes({0, 4}, {1, 4}, {0});
  ExpectBadParam("bbox2 has shape float[1,4]; aligned, dimension 0 must be 0, as in bbox1",
                 {.aligned = true});
  SetShapes({3, 4}, {3, 4}, {3, 3});
  ExpectBadParam("ious has shape float[3,3]; dimension 1 must be 1", {.aligned = true});
}

TEST_F(MluOpBboxOverlaps, RefusesInvalidParametersAndTypes) {
  SetShapes({3, 4}, {3, 4}, {3, 3});
  ExpectBadParam("mode is 2; it must be 0 to 1", {.mode = 2});
  ExpectBadParam("mode is -1; it must be 0 to 1", {.mode = -1});
  ExpectBadParam("offset is 2; it must be 0 to 1", {.offset = 2});
  ExpectBadParam("offset is -1; it must be 0 to 1", {.offset = -1});
  desc1_.Set({3, 4}, MLUOP_DTYPE_INT32);
  ExpectBadParam("bbox1 has type int32; it must be float or half");
  desc1_.Set({3, 4}, MLUOP_DTYPE_HALF);
  ExpectBadParam("bbox2 has type float; it must be half");
  desc2_.Set({3, 4}, MLUOP_DTYPE_HALF);
  ExpectBadParam("ious has type float; it must be half");
}

TEST_F(MluOpBboxOverlaps, RefusesNullsAndDescriptorsThatWereNeverSet) {
  const auto expect = [&](const std::string& why, mluOpHandle_t handle,
                          mluOpTensorDescriptor_t desc1, const void* boxes1,
                          mluOpTensorDescriptor_t desc2, const void* boxes2,
                          mluOpTensorDescriptor_t ious_desc, void* ious) {
    CApiTest::ExpectBadParam(
        why,
        [&] {
          return mluOpBboxOverlaps(handle, 0, false, 0, desc1, boxes1, desc2, boxes2, ious_desc,
                                   ious);
        },
        ious_);
  };
  const float* const b1 = boxes1_.data();
  const float* const b2 = boxes2_.data();
  float* const out = ious_.data();
  expect("bbox1_desc was never set; call mluOpSetTensorDescriptor first", handle_, desc1_, b1,
         desc2_, b2, ious_desc_, out);
  SetShapes({3, 4}, {3, 4}, {3, 3});
  expect("handle is NULL; it must be a valid pointer", nullptr, desc1_, b1, desc2_, b2, ious_desc_,
         out);
  expect("bbox1_desc is NULL; it must be a tensor descriptor", handle_, nullptr, b1, desc2_, b2,
         ious_desc_, out);
  expect("bbox2_desc is NULL; it must be a tensor descriptor", handle_, desc1_, b1, nullptr, b2,
         ious_desc_, out);
  expect("ious_desc is NULL; it must be a tensor descriptor", handle_, desc1_, b1, desc2_, b2,
         nullptr, out);
  expect("bbox1 is NULL; it must be a valid pointer", handle_, desc1_, nullptr, desc2_, b2,
         ious_desc_, out);
  expect("bbox2 is NULL; it must be a valid pointer", handle_, desc1_, b1, desc2_, nullptr,
         ious_desc_, out);
  expect("ious is NULL; it must be a valid pointer", handle_, desc1_, b1, desc2_, b2, ious_desc_,
         nullptr);
}

// Everything is invalid at first. Each step expects the next error of README.md and corrects its
// cause.
TEST_F(MluOpBboxOverlaps, ReportsTheFirstOfSeveralErrors) {
  const float* boxes1 = nullptr;
  CallOptions options{.aligned = true, .mode = 2, .offset = 2};
  mluOpHandle_t handle = nullptr;
  const auto call = [&] {
    return mluOpBboxOverlaps(handle, options.mode, options.aligned, options.offset, desc1_, boxes1,
                             desc2_, boxes2_.data(), ious_desc_, ious_.data());
  };
  const auto expect = [&](const std::string& why, mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM) {
    ExpectRefused(status, why, call, ious_);
  };
  desc1_.Set({3, 5}, MLUOP_DTYPE_INT32);
  desc2_.Set({2, 4}, MLUOP_DTYPE_HALF);
  expect("handle is NULL; it must be a valid pointer");
  handle = handle_;
  expect("ious_desc was never set; call mluOpSetTensorDescriptor first");
  ious_desc_.SetStrided({3, 3}, {4, 1});
  expect("bbox1 has type int32; it must be float or half");
  desc1_.Set({3, 5});
  expect("bbox2 has type half; it must be float");
  desc2_.Set({2, 4});
  expect("mode is 2; it must be 0 to 1");
  options.mode = 1;
  expect("offset is 2; it must be 0 to 1");
  options.offset = 1;
  expect("bbox1 has shape float[3,5]; dimension 1 must be 4 (x1, y1, x2, y2)");
  desc1_.Set({3, 4});
  expect("bbox2 has shape float[2,4]; aligned, dimension 0 must be 3, as in bbox1");
  options.aligned = false;
  expect("ious has shape float[3,3]; dimension 1 must be 2");
  desc2_.Set({3, 4});
  expect("ious has shape float[3,3] and strides [4,1]; it must be contiguous",
         MLUOP_STATUS_NOT_SUPPORTED);
  desc1_.Set({1 << 16, 4});
  desc2_.Set({1 << 15, 4});
  ious_desc_.Set({1 << 16, 1 << 15});
  expect("ious has shape float[65536,32768]; it must have fewer than 2^31 elements",
         MLUOP_STATUS_NOT_SUPPORTED);
  SetShapes({3, 4}, {3, 4}, {3, 3});
  expect("bbox1 is NULL; it must be a valid pointer");
  boxes1 = boxes1_.data();
  EXPECT_EQ(call(), MLUOP_STATUS_SUCCESS);
}

TEST_F(MluOpBboxOverlaps, DoesNotSupportStridesAndHugeTensors) {
  SetShapes({3, 4}, {3, 4}, {3, 3});
  ious_desc_.SetStrided({3, 3}, {4, 1});
  ExpectNotSupported("ious has shape float[3,3] and strides [4,1]; it must be contiguous");
  SetShapes({1 << 16, 4}, {1 << 15, 4}, {1 << 16, 1 << 15});
  ExpectNotSupported("ious has shape float[65536,32768]; it must have fewer than 2^31 elements");
}

}  // namespace
}  // namespace detops::bbox_overlaps
