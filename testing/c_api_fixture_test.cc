// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "testing/c_api_fixture.h"

#include <gtest/gtest-spi.h>

#include <string>
#include <vector>

#include "cnrt.h"
#include "testing/float_mode.h"

namespace detops {
namespace {

class CApiFixtureTest : public CApiTest {
 protected:
  CApiFixtureTest() : CApiTest("mluOpBboxOverlaps") {}

  mluOpStatus_t Call(mluOpTensorDescriptor_t boxes, const void* data) {
    return mluOpBboxOverlaps(handle_, 0, false, 0, boxes, data, boxes, data, ious_desc_,
                             ious_.data());
  }
  // The text after the function's name of a call that fails.
  std::string Reason(mluOpTensorDescriptor_t boxes, const void* data) {
    LogCapture log;
    EXPECT_NE(Call(boxes, data), MLUOP_STATUS_SUCCESS);
    return std::string(detopsGetLastError()).substr(function_.size() + 2);
  }

  const ScopedDescriptor ious_desc_{{2, 2}};
  std::vector<float> ious_ = {-7, -7, -7, -7};
  std::vector<float> boxes_ = {0, 0, 1, 1, 5, 5, 6, 6};
};

TEST_F(CApiFixtureTest, AcceptsTheExpectedFailure) {
  const ScopedDescriptor boxes({2, 4});
  const ScopedDescriptor wrong_type({2, 4}, MLUOP_DTYPE_INT32);
  ScopedDescriptor strided;
  strided.SetStrided({2, 4}, {5, 1});
  const auto no_data = [&] { return Call(boxes, nullptr); };
  ExpectBadParam(Reason(boxes, nullptr), no_data, ious_);
  ExpectBadParam(Reason(wrong_type, boxes_.data()),
                 [&] { return Call(wrong_type, boxes_.data()); });
  ExpectNotSupported(Reason(strided, boxes_.data()), [&] { return Call(strided, boxes_.data()); });
  ASSERT_EQ(Call(boxes, boxes_.data()), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(ious_, testing::ElementsAre(1, 0, 0, 1));
}

TEST_F(CApiFixtureTest, DescribesArguments) {
  ScopedDescriptor descriptor;
  TensorArgument argument{.dims = {2, 4}, .data = boxes_.data()};
  EXPECT_EQ(Call(descriptor.Describe(argument), argument.data), MLUOP_STATUS_SUCCESS);
  argument.strides = {4, 1};
  EXPECT_EQ(Call(descriptor.Describe(argument), argument.data), MLUOP_STATUS_SUCCESS);
  LogCapture log;
  argument.strides = {5, 1};
  EXPECT_EQ(Call(descriptor.Describe(argument), argument.data), MLUOP_STATUS_NOT_SUPPORTED);
  argument.is_set = false;
  EXPECT_EQ(Call(descriptor.Describe(argument), argument.data), MLUOP_STATUS_BAD_PARAM);
  argument.is_null = true;
  EXPECT_EQ(descriptor.Describe(argument), nullptr);
}

TEST_F(CApiFixtureTest, QueueHoldsJobsUntilSync) {
  const int from = 1;
  int to = 0;
  ScopedQueue queue(handle_);
  queue.Hold();
  ASSERT_EQ(cnrtMemcpyAsync(&to, const_cast<int*>(&from), sizeof(to), queue, cnrtMemcpyHostToHost),
            cnrtSuccess);
  EXPECT_EQ(to, 0);
  EXPECT_EQ(queue.Sync(), cnrtSuccess);
  EXPECT_EQ(to, 1);
}

// EXPECT_NONFATAL_FAILURE cannot use local variables.
mluOpStatus_t FailSilently() { return MLUOP_STATUS_BAD_PARAM; }

TEST(CApiFixture, ReportsAStatusThatWasNotExpected) {
  EXPECT_NONFATAL_FAILURE(ExpectStatus(FailSilently(), MLUOP_STATUS_SUCCESS, "f"), "f: ");
}

TEST(CApiFixture, ReportsAMessageThatWasNotExpected) {
  EXPECT_NONFATAL_FAILURE(ExpectStatus(FailSilently(), MLUOP_STATUS_BAD_PARAM, "f", "no such text"),
                          "f: no such text");
}

TEST(FloatMode, ReportsACallThatChangesIt) {
  EXPECT_EQ(CallInUnusualFloatMode([] { return 7; }), 7);
#if defined(__SSE2__)
  EXPECT_NONFATAL_FAILURE(CallInUnusualFloatMode([] {
                            _mm_setcsr(0x1F80);
                            return 0;
                          }),
                          "changed the floating-point mode");
#endif
}

}  // namespace
}  // namespace detops
