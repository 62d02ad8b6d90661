// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// How cases are checked, and every suite of every operator.

#include "cli/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "cli/demo.h"
#include "cli/suite.h"
#include "core/operators.h"
#include "measure/slow_build.h"
#include "testing/log_capture.h"

namespace detops::cli {
namespace {

using ::testing::HasSubstr;

// Invented limits: these tests do not measure speed.
const Machine& SomeMachine() {
  static const Machine machine{GetInfo(), {{1, 1e9, 1e9}, {2, 2e9, 2e9}}};
  return machine;
}

// Two pairs of boxes with overlaps of 0.5 and 1, and expected values.
Case Overlaps(const std::vector<float>& expected) {
  const Adapter& adapter = FindAdapter("bbox_overlaps");
  std::vector<Tensor> inputs;
  inputs.push_back(TensorOf(MLUOP_DTYPE_FLOAT, {2, 4}, {0, 0, 10, 10, 10, 10, 20, 20}));
  inputs.push_back(TensorOf(MLUOP_DTYPE_FLOAT, {2, 4}, {0, 0, 10, 20, 10, 10, 20, 20}));
  Case made = MakeCase(adapter, "two_boxes", std::move(inputs));
  SetParameter(adapter, made, "aligned", 1);
  if (!expected.empty()) {
    made.outputs.push_back(TensorOf(MLUOP_DTYPE_FLOAT, {2}, expected));
  }
  return made;
}

CaseResult RunOnce(Case input, bool queue = false) {
  const LogCapture log;  // failed calls are expected
  RunnerOptions options;
  options.queue = queue;
  return Runner(SomeMachine(), options).Run(input);
}

TEST(Runner, ComparesWithTheReferenceAndWithExpectedValues) {
  const CaseResult result = RunOnce(Overlaps({0.5f, 1}));
  EXPECT_TRUE(result.passed) << WhyItFailed(result);
  EXPECT_EQ(result.shapes, "float[2,4], float[2,4]");
  ASSERT_EQ(result.checks.size(), 4U);  // two measures against each
  EXPECT_STREQ(result.checks[0].against, "reference");
  EXPECT_STREQ(result.checks[3].against, "expected");
  EXPECT_EQ(WhyItFailed(result), "");
}

TEST(Runner, AWrongValueFailsTheDefaultLimit) {
  const CaseResult result = RunOnce(Overlaps({0.5001f, 1}));
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(WhyItFailed(result), HasSubstr("diff1 of ious against the expected values is"));
  EXPECT_TRUE(RunOnce(Overlaps({0.5f + 1e-7f, 1})).passed);
}

TEST(Runner, CriteriaOfTheCaseReplaceTheDefault) {
  Case loose = Overlaps({0.6f, 1});
  loose.criteria = {{Measure::kDiff3_2, 0.2}};
  const CaseResult result = RunOnce(std::move(loose));
  EXPECT_TRUE(result.passed) << WhyItFailed(result);
  ASSERT_EQ(result.checks.size(), 2U);
  EXPECT_NEAR(result.checks[1].value, 0.1, 1e-6);

  Case strict = Overlaps({0.6f, 1});
  strict.criteria = {{Measure::kDiff3, 0.1}};
  EXPECT_FALSE(RunOnce(std::move(strict)).passed);
  // Two unequal elements are too few to show a bias.
  Case biased = Overlaps({0.6f, 2});
  biased.criteria = {{Measure::kDiff4, 0.5}};
  EXPECT_TRUE(RunOnce(std::move(biased)).passed);
}

// Pairs of equal boxes, `wrong` of which are expected to have an overlap of 2.
Case ManyOverlaps(size_t wrong, mluOpDataType_t dtype = MLUOP_DTYPE_FLOAT) {
  constexpr size_t kPairs = 150;
  const Adapter& adapter = FindAdapter("bbox_overlaps");
  std::vector<float> boxes;
  for (size_t i = 0; i < kPairs; ++i) {
    boxes.insert(boxes.end(), {0, 0, 10, 10});
  }
  std::vector<float> expected(kPairs, 1);
  std::fill_n(expected.begin(), wrong, 2.0f);
  Case made = MakeCase(
      adapter, "equal_boxes",
      TensorList(TensorOf(dtype, {kPairs, 4}, boxes), TensorOf(dtype, {kPairs, 4}, boxes)));
  SetParameter(adapter, made, "aligned", 1);
  made.outputs.push_back(TensorOf(dtype, {kPairs}, expected));
  return made;
}

TEST(Runner, Diff4NeedsAHundredUnequalElements) {
  for (const size_t wrong : {99, 100}) {
    Case input = ManyOverlaps(wrong);
    input.criteria = {{Measure::kDiff4, 0.9}};
    const CaseResult result = RunOnce(std::move(input));
    EXPECT_EQ(result.passed, wrong < 100) << wrong;
    EXPECT_EQ(result.checks[1].value, 1) << "all of them are too low";
  }
}

TEST(Runner, HalvesHaveADefaultLimitOfTheirOwn) {
  Case input = ManyOverlaps(0, MLUOP_DTYPE_HALF);
  const CaseResult result = RunOnce(std::move(input));
  EXPECT_TRUE(result.passed) << WhyItFailed(result);
  for (const Check& check : result.checks) {
    EXPECT_EQ(check.threshold, 1e-3);
  }
  // diff3: the overlap is 0, so the relative error is 1. It counts if the expected value is above
  // 1e-4.
  for (const float expected : {9e-5f, 1.2e-4f}) {
    Case small = Overlaps({});
    small.inputs[0] = TensorOf(MLUOP_DTYPE_HALF, {2, 4}, {0, 0, 10, 10, 0, 0, 10, 10});
    small.inputs[1] = TensorOf(MLUOP_DTYPE_HALF, {2, 4}, {20, 0, 30, 10, 20, 0, 30, 10});
    small.outputs.push_back(TensorOf(MLUOP_DTYPE_HALF, {2}, {expected, expected}));
    small.criteria = {{Measure::kDiff3, 0.5}};
    EXPECT_EQ(RunOnce(std::move(small)).passed, expected < 1e-4f) << expected;
  }
}

// An adapter of poly_nms whose calls write what they must not.
class Careless : public Adapter {
 public:
  enum class Defect { kWritesWhenItFails, kWritesAfterItsResults };

  explicit Careless(Defect defect)
      : Adapter(FindAdapter("poly_nms").description()), defect_(defect) {}

  std::vector<Tensor> Outputs(const Case& input) const override { return real_.Outputs(input); }
  Work WorkOf(const Case& done) const override { return real_.WorkOf(done); }
  void Fill(Case& input, size_t index, uint32_t seed) const override {
    real_.Fill(input, index, seed);
  }
  mluOpStatus_t Call(Invocation& invocation) const override {
    const mluOpStatus_t status = real_.Call(invocation);
    auto* const kept = static_cast<int32_t*>(invocation.output(0));
    if (defect_ == Defect::kWritesWhenItFails && status != MLUOP_STATUS_SUCCESS) {
      kept[0] = 0;
    } else if (defect_ == Defect::kWritesAfterItsResults && status == MLUOP_STATUS_SUCCESS) {
      kept[1] = 0;  // the second box is suppressed
    }
    return status;
  }
  Status Reference(Case& input) const override { return real_.Reference(input); }

 private:
  const Adapter& real_ = FindAdapter("poly_nms");
  const Defect defect_;
};

TEST(Runner, FindsOutputsThatMustNotBeWritten) {
  const LogCapture log;
  const auto two_boxes = [] {
    return MakeCase(FindAdapter("poly_nms"), "two_boxes",
                    TensorList(TensorOf(MLUOP_DTYPE_FLOAT, {2, 9},
                                        {0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0})));
  };
  Runner runner(SomeMachine(), RunnerOptions());
  Case good = two_boxes();
  EXPECT_TRUE(runner.Run(good).passed);
  Case written_after = two_boxes();
  CaseResult result = runner.Run(Careless(Careless::Defect::kWritesAfterItsResults), written_after);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(WhyItFailed(result), "output was written after its 1 results");
  Case fails = two_boxes();
  SetParameter(FindAdapter("poly_nms"), fails, "iou_threshold", -1);
  fails.expected_status = MLUOP_STATUS_BAD_PARAM;
  result = runner.Run(Careless(Careless::Defect::kWritesWhenItFails), fails);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(WhyItFailed(result), HasSubstr("(but outputs were written)"));
}

TEST(Runner, ThresholdsOfAnOutputReplaceThoseOfTheCase) {
  struct Limits {
    double of_case;
    double of_output;
    bool passes;
  };
  for (const Limits& limits : {Limits{0.2, 0.05, false}, Limits{0.05, 0.2, true}}) {
    Case input = Overlaps({0.6f, 1});  // the error is 0.1
    input.criteria = {{Measure::kDiff3_2, limits.of_case}};
    input.outputs[0].criteria = {{Measure::kDiff3_2, limits.of_output}};
    const CaseResult result = RunOnce(std::move(input));
    EXPECT_EQ(result.passed, limits.passes);
    ASSERT_EQ(result.checks.size(), 2U);
    EXPECT_EQ(result.checks[0].threshold, limits.of_output);
    EXPECT_EQ(result.checks[1].threshold, limits.of_output);
  }
}

// poly_nms has two outputs. Only the limits of the second are its own.
TEST(Runner, OutputsWithoutThresholdsUseThoseOfTheCase) {
  for (const bool has_criteria : {true, false}) {
    Case input =
        MakeCase(FindAdapter("poly_nms"), "one_box",
                 TensorList(TensorOf(MLUOP_DTYPE_FLOAT, {1, 9}, {0, 0, 1, 0, 1, 1, 0, 1, 1})));
    if (has_criteria) {
      input.criteria = {{Measure::kDiff1, 0.5}};
    }
    input.outputs = FindAdapter("poly_nms").Outputs(input);
    input.outputs[1].criteria = {{Measure::kDiff1, 0.25}};
    const CaseResult result = RunOnce(std::move(input));
    EXPECT_TRUE(result.passed) << WhyItFailed(result);
    ASSERT_EQ(result.checks.size(), 2U);
    // Without criteria of the case, integers must be equal.
    EXPECT_EQ(result.checks[0].measure, has_criteria ? Measure::kDiff1 : Measure::kDiff3);
    EXPECT_EQ(result.checks[0].threshold, has_criteria ? 0.5 : 0);
    EXPECT_EQ(result.checks[1].threshold, 0.25);
  }
}

TEST(Runner, AMismatchOfNonFiniteValuesFailsEveryMeasure) {
  for (const Measure measure : kAllMeasures) {
    Case input = Overlaps({0.5f, std::numeric_limits<float>::quiet_NaN()});
    input.criteria = {{measure, 10}};
    const CaseResult result = RunOnce(std::move(input));
    EXPECT_FALSE(result.passed) << NameOf(measure);
    EXPECT_THAT(WhyItFailed(result), HasSubstr(NameOf(measure)));
  }
}

TEST(Machine, ReturnsTheLimitsForANumberOfThreads) {
  const Machine machine{GetInfo(), {{1, 1e9, 1e9}, {3, 3e9, 3e9}, {8, 8e9, 8e9}}};
  EXPECT_EQ(machine.LimitsOf(1).threads, 1);
  EXPECT_EQ(machine.LimitsOf(3).threads, 3);
  EXPECT_EQ(machine.LimitsOf(8).threads, 8);
  EXPECT_EQ(machine.LimitsOf(9).threads, 8);
}

TEST(Runner, TheStatusMustBeTheExpectedOne) {
  for (const bool queue : {false, true}) {
    Case refused = Overlaps({});
    SetParameter(FindAdapter("bbox_overlaps"), refused, "mode", 5);
    CaseResult result = RunOnce(std::move(refused), queue);
    EXPECT_FALSE(result.passed);
    EXPECT_THAT(WhyItFailed(result),
                HasSubstr("MLUOP_STATUS_BAD_PARAM: mluOpBboxOverlaps: mode is 5"));
    EXPECT_THAT(WhyItFailed(result), HasSubstr("; the case expects MLUOP_STATUS_SUCCESS"));
    Case accepted = Overlaps({});
    accepted.expected_status = MLUOP_STATUS_BAD_PARAM;
    result = RunOnce(std::move(accepted), queue);
    EXPECT_FALSE(result.passed);
    EXPECT_EQ(WhyItFailed(result), "MLUOP_STATUS_SUCCESS; the case expects MLUOP_STATUS_BAD_PARAM");
  }
}

TEST(Runner, InvalidDataIsReportedOnAQueueToo) {
  const Adapter& adapter = FindAdapter("psroipool_forward");
  for (const bool queue : {false, true}) {
    std::vector<Tensor> inputs;
    inputs.push_back(MakeTensor(MLUOP_DTYPE_FLOAT, {1, 4, 4, 1}, MLUOP_LAYOUT_NHWC));
    inputs.push_back(TensorOf(MLUOP_DTYPE_FLOAT, {1, 5}, {3, 0, 0, 2, 2}));  // there is no image 3
    Case input = MakeCase(adapter, "no_such_image", std::move(inputs));
    for (const char* const name : {"group_size", "pooled_height", "pooled_width", "output_dim"}) {
      SetParameter(adapter, input, name, 1);
    }
    input.expected_status = MLUOP_STATUS_BAD_PARAM;
    const CaseResult result = RunOnce(std::move(input), queue);
    EXPECT_TRUE(result.passed) << WhyItFailed(result);
    EXPECT_THAT(result.message, HasSubstr("rois[0] has batch index 3; it must be 0 to"));
  }
}

// The C functions take these outputs as pointers, so only the command sees how a case describes
// them.
TEST(Runner, OutputsWithoutDescriptorsMustBeDescribedAsTheyAreWritten) {
  struct Wrong {
    const char* op;
    size_t output;
    mluOpDataType_t dtype;
    std::vector<int64_t> dims;
    const char* message;
  };
  const Wrong list[] = {
      {.op = "poly_nms",
       .output = 1,
       .dtype = MLUOP_DTYPE_FLOAT,
       .dims = {1},
       .message = "result_num is float[1]; it must be int32[1]"},
      {.op = "poly_nms",
       .output = 1,
       .dtype = MLUOP_DTYPE_INT32,
       .dims = {1, 1},
       .message = "result_num is int32[1,1]; it must be int32[1]"},
      {.op = "poly_nms",
       .output = 1,
       .dtype = MLUOP_DTYPE_INT32,
       .dims = {2},
       .message = "result_num is int32[2]; it must be int32[1]"},
      {.op = "generate_proposals_v2",
       .output = 3,
       .dtype = MLUOP_DTYPE_FLOAT,
       .dims = {1},
       .message = "rpn_rois_batch_size is float[1]; it must be int32[1]"},
      {.op = "generate_proposals_v2",
       .output = 3,
       .dtype = MLUOP_DTYPE_INT32,
       .dims = {2},
       .message = "rpn_rois_batch_size is int32[2]; it must be int32[1]"},
  };
  for (const Wrong& wrong : list) {
    const Adapter& adapter = FindAdapter(wrong.op);
    for (const bool queue : {false, true}) {
      Case input = BenchmarksOf(adapter).front().make();
      input.outputs = adapter.Outputs(input);
      EXPECT_NO_THROW(CheckPointerOutputs(adapter, input));
      input.outputs[wrong.output] = MakeTensor(wrong.dtype, wrong.dims);
      try {
        RunOnce(std::move(input), queue);
        ADD_FAILURE() << wrong.message;
      } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr(wrong.message));
      }
    }
  }
}

TEST(Runner, TimesACaseAndComputesEfficiencies) {
  Case input = Overlaps({});
  RunnerOptions options;
  options.threads = 1;
  options.timing_seconds = 1e-3;
  Runner runner(SomeMachine(), options);
  const CaseResult result = runner.Run(input);
  EXPECT_GT(result.seconds, 0);
  EXPECT_LT(result.seconds, 1e-2);
  EXPECT_DOUBLE_EQ(result.io_efficiency, result.work.bytes / result.seconds / 1e9);
  EXPECT_DOUBLE_EQ(result.compute_efficiency, result.work.operations / result.seconds / 1e9);
  const Timing timing = runner.Time(input, 1e-3);
  EXPECT_LE(timing.lower, timing.median);
  EXPECT_LE(timing.median, timing.upper);
  EXPECT_GE(timing.samples, 3);
}

TEST(Runner, TensorsThatDoNotFitInMemoryAreAnError) {
  Case input = Overlaps({});
  // Just below the size that the library refuses: 8 GB each.
  for (int i = 0; i < 12; ++i) {
    input.inputs.push_back(MakeTensor(MLUOP_DTYPE_FLOAT, {(int64_t{1} << 31) - 1}));
  }
  EXPECT_THROW(RunOnce(std::move(input)), UserError);
}

// ---- Every operator -----------------------------------------------------------------------------

class EveryOperator : public testing::TestWithParam<size_t> {
 protected:
  const Adapter& adapter() const { return AdapterOf(GetParam()); }
};

TEST_P(EveryOperator, PassesItsSuiteInlineAndOnAQueue) {
  const LogCapture log;  // negative cases fail
  RunnerOptions options;
  Runner inline_runner(SomeMachine(), options);
  options.queue = true;
  options.threads = 3;
  Runner queue_runner(SomeMachine(), options);
  std::set<std::string> names;
  std::set<CaseKind> kinds;
  for (const Recipe& recipe : AcceptanceSuiteOf(adapter())) {
    EXPECT_TRUE(names.insert(recipe.name).second) << recipe.name << " occurs twice";
    kinds.insert(recipe.kind);
    // In slow builds the reference takes minutes for the sizes of networks.
    if (kSlowBuild && recipe.kind == CaseKind::kNetwork) {
      continue;
    }
    Case input = recipe.make();
    EXPECT_EQ(input.name, recipe.name);
    EXPECT_EQ(input.expected_status != MLUOP_STATUS_SUCCESS, recipe.kind == CaseKind::kNegative);
    const CaseResult result = inline_runner.Run(input);
    EXPECT_TRUE(result.passed) << recipe.name << ": " << WhyItFailed(result);
    Case again = recipe.make();
    const CaseResult queued = queue_runner.Run(again);
    EXPECT_TRUE(queued.passed) << recipe.name << " on a queue: " << WhyItFailed(queued);
  }
  EXPECT_TRUE(kinds.count(CaseKind::kRandom) == 1 && kinds.count(CaseKind::kNegative) == 1);
}

TEST_P(EveryOperator, FillsInputsOfAnyShape) {
  const Description& description = adapter().description();
  const std::vector<std::vector<int64_t>> shapes = {
      {}, {0}, {3}, {2, 5}, {3, 2, 4}, {2, 3, 4, 12}, {1, 2, 1, 3, 2}, {0, 4, 4, 4}};
  for (const std::vector<int64_t>& dims : shapes) {
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < description.inputs.size(); ++i) {
      inputs.push_back(MakeTensor(MLUOP_DTYPE_FLOAT, dims));
    }
    Case input = MakeCase(adapter(), "odd", std::move(inputs));
    for (size_t i = 0; i < input.inputs.size(); ++i) {
      adapter().Fill(input, i, 1);
      EXPECT_TRUE(input.inputs[i].has_values());
      EXPECT_EQ(input.inputs[i].dims, dims);
    }
    // The operator may refuse them, but then with a message.
    const CaseResult result = RunOnce(std::move(input));
    EXPECT_TRUE(result.status == MLUOP_STATUS_SUCCESS || !result.message.empty());
  }
}

// All can be made. The first, which is the smallest, is also run.
TEST_P(EveryOperator, BenchmarksAreCalls) {
  const std::vector<Recipe> benchmarks = BenchmarksOf(adapter());
  ASSERT_FALSE(benchmarks.empty());
  std::set<std::string> names;
  for (const Recipe& recipe : benchmarks) {
    EXPECT_TRUE(names.insert(recipe.name).second) << recipe.name << " occurs twice";
    const Case made = recipe.make();
    EXPECT_EQ(made.name, recipe.name);
    EXPECT_EQ(made.op, Operators()[GetParam()]->name);
    EXPECT_EQ(made.inputs.size(), adapter().description().inputs.size());
    EXPECT_EQ(adapter().Outputs(made).size(), adapter().description().outputs.size());
  }
  const CaseResult result = RunOnce(benchmarks.front().make());
  EXPECT_TRUE(result.passed) << WhyItFailed(result);
}

// Also without the results of earlier steps.
TEST_P(EveryOperator, ShowsItselfAlone) {
  const DemoStep* const step = FindDemoStep(adapter().name());
  if (step == nullptr) {  // operators that are added from outside need none
    GTEST_SKIP() << "takes no part in the demonstration";
  }
  Scene scene = MakeScene();
  Case call = step->make(scene);
  const CaseResult result = Runner(SomeMachine(), RunnerOptions()).Run(call);
  EXPECT_TRUE(result.passed) << WhyItFailed(result);
  EXPECT_THAT(step->draw(scene, call).svg, HasSubstr("</svg>"));
}

INSTANTIATE_TEST_SUITE_P(Operators, EveryOperator, testing::Range<size_t>(0, Operators().size()),
                         [](const testing::TestParamInfo<size_t>& tested) {
                           return std::string(Operators()[tested.param]->name);
                         });

TEST(Demo, EveryPartIsRight) {
  const std::vector<DemoPart> parts = RunDemo(SomeMachine());
  EXPECT_EQ(parts.size(), 6U);
  for (const DemoPart& part : parts) {
    EXPECT_TRUE(part.equals_reference) << part.op;
    EXPECT_THAT(part.picture.svg, HasSubstr("</svg>"));
    EXPECT_FALSE(part.picture.caption.empty());
  }
}

}  // namespace
}  // namespace detops::cli
