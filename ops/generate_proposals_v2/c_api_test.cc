// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The results of the C function, its queue, log and float mode.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/generate_proposals_v2/harness.h"
#include "ops/generate_proposals_v2/test_calls.h"
#include "testing/log_capture.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace detops::generate_proposals_v2 {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

// One anchor in an infinitely large image.
Case OneAnchor(const std::vector<float>& anchor, const std::vector<float>& delta,
               const std::vector<float>& variance) {
  Case input = CaseOfBoxes(anchor, {0.5f});
  input.deltas = delta;
  input.variances = variance;
  input.post_nms_top_n = 1;
  return input;
}
const std::vector<float> kNoDelta = {0, 0, 0, 0};
const std::vector<float> kOnes = {1, 1, 1, 1};

TEST_F(MluOpGenerateProposalsV2, ScoresMayBeNaN) {
  Case input;
  input.images = 2;
  input.width = 2;
  input.scores = {0.2f, kNaN, 0.5f, -kInfinity};
  input.deltas = {0, 0, 2, 2, 0, 0, 2, 2, 0, 0, 2, 2, 0, 0, 2, 2};
  input.im_shape = {5, 5, 5, 5};
  input.anchors = {1, 1, 3, 3, 1, 1, 3, 3};
  input.variances = {1, 1, 3, 3, 1, 1, 3, 3};
  input.pre_nms_top_n = 2000;
  const Proposals& proposals = Run(input);
  EXPECT_EQ(proposals.total, 2);
  EXPECT_THAT(proposals.counts, ElementsAre(1, 1));
  const std::vector<float> rois(proposals.rois.begin(), proposals.rois.begin() + 8);
  EXPECT_THAT(rois, ElementsAre(0, 0, 5, 5, 0, 0, 5, 5));
  EXPECT_TRUE(std::isnan(proposals.probs[0]));
  EXPECT_EQ(proposals.probs[1], 0.5f);
  EXPECT_TRUE(std::all_of(proposals.rois.begin() + 8, proposals.rois.end(),
                          [](float f) { return f == kUntouched; }));
  EXPECT_TRUE(std::all_of(proposals.probs.begin() + 2, proposals.probs.end(),
                          [](float f) { return f == kUntouched; }));
}

TEST_F(MluOpGenerateProposalsV2, Decodes) {
  const float log2 = std::log(2.0f);
  const std::vector<float> anchor = {10, 20, 30, 60};  // 20 x 40 around (20, 40)
  EXPECT_THAT(RoisOf(OneAnchor(anchor, kNoDelta, kOnes)), ElementsAre(10, 20, 30, 60));
  EXPECT_THAT(RoisOf(OneAnchor(anchor, {0.5f, 0, 0, 0}, kOnes)), ElementsAre(20, 20, 40, 60));
  EXPECT_THAT(RoisOf(OneAnchor(anchor, {0, 0.25f, 0, 0}, kOnes)), ElementsAre(10, 30, 30, 70));
  EXPECT_THAT(RoisOf(OneAnchor(anchor, {0, 0, log2, 0}, kOnes)), ElementsAre(0, 20, 40, 60));
  EXPECT_THAT(RoisOf(OneAnchor(anchor, {0, 0, 0, -log2}, kOnes)), ElementsAre(10, 30, 30, 50));
  // Each delta has its own variance.
  EXPECT_THAT(RoisOf(OneAnchor(anchor, {0.5f, 0.25f, log2 / 4, 2 * log2}, {4, 2, 4, 0.5f})),
              ElementsAre(40, 20, 80, 100));
}

TEST_F(MluOpGenerateProposalsV2, DecodesWithPixelOffset) {
  const float log2 = std::log(2.0f);
  const std::vector<float> anchor = {10, 20, 29, 59};  // 20 x 40 around (20, 40)
  Case input = OneAnchor(anchor, {0.5f, 0.25f, log2, 0}, kOnes);
  input.pixel_offset = true;
  EXPECT_THAT(RoisOf(input), ElementsAre(10, 30, 49, 69));
  input.im_shape = {50, 40};
  EXPECT_THAT(RoisOf(input), ElementsAre(10, 30, 39, 49));
}

TEST_F(MluOpGenerateProposalsV2, GrowthIsLimited) {
  for (const float delta : {4.2f, 100.0f, 1e30f, kInfinity}) {
    EXPECT_THAT(RoisOf(OneAnchor({1000, 1000, 1016, 1016}, {0, 0, delta, delta}, kOnes)),
                ElementsAre(FloatEq(508), FloatEq(508), FloatEq(1508), FloatEq(1508)));
  }
  // The limit applies to the product with the variance.
  EXPECT_THAT(RoisOf(OneAnchor({1000, 1000, 1016, 1016}, {0, 0, 5, 0}, {1, 1, 0, 1})),
              ElementsAre(1000, 1000, 1016, 1016));
  EXPECT_THAT(RoisOf(OneAnchor({1000, 1000, 1016, 1016}, {0, 0, 4, 0}, {1, 1, 2, 1})),
              ElementsAre(FloatEq(508), 1000, FloatEq(1508), 1016));
}

TEST_F(MluOpGenerateProposalsV2, ClipsToTheImageAndToZero) {
  Case input = OneAnchor({-5, -7, 100, 200}, kNoDelta, kOnes);
  input.im_shape = {60, 50};  // height, width
  EXPECT_THAT(RoisOf(input), ElementsAre(0, 0, 50, 60));
  for (const float unlimited : {kNaN, kInfinity}) {
    input.im_shape = {unlimited, 50};
    EXPECT_THAT(RoisOf(input), ElementsAre(0, 0, 50, 200));
    input.im_shape = {60, unlimited};
    EXPECT_THAT(RoisOf(input), ElementsAre(0, 0, 100, 60));
  }
  for (const float width : {0.0f, -5.0f, -kInfinity}) {
    input.im_shape = {60, width};
    EXPECT_FALSE(Survives(input));
  }
}

TEST_F(MluOpGenerateProposalsV2, DropsSmallBoxes) {
  const float below_one = std::nextafter(1.0f, 0.0f);
  // Boxes start at 0, so that their sizes are exact.
  const auto survives = [&](float width, float height, float min_size, bool pixel_offset) {
    Case input = OneAnchor({0, 0, width, height}, kNoDelta, kOnes);
    input.min_size = min_size;
    input.pixel_offset = pixel_offset;
    return Survives(input);
  };
  for (const float min_size : {-kInfinity, -1.0f, 0.0f, 0.1f, 1.0f}) {
    EXPECT_TRUE(survives(1, 1, min_size, false)) << "sizes below 1 count as 1";
    EXPECT_FALSE(survives(below_one, 1, min_size, false));
    EXPECT_FALSE(survives(1, below_one, min_size, false));
    EXPECT_TRUE(survives(0, 0, min_size, true)) << "one pixel";
  }
  Case thin = OneAnchor({5, 5, 4.5f, 5}, kNoDelta, kOnes);
  thin.pixel_offset = true;
  EXPECT_FALSE(Survives(thin)) << "half a pixel";
  EXPECT_TRUE(survives(8, 8, 8, false));
  EXPECT_FALSE(survives(8, 7.99f, 8, false));
  EXPECT_FALSE(survives(7.99f, 8, 8, false));
  EXPECT_TRUE(survives(7, 7, 8, true));
  EXPECT_FALSE(survives(1e30f, 1e30f, kInfinity, false));
}

TEST_F(MluOpGenerateProposalsV2, DropsBoxesWithTheirCenterOutsideIfPixelOffset) {
  Case input = OneAnchor({0, 0, 10, 10}, kNoDelta, kOnes);
  input.pixel_offset = true;
  // The box is clipped to one pixel at 0, whose center is at 0.5.
  input.im_shape = {20, 0.5f};
  EXPECT_TRUE(Survives(input));
  input.im_shape = {20, std::nextafter(0.5f, 0.0f)};
  EXPECT_FALSE(Survives(input));
  input.im_shape = {std::nextafter(0.5f, 0.0f), 20};
  EXPECT_FALSE(Survives(input));
  input.im_shape = {kNaN, kNaN};
  EXPECT_TRUE(Survives(input)) << "the image has no end";
}

TEST_F(MluOpGenerateProposalsV2, DropsBoxesThatAreNotFinite) {
  for (const float value : {kNaN, kInfinity, -kInfinity}) {
    for (size_t i = 0; i < 4; ++i) {
      std::vector<float> anchor = {10, 10, 20, 20};
      anchor[i] = value;
      EXPECT_FALSE(Survives(OneAnchor(anchor, kNoDelta, kOnes)));
      std::vector<float> delta = kNoDelta;
      delta[i] = value;
      // Infinite growth is limited; infinite shrinkage leaves a point, which is too small.
      EXPECT_EQ(Survives(OneAnchor({10, 10, 20, 20}, delta, kOnes)), i >= 2 && value == kInfinity);
      std::vector<float> variance = kOnes;
      variance[i] = value;
      EXPECT_EQ(Survives(OneAnchor({10, 10, 20, 20}, {1, 1, 1, 1}, variance)),
                i >= 2 && value == kInfinity);
    }
  }
  // Intermediate results overflow.
  EXPECT_FALSE(Survives(OneAnchor({-3e38f, 0, 3e38f, 10}, kNoDelta, kOnes)));
  EXPECT_TRUE(Survives(OneAnchor({0, 0, 3e38f, 3e38f}, kNoDelta, kOnes)));
  // Only one end is infinite. Clipped, the box would be one pixel wide.
  for (Case input : {OneAnchor({-3.4e38f, 0, 0, 10}, {-0.2f, 0, 0, 0}, kOnes),
                     OneAnchor({0, -3.4e38f, 10, 0}, {0, -0.2f, 0, 0}, kOnes),
                     OneAnchor({0, 0, 3.4e38f, 10}, {0.2f, 0, 0, 0}, kOnes),
                     OneAnchor({0, 0, 10, 3.4e38f}, {0, 0.2f, 0, 0}, kOnes)}) {
    input.pixel_offset = true;
    EXPECT_FALSE(Survives(input));
  }
}

TEST_F(MluOpGenerateProposalsV2, DecodesTheHighestScoresOnly) {
  // The IoU of boxes 0 and 1 is 0.9, that of boxes 2 and 3 is 0.5.
  Case input = CaseOfBoxes({0, 0, 10, 10, 0, 0, 10, 9, 50, 0, 60, 10, 50, 0, 60, 5},
                           {0.5f, 0.9f, 0.3f, 0.7f});
  const auto probs = [&](int pre, int post, float threshold) {
    input.pre_nms_top_n = pre;
    input.post_nms_top_n = post;
    input.nms_thresh = threshold;
    Run(input);
    return std::vector<float>(proposals_.probs.begin(),
                              proposals_.probs.begin() + proposals_.total);
  };
  EXPECT_THAT(probs(0, 4, 0.5f), ElementsAre(0.9f, 0.7f, 0.3f));
  EXPECT_THAT(probs(0, 4, 0.49f), ElementsAre(0.9f, 0.7f));
  EXPECT_THAT(probs(0, 4, 0.95f), ElementsAre(0.9f, 0.7f, 0.5f, 0.3f));
  EXPECT_THAT(probs(0, 2, 0.95f), ElementsAre(0.9f, 0.7f));
  EXPECT_THAT(probs(3, 4, 0.95f), ElementsAre(0.9f, 0.7f, 0.5f));
  EXPECT_THAT(probs(3, 4, 0.5f), ElementsAre(0.9f, 0.7f)) << "the fourth score is not selected";
  EXPECT_THAT(probs(1, 4, 0.5f), ElementsAre(0.9f));
}

TEST_F(MluOpGenerateProposalsV2, EqualsReference) {
  for (const Kind kind : kAllKinds) {
    for (const bool pixel_offset : {false, true}) {
      Case input = RandomCase(kind, {3, 12, 10, 3}, 8, 30, 31);
      input.pixel_offset = pixel_offset;
      input.min_size = 9;
      input.nms_thresh = 0.6f;
      input.pre_nms_top_n = 200;
      input.post_nms_top_n = 70;
      ASSERT_EQ(Run(input), CReference(input)) << NameOf(kind);
    }
  }
}

TEST_F(MluOpGenerateProposalsV2, NoImagesWriteTheTotalAndNeedNoMemory) {
  Set(SmallCase());
  DescribeAll(0, 2, 3, 2, 4);
  EXPECT_EQ(WorkspaceSize(), 0u);
  EXPECT_EQ(WorkspaceSizeV2(5), 0u);
  std::fill(std::begin(call_.data), std::end(call_.data), nullptr);
  call_.workspace = nullptr;
  call_.workspace_size = 0;
  Proposals expected = proposals_;
  expected.total = 0;
  EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(proposals_, expected);
  proposals_.total = kUntouched;
  call_.total = nullptr;
  ExpectBadParam("rpn_rois_batch_size is NULL; it must be a valid pointer");
}

TEST_F(MluOpGenerateProposalsV2, NoImagesOnAQueueWriteTheTotalInOrder) {
  ScopedQueue queue(handle_);
  queue.Hold();
  DescribeAll(0, 2, 3, 2, 4);
  call_.post_nms_top_n = 4;
  int32_t total = kUntouched;
  call_.total = &total;
  EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(total, kUntouched) << "written before the jobs ahead of it are done";
  EXPECT_EQ(queue.Sync(), cnrtSuccess);
  EXPECT_EQ(total, 0);
}

TEST_F(MluOpGenerateProposalsV2, DescriptorsMayBeDestroyedWhileTheCallIsQueued) {
  const Case input = SmallCase();
  const Proposals expected = Run(input);
  ScopedQueue queue(handle_);
  queue.Hold();
  Set(input);
  const Proposals before = proposals_;
  ASSERT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
  for (ScopedDescriptor& desc : desc_) {
    desc.Recreate();
  }
  EXPECT_EQ(proposals_, before) << "written before the jobs ahead of it are done";
  EXPECT_EQ(queue.Sync(), cnrtSuccess);
  EXPECT_EQ(proposals_, expected);
}

TEST_F(MluOpGenerateProposalsV2, LayoutOfDescriptorsIsIgnored) {
  Set(SmallCase());
  desc_[kScores].Set({2, 2, 3, 2}, MLUOP_DTYPE_FLOAT, MLUOP_LAYOUT_NCHW);
  EXPECT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
}

TEST_F(MluOpGenerateProposalsV2, LogsEachCallAtDebugLevel) {
  Case input = SmallCase();
  input.pre_nms_top_n = 7;
  input.nms_thresh = 0.25f;
  input.min_size = 2;
  input.pixel_offset = true;
  Set(input);
  LogCapture log(DETOPS_LOG_DEBUG);
  ASSERT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
  DescribeAll(0, 2, 3, 2, 4);
  ASSERT_EQ(call_.Call(), MLUOP_STATUS_SUCCESS);
  const std::string parameters =
      ", pre_nms_top_n 7, post_nms_top_n 4, nms_thresh 0.25, min_size 2, eta 1, pixel_offset true";
  EXPECT_THAT(log.Take(),
              ElementsAre("mluOpGenerateProposalsV2: scores float[2,2,3,2]" + parameters,
                          "mluOpGenerateProposalsV2: scores float[0,2,3,2]" + parameters));
  Describe(kScores, {2, 2, 3, 2});
  const size_t size = WorkspaceSize();
  const size_t size_v2 = WorkspaceSizeV2(3);
  EXPECT_THAT(log.Take(),
              ElementsAre("mluOpGetGenerateProposalsV2WorkspaceSize: scores float[2,2,3,2], "
                          "pre_nms_top_n 0, size " +
                              std::to_string(size),
                          "mluOpGetGenerateProposalsV2WorkspaceSize_v2: scores float[2,2,3,2], "
                          "pre_nms_top_n 3, size " +
                              std::to_string(size_v2)));
}

#if defined(__SSE2__)
TEST_F(MluOpGenerateProposalsV2, ComputesInTheDefaultFloatModeAndRestoresTheCallers) {
  Case input = RandomCase(Kind::kUniform, {2, 9, 9, 3}, 8, 24, 34);
  for (float& score : input.scores) {
    score *= 1e-40f;  // denormals
  }
  input.nms_thresh = 0.7f;
  const Proposals expected = Run(input);
  const uint32_t saved = _mm_getcsr();
  for (const uint32_t rounding : {0x2000u, 0x4000u, 0x6000u}) {  // down, up, toward zero
    Set(input);
    _mm_setcsr(saved | 0x8040 | rounding);  // denormals are zero
    const uint32_t unusual = _mm_getcsr();
    const mluOpStatus_t status = call_.Call();
    const uint32_t after = _mm_getcsr();
    _mm_setcsr(saved);
    EXPECT_EQ(status, MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(after, unusual);
    EXPECT_EQ(proposals_, expected);
  }
}
#endif

}  // namespace
}  // namespace detops::generate_proposals_v2
