// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C++ API.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "detops/detops.hpp"
#include "measure/channels_first.h"
#include "ops/psroipool_forward/cases.h"
#include "testing/gate.h"
#include "testing/log_capture.h"

namespace detops::psroipool_forward {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;

class PsRoiPoolForwardCpp : public testing::Test {
 protected:
  using Layout = mluOpTensorLayout_t;

  ConstTensorView Input(Layout layout = MLUOP_LAYOUT_ARRAY) const {
    return {example_.input.data(), {2, 2, 3, 12}, layout};
  }
  ConstTensorView InputChannelsFirst(Layout layout = MLUOP_LAYOUT_ARRAY) const {
    return {channels_first_.data(), {2, 12, 2, 3}, layout};
  }
  ConstTensorView Rois() const { return {example_.rois.data(), {3, 5}}; }
  TensorView Output(Layout layout = MLUOP_LAYOUT_ARRAY) {
    return {output_.data(), {3, 2, 2, 3}, layout};
  }
  TensorView OutputChannelsFirst(Layout layout = MLUOP_LAYOUT_ARRAY) {
    return {output_.data(), {3, 3, 2, 2}, layout};
  }
  TensorView Mapping(Layout layout = MLUOP_LAYOUT_ARRAY) {
    return {mapping_channel_.data(), {3, 2, 2, 3}, layout};
  }
  TensorView MappingChannelsFirst(Layout layout = MLUOP_LAYOUT_ARRAY) {
    return {mapping_channel_.data(), {3, 3, 2, 2}, layout};
  }

  // Expects that the last call wrote the results of the example, and clears them. With channels
  // first, they are in the order of the channels.
  void ExpectExampleResults(bool channels_first, bool mapping = true) {
    std::vector<float> means(36);
    std::vector<int32_t> channels(36);
    for (size_t i = 0; i < 36; ++i) {
      const size_t at = channels_first ? i / 12 * 12 + static_cast<size_t>(kExampleChannels[i]) : i;
      means[at] = kExampleMeans[i];
      channels[at] = mapping ? kExampleChannels[i] : -7;
    }
    EXPECT_THAT(output_, ElementsAreArray(means));
    EXPECT_THAT(mapping_channel_, ElementsAreArray(channels));
    output_.assign(36, -7.0f);
    mapping_channel_.assign(36, -7);
  }

  void ExpectThrown(const std::string& message, const std::function<void()>& call,
                    mluOpStatus_t status = MLUOP_STATUS_BAD_PARAM) {
    LogCapture log;
    try {
      call();
      ADD_FAILURE() << "nothing was thrown; it must throw " << message;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), status);
      EXPECT_EQ(error.what(), message);
      EXPECT_STREQ(error.what(), detopsGetLastError());
    }
    EXPECT_THAT(log.Take(), ElementsAre(message));
    EXPECT_THAT(output_, Each(-7));
    EXPECT_THAT(mapping_channel_, Each(-7));
  }

  Case example_ = ExampleCase();
  const std::vector<float> channels_first_ = ChannelsFirst(example_.input, 2, 6, 12);
  std::vector<float> output_ = std::vector<float>(36, -7.0f);
  std::vector<int32_t> mapping_channel_ = std::vector<int32_t>(36, -7);
  const PsRoiPoolOptions nhwc_{2, 1, ImageLayout::kNhwc, RoiRounding::kBeforeScaling};
  const PsRoiPoolOptions nchw_{2, 1, ImageLayout::kNchw, RoiRounding::kBeforeScaling};
};

TEST_F(PsRoiPoolForwardCpp, GivesTheExampleInBothLayouts) {
  PsRoiPoolForward(Input(), Rois(), Output(), Mapping(), nhwc_);
  ExpectExampleResults(false);
  PsRoiPoolForward(InputChannelsFirst(), Rois(), OutputChannelsFirst(), MappingChannelsFirst(),
                   nchw_);
  ExpectExampleResults(true);
  PsRoiPoolForward(Input(), Rois(), Output(), std::nullopt, nhwc_);
  ExpectExampleResults(false, false);
  PsRoiPoolForward(InputChannelsFirst(), Rois(), OutputChannelsFirst(), std::nullopt, nchw_);
  ExpectExampleResults(true, false);
}

TEST_F(PsRoiPoolForwardCpp, DefaultOptions) {
  const PsRoiPoolOptions options;
  EXPECT_EQ(options.group_size, 7);
  EXPECT_EQ(options.spatial_scale, 1);
  EXPECT_EQ(options.layout, ImageLayout::kNhwc);
  EXPECT_EQ(options.rounding, RoiRounding::kBeforeScaling);
  std::vector<float> input(98);
  for (size_t c = 0; c < input.size(); ++c) {
    input[c] = static_cast<float>(c);
  }
  const float roi[] = {0, 0, 0, 0, 0};
  std::vector<float> output(98);
  std::vector<int32_t> mapping(98);
  PsRoiPoolForward({input.data(), {1, 1, 1, 98}}, {roi, {1, 5}}, {output.data(), {1, 7, 7, 2}},
                   TensorView(mapping.data(), {1, 7, 7, 2}));
  for (size_t i = 0; i < input.size(); ++i) {
    const size_t channel = i % 2 * 49 + i / 2;
    EXPECT_EQ(output[i], static_cast<float>(channel));
    EXPECT_EQ(mapping[i], static_cast<int32_t>(channel));
  }
}

// For the same RoI, torchvision's rule excludes the last row and column.
TEST_F(PsRoiPoolForwardCpp, UsesScaleAndRounding) {
  const float map[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
  const float rois[] = {0, 0, 0, 2, 2, 0, 1, 1, 5, 5};
  float output[2] = {};
  const auto pool = [&](float scale, RoiRounding rounding) {
    PsRoiPoolForward({map, {1, 3, 3, 1}}, {rois, {2, 5}}, {output, {2, 1, 1, 1}}, std::nullopt,
                     {1, scale, ImageLayout::kNhwc, rounding});
    return std::pair(output[0], output[1]);
  };
  EXPECT_EQ(pool(1, RoiRounding::kBeforeScaling), std::pair(511.0f / 9, 432.0f / 4));
  EXPECT_EQ(pool(1, RoiRounding::kAfterScaling), std::pair(27.0f / 4, 16.0f));
  EXPECT_EQ(pool(0.5f, RoiRounding::kBeforeScaling), std::pair(27.0f / 4, 511.0f / 9));
  EXPECT_EQ(pool(0.5f, RoiRounding::kAfterScaling), std::pair(1.0f, 16.0f));
}

TEST_F(PsRoiPoolForwardCpp, ChecksTheLayoutOfViewsThatNameOne) {
  const mluOpTensorLayout_t nhwc = MLUOP_LAYOUT_NHWC;
  const mluOpTensorLayout_t nchw = MLUOP_LAYOUT_NCHW;
  PsRoiPoolForward(Input(nhwc), Rois(), Output(nhwc), Mapping(nhwc), nhwc_);
  ExpectExampleResults(false);
  PsRoiPoolForward(InputChannelsFirst(nchw), Rois(), OutputChannelsFirst(nchw),
                   MappingChannelsFirst(nchw), nchw_);
  ExpectExampleResults(true);
  ExpectThrown("PsRoiPoolForward: input has layout NCHW; it must be NHWC", [&] {
    PsRoiPoolForward(InputChannelsFirst(nchw), Rois(), Output(), Mapping(), nhwc_);
  });
  ExpectThrown("PsRoiPoolForward: input has layout NHWC; it must be NCHW", [&] {
    PsRoiPoolForward(Input(nhwc), Rois(), OutputChannelsFirst(), std::nullopt, nchw_);
  });
  ExpectThrown("PsRoiPoolForward: output has layout NCHW; it must be NHWC",
               [&] { PsRoiPoolForward(Input(), Rois(), Output(nchw), std::nullopt, nhwc_); });
  ExpectThrown("PsRoiPoolForward: mapping_channel has layout NHWC; it must be NCHW", [&] {
    PsRoiPoolForward(InputChannelsFirst(), Rois(), OutputChannelsFirst(),
                     MappingChannelsFirst(nhwc), nchw_);
  });
}

TEST_F(PsRoiPoolForwardCpp, ThrowsErrors) {
  const auto with = [](int group, float scale) {
    return PsRoiPoolOptions{group, scale, ImageLayout::kNhwc, RoiRounding::kBeforeScaling};
  };
  ExpectThrown("PsRoiPoolForward: group_size is 0; it must be at least 1",
               [&] { PsRoiPoolForward(Input(), Rois(), Output(), Mapping(), with(0, 1)); });
  ExpectThrown("PsRoiPoolForward: spatial_scale is -0.5; it must be a finite number above 0",
               [&] { PsRoiPoolForward(Input(), Rois(), Output(), Mapping(), with(2, -0.5f)); });
  ExpectThrown("PsRoiPoolForward: layout is 2; it must be 0 to 1", [&] {
    PsRoiPoolForward(Input(), Rois(), Output(), Mapping(),
                     {2, 1, static_cast<ImageLayout>(2), RoiRounding::kBeforeScaling});
  });
  ExpectThrown("PsRoiPoolForward: rounding is 2; it must be 0 to 1", [&] {
    PsRoiPoolForward(Input(), Rois(), Output(), Mapping(),
                     {2, 1, ImageLayout::kNhwc, static_cast<RoiRounding>(2)});
  });
  // The C++ API does not state output_dim, so any positive integer is valid.
  ExpectThrown(
      "PsRoiPoolForward: input has shape float[2,2,3,12]; dimension 3 must be group_size "
      "squared, 25, times a positive integer",
      [&] { PsRoiPoolForward(Input(), Rois(), Output(), Mapping(), with(5, 1)); });
  ExpectThrown("PsRoiPoolForward: output has shape float[3,2,2,3]; dimension 1 must be 1",
               [&] { PsRoiPoolForward(Input(), Rois(), Output(), Mapping(), with(1, 1)); });
  ExpectThrown(
      "PsRoiPoolForward: input has shape float[2,2,3,0]; dimension 3 must be group_size "
      "squared, 4, times a positive integer",
      [&] {
        PsRoiPoolForward({example_.input.data(), {2, 2, 3, 0}}, Rois(), Output(), Mapping(), nhwc_);
      });
  ExpectThrown(
      "PsRoiPoolForward: input has shape float[2,2,3,12]; dimension 1 must be group_size "
      "squared, 4, times a positive integer",
      [&] { PsRoiPoolForward(Input(), Rois(), OutputChannelsFirst(), std::nullopt, nchw_); });
  ExpectThrown("PsRoiPoolForward: output has shape float[3,2,2,3]; dimension 1 must be 3", [&] {
    PsRoiPoolForward(InputChannelsFirst(), Rois(), Output(), std::nullopt, nchw_);
  });
  ExpectThrown(
      "PsRoiPoolForward: mapping_channel has shape int32[3,2,2,3]; dimension 1 must be 3", [&] {
        PsRoiPoolForward(InputChannelsFirst(), Rois(), OutputChannelsFirst(), Mapping(), nchw_);
      });
}

TEST_F(PsRoiPoolForwardCpp, ThrowsErrorsForTensors) {
  ExpectThrown("PsRoiPoolForward: mapping_channel has type float; it must be int32", [&] {
    PsRoiPoolForward(Input(), Rois(), Output(), TensorView(output_.data(), {3, 2, 2, 3}), nhwc_);
  });
  ExpectThrown("PsRoiPoolForward: mapping_channel is NULL; it must be a valid pointer", [&] {
    PsRoiPoolForward(Input(), Rois(), Output(),
                     TensorView(static_cast<int32_t*>(nullptr), {3, 2, 2, 3}), nhwc_);
  });
  ExpectThrown(
      "PsRoiPoolForward: rois has shape float[-3,5]; no dimension may be negative and their "
      "product "
      "must be below 2^63",
      [&] {
        PsRoiPoolForward(Input(), {example_.rois.data(), {-3, 5}}, Output(), Mapping(), nhwc_);
      });
  ExpectThrown("PsRoiPoolForward: rois has shape float[0,5]; it must not be empty", [&] {
    PsRoiPoolForward(Input(), {example_.rois.data(), {0, 5}}, Output(), Mapping(), nhwc_);
  });
  ExpectThrown(
      "PsRoiPoolForward: input has shape float[1,12,32768,16384]; it must have fewer than 2^31 "
      "elements",
      [&] {
        PsRoiPoolForward({channels_first_.data(), {1, 12, 1 << 15, 1 << 14}}, Rois(),
                         OutputChannelsFirst(), MappingChannelsFirst(), nchw_);
      },
      MLUOP_STATUS_NOT_SUPPORTED);
}

TEST_F(PsRoiPoolForwardCpp, DoesNothingWithoutInput) {
  PsRoiPoolForward({example_.input.data(), {0, 2, 3, 12}}, Rois(), Output(), Mapping(), nhwc_);
  PsRoiPoolForward({example_.input.data(), {2, 12, 0, 3}}, Rois(), OutputChannelsFirst(),
                   std::nullopt, nchw_);
  EXPECT_THAT(output_, Each(-7));
  EXPECT_THAT(mapping_channel_, Each(-7));
}

TEST_F(PsRoiPoolForwardCpp, ThrowsForBatchIndicesOutOfRange) {
  example_.rois[2 * kRoiNumbers] = -1;
  ExpectThrown("PsRoiPoolForward: rois[2] has batch index -1; it must be 0 to 1",
               [&] { PsRoiPoolForward(Input(), Rois(), Output(), Mapping(), nhwc_); });
  ExpectThrown("PsRoiPoolForward: rois[2] has batch index -1; it must be 0 to 1", [&] {
    PsRoiPoolForward(InputChannelsFirst(), Rois(), OutputChannelsFirst(), std::nullopt, nchw_);
  });
}

TEST_F(PsRoiPoolForwardCpp, RunsInAContextAndOnItsQueue) {
  Context context;
  PsRoiPoolForward(context, Input(), Rois(), Output(), Mapping(), nhwc_);
  ExpectExampleResults(false);
  Queue queue;
  context.SetQueue(queue);
  Gate gate;
  ASSERT_TRUE(gate.Block(queue.get()).ok());
  PsRoiPoolForward(context, InputChannelsFirst(), Rois(), OutputChannelsFirst(), std::nullopt,
                   nchw_);
  EXPECT_THAT(output_, Each(-7)) << "written before the queue was released";
  gate.Open();
  queue.Sync();
  ExpectExampleResults(true, false);
  example_.rois[0] = 5;
  ExpectThrown("PsRoiPoolForward: rois[0] has batch index 5; it must be 0 to 1", [&] {
    PsRoiPoolForward(context, Input(), Rois(), Output(), Mapping(), nhwc_);
    queue.Sync();
  });
  queue.Sync();
}

TEST_F(PsRoiPoolForwardCpp, LogsLayoutRoundingAndMissingMapping) {
  Context context;  // created first: the first context may log a line
  LogCapture log(DETOPS_LOG_DEBUG);
  PsRoiPoolForward(context, InputChannelsFirst(), Rois(), OutputChannelsFirst(), std::nullopt,
                   {2, 0.5f, ImageLayout::kNchw, RoiRounding::kAfterScaling});
  EXPECT_THAT(log.Take(),
              ElementsAre("PsRoiPoolForward: input float[2,12,2,3] NCHW, rois float[3,5], "
                          "group_size 2, output_dim 3, spatial_scale 0.5, rounded after scaling, "
                          "no mapping_channel"));
}

}  // namespace
}  // namespace detops::psroipool_forward
