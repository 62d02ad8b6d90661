// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Calls of mluOpPsRoiPoolForward: results, queues, the log and the floating-point mode.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "ops/psroipool_forward/test_calls.h"
#include "ops/psroipool_forward/test_cases.h"
#include "testing/c_api_fixture.h"
#include "testing/log_capture.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace detops::psroipool_forward {
namespace {

using testing::Each;
using testing::ElementsAre;

class MluOpPsRoiPoolForward : public PsRoiPoolCApiTest {};

TEST_F(MluOpPsRoiPoolForward, GivesTheExample) {
  ASSERT_EQ(Make(Example()), MLUOP_STATUS_SUCCESS);
  ExpectExampleResults();
}

TEST_F(MluOpPsRoiPoolForward, MatchesReferenceForTypicalSizes) {
  ExpectMatchesReference(RandomCase(
      Kind::kNetwork, {.images = 1, .height = 14, .width = 14, .group = 7, .dim = 8, .rois = 320},
      1, 17));
  ExpectMatchesReference(RandomCase(
      Kind::kNetwork, {.images = 2, .height = 14, .width = 14, .group = 3, .dim = 21, .rois = 493},
      0.0625f, 18));
}

TEST_F(MluOpPsRoiPoolForward, IgnoresTheWorkspace) {
  CApiCall call = Example();
  std::vector<std::byte> workspace(100, std::byte{0x5A});
  for (const size_t size : {size_t{0}, workspace.size(), std::numeric_limits<size_t>::max()}) {
    for (void* const memory : {static_cast<void*>(nullptr), static_cast<void*>(&workspace[3])}) {
      call.workspace = memory;
      call.workspace_size = size;
      ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
      ExpectExampleResults();
    }
  }
  call.has_workspace = false;
  ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
  ExpectExampleResults();
  call.output_dim = 4;
  ExpectRefused(call,
                "input has shape float[2,2,3,12]; dimension 3 must be group_size squared, 4, "
                "times output_dim, 4");
}

// With an empty input, data pointers may be null and the results stay as they were.
TEST_F(MluOpPsRoiPoolForward, DoesNothingWithoutInput) {
  const std::vector<std::vector<int64_t>> shapes = {
      {0, 2, 3, 12}, {2, 0, 3, 12}, {2, 2, 0, 12}, {0, 0, 0, 12}};
  for (const std::vector<int64_t>& shape : shapes) {
    CApiCall call = Example();
    call.input.dims = shape;
    const std::vector<float> no_image(15, 99);
    call.rois.data = const_cast<float*>(no_image.data());
    ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
    ExpectUntouched();
    call.input.data = call.rois.data = call.output.data = call.mapping_channel.data = nullptr;
    ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
    // Everything else is still checked.
    call.spatial_scale = kNaN;
    ExpectRefused(call, "spatial_scale is nan; it must be a finite number above 0");
    call = Example();
    call.input.dims = shape;
    call.rois.dims = {0, 5};
    call.output.dims = call.mapping_channel.dims = {0, 2, 2, 3};
    ExpectRefused(call, "rois has shape float[0,5]; it must not be empty");
    call = Example();
    call.input.dims = shape;
    call.output.dims = {3, 2, 2, 4};
    ExpectRefused(call, "output has shape float[3,2,2,4]; dimension 3 must be 3");
  }
  CApiCall call = Example();
  call.input.dims = {0, 2, 3, 0};
  ExpectRefused(call,
                "input has shape float[0,2,3,0]; dimension 3 must be group_size squared, 4, "
                "times output_dim, 3");
}

TEST_F(MluOpPsRoiPoolForward, AcceptsRoisInAnyLayoutAndAnyStrideOfDimensionsOfOne) {
  CApiCall call = Example();
  call.rois.layout = MLUOP_LAYOUT_NHWC;
  call.input.dims = {1, 4, 3, 12};
  call.input.strides = {-5, 36, 12, 1};  // the first dimension is 1, so its stride is ignored
  example_.rois = {0, 0, 0, 2, 1, 0, 2, 3, 0, 0, 0, 9, 9, 9, 9};
  call.rois.data = example_.rois.data();
  ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
  ExpectExampleResults();
}

TEST_F(MluOpPsRoiPoolForward, RunsOnAQueueWithoutTheDescriptors) {
  ScopedQueue queue(handle_);
  queue.Hold();
  ASSERT_EQ(Make(Example()), MLUOP_STATUS_SUCCESS);
  ExpectUntouched();
  for (ScopedDescriptor& descriptor : descriptors_) {
    descriptor.Recreate();
  }
  ASSERT_EQ(queue.Sync(), cnrtSuccess);
  ExpectExampleResults();
}

// The error occurs when the job runs: it is logged then and reported once. Later jobs still run.
TEST_F(MluOpPsRoiPoolForward, QueueReportsBatchIndicesOutOfRange) {
  ScopedQueue queue(handle_);
  const char* const why = "mluOpPsRoiPoolForward: rois[1] has batch index 2; it must be 0 to 1";
  LogCapture log;
  std::vector<float> bad_rois = example_.rois;
  bad_rois[kRoiNumbers] = 2;
  std::vector<float> other_output(36, -7.0f);
  std::vector<int32_t> other_mapping(36, -7);
  CApiCall bad = Example();
  bad.rois.data = bad_rois.data();
  bad.output.data = other_output.data();
  bad.mapping_channel.data = other_mapping.data();
  ASSERT_EQ(Make(bad), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(Make(Example()), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(queue.Sync(), cnrtErrorArgsInvalid);
  EXPECT_STREQ(detopsGetLastError(), why);
  EXPECT_THAT(log.Take(), ElementsAre(why));
  EXPECT_THAT(other_output, Each(-7));
  EXPECT_THAT(other_mapping, Each(-7));
  ExpectExampleResults();
  EXPECT_EQ(queue.Sync(), cnrtSuccess) << "reported twice";
  ASSERT_EQ(Make(Example()), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(queue.Sync(), cnrtSuccess);
  ExpectExampleResults();
}

// Invalid arguments fail in the call itself, also with a queue.
TEST_F(MluOpPsRoiPoolForward, ChecksArgumentsBeforeAnythingIsQueued) {
  ScopedQueue queue(handle_);
  CApiCall call = Example();
  call.output.data = nullptr;
  ExpectRefused(call, "output is NULL; it must be a valid pointer");
  EXPECT_EQ(queue.Sync(), cnrtSuccess);
}

// Scratch grows and shrinks with the number of threads and the shape.
TEST_F(MluOpPsRoiPoolForward, ThreadsAndShapesMayChangeBetweenCalls) {
  const Case large = RandomCase(
      Kind::kNetwork, {.images = 2, .height = 20, .width = 30, .group = 4, .dim = 20, .rois = 60},
      0.25f, 1);
  const Case small =
      RandomCase(Kind::kLarge,
                 {.images = 1, .height = 5, .width = 6, .group = 2, .dim = 9, .rois = 3}, 0.1f, 2);
  for (const bool queued : {false, true}) {
    std::optional<ScopedQueue> queue;
    if (queued) {
      queue.emplace(handle_);
    }
    for (const int threads : {1, 7, 2, 0}) {
      ASSERT_EQ(detopsSetThreads(handle_, threads), MLUOP_STATUS_SUCCESS);
      ExpectMatchesReference(small, queued ? queue->get() : nullptr);
      ExpectMatchesReference(large, queued ? queue->get() : nullptr);
    }
  }
}

TEST_F(MluOpPsRoiPoolForward, LogsEachCallAtDebugLevel) {
  CApiCall call = Example();
  call.spatial_scale = 0.0625f;
  LogCapture log(DETOPS_LOG_DEBUG);
  ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(log.Take(), ElementsAre("mluOpPsRoiPoolForward: input float[2,2,3,12], rois "
                                      "float[3,5], group_size 2, output_dim 3, spatial_scale "
                                      "0.0625"));
  // Also when there is nothing to do.
  call.input.dims = {0, 2, 3, 12};
  ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(log.Take(), ElementsAre("mluOpPsRoiPoolForward: input float[0,2,3,12], rois "
                                      "float[3,5], group_size 2, output_dim 3, spatial_scale "
                                      "0.0625"));
  LogCapture quiet(DETOPS_LOG_INFO);
  ASSERT_EQ(Make(Example()), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(quiet.Take(), ElementsAre());
}

#if defined(__SSE2__)
TEST_F(MluOpPsRoiPoolForward, ComputesInTheDefaultFloatModeAndRestoresTheCallersMode) {
  Case input =
      RandomCase(Kind::kLarge,
                 {.images = 1, .height = 9, .width = 9, .group = 3, .dim = 9, .rois = 50}, 0.1f, 3);
  for (size_t i = 0; i < input.input.size(); ++i) {
    input.input[i] *= i % 3 == 0 ? 1.0f : 1e-39f;  // denormals
  }
  std::fill_n(input.input.begin(), input.input.size() / 2, 1e-40f);
  std::vector<float> output(static_cast<size_t>(input.results()));
  std::vector<int32_t> mapping_channel(output.size());
  const CApiCall call = CallOf(input, output.data(), mapping_channel.data());
  const Result expected = RunReference(input);
  for (const int threads : {1, 2}) {
    ASSERT_EQ(detopsSetThreads(handle_, threads), MLUOP_STATUS_SUCCESS);
    std::fill(output.begin(), output.end(), -7.0f);
    const uint32_t saved = _mm_getcsr();
    _mm_setcsr(saved | 0x8040 | 0x2000);  // flush denormals, round down
    const uint32_t unusual = _mm_getcsr();
    const mluOpStatus_t status = Make(call);
    const uint32_t after = _mm_getcsr();
    _mm_setcsr(saved);
    EXPECT_EQ(status, MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(after, unusual);
    EXPECT_TRUE(ReadResult(input, output.data(), mapping_channel.data()) == expected);
  }
  EXPECT_THAT(output, testing::Contains(testing::AllOf(testing::Gt(0), testing::Lt(1.1e-38f))))
      << "the results must include denormals";
}
#endif

}  // namespace
}  // namespace detops::psroipool_forward
