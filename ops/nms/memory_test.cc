// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Reads and writes stay inside the tensors and the workspace, on every target.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <vector>

#include "ops/nms/cases.h"
#include "suppression/harness.h"
#include "suppression/print_kept.h"
#include "testing/guarded_buffer.h"

namespace detops::nms {
namespace {

class NmsMemory : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(NmsMemory);

// Runs a case whose tensors and workspace end at unmapped pages. A box is as large as a vector, so
// `slack` bytes after the boxes give them other alignments.
void ExpectNoAccessOutside(const Case& input, size_t slack) {
  const size_t list_bytes = input.scores.size() * sizeof(float);
  const GuardedBuffer boxes(input.boxes.size() * sizeof(float), slack);
  const GuardedBuffer scores(list_bytes);
  const GuardedBuffer groups(input.groups.size() * sizeof(int32_t));
  const GuardedBuffer output(list_bytes);
  const GuardedBuffer result_num(sizeof(int32_t));
  const GuardedBuffer workspace(WorkspaceBytes(input.count()));
  std::copy(input.boxes.begin(), input.boxes.end(), reinterpret_cast<float*>(boxes.data()));
  std::copy(input.scores.begin(), input.scores.end(), reinterpret_cast<float*>(scores.data()));
  std::copy(input.groups.begin(), input.groups.end(), reinterpret_cast<int32_t*>(groups.data()));
  Args args = input.args(reinterpret_cast<int32_t*>(output.data()),
                         reinterpret_cast<int32_t*>(result_num.data()));
  args.suppression.boxes = boxes.data();
  args.suppression.scores = reinterpret_cast<const float*>(scores.data());
  if (!input.groups.empty()) {
    args.suppression.groups = reinterpret_cast<const int32_t*>(groups.data());
  }
  args.suppression.workspace = workspace.data();
  Threads threads(2);
  RunContext context{threads, nullptr};
  ASSERT_TRUE(nms::Run(context, args).ok());
  const Kept expected = RunReference(input);
  const int32_t kept = args.suppression.result_num[0];
  ASSERT_EQ(kept, expected.result_num[0]) << input.ToString();
  ASSERT_TRUE(std::equal(expected.output.begin(), expected.output.begin() + kept,
                         reinterpret_cast<const int32_t*>(output.data())))
      << input.ToString();
}

TEST_P(NmsMemory, ReadsAndWritesNothingOutside) {
  std::vector<int64_t> counts = {160, 161, 500};
  for (int64_t count = 1; count <= 2 * suppression::kMaxLanes + 1; ++count) {
    counts.push_back(count);
  }
  for (const int64_t count : counts) {
    for (const Kind kind : {Kind::kScene, Kind::kHeap, Kind::kExtremes}) {
      Case input = RandomCase(kind, count, 4);
      for (const size_t slack : {0, 4, 12}) {
        ExpectNoAccessOutside(input, slack);
      }
      for (int64_t i = 0; i < count; ++i) {
        input.groups.push_back(static_cast<int32_t>(i % 3));
      }
      ExpectNoAccessOutside(input, 0);
    }
  }
}

TEST_P(NmsMemory, WorkspaceMayHaveAnyAlignment) {
  for (const int64_t count : {3, 400}) {
    const Case input = RandomCase(Kind::kScene, count, 5);
    const Kept expected = RunReference(input);
    const size_t bytes = WorkspaceBytes(count);
    for (const size_t shift : {0, 1, 2, 4, 31, 63, 64}) {
      std::vector<std::byte> memory(bytes + 128, std::byte{0x5A});
      const auto untouched = [](std::byte b) { return b == std::byte{0x5A}; };
      std::byte* const workspace = memory.data() + shift;
      Kept kept = Kept::Untouched(count, 1);
      Args args = input.args(kept.output.data(), kept.result_num.data());
      args.suppression.workspace = workspace;
      Threads threads(2);
      RunContext context{threads, nullptr};
      ASSERT_TRUE(nms::Run(context, args).ok());
      ASSERT_EQ(kept, expected) << count << ", shift " << shift;
      ASSERT_TRUE(std::all_of(memory.data(), workspace, untouched)) << shift;
      ASSERT_TRUE(std::all_of(workspace + bytes, memory.data() + memory.size(), untouched))
          << shift;
    }
  }
}

// README.md states 200 bytes per box.
TEST(NmsWorkspace, IsProportionalToTheNumberOfBoxes) {
  EXPECT_EQ(WorkspaceBytes(0), 0u);
  for (const int64_t count : {1'000'000, 100'000'000}) {
    const auto boxes = static_cast<double>(count);
    EXPECT_NEAR(static_cast<double>(WorkspaceBytes(count)), 200 * boxes, 20 * boxes);
  }
}

}  // namespace
}  // namespace detops::nms
