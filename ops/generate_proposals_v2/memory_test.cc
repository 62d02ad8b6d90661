// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The operator reads and writes only its own memory, at any alignment.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "ops/generate_proposals_v2/harness.h"
#include "ops/generate_proposals_v2/op.h"
#include "ops/generate_proposals_v2/test_scenes.h"
#include "suppression/kernels.h"
#include "testing/guarded_buffer.h"

namespace detops::generate_proposals_v2 {
namespace {

class GenerateProposalsMemory : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(GenerateProposalsMemory);

// Runs on the workspace that `args` names.
Status RunArgs(int thread_count, const Args& args) {
  Threads threads(thread_count);
  RunContext context{threads, nullptr};
  return Run(context, args);
}

// Runs a case on inputs, results and a workspace that end at inaccessible pages. Tensors whose
// sizes are multiples of the vector size end `bytes_after` bytes before them, so that they do not
// begin where a vector does.
Proposals RunGuarded(const Case& input, size_t bytes_after) {
  Proposals found(input);
  const GuardedCopy<float> scores(input.scores);
  const GuardedCopy<float> deltas(input.deltas, bytes_after);
  const GuardedCopy<float> im_shape(input.im_shape);
  const GuardedCopy<float> anchors(input.anchors, bytes_after);
  const GuardedCopy<float> variances(input.variances, bytes_after);
  const GuardedCopy<float> rois(found.rois, bytes_after);
  const GuardedCopy<float> probs(found.probs);
  const GuardedCopy<int32_t> anchor_indices(found.anchor_indices);
  const GuardedCopy<int32_t> counts(found.counts);
  const GuardedCopy<int32_t> total({found.total});
  Args args = MakeArgs(input, found);
  const GuardedBuffer workspace(WorkspaceBytes(args));
  args.scores = scores.data();
  args.bbox_deltas = deltas.data();
  args.im_shape = im_shape.data();
  args.anchors = anchors.data();
  args.variances = variances.data();
  args.rois = rois.data();
  args.probs = probs.data();
  args.anchor_indices = anchor_indices.data();
  args.counts = counts.data();
  args.total = total.data();
  args.workspace = workspace.data();
  EXPECT_TRUE(RunArgs(2, args).ok());
  found.rois = rois.ToVector();
  found.probs = probs.ToVector();
  found.anchor_indices = anchor_indices.ToVector();
  found.counts = counts.ToVector();
  found.total = *total.data();
  return found;
}

TEST_P(GenerateProposalsMemory, NoAccessOutsideOfTensorsAndWorkspace) {
  std::vector<Shape> shapes = {
      {2, 1, 5, 1}, {1, 3, 3, 7}, {9, 5, 5, 3}, {1, 19, 23, 3}, {3, 21, 33, 3}};
  for (int64_t count = 1; count <= 2 * suppression::kMaxLanes + 1; ++count) {
    shapes.push_back({1, 1, count, 1});
  }
  for (const Kind kind : {Kind::kTrained, Kind::kExtremes}) {
    for (const Shape& shape : shapes) {
      for (const float threshold : {0.7f, 1.0f}) {
        Case input = RandomCase(kind, shape, 8, 24, 17);
        input.nms_thresh = threshold;
        // As many rows as there can be proposals: the last one is used if nothing is suppressed.
        input.post_nms_top_n = static_cast<int>(std::min<int64_t>(input.scores_per_image(), 200));
        const Proposals expected = RunReference(input);
        const size_t bytes_after = threshold == 1.0f ? sizeof(float) : 0;
        ASSERT_EQ(RunGuarded(input, bytes_after), expected)
            << NameOf(kind) << ", " << input.ToString();
        ASSERT_EQ(RunGuarded(input.ChannelsFirst(), bytes_after), expected)
            << NameOf(kind) << ", " << input.ToString();
      }
    }
  }
}

TEST_P(GenerateProposalsMemory, WorkspaceMayHaveAnyAlignmentAndNothingAroundItIsWritten) {
  for (const Shape& shape : {Shape{1, 2, 2, 3}, Shape{3, 15, 31, 3}, Shape{10, 5, 5, 3}}) {
    Case input = RandomCase(Kind::kUniform, shape, 8, 24, 18);
    input.nms_thresh = 0.9f;
    const Proposals expected = RunReference(input);
    Proposals measured(input);
    const size_t bytes = WorkspaceBytes(MakeArgs(input, measured));
    for (const size_t shift : {0, 1, 2, 4, 31, 63, 64}) {
      std::vector<std::byte> memory(bytes + 128, std::byte{0x5A});
      const auto untouched = [](std::byte b) { return b == std::byte{0x5A}; };
      std::byte* const workspace = memory.data() + shift;
      Proposals found(input);
      Args args = MakeArgs(input, found);
      args.workspace = workspace;
      ASSERT_TRUE(RunArgs(2, args).ok());
      ASSERT_EQ(found, expected) << input.ToString() << ", shift " << shift;
      ASSERT_TRUE(std::all_of(memory.data(), workspace, untouched)) << shift;
      ASSERT_TRUE(std::all_of(workspace + bytes, memory.data() + memory.size(), untouched))
          << shift;
    }
  }
}

TEST(GenerateProposalsWorkspace, GrowsLinearlyWithScoresAndProposals) {
  constexpr int64_t kMillion = 1'000'000;
  EXPECT_EQ(WorkspaceBytes(0, 1000, 1000), 0u);
  // The formulas of README.md and mlu_op.h.
  const auto expect = [](int64_t scores, int64_t proposals) {
    const double bytes =
        0.2e6 + 16.0 * static_cast<double>(scores) + 240.0 * static_cast<double>(proposals);
    EXPECT_NEAR(static_cast<double>(WorkspaceBytes(1, scores, proposals)), bytes, 0.1 * bytes)
        << scores << " scores, " << proposals << " proposals";
  };
  expect(1, 1);
  expect(kMillion, 1);
  expect(kMillion, 1000);
  expect(kMillion, kMillion);
  expect(100 * kMillion, 100 * kMillion);
  // The memory for another million does not depend on the number of scores and proposals.
  const auto growth = [](int64_t scores, int64_t proposals) {
    return static_cast<double>(WorkspaceBytes(1, scores + kMillion, proposals + kMillion)) -
           static_cast<double>(WorkspaceBytes(1, scores, proposals));
  };
  EXPECT_NEAR(growth(100 * kMillion, 100 * kMillion), growth(kMillion, kMillion), 10'000);
  EXPECT_LT(WorkspaceBytes(1, kMillion, 1000), WorkspaceBytes(1, kMillion, 2000));
  EXPECT_EQ(WorkspaceBytes(8, 1000, 100), WorkspaceBytes(1000, 1000, 100))
      << "only a few images are processed at a time";
}

}  // namespace
}  // namespace detops::generate_proposals_v2
