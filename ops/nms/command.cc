// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the command knows of nms.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "cli/adapter.h"
#include "core/boundary.h"
#include "core/tensor_descriptor.h"
#include "ops/nms/cases.h"
#include "ops/nms/demo.h"
#include "ops/nms/op.h"
#include "runtime/submit.h"

namespace detops::nms {
namespace {

using cli::CaseKind;
using cli::Recipe;
using cli::Tensor;

// In the order of the description.
enum InputIndex { kBoxes, kScores };
enum OutputIndex { kIndices, kCount };
enum ParameterIndex { kIouThreshold, kOffset, kSortByScore, kMaxOutputs };

// A box is known to go or to stay after one comparison at the earliest.
constexpr double kOperationsPerComparison = 12;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

int64_t MaxOutputsOf(const cli::Case& input) {
  const double limit = input.parameters[kMaxOutputs];
  return limit >= 1 ? static_cast<int64_t>(limit) : NmsOptions().max_outputs;
}

NmsOptions OptionsOf(const cli::Case& input) {
  NmsOptions options;
  options.iou_threshold = static_cast<float>(input.parameters[kIouThreshold]);
  options.offset = static_cast<int>(input.parameters[kOffset]);
  options.sort_by_score = input.parameters[kSortByScore] != 0;
  options.max_outputs = MaxOutputsOf(input);
  return options;
}

struct Variant {
  Kind kind = Kind::kScene;
  float iou_threshold = 0.5f;
  int offset = 0;
  bool sort_by_score = true;
  int max_outputs = 0;
};

struct Example {
  const char* name;
  float iou_threshold;
  std::vector<float> boxes;
  std::vector<float> scores;
  std::vector<float> kept;
};

const std::vector<Example>& Examples() {
  static const std::vector<Example> examples = {
      {"heap_and_one_apart",
       0.5f,
       {0, 0, 10, 10, 1, 1, 11, 11, 20, 20, 30, 30},
       {0.5f, 0.9f, 0.7f},
       {1, 2}},
      // As floats compare them: 0.7 is not above 0.7.
      {"overlap_of_the_threshold", 0.7f, {0, 0, 10, 10, 0, 0, 10, 7}, {1, 2}, {1, 0}},
      {"empty", 0.5f, {}, {}, {}},
  };
  return examples;
}

class NmsAdapter : public cli::Adapter {
 public:
  const cli::Description& description() const override {
    static const cli::Description description{
        nullptr,
        "nms_param",
        100010,
        {{"boxes", "[N, 4]: x1, y1, x2, y2", "float"}, {"scores", "[N]", "float"}},
        {{"output", "[N], of which result_num are written", "int32"},
         {"result_num", "[1]", "int32"}},
        {{"iou_threshold", 1, cli::ParameterType::kFloat, 0.5,
          "a box goes when its IoU with a kept one is above this"},
         {"offset", 2, cli::ParameterType::kInt, 0, "0 or 1, added to every width and height"},
         {"sort_by_score", 3, cli::ParameterType::kBool, 1,
          "from the highest score down; else by index"},
         {"max_outputs", 4, cli::ParameterType::kInt, 0,
          "keep at most so many; as many as there are when not positive"}},
        {"fewer than 2^31 elements in each tensor", "iou_threshold not negative"}};
    return description;
  }

  std::vector<Tensor> Outputs(const cli::Case& input) const override {
    const std::vector<int64_t>& dims = input.inputs[kBoxes].dims;
    std::vector<Tensor> outputs;
    outputs.push_back(cli::MakeTensor(MLUOP_DTYPE_INT32, {dims.empty() ? 0 : dims[0]}));
    outputs.push_back(cli::MakeTensor(MLUOP_DTYPE_INT32, {1}));
    return outputs;
  }

  // There is no C function: this is the body that the C++ function has, on descriptors.
  mluOpStatus_t Call(cli::Invocation& call) const override {
    constexpr const char* kName = "Nms";
    return ApiCall(kName, [&] {
      return nms::Call(
          kName, call.handle(),
          {.boxes = OperandOf("boxes", call.input_desc(kBoxes), call.input(kBoxes)),
           .scores = OperandOf("scores", call.input_desc(kScores), call.input(kScores)),
           .output = OperandOf("output", call.output_desc(kIndices), call.output(kIndices)),
           .result_num = OperandOf("result_num", call.output_desc(kCount), call.output(kCount))},
          OptionsOf(call.call()));
    });
  }

  Status Reference(cli::Case& input) const override {
    Args args;
    DETOPS_RETURN_IF_ERROR(
        MakeArgs({.boxes = cli::TensorOperand("boxes", input.inputs[kBoxes]),
                  .scores = cli::TensorOperand("scores", input.inputs[kScores]),
                  .output = cli::TensorOperand("output", input.outputs[kIndices]),
                  .result_num = cli::TensorOperand("result_num", input.outputs[kCount])},
                 OptionsOf(input), args));
    nms::Reference(args);
    return {};
  }

  int64_t WrittenCount(const cli::Case& done, size_t output) const override {
    const int64_t count = done.outputs[output].count();
    return output == kIndices ? std::clamp<int64_t>(KeptBy(done), 0, count) : count;
  }

  cli::Work WorkOf(const cli::Case& done) const override {
    const int64_t kept = KeptBy(done);
    // Boxes behind the last that is asked for need not be looked at.
    const int64_t decided = kept == MaxOutputsOf(done) ? kept : done.outputs[kIndices].count();
    const auto bytes =
        static_cast<double>(done.inputs[kBoxes].bytes() + done.inputs[kScores].bytes());
    return {bytes + static_cast<double>(kept + 1) * sizeof(int32_t),
            static_cast<double>(decided) * kOperationsPerComparison};
  }

  void Fill(cli::Case& input, size_t index, uint32_t seed) const override {
    Tensor& tensor = input.inputs[index];
    const int64_t count = tensor.count();
    std::vector<float> numbers =
        index == kBoxes ? RandomBoxes(Kind::kScene, (count + kBoxFloats - 1) / kBoxFloats, seed)
                        : RandomScores(count, seed);
    numbers.resize(static_cast<size_t>(count));
    cli::SetNumbers(tensor, numbers);
  }

  std::vector<Recipe> Suite() const override {
    std::vector<Recipe> suite;
    AddExamples(suite);
    AddSizes(suite);
    AddVariants(suite);
    AddNegatives(suite);
    return suite;
  }

  std::vector<Recipe> Benchmarks() const override {
    std::vector<Recipe> benchmarks;
    for (const int64_t count : {100, 1000, 10'000}) {
      for (const Kind kind : {Kind::kImage, Kind::kScene}) {
        const std::string name = fmt::format("{}_{}", NameOf(kind), count);
        benchmarks.push_back({name, CaseKind::kNetwork, [=, this] {
                                Variant variant;
                                variant.kind = kind;
                                return Sized(name, count, variant);
                              }});
      }
    }
    return benchmarks;
  }

  int DemoStage() const override { return kDemoStage; }
  cli::Case DemoCase(const cli::Scene& scene) const override { return MakeDemo(*this, scene); }
  cli::Picture DemoResult(cli::Scene& scene, const cli::Case& done) const override {
    return DrawDemo(*this, scene, done);
  }

 private:
  static int32_t KeptBy(const cli::Case& done) { return *done.outputs[kCount].as<int32_t>(); }

  cli::Case Sized(const std::string& name, int64_t count, const Variant& variant) const {
    std::vector<Tensor> inputs;
    inputs.push_back(
        cli::TensorOf(MLUOP_DTYPE_FLOAT, {count, kBoxFloats}, RandomBoxes(variant.kind, count, 1)));
    inputs.push_back(cli::MakeTensor(MLUOP_DTYPE_FLOAT, {count}));
    inputs[kScores].random.emplace();
    inputs[kScores].random->seed = 2;
    cli::Case made = cli::MakeCase(*this, name, std::move(inputs));
    made.parameters[kIouThreshold] = static_cast<double>(variant.iou_threshold);
    made.parameters[kOffset] = variant.offset;
    made.parameters[kSortByScore] = variant.sort_by_score ? 1 : 0;
    made.parameters[kMaxOutputs] = variant.max_outputs;
    return made;
  }

  void AddExamples(std::vector<Recipe>& suite) const {
    for (const Example& example : Examples()) {
      suite.push_back(
          {example.name, CaseKind::kExample, [this, &example] {
             const auto count = static_cast<int64_t>(example.scores.size());
             std::vector<Tensor> inputs;
             inputs.push_back(cli::TensorOf(MLUOP_DTYPE_FLOAT, {count, kBoxFloats}, example.boxes));
             inputs.push_back(cli::TensorOf(MLUOP_DTYPE_FLOAT, {count}, example.scores));
             cli::Case made = cli::MakeCase(*this, example.name, std::move(inputs));
             made.parameters[kIouThreshold] = static_cast<double>(example.iou_threshold);
             std::vector<float> indices = example.kept;
             indices.resize(example.scores.size(), -1);
             made.outputs.push_back(cli::TensorOf(MLUOP_DTYPE_INT32, {count}, indices));
             made.outputs.push_back(
                 cli::TensorOf(MLUOP_DTYPE_INT32, {1}, {static_cast<float>(example.kept.size())}));
             return made;
           }});
    }
  }

  void AddSizes(std::vector<Recipe>& suite) const {
    for (const int64_t count : {1, 2, 7, 8, 9, 16, 33, 100, 257, 1000, 5000}) {
      for (const Kind kind : {Kind::kScene, Kind::kImage}) {
        const std::string name = fmt::format("{}_{}", NameOf(kind), count);
        suite.push_back({name, CaseKind::kRandom, [=, this] {
                           Variant variant;
                           variant.kind = kind;
                           return Sized(name, count, variant);
                         }});
      }
    }
  }

  void AddVariants(std::vector<Recipe>& suite) const {
    for (const Kind kind : kAllKinds) {
      const Variant variants[] = {{kind, 0, 0, true, 0},
                                  {kind, 0.3f, 1, true, 0},
                                  {kind, 0.7f, 0, false, 0},
                                  {kind, 0.5f, 0, true, 10},
                                  {kind, 1, 0, true, -1}};
      for (const Variant& variant : variants) {
        const std::string name = fmt::format(
            "{}_300_threshold_{:g}_offset_{}_{}_{}", NameOf(kind), variant.iou_threshold,
            variant.offset, variant.sort_by_score ? "by_score" : "by_index",
            variant.max_outputs > 0 ? fmt::format("at_most_{}", variant.max_outputs) : "all");
        suite.push_back({name, CaseKind::kRandom, [=, this] { return Sized(name, 300, variant); }});
      }
    }
  }

  void AddNegatives(std::vector<Recipe>& suite) const {
    // A call that is right, and what makes it wrong.
    const auto add = [&](const char* name, mluOpStatus_t status,
                         const std::function<void(cli::Case&)>& spoil) {
      const std::string file = fmt::format("negative_{}", name);
      suite.push_back({file, CaseKind::kNegative, [=, this] {
                         cli::Case made = Sized(file, 5, {});
                         made.outputs = Outputs(made);
                         spoil(made);
                         made.expected_status = status;
                         return made;
                       }});
    };
    const auto add_parameter = [&](const char* name, ParameterIndex index, double value) {
      add(name, MLUOP_STATUS_BAD_PARAM, [=](cli::Case& call) { call.parameters[index] = value; });
    };
    const auto add_input = [&](const char* name, InputIndex index, mluOpDataType_t dtype,
                               const std::vector<int64_t>& dims) {
      add(name, MLUOP_STATUS_BAD_PARAM, [=](cli::Case& call) {
        call.inputs[index] = cli::MakeTensor(dtype, dims);
        cli::Allocate(call.inputs[index], 0);
      });
    };
    const auto add_output = [&](const char* name, OutputIndex index, mluOpDataType_t dtype,
                                const std::vector<int64_t>& dims) {
      add(name, MLUOP_STATUS_BAD_PARAM,
          [=](cli::Case& call) { call.outputs[index] = cli::MakeTensor(dtype, dims); });
    };
    add_parameter("threshold_negative", kIouThreshold, -0.1);
    add_parameter("threshold_nan", kIouThreshold, static_cast<double>(kNaN));
    add_parameter("offset", kOffset, 2);
    add_input("boxes_half", kBoxes, MLUOP_DTYPE_HALF, {5, 4});
    add_input("boxes_rank_1", kBoxes, MLUOP_DTYPE_FLOAT, {20});
    add_input("five_coordinates", kBoxes, MLUOP_DTYPE_FLOAT, {5, 5});
    add_input("scores_int32", kScores, MLUOP_DTYPE_INT32, {5});
    add_input("scores_rank_2", kScores, MLUOP_DTYPE_FLOAT, {5, 1});
    add_input("four_scores", kScores, MLUOP_DTYPE_FLOAT, {4});
    add_output("output_float", kIndices, MLUOP_DTYPE_FLOAT, {5});
    add_output("output_short", kIndices, MLUOP_DTYPE_INT32, {4});
    add_output("two_result_nums", kCount, MLUOP_DTYPE_INT32, {2});
    add("strided", MLUOP_STATUS_NOT_SUPPORTED, [](cli::Case& call) {
      call.inputs[kBoxes].strides = {8, 1};
    });
    add("too_many_elements", MLUOP_STATUS_NOT_SUPPORTED, [](cli::Case& call) {
      constexpr int64_t kTooMany = int64_t{1} << 31;
      call.inputs[kBoxes] = cli::MakeTensor(MLUOP_DTYPE_FLOAT, {kTooMany, kBoxFloats});
      call.inputs[kScores] = cli::MakeTensor(MLUOP_DTYPE_FLOAT, {kTooMany});
      call.outputs[kIndices] = cli::MakeTensor(MLUOP_DTYPE_INT32, {kTooMany});
    });
  }
};

}  // namespace

const cli::Adapter& CommandAdapter() {
  static const NmsAdapter adapter;
  return adapter;
}

}  // namespace detops::nms
