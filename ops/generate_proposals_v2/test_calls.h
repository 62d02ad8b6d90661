// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The fixture of tests that call generate_proposals_v2 through the C API.

#ifndef DETOPS_OPS_GENERATE_PROPOSALS_V2_TEST_CALLS_H_
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_TEST_CALLS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "ops/generate_proposals_v2/harness.h"
#include "ops/generate_proposals_v2/test_scenes.h"
#include "testing/c_api_fixture.h"

namespace detops::generate_proposals_v2 {

// The tensors of the C function, in the order of its parameters.
enum Tensor { kScores, kDeltas, kImShape, kAnchors, kVariances, kRois, kProbs, kCounts, kTensors };

inline constexpr const char* kTensorNames[kTensors] = {"scores",        "bbox_deltas", "im_shape",
                                                       "anchors",       "variances",   "rpn_rois",
                                                       "rpn_roi_probs", "rpn_rois_num"};

// The arguments of the C function.
struct CallArguments {
  mluOpHandle_t handle = nullptr;
  int pre_nms_top_n = 6000;
  int post_nms_top_n = 1000;
  float nms_thresh = 0.5f;
  float min_size = 0.1f;
  float eta = 1;
  bool pixel_offset = false;
  mluOpTensorDescriptor_t desc[kTensors] = {};
  void* data[kTensors] = {};
  void* workspace = nullptr;
  size_t workspace_size = 0;
  void* total = nullptr;

  mluOpStatus_t Call() const {
    return mluOpGenerateProposalsV2(handle, pre_nms_top_n, post_nms_top_n, nms_thresh, min_size,
                                    eta, pixel_offset, desc[kScores], data[kScores], desc[kDeltas],
                                    data[kDeltas], desc[kImShape], data[kImShape], desc[kAnchors],
                                    data[kAnchors], desc[kVariances], data[kVariances], workspace,
                                    workspace_size, desc[kRois], data[kRois], desc[kProbs],
                                    data[kProbs], desc[kCounts], data[kCounts], total);
  }
};

// Returns a copy whose anchor indices are untouched: the C function does not return them.
inline Proposals WithoutAnchors(Proposals proposals) {
  std::fill(proposals.anchor_indices.begin(), proposals.anchor_indices.end(), kUntouched);
  return proposals;
}

// Returns the expected results of the C function.
inline Proposals CReference(const Case& input) { return WithoutAnchors(RunReference(input)); }

// Two images with a few anchors, most of which are suppressed.
inline Case SmallCase() {
  Case input = RandomCase(Kind::kUniform, {2, 2, 3, 2}, 8, 16, 30);
  input.post_nms_top_n = 4;
  return input;
}

class MluOpGenerateProposalsV2 : public CApiTest {
 protected:
  MluOpGenerateProposalsV2() : CApiTest("mluOpGenerateProposalsV2"), proposals_(Case()) {
    call_.handle = handle_;
    std::copy(std::begin(desc_), std::end(desc_), std::begin(call_.desc));
  }

  void Describe(Tensor tensor, const std::vector<int64_t>& dims,
                mluOpDataType_t dtype = MLUOP_DTYPE_FLOAT) {
    desc_[tensor].Set(dims, dtype);
  }
  void DescribeAll(int64_t n, int64_t h, int64_t w, int64_t a, int64_t post) {
    Describe(kScores, {n, h, w, a});
    Describe(kDeltas, {n, h, w, 4 * a});
    Describe(kImShape, {n, 2});
    Describe(kAnchors, {h, w, a, 4});
    Describe(kVariances, {h, w, a, 4});
    Describe(kRois, {n * post, 4});
    Describe(kProbs, {n * post, 1});
    Describe(kCounts, {n}, MLUOP_DTYPE_INT32);
  }

  // Prepares a valid call.
  void Set(const Case& input) {
    input_ = input;
    input_.variances.resize(input_.anchors.size(), 1.0f);
    proposals_ = Proposals(input_);
    DescribeAll(input_.images, input_.height, input_.width, input_.anchors_per_position,
                input_.post_nms_top_n);
    call_.pre_nms_top_n = input_.pre_nms_top_n;
    call_.post_nms_top_n = input_.post_nms_top_n;
    call_.nms_thresh = input_.nms_thresh;
    call_.min_size = input_.min_size;
    call_.pixel_offset = input_.pixel_offset;
    call_.data[kScores] = input_.scores.data();
    call_.data[kDeltas] = input_.deltas.data();
    call_.data[kImShape] = input_.im_shape.data();
    call_.data[kAnchors] = input_.anchors.data();
    call_.data[kVariances] = input_.variances.data();
    call_.data[kRois] = proposals_.rois.data();
    call_.data[kProbs] = proposals_.probs.data();
    call_.data[kCounts] = proposals_.counts.data();
    call_.total = &proposals_.total;
    workspace_.resize(WorkspaceSize());
    call_.workspace = workspace_.data();
    call_.workspace_size = workspace_.size();
  }
  size_t WorkspaceSize() const {
    size_t size = 0;
    EXPECT_EQ(mluOpGetGenerateProposalsV2WorkspaceSize(handle_, desc_[kScores], &size),
              MLUOP_STATUS_SUCCESS);
    return size;
  }
  size_t WorkspaceSizeV2(int pre_nms_top_n) const {
    size_t size = 0;
    EXPECT_EQ(
        mluOpGetGenerateProposalsV2WorkspaceSize_v2(handle_, desc_[kScores], pre_nms_top_n, &size),
        MLUOP_STATUS_SUCCESS);
    return size;
  }

  // Returns the results of a valid call.
  const Proposals& Run(const Case& input) {
    Set(input);
    EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
    return proposals_;
  }
  std::vector<float> RoisOf(const Case& input) {
    Run(input);
    return {proposals_.rois.begin(), proposals_.rois.begin() + proposals_.total * kBoxFloats};
  }
  // Returns whether the only anchor of the only image becomes a proposal.
  bool Survives(const Case& input) {
    Run(input);
    EXPECT_EQ(proposals_.total, 1);
    return !std::isnan(proposals_.probs[0]) && proposals_.probs[0] != 0;
  }

  // Check that the call fails and writes neither results nor workspace.
  void ExpectRefused(mluOpStatus_t status, const std::string& why, const CallArguments& call) {
    CApiTest::ExpectRefused(
        status, why, [&] { return call.Call(); }, proposals_, workspace_);
  }
  void ExpectBadParam(const std::string& why, const CallArguments& call) {
    ExpectRefused(MLUOP_STATUS_BAD_PARAM, why, call);
  }
  void ExpectBadParam(const std::string& why) { ExpectBadParam(why, call_); }
  void ExpectNotSupported(const std::string& why) {
    ExpectRefused(MLUOP_STATUS_NOT_SUPPORTED, why, call_);
  }

  ScopedDescriptor desc_[kTensors];
  CallArguments call_;
  Case input_;
  Proposals proposals_;
  std::vector<std::byte> workspace_;
};

}  // namespace detops::generate_proposals_v2

#endif  // DETOPS_OPS_GENERATE_PROPOSALS_V2_TEST_CALLS_H_
