// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The memory of a call: bounds of all buffers, and the workspace.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "ops/poly_nms/cases.h"
#include "ops/poly_nms/op.h"
#include "suppression/harness.h"
#include "suppression/kernels.h"
#include "suppression/print_kept.h"
#include "testing/guarded_buffer.h"

namespace detops::poly_nms {
namespace {

class PolyNmsMemory : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PolyNmsMemory);

// Runs the call with the workspace that the arguments name.
Status RunArgs(int thread_count, const Args& args) {
  Threads threads(thread_count);
  RunContext context{threads, nullptr};
  return Run(context, args);
}

// Boxes, results and workspace end at inaccessible pages.
TEST_P(PolyNmsMemory, AccessesOnlyItsMemory) {
  std::vector<int64_t> counts = {160, 161, 333, 1100};
  for (int64_t count = 1; count <= 2 * suppression::kMaxLanes + 1; ++count) {
    counts.push_back(count);
  }
  for (const Kind kind : {Kind::kAerial, Kind::kHeap, Kind::kExtremes}) {
    for (const int64_t count : counts) {
      Case input;
      input.boxes = RandomBoxes(kind, count, 15);
      input.iou_threshold = 0.3f;
      const Kept expected = RunReference(input);
      const GuardedBuffer boxes(input.boxes.size() * sizeof(float));
      const GuardedBuffer output(static_cast<size_t>(count) * sizeof(int32_t));
      const GuardedBuffer result_num(sizeof(int32_t));
      const GuardedBuffer workspace(WorkspaceBytes(count));
      std::memcpy(boxes.data(), input.boxes.data(), boxes.size());
      std::memset(output.data(), -1, output.size());
      Args args = input.args(reinterpret_cast<int32_t*>(output.data()),
                             reinterpret_cast<int32_t*>(result_num.data()));
      args.boxes = reinterpret_cast<const float*>(boxes.data());
      args.workspace = workspace.data();
      ASSERT_TRUE(RunArgs(2, args).ok());
      ASSERT_EQ(std::memcmp(output.data(), expected.output.data(), output.size()), 0)
          << input.ToString();
      ASSERT_EQ(args.result_num[0], expected.result_num[0]) << input.ToString();
    }
  }
}

TEST_P(PolyNmsMemory, WorkspaceMayStartAtAnyByte) {
  for (const Kind kind : {Kind::kAerial, Kind::kHeap}) {
    for (const int64_t count : {3, 400}) {
      Case input;
      input.boxes = RandomBoxes(kind, count, 16);
      input.iou_threshold = 0.3f;
      const Kept expected = RunReference(input);
      const size_t bytes = WorkspaceBytes(count);
      for (const size_t shift : {0, 1, 2, 4, 31, 63, 64}) {
        std::vector<std::byte> memory(bytes + 128, std::byte{0x5A});
        const auto untouched = [](std::byte b) { return b == std::byte{0x5A}; };
        std::byte* const workspace = memory.data() + shift;
        Kept kept = Kept::Untouched(count, input.images());
        Args args = input.args(kept.output.data(), kept.result_num.data());
        args.workspace = workspace;
        ASSERT_TRUE(RunArgs(1, args).ok());
        ASSERT_EQ(kept, expected) << NameOf(kind) << ", " << count << ", shift " << shift;
        ASSERT_TRUE(std::all_of(memory.data(), workspace, untouched)) << shift;
        ASSERT_TRUE(std::all_of(workspace + bytes, memory.data() + memory.size(), untouched))
            << shift;
      }
    }
  }
}

TEST(PolyNmsWorkspace, IsProportionalToTheNumberOfBoxes) {
  EXPECT_EQ(WorkspaceBytes(0), 0u);
  // README.md states 350 bytes per box.
  EXPECT_NEAR(static_cast<double>(WorkspaceBytes(1'000'000)), 350e6, 35e6);
  EXPECT_NEAR(static_cast<double>(WorkspaceBytes(200'000'000)), 350e6 * 200, 35e6 * 200);
  // A million further boxes take the same space, regardless of how many there are.
  const size_t first = WorkspaceBytes(2'000'000) - WorkspaceBytes(1'000'000);
  const size_t later = WorkspaceBytes(101'000'000) - WorkspaceBytes(100'000'000);
  EXPECT_NEAR(static_cast<double>(later), static_cast<double>(first), 10'000);
}

}  // namespace
}  // namespace detops::poly_nms
