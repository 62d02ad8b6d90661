// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// mluOpBorderAlignForward: results, queues, threads and the log. checks_test.cc has invalid calls.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "ops/border_align_forward/test_calls.h"
#include "testing/float_mode.h"
#include "testing/log_capture.h"

namespace detops::border_align_forward {
namespace {

using testing::ElementsAre;

class MluOpBorderAlignForward : public BorderAlignCApiTest {
 protected:
  // Also waits for `queue`, if there is one.
  void ExpectMatchesReference(const Case& input, cnrtQueue_t queue = nullptr) {
    const Problem problem(input);
    std::vector<std::byte> output(static_cast<size_t>(problem.output_bytes()));
    std::vector<int32_t> argmax_idx(static_cast<size_t>(input.results()), -1);
    ASSERT_EQ(Make(CallOf(problem, output.data(), argmax_idx.data())), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(cnrtQueueSync(queue), cnrtSuccess);
    EXPECT_TRUE(ReadResult(input, output.data(), argmax_idx.data()) == RunReference(input))
        << input.ToString();
  }
};

TEST_F(MluOpBorderAlignForward, ComputesTheExampleOfTheDesignDocument) {
  ASSERT_EQ(Make(Example()), MLUOP_STATUS_SUCCESS);
  ExpectExampleResults();
}

TEST_F(MluOpBorderAlignForward, MatchesReferenceForTheSizesOfTheDesignDocument) {
  constexpr Shape kShapes[] = {
      // The sizes of networks.
      MakeShape({2, 7, 10, 256}, 70, 10),
      MakeShape({2, 25, 38, 256}, 950, 10),
      MakeShape({2, 10, 7, 128}, 70, 10),
      // The list of random sizes. Where its shapes contradict each other, the closest valid ones.
      MakeShape({3, 10, 10, 1}, 5, 8),
      MakeShape({3, 8, 10, 102}, 80, 2),
      MakeShape({3, 8, 100, 2}, 800, 1),
  };
  for (const Shape& shape : kShapes) {
    for (const bool half : {false, true}) {
      Case input = RandomCase(Kind::kNetwork, shape, 17);
      input.half = half;
      ExpectMatchesReference(input);
    }
  }
}

// The layout of boxes is ignored, and so are the strides of dimensions of size 1.
TEST_F(MluOpBorderAlignForward, AcceptsAnyLayoutOfBoxesAndUnusedStrides) {
  CApiCall call = Example();
  call.boxes.layout = MLUOP_LAYOUT_NTC;
  call.input.strides = {-5, 16, 4, 1};
  call.output.strides = {7, 4, 1, 9};
  ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
  ExpectExampleResults();
}

TEST_F(MluOpBorderAlignForward, DoesNotUseDescriptorsAfterTheCall) {
  ScopedQueue queue(handle_);
  queue.Hold();
  ASSERT_EQ(Make(Example()), MLUOP_STATUS_SUCCESS);
  ExpectUntouched();
  for (ScopedDescriptor* const descriptor :
       {&input_desc_, &boxes_desc_, &output_desc_, &argmax_idx_desc_}) {
    descriptor->Recreate();
  }
  ASSERT_EQ(queue.Sync(), cnrtSuccess);
  ExpectExampleResults();
}

// The size of the scratch memory depends on threads and shape; it must grow and shrink with them.
TEST_F(MluOpBorderAlignForward, ThreadsAndShapesMayChangeBetweenCalls) {
  const Case large = RandomCase(Kind::kNetwork, MakeShape({2, 20, 30, 64}, 60, 10), 1);
  const Case small = RandomCase(Kind::kNetwork, MakeShape({1, 5, 6, 20}, 9, 3), 2);
  for (const bool queued : {false, true}) {
    const auto queue = queued ? std::make_unique<ScopedQueue>(handle_) : nullptr;
    const cnrtQueue_t queue_or_null = queued ? queue->get() : nullptr;
    for (const int threads : {1, 7, 2, 0}) {
      ASSERT_EQ(detopsSetThreads(handle_, threads), MLUOP_STATUS_SUCCESS);
      ExpectMatchesReference(small, queue_or_null);
      ExpectMatchesReference(large, queue_or_null);
    }
  }
}

TEST_F(MluOpBorderAlignForward, LogsEachCallAtDebugLevel) {
  CApiCall call = Example();
  call.pool_size = 3;
  LogCapture log(DETOPS_LOG_DEBUG);
  ASSERT_EQ(Make(call), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(log.Take(),
              ElementsAre("mluOpBorderAlignForward: input float[1,3,4,4], boxes float[1,12,4], "
                          "pool_size 3"));
  LogCapture quiet(DETOPS_LOG_INFO);
  ASSERT_EQ(Make(Example()), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(quiet.Take(), ElementsAre());
}

#if defined(__SSE2__)
TEST_F(MluOpBorderAlignForward, ComputesInTheDefaultFloatModeAndRestoresTheCallers) {
  Case input = RandomCase(Kind::kNetwork, MakeShape({1, 9, 9, 64}, 50, 7), 3);
  for (size_t i = 0; i < input.input.size(); i += 2) {
    input.input[i] *= 1e-39f;  // a denormal
  }
  const Problem problem(input);
  std::vector<float> output(static_cast<size_t>(input.results()));
  std::vector<int32_t> argmax_idx(output.size());
  const CApiCall call = CallOf(problem, output.data(), argmax_idx.data());
  const Result expected = RunReference(input);
  for (const int threads : {1, 2}) {
    ASSERT_EQ(detopsSetThreads(handle_, threads), MLUOP_STATUS_SUCCESS);
    std::fill(output.begin(), output.end(), -7.0f);
    EXPECT_EQ(CallInUnusualFloatMode([&] { return Make(call); }), MLUOP_STATUS_SUCCESS);
    EXPECT_TRUE(ReadResult(input, output.data(), argmax_idx.data()) == expected);
  }
}
#endif

}  // namespace
}  // namespace detops::border_align_forward
