// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The workspace of the C function, and the functions that return its size.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "ops/generate_proposals_v2/harness.h"
#include "ops/generate_proposals_v2/op.h"
#include "ops/generate_proposals_v2/test_calls.h"
#include "testing/guarded_buffer.h"
#include "testing/log_capture.h"

namespace detops::generate_proposals_v2 {
namespace {

using testing::ElementsAre;

TEST_F(MluOpGenerateProposalsV2, RefusesAWorkspaceThatIsTooSmall) {
  Set(SmallCase());
  // This call needs less than the size query returns, which is enough for any limits.
  Case input = SmallCase();
  Proposals unused(input);
  const size_t needed = WorkspaceBytes(MakeArgs(input, unused));
  ASSERT_LT(needed, workspace_.size());
  call_.workspace_size = needed - 1;
  ExpectBadParam("workspace_size is " + std::to_string(needed - 1) + "; it must be at least " +
                 std::to_string(needed));
  call_.workspace_size = needed;
  EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
}

TEST_F(MluOpGenerateProposalsV2, WorkspaceSizeV2IsSufficientAndTight) {
  Case input = RandomCase(Kind::kUniform, {2, 30, 30, 3}, 8, 8, 32);
  input.nms_thresh = 0.9f;
  input.post_nms_top_n = 2700;
  for (const int pre : {-1, 0, 1, 10, 500, 2699, 2700, 2701, INT32_MAX}) {
    input.pre_nms_top_n = pre;
    Set(input);
    const size_t size = WorkspaceSizeV2(pre);
    EXPECT_LE(size, WorkspaceSize()) << pre;
    EXPECT_EQ(size == WorkspaceSize(), pre <= 0 || pre >= 2700) << pre;
    const GuardedBuffer workspace(size);
    call_.workspace = workspace.data();
    call_.workspace_size = size;
    EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(proposals_, CReference(input)) << pre;
  }
}

TEST_F(MluOpGenerateProposalsV2, WorkspaceMayHaveAnyAlignment) {
  const Case input = RandomCase(Kind::kTrained, {3, 10, 10, 3}, 8, 24, 33);
  const Proposals expected = Run(input);
  for (const size_t shift : {1, 3, 8, 63}) {
    Set(input);
    std::vector<std::byte> memory(workspace_.size() + shift);
    call_.workspace = memory.data() + shift;
    EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(proposals_, expected) << shift;
  }
}

TEST_F(MluOpGenerateProposalsV2, WorkspaceSizeQueriesRefuseInvalidScores) {
  size_t size = 77;
  const auto refused = [&](mluOpHandle_t handle, mluOpTensorDescriptor_t desc, size_t* result,
                           mluOpStatus_t status, const std::string& why) {
    LogCapture log;
    EXPECT_EQ(mluOpGetGenerateProposalsV2WorkspaceSize(handle, desc, result), status);
    EXPECT_EQ(mluOpGetGenerateProposalsV2WorkspaceSize_v2(handle, desc, 5, result), status);
    EXPECT_THAT(log.Take(), ElementsAre("mluOpGetGenerateProposalsV2WorkspaceSize: " + why,
                                        "mluOpGetGenerateProposalsV2WorkspaceSize_v2: " + why));
  };
  const mluOpStatus_t bad = MLUOP_STATUS_BAD_PARAM;
  const mluOpTensorDescriptor_t desc = desc_[kScores];
  refused(handle_, desc, &size, bad,
          "scores_desc was never set; call mluOpSetTensorDescriptor first");
  Describe(kScores, {2, 2, 3, 2});
  refused(nullptr, desc, &size, bad, "handle is NULL; it must be a valid pointer");
  refused(handle_, nullptr, &size, bad, "scores_desc is NULL; it must be a tensor descriptor");
  refused(handle_, desc, nullptr, bad, "size is NULL; it must be a valid pointer");
  Describe(kScores, {2, 3, 2});
  refused(handle_, desc, &size, bad, "scores has shape float[2,3,2]; it must have rank 4");
  Describe(kScores, {2, 2, 3, 2}, MLUOP_DTYPE_HALF);
  refused(handle_, desc, &size, bad, "scores has type half; it must be float");
  Describe(kScores, {2, 0, 3, 2});
  refused(handle_, desc, &size, bad,
          "scores has shape float[2,0,3,2]; H, W and A must be at least 1");
  Describe(kScores, {1, 1 << 15, 1 << 16, 1});
  refused(handle_, desc, &size, MLUOP_STATUS_NOT_SUPPORTED,
          "scores has shape float[1,32768,65536,1]; it must have fewer than 2^31 elements");
  EXPECT_EQ(size, 77u);
}

// Without images, the product of the other sizes may overflow.
TEST_F(MluOpGenerateProposalsV2, WorkspaceSizesWithoutImagesAreZero) {
  Describe(kScores, {0, 1, 1, int64_t{1} << 62});
  size_t size = 77;
  EXPECT_EQ(mluOpGetGenerateProposalsV2WorkspaceSize(handle_, desc_[kScores], &size),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(size, 0u);
  size = 77;
  EXPECT_EQ(mluOpGetGenerateProposalsV2WorkspaceSize_v2(handle_, desc_[kScores], 5, &size),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(size, 0u);
}

}  // namespace
}  // namespace detops::generate_proposals_v2
