// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// detops::BorderAlignForward.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "detops/detops.hpp"
#include "ops/border_align_forward/harness.h"
#include "testing/error_message.h"
#include "testing/gate.h"
#include "testing/log_capture.h"

namespace detops::border_align_forward {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;

class BorderAlignForwardCpp : public testing::Test {
 protected:
  using Layout = mluOpTensorLayout_t;

  // SeedsExample() in both layouts.
  ConstTensorView InputChannelsFirst(Layout layout = MLUOP_LAYOUT_ARRAY) const {
    return {channels_first_.data(), {1, 4, 3, 4}, layout};
  }
  ConstTensorView Input(Layout layout = MLUOP_LAYOUT_ARRAY) const {
    return {example_.input.data(), {1, 3, 4, 4}, layout};
  }
  ConstTensorView Boxes() const { return {example_.boxes.data(), {1, 12, 4}}; }
  TensorView OutputChannelsFirst(Layout layout = MLUOP_LAYOUT_ARRAY) {
    return {output_.data(), {1, 1, 12, 4}, layout};
  }
  TensorView Output(Layout layout = MLUOP_LAYOUT_ARRAY) {
    return {output_.data(), {1, 12, 4, 1}, layout};
  }
  TensorView ArgmaxChannelsFirst(Layout layout = MLUOP_LAYOUT_ARRAY) {
    return {argmax_idx_.data(), {1, 1, 12, 4}, layout};
  }
  TensorView Argmax(Layout layout = MLUOP_LAYOUT_ARRAY) {
    return {argmax_idx_.data(), {1, 12, 4, 1}, layout};
  }

  // Checks the results of a call with the example and clears them for the next call.
  void ExpectExampleResults(bool argmax = true) {
    EXPECT_THAT(output_, ElementsAreArray(SeedsResult().values));
    if (argmax) {
      EXPECT_THAT(argmax_idx_, ElementsAreArray(SeedsResult().samples));
    } else {
      EXPECT_THAT(argmax_idx_, Each(-7));
    }
    output_.assign(48, -7.0f);
    argmax_idx_.assign(48, -7);
  }

  // Checks that `call` throws "BorderAlignForward: why", logs it, and writes nothing.
  void ExpectThrown(const std::string& why, const std::function<void()>& call,
                    mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM) {
    detops::ExpectThrown("BorderAlignForward: " + why, status, call, output_, argmax_idx_);
    EXPECT_THAT(output_, Each(-7));
    EXPECT_THAT(argmax_idx_, Each(-7));
  }

  const Case example_ = SeedsExample();
  const std::vector<float> channels_first_ = ChannelsFirst(example_);
  std::vector<float> output_ = std::vector<float>(48, -7.0f);
  std::vector<int32_t> argmax_idx_ = std::vector<int32_t>(48, -7);
  const BorderAlignOptions nhwc_{1, ImageLayout::kNhwc};
  const BorderAlignOptions nchw_{1, ImageLayout::kNchw};
};

TEST_F(BorderAlignForwardCpp, ComputesTheExampleInBothLayouts) {
  BorderAlignForward(InputChannelsFirst(), Boxes(), OutputChannelsFirst(), ArgmaxChannelsFirst(),
                     nchw_);
  ExpectExampleResults();
  BorderAlignForward(Input(), Boxes(), Output(), Argmax(), nhwc_);
  ExpectExampleResults();
  BorderAlignForward(InputChannelsFirst(), Boxes(), OutputChannelsFirst(), std::nullopt, nchw_);
  ExpectExampleResults(false);
  BorderAlignForward(Input(), Boxes(), Output(), std::nullopt, nhwc_);
  ExpectExampleResults(false);
}

TEST_F(BorderAlignForwardCpp, DefaultsAreTenStepsAndChannelsLast) {
  const BorderAlignOptions options;
  EXPECT_EQ(options.pool_size, 10);
  EXPECT_EQ(options.layout, ImageLayout::kNhwc);
  const float input[] = {0, 0, 0, 0, 10, 10, 10, 10};
  const float boxes[] = {0, 0, 1, 0};
  int32_t argmax[4];
  float output[4];
  BorderAlignForward({input, {1, 1, 2, 4}}, {boxes, {1, 1, 4}}, {output, {1, 1, 4, 1}},
                     TensorView(argmax, {1, 1, 4, 1}));
  EXPECT_THAT(argmax, ElementsAre(10, 0, 0, 0));
}

TEST_F(BorderAlignForwardCpp, AcceptsViewsWithTheLayoutOfTheOptions) {
  const mluOpTensorLayout_t nhwc = MLUOP_LAYOUT_NHWC;
  const mluOpTensorLayout_t nchw = MLUOP_LAYOUT_NCHW;
  BorderAlignForward(Input(nhwc), Boxes(), Output(nhwc), Argmax(nhwc), nhwc_);
  ExpectExampleResults();
  BorderAlignForward(InputChannelsFirst(nchw), Boxes(), OutputChannelsFirst(nchw),
                     ArgmaxChannelsFirst(nchw), nchw_);
  ExpectExampleResults();
  ExpectThrown("input has layout NCHW; it must be NHWC", [&] {
    BorderAlignForward(InputChannelsFirst(nchw), Boxes(), Output(), Argmax(), nhwc_);
  });
  ExpectThrown("input has layout NHWC; it must be NCHW", [&] {
    BorderAlignForward(Input(nhwc), Boxes(), OutputChannelsFirst(), std::nullopt, nchw_);
  });
  ExpectThrown("output has layout NCHW; it must be NHWC",
               [&] { BorderAlignForward(Input(), Boxes(), Output(nchw), std::nullopt, nhwc_); });
  ExpectThrown("argmax_idx has layout NHWC; it must be NCHW", [&] {
    BorderAlignForward(InputChannelsFirst(), Boxes(), OutputChannelsFirst(),
                       ArgmaxChannelsFirst(nhwc), nchw_);
  });
}

TEST_F(BorderAlignForwardCpp, ThrowsForInvalidArguments) {
  ExpectThrown("pool_size is 0; it must be at least 1", [&] {
    BorderAlignForward(Input(), Boxes(), Output(), Argmax(), {0, ImageLayout::kNhwc});
  });
  ExpectThrown("layout is 2; it must be 0 to 1", [&] {
    BorderAlignForward(Input(), Boxes(), Output(), Argmax(), {1, static_cast<ImageLayout>(2)});
  });
  ExpectThrown("input has shape float[1,3,4,4]; dimension 1 must be a multiple of 4", [&] {
    BorderAlignForward(Input(), Boxes(), OutputChannelsFirst(), std::nullopt, nchw_);
  });
  ExpectThrown("output has shape float[1,12,4,1]; dimension 1 must be 1", [&] {
    BorderAlignForward(InputChannelsFirst(), Boxes(), Output(), Argmax(), nchw_);
  });
  ExpectThrown("argmax_idx has shape int32[1,12,4,1]; dimension 1 must be 1", [&] {
    BorderAlignForward(InputChannelsFirst(), Boxes(), OutputChannelsFirst(), Argmax(), nchw_);
  });
  ExpectThrown("argmax_idx is NULL; it must be a valid pointer", [&] {
    BorderAlignForward(Input(), Boxes(), Output(),
                       TensorView(static_cast<int32_t*>(nullptr), {1, 12, 4, 1}), nhwc_);
  });
  ExpectThrown(
      "boxes has shape float[1,12,-4]; no dimension may be negative and their product must be "
      "below 2^63",
      [&] {
        BorderAlignForward(Input(), {example_.boxes.data(), {1, 12, -4}}, Output(), Argmax(),
                           nhwc_);
      });
  ExpectThrown(
      "input has shape float[1,4,32768,16384]; it must have fewer than 2^31 elements",
      [&] {
        BorderAlignForward({channels_first_.data(), {1, 4, 1 << 15, 1 << 14}}, Boxes(),
                           OutputChannelsFirst(), ArgmaxChannelsFirst(), nchw_);
      },
      MLUOP_STATUS_NOT_SUPPORTED);
}

TEST_F(BorderAlignForwardCpp, RunsInAContextAndOnItsQueue) {
  Context context;
  BorderAlignForward(context, Input(), Boxes(), Output(), Argmax(), nhwc_);
  ExpectExampleResults();
  Queue queue;
  context.SetQueue(queue);
  Gate gate;
  ASSERT_TRUE(gate.Block(queue.get()).ok());
  BorderAlignForward(context, InputChannelsFirst(), Boxes(), OutputChannelsFirst(), std::nullopt,
                     nchw_);
  EXPECT_THAT(output_, Each(-7)) << "the call ran before the job ahead of it";
  gate.Open();
  queue.Sync();
  ExpectExampleResults(false);
}

TEST_F(BorderAlignForwardCpp, LogsLayoutAndOmittedArgmax) {
  Context context;  // created before the capture: the first context logs a line of its own
  LogCapture log(DETOPS_LOG_DEBUG);
  BorderAlignForward(context, InputChannelsFirst(), Boxes(), OutputChannelsFirst(), std::nullopt,
                     nchw_);
  EXPECT_THAT(log.Take(), ElementsAre("BorderAlignForward: input float[1,4,3,4] NCHW, boxes "
                                      "float[1,12,4], pool_size 1, no argmax_idx"));
}

}  // namespace
}  // namespace detops::border_align_forward
