// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C++ functions: options, queues, error texts, logging.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "detops/detops.hpp"
#include "testing/error_message.h"
#include "testing/log_capture.h"

namespace detops::nms {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class NmsCpp : public testing::Test {
 protected:
  SuppressionResult Keep(const NmsOptions& options) const {
    return Nms({boxes_.data(), {4, 4}}, {scores_.data(), {4}}, options);
  }

  // IoU of boxes 0 and 1: 0.9; of boxes 2 and 3: 0.5.
  const std::vector<float> boxes_ = {0, 0, 10, 10, 0, 0, 10, 9, 50, 0, 60, 10, 50, 0, 60, 5};
  const std::vector<float> scores_ = {0.5f, 0.9f, 0.3f, 0.7f};
};

TEST_F(NmsCpp, SortsByScoreOrIndex) {
  EXPECT_THAT(Keep({}).indices, ElementsAre(1, 3, 2));
  EXPECT_THAT(Keep({}).counts, ElementsAre(3));
  NmsOptions options;
  options.sort_by_score = false;
  EXPECT_THAT(Keep(options).indices, ElementsAre(1, 2, 3));
  options.iou_threshold = 0.49f;
  EXPECT_THAT(Keep(options).indices, ElementsAre(1, 3));
}

TEST_F(NmsCpp, GroupsThresholdAndLimit) {
  const int32_t groups[] = {7, -1, 7, 7};
  NmsOptions options;
  options.groups = ConstTensorView(groups, {4});
  EXPECT_THAT(Keep(options).indices, ElementsAre(1, 3, 0, 2));
  options.score_threshold = 0.3f;
  EXPECT_THAT(Keep(options).indices, ElementsAre(1, 3, 0));
  options.max_outputs = 2;
  EXPECT_THAT(Keep(options).indices, ElementsAre(1, 3));
}

TEST_F(NmsCpp, ImagesDoNotInteract) {
  const int32_t image_counts[] = {1, 0, 3};
  NmsOptions options;
  options.image_counts = ConstTensorView(image_counts, {3});
  const SuppressionResult result = Keep(options);
  EXPECT_THAT(result.indices, ElementsAre(0, 1, 3, 2));
  EXPECT_THAT(result.counts, ElementsAre(1, 0, 3));
}

TEST_F(NmsCpp, WritesToTheCallersMemoryOnAQueue) {
  Queue queue;
  Context context;
  context.SetQueue(queue);
  int32_t output[] = {-7, -7, -7, -7};
  int32_t result_num[] = {-7};
  Nms(context, {boxes_.data(), {4, 4}}, {scores_.data(), {4}}, {output, {4}}, {result_num, {1}});
  queue.Sync();
  EXPECT_THAT(output, ElementsAre(1, 3, 2, -7));
  EXPECT_THAT(result_num, ElementsAre(3));
}

TEST_F(NmsCpp, InvalidImageCountsAreADataError) {
  const int32_t image_counts[] = {1, 2};
  NmsOptions options;
  options.image_counts = ConstTensorView(image_counts, {2});
  EXPECT_THROW(Keep(options), Error);
  Queue queue;
  Context context;
  context.SetQueue(queue);
  int32_t output[] = {-7, -7, -7, -7};
  int32_t result_num[] = {-7, -7};
  const LogCapture log;
  Nms(context, {boxes_.data(), {4, 4}}, {scores_.data(), {4}}, {output, {4}}, {result_num, {2}},
      options);
  EXPECT_THROW(queue.Sync(), Error);
  EXPECT_THAT(output, ElementsAre(-7, -7, -7, -7));
  EXPECT_THAT(result_num, ElementsAre(-7, -7));
}

TEST(NmsEmpty, KeepsNothing) {
  const SuppressionResult result =
      Nms({static_cast<const float*>(nullptr), {0, 4}}, {static_cast<const float*>(nullptr), {0}});
  EXPECT_THAT(result.indices, IsEmpty());
  EXPECT_THAT(result.counts, ElementsAre(0));
}

TEST_F(NmsCpp, NamesTheInvalidArgument) {
  const LogCapture log;
  const ConstTensorView boxes(boxes_.data(), {4, 4});
  const ConstTensorView scores(scores_.data(), {4});
  const auto with = [&](const auto& change) {
    NmsOptions options;
    change(options);
    return MessageOf([&] { Nms(boxes, scores, options); });
  };
  EXPECT_EQ(MessageOf([&] {
              Nms({boxes_.data(), {16}}, scores);
            }),
            "Nms: boxes has shape float[16]; it must have rank 2");
  EXPECT_EQ(MessageOf([&] {
              Nms(boxes, {scores_.data(), {2, 2}});
            }),
            "Nms: scores has shape float[2,2]; it must have rank 1");
  EXPECT_EQ(MessageOf([&] {
              Nms({boxes_.data(), {2, 8}}, scores);
            }),
            "Nms: boxes has shape float[2,8]; dimension 1 must be 4 (x1, y1, x2, y2)");
  EXPECT_EQ(MessageOf([&] {
              Nms(boxes, {scores_.data(), {3}});
            }),
            "Nms: scores has shape float[3]; dimension 0 must be 4");
  EXPECT_EQ(MessageOf([&] {
              Nms({static_cast<const float*>(nullptr), {4, 4}}, scores);
            }),
            "Nms: boxes is NULL; it must be a valid pointer");
  EXPECT_EQ(with([](NmsOptions& options) { options.offset = 2; }),
            "Nms: offset is 2; it must be 0 to 1");
  EXPECT_EQ(with([](NmsOptions& options) { options.iou_threshold = -0.5f; }),
            "Nms: iou_threshold is -0.5; it must be 0 or more");
  EXPECT_EQ(with([](NmsOptions& options) {
              options.score_threshold = std::numeric_limits<float>::quiet_NaN();
            }),
            "Nms: score_threshold is NaN; it must be a number");
  EXPECT_EQ(with([](NmsOptions& options) { options.max_outputs = -1; }),
            "Nms: max_outputs is -1; it must be at least 0");
  const int32_t groups[] = {1, 2, 3};
  EXPECT_EQ(with([&](NmsOptions& options) { options.groups = ConstTensorView(groups, {3}); }),
            "Nms: groups has shape int32[3]; dimension 0 must be 4");
  EXPECT_EQ(with([&](NmsOptions& options) { options.groups = scores; }),
            "Nms: groups has type float; it must be int32");
}

// Everything is invalid at first. Each step expects the next error of README.md and corrects its
// cause.
TEST_F(NmsCpp, ReportsTheFirstOfSeveralErrors) {
  const int32_t integers[16] = {};
  const float* const no_floats = nullptr;
  int32_t output[4] = {-7, -7, -7, -7};
  int32_t result_num[2] = {-7, -7};
  ConstTensorView boxes(integers, {2, 8});
  ConstTensorView scores(scores_.data(), {3});
  TensorView kept(output, {3});
  TensorView counts(result_num, {1});
  NmsOptions options;
  options.offset = 2;
  options.groups = ConstTensorView(scores_.data(), {3});
  options.image_counts = ConstTensorView(integers, {1, 2});
  options.iou_threshold = -1;
  options.score_threshold = std::numeric_limits<float>::quiet_NaN();
  options.max_outputs = -1;
  Context context;
  const auto expect = [&](const char* why, mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM) {
    ExpectThrown(std::string("Nms: ") + why, status,
                 [&] { Nms(context, boxes, scores, kept, counts, options); });
    EXPECT_THAT(output, testing::Each(-7));
    EXPECT_THAT(result_num, testing::Each(-7));
  };
  expect("offset is 2; it must be 0 to 1");
  options.offset = 0;
  expect("boxes has type int32; it must be float");
  boxes = ConstTensorView(boxes_.data(), {2, 8});
  expect("groups has type float; it must be int32");
  options.groups = ConstTensorView(integers, {3});
  expect("iou_threshold is -1; it must be 0 or more");
  options.iou_threshold = 0.5f;
  expect("score_threshold is NaN; it must be a number");
  options.score_threshold.reset();
  expect("max_outputs is -1; it must be at least 0");
  options.max_outputs = 4;
  expect("boxes has shape float[2,8]; dimension 1 must be 4 (x1, y1, x2, y2)");
  boxes = ConstTensorView(no_floats, {4, 4});
  expect("scores has shape float[3]; dimension 0 must be 4");
  scores = ConstTensorView(scores_.data(), {4});
  expect("groups has shape int32[3]; dimension 0 must be 4");
  options.groups = ConstTensorView(integers, {4});
  expect("output has shape int32[3]; dimension 0 must be 4");
  kept = TensorView(output, {4});
  expect("image_counts has shape int32[1,2]; it must have rank 1");
  options.image_counts = ConstTensorView(integers, {2});
  expect("result_num has shape int32[1]; dimension 0 must be 2");
  counts = TensorView(result_num, {2});
  expect("boxes is NULL; it must be a valid pointer");
  boxes = ConstTensorView(boxes_.data(), {4, 4});
  expect("image_counts add up to 0; they must add up to 4, the number of boxes");
  const int32_t image_counts[] = {1, 3};
  options.image_counts = ConstTensorView(image_counts, {2});
  Nms(context, boxes, scores, kept, counts, options);
  EXPECT_THAT(result_num, ElementsAre(1, 3));
}

TEST_F(NmsCpp, DoesNotSupportHugeTensors) {
  constexpr int64_t kTooMany = int64_t{1} << 29;
  ExpectThrown("Nms: boxes has shape float[536870912,4]; it must have fewer than 2^31 elements",
               MLUOP_STATUS_NOT_SUPPORTED, [&] {
                 Nms({boxes_.data(), {kTooMany, 4}}, {scores_.data(), {kTooMany}});
               });
}

TEST_F(NmsCpp, OptionsHaveTheDefaultsOfTheContract) {
  const NmsOptions options;
  EXPECT_EQ(options.iou_threshold, 0.5f);
  EXPECT_EQ(options.offset, 0);
  EXPECT_EQ(options.score_threshold, std::nullopt);
  EXPECT_EQ(options.max_outputs, std::numeric_limits<int32_t>::max());
  EXPECT_TRUE(options.sort_by_score);
  EXPECT_FALSE(options.groups || options.image_counts);
}

TEST_F(NmsCpp, LogsEachCallAtDebugLevel) {
  Keep({});  // The first context of a process logs the version.
  LogCapture log(DETOPS_LOG_DEBUG);
  Keep({});
  EXPECT_THAT(log.Take(),
              ElementsAre("Nms: boxes float[4,4], offset 0, iou_threshold 0.5, sorted by "
                          "score, images 1"));
}

}  // namespace
}  // namespace detops::nms
