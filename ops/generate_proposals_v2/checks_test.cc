// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The arguments that the C function refuses, and the order of its checks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ops/generate_proposals_v2/test_calls.h"
#include "testing/log_capture.h"

namespace detops::generate_proposals_v2 {
namespace {

std::string Join(const std::vector<int64_t>& numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    text += (text.empty() ? "" : ",") + std::to_string(number);
  }
  return text;
}

TEST_F(MluOpGenerateProposalsV2, RefusesNullPointersAndDescriptorsThatWereNeverSet) {
  Set(SmallCase());
  CallArguments call = call_;
  call.handle = nullptr;
  ExpectBadParam("handle is NULL; it must be a valid pointer", call);
  for (int tensor = 0; tensor < kTensors; ++tensor) {
    const std::string name = kTensorNames[tensor];
    call = call_;
    call.desc[tensor] = nullptr;
    ExpectBadParam(name + "_desc is NULL; it must be a tensor descriptor", call);
    call = call_;
    call.data[tensor] = nullptr;
    ExpectBadParam(name + " is NULL; it must be a valid pointer", call);
  }
  call = call_;
  call.total = nullptr;
  ExpectBadParam("rpn_rois_batch_size is NULL; it must be a valid pointer", call);
  call = call_;
  call.workspace = nullptr;
  ExpectBadParam("workspace is NULL; it must be a valid pointer", call);
  for (int tensor = 0; tensor < kTensors; ++tensor) {
    Set(SmallCase());
    desc_[tensor].Reset();
    ExpectBadParam(std::string(kTensorNames[tensor]) +
                   "_desc was never set; call mluOpSetTensorDescriptor first");
  }
}

TEST_F(MluOpGenerateProposalsV2, RefusesWrongRanksAndTypes) {
  struct Wrong {
    Tensor tensor;
    std::vector<int64_t> dims;
    mluOpDataType_t dtype;
    const char* why;
  };
  const Wrong wrong[] = {
      {kScores, {2, 6, 2}, MLUOP_DTYPE_FLOAT, "scores has shape float[2,6,2]; it must have rank 4"},
      {kDeltas,
       {2, 48},
       MLUOP_DTYPE_FLOAT,
       "bbox_deltas has shape float[2,48]; it must have rank 4"},
      {kImShape, {4}, MLUOP_DTYPE_FLOAT, "im_shape has shape float[4]; it must have rank 2"},
      {kAnchors, {12, 4}, MLUOP_DTYPE_FLOAT, "anchors has shape float[12,4]; it must have rank 4"},
      {kVariances,
       {12, 4},
       MLUOP_DTYPE_FLOAT,
       "variances has shape float[12,4]; it must have rank 4"},
      {kRois, {32}, MLUOP_DTYPE_FLOAT, "rpn_rois has shape float[32]; it must have rank 2"},
      {kProbs, {8}, MLUOP_DTYPE_FLOAT, "rpn_roi_probs has shape float[8]; it must have rank 2"},
      {kCounts,
       {2, 1},
       MLUOP_DTYPE_INT32,
       "rpn_rois_num has shape int32[2,1]; it must have rank 1"},
      {kScores, {2, 2, 3, 2}, MLUOP_DTYPE_HALF, "scores has type half; it must be float"},
      {kDeltas, {2, 2, 3, 8}, MLUOP_DTYPE_HALF, "bbox_deltas has type half; it must be float"},
      {kImShape, {2, 2}, MLUOP_DTYPE_INT32, "im_shape has type int32; it must be float"},
      {kAnchors, {2, 3, 2, 4}, MLUOP_DTYPE_DOUBLE, "anchors has type double; it must be float"},
      {kVariances, {2, 3, 2, 4}, MLUOP_DTYPE_HALF, "variances has type half; it must be float"},
      {kRois, {8, 4}, MLUOP_DTYPE_HALF, "rpn_rois has type half; it must be float"},
      {kProbs, {8, 1}, MLUOP_DTYPE_INT32, "rpn_roi_probs has type int32; it must be float"},
      {kCounts, {2}, MLUOP_DTYPE_INT64, "rpn_rois_num has type int64; it must be int32"}};
  for (const Wrong& one : wrong) {
    Set(SmallCase());
    Describe(one.tensor, one.dims, one.dtype);
    ExpectBadParam(one.why);
  }
}

TEST_F(MluOpGenerateProposalsV2, RefusesShapesThatDoNotFitTheScores) {
  const std::pair<Tensor, std::vector<int64_t>> right[] = {{kDeltas, {2, 2, 3, 8}},
                                                           {kImShape, {2, 2}},
                                                           {kAnchors, {2, 3, 2, 4}},
                                                           {kVariances, {2, 3, 2, 4}},
                                                           {kRois, {8, 4}},
                                                           {kProbs, {8, 1}},
                                                           {kCounts, {2}}};
  for (const auto& [tensor, dims] : right) {
    for (size_t i = 0; i < dims.size(); ++i) {
      for (const int64_t other : {dims[i] - 1, dims[i] + 1, int64_t{0}}) {
        Set(SmallCase());
        std::vector<int64_t> wrong = dims;
        wrong[i] = other;
        const bool integers = tensor == kCounts;
        Describe(tensor, wrong, integers ? MLUOP_DTYPE_INT32 : MLUOP_DTYPE_FLOAT);
        const bool is_last = i + 1 == dims.size();
        const char* const columns = is_last && tensor == kImShape ? " (height, width)"
                                    : is_last && tensor == kRois  ? " (x1, y1, x2, y2)"
                                                                  : "";
        ExpectBadParam(std::string(kTensorNames[tensor]) + " has shape " +
                       (integers ? "int32[" : "float[") + Join(wrong) + "]; dimension " +
                       std::to_string(i) + " must be " + std::to_string(dims[i]) + columns);
      }
    }
  }
}

TEST_F(MluOpGenerateProposalsV2, RefusesMapsWithoutAnchorsEvenWithoutImages) {
  for (const int64_t images : {2, 0}) {
    for (const std::vector<int64_t>& dims : {std::vector<int64_t>{0, 3, 2}, {2, 0, 2}, {2, 3, 0}}) {
      Set(SmallCase());
      DescribeAll(images, dims[0], dims[1], dims[2], 4);
      ExpectBadParam("scores has shape float[" + Join({images, dims[0], dims[1], dims[2]}) +
                     "]; H, W and A must be at least 1");
    }
  }
}

TEST_F(MluOpGenerateProposalsV2, RefusesInvalidParameters) {
  Set(SmallCase());
  const CallArguments right = call_;
  for (const int value : {0, -1, INT32_MIN}) {
    call_.post_nms_top_n = value;
    ExpectBadParam("post_nms_top_n is " + std::to_string(value) + "; it must be at least 1");
  }
  call_ = right;
  for (const auto& [value, text] :
       {std::pair(0.0f, "0"), {-0.5f, "-0.5"}, {-kInfinity, "-inf"}, {kNaN, "nan"}}) {
    call_.nms_thresh = value;
    ExpectBadParam(std::string("nms_thresh is ") + text + "; it must be a number above 0");
  }
  call_ = right;
  call_.min_size = kNaN;
  ExpectBadParam("min_size is nan; it must be a number");
  call_ = right;
  for (const auto& [value, text] : {std::pair(0.5f, "0.5"),
                                    {std::nextafter(1.0f, 0.0f), "0.99999994"},
                                    {-kInfinity, "-inf"},
                                    {kNaN, "nan"}}) {
    call_.eta = value;
    ExpectBadParam(std::string("eta is ") + text +
                   "; it must be at least 1: adaptive thresholds are not supported");
  }
  call_ = right;
  call_.eta = kInfinity;
  call_.nms_thresh = kInfinity;
  call_.min_size = -kInfinity;
  EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS) << "infinity is valid";
}

class MluOpGenerateProposalsV2Order : public MluOpGenerateProposalsV2 {
 protected:
  void MakeEverythingInvalid() {
    call_.handle = nullptr;
    call_.desc[kRois] = nullptr;
    desc_[kProbs].Reset();
    Describe(kScores, {2, 2, 3});
    Describe(kDeltas, {2, 2, 3}, MLUOP_DTYPE_HALF);
    call_.post_nms_top_n = 0;
    call_.nms_thresh = kNaN;
    call_.min_size = kNaN;
    call_.eta = kNaN;
    Describe(kAnchors, {2, 3, 2, 5});
    desc_[kImShape].SetStrided({2, 2}, {4, 1});
    call_.data[kCounts] = nullptr;
    call_.total = nullptr;
    call_.workspace = nullptr;
    call_.workspace_size = 0;
  }
};

// Everything is invalid at first. Each step expects the next error and corrects its cause.
TEST_F(MluOpGenerateProposalsV2Order, ChecksInTheOrderOfTheContract) {
  Set(SmallCase());
  const CallArguments right = call_;
  MakeEverythingInvalid();
  ExpectBadParam("handle is NULL; it must be a valid pointer");
  call_.handle = handle_;
  ExpectBadParam("rpn_rois_desc is NULL; it must be a tensor descriptor");
  call_.desc[kRois] = desc_[kRois];
  ExpectBadParam("rpn_roi_probs_desc was never set; call mluOpSetTensorDescriptor first");
  Describe(kProbs, {8, 1});
  ExpectBadParam("bbox_deltas has type half; it must be float");
  Describe(kDeltas, {2, 2, 3});
  ExpectBadParam("post_nms_top_n is 0; it must be at least 1");
  call_.post_nms_top_n = right.post_nms_top_n;
  ExpectBadParam("nms_thresh is nan; it must be a number above 0");
  call_.nms_thresh = right.nms_thresh;
  ExpectBadParam("min_size is nan; it must be a number");
  call_.min_size = right.min_size;
  ExpectBadParam("eta is nan; it must be at least 1: adaptive thresholds are not supported");
  call_.eta = right.eta;
  ExpectBadParam("scores has shape float[2,2,3]; it must have rank 4");
  Describe(kScores, {2, 2, 3, 2});
  ExpectBadParam("bbox_deltas has shape float[2,2,3]; it must have rank 4");
  Describe(kDeltas, {2, 2, 3, 8});
  ExpectBadParam("anchors has shape float[2,3,2,5]; dimension 3 must be 4");
  Describe(kAnchors, {2, 3, 2, 4});
  ExpectNotSupported("im_shape has shape float[2,2] and strides [4,1]; it must be contiguous");
  Describe(kImShape, {2, 2});
  // The proposals have too many coordinates.
  call_.post_nms_top_n = 1 << 29;
  Describe(kRois, {1 << 30, 4});
  Describe(kProbs, {1 << 30, 1});
  ExpectNotSupported(
      "rpn_rois has shape float[1073741824,4]; it must have fewer than 2^31 elements");
  call_.post_nms_top_n = right.post_nms_top_n;
  Describe(kRois, {8, 4});
  Describe(kProbs, {8, 1});
  ExpectBadParam("rpn_rois_num is NULL; it must be a valid pointer");
  call_.data[kCounts] = right.data[kCounts];
  ExpectBadParam("rpn_rois_batch_size is NULL; it must be a valid pointer");
  call_.total = right.total;
  ExpectBadParam("workspace is NULL; it must be a valid pointer");
  call_.workspace = right.workspace;
  call_.workspace_size = 0;
  LogCapture log;
  EXPECT_EQ(call_.Call(), MLUOP_STATUS_BAD_PARAM);
  call_.workspace_size = right.workspace_size;
  EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
}

TEST_F(MluOpGenerateProposalsV2, DoesNotSupportStrides) {
  for (int tensor = 0; tensor < kTensors; ++tensor) {
    Set(SmallCase());
    mluOpTensorLayout_t layout;
    mluOpDataType_t dtype;
    int rank;
    int64_t dims[MLUOP_DIM_MAX];
    int64_t strides[MLUOP_DIM_MAX];
    ASSERT_EQ(mluOpGetTensorDescriptorEx_v2(desc_[tensor], &layout, &dtype, &rank, dims, strides),
              MLUOP_STATUS_SUCCESS);
    strides[0] *= 2;
    const std::vector<int64_t> all_dims(dims, dims + rank);
    const std::vector<int64_t> all_strides(strides, strides + rank);
    desc_[tensor].SetStrided(all_dims, all_strides, dtype, layout);
    ExpectNotSupported(std::string(kTensorNames[tensor]) + " has shape " +
                       (tensor == kCounts ? "int32[" : "float[") + Join(all_dims) +
                       "] and strides [" + Join(all_strides) + "]; it must be contiguous");
  }
}

TEST_F(MluOpGenerateProposalsV2, DoesNotSupportHugeTensors) {
  Set(SmallCase());
  // The deltas have too many elements, the scores do not.
  DescribeAll(1, 1 << 15, 1 << 14, 1, 4);
  ExpectNotSupported(
      "bbox_deltas has shape float[1,32768,16384,4]; it must have fewer than 2^31 elements");
  DescribeAll(1, 1 << 15, 1 << 16, 1, 4);
  ExpectNotSupported(
      "scores has shape float[1,32768,65536,1]; it must have fewer than 2^31 elements");
}

}  // namespace
}  // namespace detops::generate_proposals_v2
