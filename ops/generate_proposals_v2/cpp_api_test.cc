// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The C++ functions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "detops/detops.hpp"
#include "measure/random_floats.h"
#include "ops/generate_proposals_v2/harness.h"
#include "ops/generate_proposals_v2/test_calls.h"
#include "runtime/queue.h"
#include "testing/error_message.h"
#include "testing/gate.h"
#include "testing/log_capture.h"

namespace detops::generate_proposals_v2 {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class GenerateProposalsCpp : public testing::Test {
 protected:
  static ConstTensorView ScoresOf(const Case& input) { return ChannelsOf(input, input.scores, 1); }
  static ConstTensorView DeltasOf(const Case& input) {
    return ChannelsOf(input, input.deltas, kBoxFloats);
  }
  static ConstTensorView ChannelsOf(const Case& input, const std::vector<float>& floats,
                                    int64_t per_anchor) {
    const int64_t channels = input.anchors_per_position * per_anchor;
    if (input.channels_first) {
      return {floats.data(), {input.images, channels, input.height, input.width}};
    }
    return {floats.data(), {input.images, input.height, input.width, channels}};
  }
  static ConstTensorView ImShapeOf(const Case& input) {
    return {input.im_shape.data(), {input.images, 2}};
  }
  static ConstTensorView AnchorsOf(const Case& input) {
    return {input.anchors.data(),
            {input.height, input.width, input.anchors_per_position, kBoxFloats}};
  }
  static GenerateProposalsOptions OptionsOf(const Case& input) {
    GenerateProposalsOptions options;
    options.pre_nms_top_n = input.pre_nms_top_n;
    options.post_nms_top_n = input.post_nms_top_n;
    options.nms_thresh = input.nms_thresh;
    options.min_size = input.min_size;
    options.pixel_offset = input.pixel_offset;
    options.layout = input.channels_first ? ImageLayout::kNchw : ImageLayout::kNhwc;
    if (!input.variances.empty()) {
      options.variances =
          ConstTensorView(input.variances.data(),
                          {input.height, input.width, input.anchors_per_position, kBoxFloats});
    }
    return options;
  }
  static GenerateProposalsResult Run(const Case& input) {
    return GenerateProposalsV2(ScoresOf(input), DeltasOf(input), ImShapeOf(input), AnchorsOf(input),
                               OptionsOf(input));
  }
  static GenerateProposalsOutputs OutputsOf(const Case& input, Proposals& proposals) {
    return {.rois = {proposals.rois.data(), {input.rows(), kBoxFloats}},
            .probs = {proposals.probs.data(), {input.rows(), 1}},
            .counts = {proposals.counts.data(), {input.images}},
            .total = {&proposals.total, {1}},
            .anchor_indices = TensorView(proposals.anchor_indices.data(), {input.rows()})};
  }

  static void ExpectSame(const GenerateProposalsResult& found, const Proposals& expected) {
    const auto total = static_cast<size_t>(expected.total);
    ASSERT_EQ(found.probs.size(), total);
    ASSERT_EQ(found.rois.size(), total * kBoxFloats);
    EXPECT_TRUE(std::equal(found.rois.begin(), found.rois.end(), expected.rois.begin()));
    EXPECT_TRUE(std::equal(found.probs.begin(), found.probs.end(), expected.probs.begin()));
    EXPECT_EQ(found.anchor_indices,
              std::vector<int32_t>(expected.anchor_indices.begin(),
                                   expected.anchor_indices.begin() + expected.total));
    EXPECT_EQ(found.counts, expected.counts);
  }

  // Two images; the second one has no proposal.
  static Case SomeCase() {
    Case input = RandomCase(Kind::kTrained, {2, 8, 7, 3}, 8, 24, 40);
    input.im_shape[2] = 0;
    input.post_nms_top_n = 30;
    Random random(41);
    for (float& variance : input.variances) {
      variance = Uniform(random, 0.5f, 2);
    }
    return input;
  }
};

TEST_F(GenerateProposalsCpp, ReturnsProposalsAndTheirAnchors) {
  const Case input = SomeCase();
  const Proposals expected = RunReference(input);
  ASSERT_GT(expected.counts[0], 10);
  const GenerateProposalsResult result = Run(input);
  ExpectSame(result, expected);
  EXPECT_EQ(result.anchor_indices.back(), -1) << "an image without a proposal";
  for (int32_t i = 0; i < expected.counts[0]; ++i) {
    const auto row = static_cast<size_t>(i);
    EXPECT_EQ(result.probs[row], input.scores[static_cast<size_t>(result.anchor_indices[row])]);
  }
  Context context;
  ExpectSame(GenerateProposalsV2(context, ScoresOf(input), DeltasOf(input), ImShapeOf(input),
                                 AnchorsOf(input), OptionsOf(input)),
             expected);
}

TEST_F(GenerateProposalsCpp, ChannelsMayComeFirst) {
  ExpectSame(Run(SomeCase().ChannelsFirst()), RunReference(SomeCase()));
}

TEST_F(GenerateProposalsCpp, VariancesMayBeLeftOut) {
  Case input = SomeCase();
  input.variances.clear();
  const Proposals expected = RunReference(input);
  ExpectSame(Run(input), expected);
  ExpectSame(Run(input.ChannelsFirst()), expected);
  input.variances.assign(input.anchors.size(), 1.0f);
  ExpectSame(Run(input), expected);
}

TEST_F(GenerateProposalsCpp, PostNmsTopNMayExceedTheScores) {
  Case input = SomeCase();
  input.post_nms_top_n = static_cast<int>(input.scores_per_image());
  const Proposals expected = RunReference(input);
  input.post_nms_top_n = std::numeric_limits<int>::max();
  ExpectSame(Run(input), expected);
}

TEST_F(GenerateProposalsCpp, OptionsHaveTheDefaultsOfTheContract) {
  const GenerateProposalsOptions options;
  EXPECT_EQ(options.pre_nms_top_n, 6000);
  EXPECT_EQ(options.post_nms_top_n, 1000);
  EXPECT_EQ(options.nms_thresh, 0.5f);
  EXPECT_EQ(options.min_size, 0.1f);
  EXPECT_EQ(options.eta, 1.0f);
  EXPECT_FALSE(options.pixel_offset);
  EXPECT_EQ(options.layout, ImageLayout::kNhwc);
  EXPECT_FALSE(options.variances);
}

TEST_F(GenerateProposalsCpp, AnchorIndicesMayBeLeftOut) {
  Context context;
  const Case input = SomeCase();
  Proposals found(input);
  GenerateProposalsOutputs outputs = OutputsOf(input, found);
  outputs.anchor_indices.reset();
  GenerateProposalsV2(context, ScoresOf(input), DeltasOf(input), ImShapeOf(input), AnchorsOf(input),
                      outputs, OptionsOf(input));
  EXPECT_EQ(found, WithoutAnchors(RunReference(input)));
}

TEST_F(GenerateProposalsCpp, WritesToMemoryOfTheCallerInTheOrderOfTheQueue) {
  Context context;
  Queue queue;
  context.SetQueue(queue);
  for (const Case& input : {SomeCase(), SomeCase().ChannelsFirst()}) {
    Gate gate;
    ASSERT_TRUE(gate.Block(queue.get()).ok());
    Proposals found(input);
    GenerateProposalsV2(context, ScoresOf(input), DeltasOf(input), ImShapeOf(input),
                        AnchorsOf(input), OutputsOf(input, found), OptionsOf(input));
    EXPECT_EQ(found, Proposals(input)) << "written before the jobs ahead of it are done";
    gate.Open();
    queue.Sync();
    EXPECT_EQ(found, RunReference(SomeCase()));
  }
}

struct CopyArgs {
  const float* from;
  float* to;
  size_t bytes;
};

Status CopyFloats(RunContext&, const CopyArgs& args) {
  std::memcpy(args.to, args.from, args.bytes);
  return {};
}

TEST_F(GenerateProposalsCpp, CallsThatReturnTheResultWaitForTheQueue) {
  Context context;
  const Queue queue;
  context.SetQueue(queue);
  const Case input = SomeCase();
  std::vector<float> scores(input.scores.size());
  ASSERT_TRUE(
      Find<HostQueue>(queue.get())
          ->Submit(Job::Make<CopyFloats>(
              "test", CopyArgs{input.scores.data(), scores.data(), scores.size() * sizeof(float)}))
          .ok());
  ExpectSame(GenerateProposalsV2(context, {scores.data(), {2, 8, 7, 3}}, DeltasOf(input),
                                 ImShapeOf(input), AnchorsOf(input), OptionsOf(input)),
             RunReference(input));
}

TEST_F(GenerateProposalsCpp, NoImages) {
  const float* const none = nullptr;
  const GenerateProposalsResult result = GenerateProposalsV2(
      {none, {0, 2, 3, 4}}, {none, {0, 2, 3, 16}}, {none, {0, 2}}, {none, {2, 3, 4, 4}});
  EXPECT_THAT(result.rois, IsEmpty());
  EXPECT_THAT(result.probs, IsEmpty());
  EXPECT_THAT(result.counts, IsEmpty());
  EXPECT_THAT(result.anchor_indices, IsEmpty());
}

TEST_F(GenerateProposalsCpp, LogsEachCallAtDebugLevel) {
  Case input = SomeCase();
  Run(input);  // the first context of a process logs the library's version
  LogCapture log(DETOPS_LOG_DEBUG);
  Run(input);
  input.variances.clear();
  Run(input.ChannelsFirst());
  const std::string parameters =
      ", pre_nms_top_n 6000, post_nms_top_n 30, nms_thresh 0.5, min_size 0.1, eta 1, pixel_offset "
      "false";
  EXPECT_THAT(log.Take(), ElementsAre("GenerateProposalsV2: scores float[2,8,7,3]" + parameters,
                                      "GenerateProposalsV2: scores float[2,3,8,7] NCHW" +
                                          parameters + ", no variances"));
}

// Functions that change one argument of a valid call.
using ChangeOptions = std::function<void(GenerateProposalsOptions&)>;
using ChangeOutputs = std::function<void(GenerateProposalsOutputs&)>;

class GenerateProposalsCppErrors : public GenerateProposalsCpp {
 protected:
  // Returns the message of a call with changed options.
  std::string MessageWith(const ChangeOptions& change) const {
    GenerateProposalsOptions options = OptionsOf(input_);
    change(options);
    return MessageOf([&] {
      GenerateProposalsV2(ScoresOf(input_), DeltasOf(input_), ImShapeOf(input_), AnchorsOf(input_),
                          options);
    });
  }
  // Returns the message of a call with changed outputs. Nothing must be written.
  std::string MessageWithOutputs(const ChangeOutputs& change) const {
    Context context;
    Proposals found(input_);
    GenerateProposalsOutputs outputs = OutputsOf(input_, found);
    change(outputs);
    std::string message = MessageOf([&] {
      GenerateProposalsV2(context, ScoresOf(input_), DeltasOf(input_), ImShapeOf(input_),
                          AnchorsOf(input_), outputs, OptionsOf(input_));
    });
    EXPECT_EQ(found, Proposals(input_));
    return message;
  }

  const LogCapture log_;
  const Case input_ = SomeCase();
};

TEST_F(GenerateProposalsCppErrors, Options) {
  EXPECT_EQ(MessageWith([](GenerateProposalsOptions& o) { o.post_nms_top_n = 0; }),
            "GenerateProposalsV2: post_nms_top_n is 0; it must be at least 1");
  EXPECT_EQ(MessageWith([](GenerateProposalsOptions& o) { o.nms_thresh = kNaN; }),
            "GenerateProposalsV2: nms_thresh is nan; it must be a number above 0");
  EXPECT_EQ(MessageWith([](GenerateProposalsOptions& o) { o.min_size = kNaN; }),
            "GenerateProposalsV2: min_size is nan; it must be a number");
  EXPECT_EQ(MessageWith([](GenerateProposalsOptions& o) { o.eta = 0; }),
            "GenerateProposalsV2: eta is 0; it must be at least 1: adaptive thresholds are not "
            "supported");
  EXPECT_EQ(MessageWith([](GenerateProposalsOptions& o) { o.layout = ImageLayout::kNchw; }),
            "GenerateProposalsV2: bbox_deltas has shape float[2,8,7,12]; dimension 1 must be "
            "32");
  EXPECT_EQ(
      MessageWith([](GenerateProposalsOptions& o) { o.layout = static_cast<ImageLayout>(2); }),
      "GenerateProposalsV2: layout is 2; it must be 0 to 1");
}

TEST_F(GenerateProposalsCppErrors, Inputs) {
  EXPECT_EQ(MessageWith([&](GenerateProposalsOptions& o) {
              o.variances = ConstTensorView(input_.variances.data(), {8, 7, 12});
            }),
            "GenerateProposalsV2: variances has shape float[8,7,12]; it must have rank 4");
  EXPECT_EQ(MessageWith([&](GenerateProposalsOptions& o) {
              o.variances = ConstTensorView(input_.variances.data(), {8, 7, 4, 3});
            }),
            "GenerateProposalsV2: variances has shape float[8,7,4,3]; dimension 2 must be 3");
  EXPECT_EQ(MessageWith([&](GenerateProposalsOptions& o) {
              o.variances = ConstTensorView(static_cast<const float*>(nullptr), {8, 7, 3, 4});
            }),
            "GenerateProposalsV2: variances is NULL; it must be a valid pointer");
  EXPECT_EQ(MessageOf([&] {
              GenerateProposalsV2({input_.scores.data(), {336}}, DeltasOf(input_),
                                  ImShapeOf(input_), AnchorsOf(input_));
            }),
            "GenerateProposalsV2: scores has shape float[336]; it must have rank 4");
}

TEST_F(GenerateProposalsCppErrors, Outputs) {
  float floats[240] = {};
  int32_t integers[60] = {};
  EXPECT_EQ(MessageWithOutputs([&](GenerateProposalsOutputs& o) {
              o.rois = TensorView(floats, {59, 4});
            }),
            "GenerateProposalsV2: rois has shape float[59,4]; dimension 0 must be 60");
  EXPECT_EQ(
      MessageWithOutputs([&](GenerateProposalsOutputs& o) { o.probs = TensorView(floats, {60}); }),
      "GenerateProposalsV2: probs has shape float[60]; it must have rank 2");
  EXPECT_EQ(
      MessageWithOutputs([&](GenerateProposalsOutputs& o) { o.counts = TensorView(floats, {2}); }),
      "GenerateProposalsV2: counts has type float; it must be int32");
  EXPECT_EQ(
      MessageWithOutputs([&](GenerateProposalsOutputs& o) { o.total = TensorView(integers, {2}); }),
      "GenerateProposalsV2: total has shape int32[2]; dimension 0 must be 1");
  EXPECT_EQ(MessageWithOutputs([&](GenerateProposalsOutputs& o) {
              o.anchor_indices = TensorView(integers, {59});
            }),
            "GenerateProposalsV2: anchor_indices has shape int32[59]; dimension 0 must be 60");
  EXPECT_EQ(MessageWithOutputs(
                [&](GenerateProposalsOutputs& o) { o.anchor_indices = TensorView(floats, {60}); }),
            "GenerateProposalsV2: anchor_indices has type float; it must be int32");
}

}  // namespace
}  // namespace detops::generate_proposals_v2
