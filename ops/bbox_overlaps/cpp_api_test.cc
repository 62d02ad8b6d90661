// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C++ functions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "detops/detops.hpp"
#include "runtime/queue.h"
#include "testing/error_message.h"
#include "testing/log_capture.h"

namespace detops::bbox_overlaps {
namespace {

using testing::ElementsAre;

TEST(BboxOverlapsCpp, MatrixAndAligned) {
  const float boxes1[] = {0, 0, 10, 10, 10, 10, 20, 20};
  const float boxes2[] = {0, 0, 10, 20, 10, 10, 20, 20};
  float ious[4] = {};
  BboxOverlaps({boxes1, {2, 4}}, {boxes2, {2, 4}}, {ious, {2, 2}});
  EXPECT_THAT(ious, ElementsAre(0.5f, 0, 0, 1));
  BboxOverlaps({boxes1, {2, 4}}, {boxes2, {2, 4}}, {ious, {2, 2}}, {.mode = OverlapMode::kIof});
  EXPECT_THAT(ious, ElementsAre(1, 0, 0, 1));
  float aligned[2] = {};
  BboxOverlapsAligned({boxes1, {2, 4}}, {boxes2, {2, 4}}, {aligned, {2}});
  EXPECT_THAT(aligned, ElementsAre(0.5f, 1));
  std::fill_n(aligned, 2, 0.0f);
  Context context;
  const Queue queue;
  context.SetQueue(queue);
  BboxOverlapsAligned(context, {boxes1, {2, 4}}, {boxes2, {2, 4}}, {aligned, {2}});
  ASSERT_EQ(cnrtQueueSync(queue.get()), cnrtSuccess);
  EXPECT_THAT(aligned, ElementsAre(0.5f, 1));
}

TEST(BboxOverlapsCpp, RowMaximumAndPairs) {
  const float nan = std::nanf("");
  const float anchors[] = {0, 0, 10, 10, 50, 50, 60, 60, nan, 0, 1, 1, 0, 0, 10, 20};
  const float truth[] = {nan, 0, 10, 10, 0, 0, 10, 10, 0, 0, 10, 20, 0, 0, 10, 20};
  const RowMaximum best = BboxOverlapsRowMaximum({anchors, {4, 4}}, {truth, {4, 4}});
  EXPECT_THAT(best.columns, ElementsAre(1, 1, -1, 2))
      << "the lowest column of equal ones, NaNs ignored";
  EXPECT_EQ(best.values[0], 1.0f);
  EXPECT_EQ(best.values[1], 0.0f);
  EXPECT_TRUE(std::isnan(best.values[2]));
  EXPECT_EQ(best.values[3], 1.0f);

  const RowMaximum none = BboxOverlapsRowMaximum({anchors, {4, 4}}, {truth, {0, 4}});
  EXPECT_THAT(none.columns, ElementsAre(-1, -1, -1, -1));
  EXPECT_THAT(none.values, ElementsAre(0, 0, 0, 0));
  EXPECT_TRUE(BboxOverlapsRowMaximum({anchors, {0, 4}}, {truth, {4, 4}}).values.empty());

  const std::vector<OverlapPair> pairs =
      BboxOverlapsPairs({anchors, {4, 4}}, {truth, {4, 4}}, 0.5f);
  ASSERT_EQ(pairs.size(), 3u) << "0.5 itself does not exceed 0.5";
  EXPECT_EQ(pairs[0].row, 0);
  EXPECT_EQ(pairs[0].column, 1);
  EXPECT_EQ(pairs[1].row, 3);
  EXPECT_EQ(pairs[1].column, 2);
  EXPECT_EQ(pairs[2].column, 3);
  EXPECT_EQ(pairs[2].overlap, 1.0f);
  EXPECT_TRUE(BboxOverlapsPairs({anchors, {4, 4}}, {truth, {0, 4}}, 0.5f).empty());
}

struct WriteBoxArgs {
  float* to;
};

Status WriteBox(RunContext&, const WriteBoxArgs& args) {
  const float box[] = {0, 0, 10, 10};
  std::memcpy(args.to, box, sizeof(box));
  return {};
}

TEST(BboxOverlapsCpp, FunctionsThatReturnResultsWaitForTheQueue) {
  Context context;
  const Queue queue;
  context.SetQueue(queue);
  const float truth[] = {0, 0, 10, 10};
  float boxes[4] = {};
  ASSERT_TRUE(
      Find<HostQueue>(queue.get())->Submit(Job::Make<WriteBox>("test", WriteBoxArgs{boxes})).ok());
  EXPECT_THAT(BboxOverlapsRowMaximum(context, {boxes, {1, 4}}, {truth, {1, 4}}).values,
              ElementsAre(1.0f));
}

TEST(BboxOverlapsCpp, ErrorsNameTheCppFunctionAndArgument) {
  LogCapture log;
  const float boxes[4] = {};
  float ious[4] = {};
  EXPECT_EQ(MessageOf([&] {
              BboxOverlaps({boxes, {1, 4}}, {boxes, {1, 4}}, {ious, {2, 2}});
            }),
            "BboxOverlaps: ious has shape float[2,2]; dimension 0 must be 1");
  EXPECT_EQ(MessageOf([&] {
              BboxOverlaps({boxes, {1, -4}}, {boxes, {1, 4}}, {ious, {1, 1}});
            }),
            "BboxOverlaps: boxes1 has shape float[1,-4]; no dimension may be negative and their "
            "product must be below 2^63");
  EXPECT_EQ(MessageOf([&] {
              BboxOverlaps({boxes, {1, 1, 1, 1, 1, 1, 1, 1, 4}}, {boxes, {1, 4}}, {ious, {1, 1}});
            }),
            "TensorView: the rank is 9; it must be 0 to 8");
  EXPECT_EQ(MessageOf([&] {
              BboxOverlapsRowMaximum({boxes, {1, 4}}, {boxes, {1, 3}});
            }),
            "BboxOverlapsRowMaximum: boxes2 has shape float[1,3]; dimension 1 must be 4 (x1, y1, "
            "x2, y2)");
  EXPECT_EQ(MessageOf([&] {
              BboxOverlapsPairs({boxes, {1, 4}}, {boxes, {1, 4}}, std::nanf(""));
            }),
            "BboxOverlapsPairs: threshold is NaN; it must be a number");
  EXPECT_EQ(MessageOf([&] {
              BboxOverlapsPairs({boxes, {1, 4}}, {boxes, {1, 4}}, 0.5f, {.offset = 2});
            }),
            "BboxOverlapsPairs: offset is 2; it must be 0 to 1");
  EXPECT_EQ(MessageOf([&] {
              BboxOverlapsRowMaximum({static_cast<const float*>(nullptr), {1, 4}}, {boxes, {1, 4}});
            }),
            "BboxOverlapsRowMaximum: boxes1 is NULL; it must be a valid pointer");
  EXPECT_EQ(MessageOf([&] {
              BboxOverlapsPairs({static_cast<const float*>(nullptr), {1, 4}}, {boxes, {1, 4}},
                                std::nanf(""));
            }),
            "BboxOverlapsPairs: boxes1 is NULL; it must be a valid pointer")
      << "the threshold is checked last";
}

TEST(BboxOverlapsCpp, DefaultsAreIouWithoutOffset) {
  const BboxOverlapsOptions options;
  EXPECT_EQ(options.mode, OverlapMode::kIou);
  EXPECT_EQ(options.offset, 0);
}

}  // namespace
}  // namespace detops::bbox_overlaps
