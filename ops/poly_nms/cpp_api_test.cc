// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// detops::PolyNms and detops::PolygonIou: options, queues and errors.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "detops/detops.hpp"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/test_polygons.h"
#include "runtime/queue.h"
#include "testing/error_message.h"
#include "testing/log_capture.h"

namespace detops::poly_nms {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int32_t kUntouched = -7;

// Four boxes in nearly the same place, with scores from 0.1 to 0.4, and one that is apart.
class PolyNmsCpp : public testing::Test {
 protected:
  PolyNmsResult Keep(const PolyNmsOptions& options) {
    return PolyNms({boxes_.data(), {5, 9}}, options);
  }

  const std::vector<float> boxes_ =
      Boxes({WithScore(Upright(0, 0, 10, 10), 0.1f), WithScore(Upright(0, 0, 10, 9.5f), 0.2f),
             WithScore(Upright(0, 0, 10, 9), 0.3f), WithScore(Upright(0, 0, 10, 8.5f), 0.4f),
             WithScore(Upright(50, 0, 60, 10), 0.05f)});
};

TEST_F(PolyNmsCpp, OptionsHaveTheDefaultsOfTheContract) {
  const PolyNmsOptions options;
  EXPECT_EQ(options.iou_threshold, 0.5f);
  EXPECT_EQ(options.score_threshold, std::nullopt);
  EXPECT_EQ(options.max_outputs, std::numeric_limits<int32_t>::max());
  EXPECT_FALSE(options.sort_by_score);
  EXPECT_FALSE(options.groups || options.image_counts);
}

TEST_F(PolyNmsCpp, KeepsTheHighestScores) {
  const PolyNmsResult result = Keep({});
  EXPECT_THAT(result.indices, ElementsAre(3, 4));
  EXPECT_THAT(result.counts, ElementsAre(2));
}

TEST_F(PolyNmsCpp, Groups) {
  const int32_t groups[] = {-1, 7, -1, 7, -1};
  PolyNmsOptions options;
  options.groups = ConstTensorView(groups, {5});
  EXPECT_THAT(Keep(options).indices, ElementsAre(2, 3, 4));
  const int32_t own_groups[] = {1, 2, 3, 4, 5};
  options.groups = ConstTensorView(own_groups, {5});
  EXPECT_THAT(Keep(options).indices, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(PolyNmsCpp, ScoreThresholdRemovesScoresThatAreNotAbove) {
  PolyNmsOptions options;
  options.iou_threshold = 1;
  options.score_threshold = 0.2f;
  EXPECT_THAT(Keep(options).indices, ElementsAre(2, 3)) << "0.2 is not above 0.2";
  options.score_threshold = kInfinity;
  EXPECT_THAT(Keep(options).indices, IsEmpty());
  std::vector<float> boxes = boxes_;
  boxes[8] = kNaN;
  EXPECT_THAT(PolyNms({boxes.data(), {5, 9}}, options).indices, ElementsAre(0))
      << "NaN scores are not removed";
}

TEST_F(PolyNmsCpp, MaxOutputsAndOrder) {
  PolyNmsOptions options;
  options.iou_threshold = 1;
  options.sort_by_score = true;
  EXPECT_THAT(Keep(options).indices, ElementsAre(3, 2, 1, 0, 4));
  options.max_outputs = 3;
  EXPECT_THAT(Keep(options).indices, ElementsAre(3, 2, 1));
  options.sort_by_score = false;
  EXPECT_THAT(Keep(options).indices, ElementsAre(1, 2, 3));
  options.max_outputs = 1;
  EXPECT_THAT(Keep(options).indices, ElementsAre(3));
  options.max_outputs = 0;
  const PolyNmsResult none = Keep(options);
  EXPECT_THAT(none.indices, IsEmpty());
  EXPECT_THAT(none.counts, ElementsAre(0));
  options.max_outputs = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(Keep(options).indices, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(PolyNmsCpp, ImagesAreSeparate) {
  const int32_t image_counts[] = {0, 2, 3, 0};
  PolyNmsOptions options;
  options.image_counts = ConstTensorView(image_counts, {4});
  const PolyNmsResult result = Keep(options);
  EXPECT_THAT(result.indices, ElementsAre(1, 3, 4));
  EXPECT_THAT(result.counts, ElementsAre(0, 1, 2, 0));
  options.max_outputs = 1;
  EXPECT_THAT(Keep(options).indices, ElementsAre(1, 3));

  options.image_counts = ConstTensorView(image_counts, {0});
  const PolyNmsResult no_images = PolyNms({boxes_.data(), {0, 9}}, options);
  EXPECT_THAT(no_images.indices, IsEmpty());
  EXPECT_THAT(no_images.counts, IsEmpty());
}

TEST_F(PolyNmsCpp, WritesToOutputViewsOnAQueue) {
  Context context;
  Queue queue;
  context.SetQueue(queue);
  int32_t output[] = {kUntouched, kUntouched, kUntouched, kUntouched, kUntouched};
  int32_t result_num = kUntouched;
  PolyNms(context, {boxes_.data(), {5, 9}}, {output, {5}}, {&result_num, {1}});
  queue.Sync();
  EXPECT_THAT(output, ElementsAre(3, 4, kUntouched, kUntouched, kUntouched));
  EXPECT_EQ(result_num, 2);
}

TEST_F(PolyNmsCpp, EntriesAfterMaxOutputsAreUnchanged) {
  Context context;
  int32_t output[] = {kUntouched, kUntouched, kUntouched, kUntouched, kUntouched};
  int32_t result_num = kUntouched;
  PolyNmsOptions options;
  options.iou_threshold = 1;
  options.max_outputs = 2;
  PolyNms(context, {boxes_.data(), {5, 9}}, {output, {5}}, {&result_num, {1}}, options);
  EXPECT_EQ(result_num, 2);
  EXPECT_THAT(output, ElementsAre(2, 3, kUntouched, kUntouched, kUntouched));
}

struct CopyArgs {
  const float* from;
  float* to;
};

Status CopyBoxes(RunContext&, const CopyArgs& args) {
  std::memcpy(args.to, args.from, 5 * kBoxFloats * sizeof(float));
  return {};
}

TEST_F(PolyNmsCpp, ReturnedResultsWaitForTheQueue) {
  Context context;
  const Queue queue;
  context.SetQueue(queue);
  float boxes[5 * kBoxFloats] = {};
  ASSERT_TRUE(Find<HostQueue>(queue.get())
                  ->Submit(Job::Make<CopyBoxes>("test", CopyArgs{boxes_.data(), boxes}))
                  .ok());
  EXPECT_THAT(PolyNms(context, {boxes, {5, 9}}).indices, ElementsAre(3, 4));
}

TEST_F(PolyNmsCpp, WrongImageCountsAreReportedWhenTheyAreRead) {
  LogCapture log;
  const std::pair<std::vector<int32_t>, std::string> wrong[] = {
      {{2, 2}, "PolyNms: image_counts add up to 4; they must add up to 5, the number of boxes"},
      {{INT32_MAX, INT32_MAX},
       "PolyNms: image_counts add up to 4294967294; they must add up to 5, the number of boxes"},
      {{6, -1}, "PolyNms: image_counts[1] is -1; it must be 0 or more"}};
  for (const auto& [image_counts, message] : wrong) {
    PolyNmsOptions options;
    options.image_counts = ConstTensorView(image_counts.data(), {2});
    int32_t output[] = {kUntouched, kUntouched, kUntouched, kUntouched, kUntouched};
    int32_t result_num[] = {kUntouched, kUntouched};
    for (const bool queued : {false, true}) {
      Context context;
      Queue queue;
      if (queued) {
        context.SetQueue(queue);
      }
      std::string found;
      try {
        PolyNms(context, {boxes_.data(), {5, 9}}, {output, {5}}, {result_num, {2}}, options);
        EXPECT_TRUE(queued) << "nothing was thrown";
        queue.Sync();
      } catch (const Error& error) {
        EXPECT_EQ(error.status(), MLUOP_STATUS_BAD_PARAM);
        found = error.what();
      }
      EXPECT_EQ(found, message) << "queued " << queued;
      EXPECT_THAT(log.Take(), ElementsAre(message)) << "queued " << queued;
      EXPECT_THAT(output, ElementsAre(kUntouched, kUntouched, kUntouched, kUntouched, kUntouched));
      EXPECT_THAT(result_num, ElementsAre(kUntouched, kUntouched));
      // The error is reported once and does not affect later calls.
      queue.Sync();
      PolyNms(context, {boxes_.data(), {5, 9}}, {output, {5}}, {result_num, {1}});
      queue.Sync();
      EXPECT_EQ(result_num[0], 2);
      std::fill_n(output, 5, kUntouched);
      result_num[0] = kUntouched;
    }
  }
}

TEST_F(PolyNmsCpp, LogsItsOptions) {
  const int32_t groups[] = {0, 0, 0, 0, 1};
  const int32_t image_counts[] = {2, 3};
  PolyNmsOptions options;
  options.iou_threshold = 0.25f;
  options.score_threshold = 0.125f;
  options.max_outputs = 4;
  options.sort_by_score = true;
  options.groups = ConstTensorView(groups, {5});
  options.image_counts = ConstTensorView(image_counts, {2});
  Keep(options);  // the first context of a process logs the version
  LogCapture log(DETOPS_LOG_DEBUG);
  Keep(options);
  EXPECT_THAT(log.Take(),
              ElementsAre("PolyNms: boxes float[5,9], iou_threshold 0.25, score_threshold 0.125, "
                          "max_outputs 4, sorted by score, by group, images 2"));
}

TEST(PolygonIouCpp, MatrixAndAligned) {
  const std::vector<float> boxes1 =
      Boxes({WithScore(Upright(0, 0, 1, 1), 9), WithScore(Upright(5, 5, 6, 6), 9)});
  const Polygon polygons2[] = {Upright(0, 0, 2, 1), Upright(5, 5, 6, 6)};
  float ious[4] = {-7, -7, -7, -7};
  PolygonIou({boxes1.data(), {2, 9}}, {polygons2[0].data(), {2, 8}}, {ious, {2, 2}});
  EXPECT_THAT(ious, ElementsAre(0.5f, 0, 0, 1));
  float aligned[2] = {-7, -7};
  Context context;
  Queue queue;
  context.SetQueue(queue);
  PolygonIouAligned(context, {boxes1.data(), {2, 9}}, {polygons2[0].data(), {2, 8}},
                    {aligned, {2}});
  queue.Sync();
  EXPECT_THAT(aligned, ElementsAre(0.5f, 1));
  const float* const none = nullptr;
  float* const no_ious = nullptr;
  PolygonIou({none, {0, 8}}, {none, {3, 8}}, {no_ious, {0, 3}});
  PolygonIouAligned({none, {0, 9}}, {none, {0, 8}}, {no_ious, {0}});
}

TEST_F(PolyNmsCpp, ThrowsForInvalidArguments) {
  LogCapture log;
  const int32_t integers[5] = {};
  int32_t output[5] = {};
  const auto with = [&](const std::function<void(PolyNmsOptions&)>& set) {
    PolyNmsOptions options;
    set(options);
    return MessageOf([&] { Keep(options); });
  };
  EXPECT_EQ(with([](PolyNmsOptions& o) { o.iou_threshold = -1; }),
            "PolyNms: iou_threshold is -1; it must be 0 or more");
  EXPECT_EQ(with([](PolyNmsOptions& o) { o.score_threshold = kNaN; }),
            "PolyNms: score_threshold is NaN; it must be a number");
  EXPECT_EQ(with([](PolyNmsOptions& o) { o.max_outputs = -1; }),
            "PolyNms: max_outputs is -1; it must be at least 0");
  EXPECT_EQ(with([&](PolyNmsOptions& o) { o.groups = ConstTensorView(integers, {4}); }),
            "PolyNms: groups has shape int32[4]; dimension 0 must be 5");
  EXPECT_EQ(with([&](PolyNmsOptions& o) {
              o.groups = ConstTensorView(integers, {5, 1});
            }),
            "PolyNms: groups has shape int32[5,1]; it must have rank 1");
  EXPECT_EQ(with([&](PolyNmsOptions& o) { o.groups = ConstTensorView(boxes_.data(), {5}); }),
            "PolyNms: groups has type float; it must be int32");
  EXPECT_EQ(with([&](PolyNmsOptions& o) {
              o.groups = ConstTensorView(static_cast<const int32_t*>(nullptr), {5});
            }),
            "PolyNms: groups is NULL; it must be a valid pointer");
  EXPECT_EQ(with([&](PolyNmsOptions& o) {
              o.image_counts = ConstTensorView(integers, {1, 1});
            }),
            "PolyNms: image_counts has shape int32[1,1]; it must have rank 1");
  EXPECT_EQ(with([&](PolyNmsOptions& o) {
              o.image_counts = ConstTensorView(static_cast<const int32_t*>(nullptr), {1});
            }),
            "PolyNms: image_counts is NULL; it must be a valid pointer");
  EXPECT_EQ(
      MessageOf([&] {
        PolyNms({boxes_.data(), {5, 8}});
      }),
      "PolyNms: boxes has shape float[5,8]; dimension 1 must be 9 (x1, y1, ..., x4, y4, score)");
  EXPECT_EQ(MessageOf([&] {
              PolyNms({boxes_.data(), {45}});
            }),
            "PolyNms: boxes has shape float[45]; it must have rank 2");
  Context context;
  EXPECT_EQ(MessageOf([&] {
              PolyNms(context, {boxes_.data(), {5, 9}}, {output, {4}}, {output, {1}});
            }),
            "PolyNms: output has shape int32[4]; dimension 0 must be 5");
  EXPECT_EQ(MessageOf([&] {
              PolyNms(context, {boxes_.data(), {5, 9}}, {output, {5}}, {output, {2}});
            }),
            "PolyNms: result_num has shape int32[2]; dimension 0 must be 1");
}

TEST(PolygonIouCpp, ThrowsForInvalidArguments) {
  LogCapture log;
  const float polygons[27] = {};
  const int32_t integers[27] = {};
  float ious[9] = {};
  EXPECT_EQ(MessageOf([&] {
              PolygonIou({polygons, {1, 8}}, {polygons, {1, 7}}, {ious, {1, 1}});
            }),
            "PolygonIou: polygons2 has shape float[1,7]; dimension 1 must be 8 or 9 (x1, y1, "
            "..., x4, y4, optionally a score)");
  EXPECT_EQ(MessageOf([&] {
              PolygonIou({integers, {1, 8}}, {polygons, {1, 8}}, {ious, {1, 1}});
            }),
            "PolygonIou: polygons1 has type int32; it must be float");
  EXPECT_EQ(MessageOf([&] {
              PolygonIou({polygons, {8}}, {polygons, {1, 8}}, {ious, {1, 1}});
            }),
            "PolygonIou: polygons1 has shape float[8]; it must have rank 2");
  EXPECT_EQ(MessageOf([&] {
              PolygonIou({polygons, {2, 8}}, {polygons, {1, 8}}, {ious, {2, 2}});
            }),
            "PolygonIou: ious has shape float[2,2]; dimension 1 must be 1");
  EXPECT_EQ(MessageOf([&] {
              PolygonIou({polygons, {2, 8}}, {polygons, {1, 8}}, {ious, {1, 1}});
            }),
            "PolygonIou: ious has shape float[1,1]; dimension 0 must be 2");
  EXPECT_EQ(MessageOf([&] {
              PolygonIouAligned({polygons, {2, 8}}, {polygons, {3, 8}}, {ious, {2}});
            }),
            "PolygonIouAligned: polygons2 has shape float[3,8]; dimension 0 must be 2");
  EXPECT_EQ(MessageOf([&] {
              PolygonIouAligned({polygons, {2, 8}}, {polygons, {2, 8}}, {ious, {2, 1}});
            }),
            "PolygonIouAligned: ious has shape float[2,1]; it must have rank 1");
  const float* const none = nullptr;
  EXPECT_EQ(MessageOf([&] {
              PolygonIou({polygons, {1, 8}}, {none, {1, 8}}, {ious, {1, 1}});
            }),
            "PolygonIou: polygons2 is NULL; it must be a valid pointer");
}

}  // namespace
}  // namespace detops::poly_nms
