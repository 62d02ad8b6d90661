// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the command knows of poly_nms.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "cli/adapter.h"
#include "core/boundary.h"
#include "core/tensor_descriptor.h"
#include "ops/poly_nms/cases.h"
#include "ops/poly_nms/demo.h"
#include "ops/poly_nms/op.h"

namespace detops::poly_nms {
namespace {

using cli::CaseKind;
using cli::Recipe;
using cli::Tensor;

// In the order of the description.
enum OutputIndex { kIndices, kCount };
enum ParameterIndex { kIouThreshold };

// A box that goes has met one that suppresses it, which takes an exact overlap; that a box stays
// may be known from the bounds of one pair.
constexpr double kOperationsPerOverlap = 400;
constexpr double kOperationsPerBounds = 16;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

using Row = std::array<float, kBoxFloats>;

struct Example {
  const char* name;
  float iou_threshold;
  std::vector<Row> boxes;
  std::vector<float> kept;

  std::vector<float> Numbers() const {
    std::vector<float> numbers;
    for (const Row& row : boxes) {
      numbers.insert(numbers.end(), row.begin(), row.end());
    }
    return numbers;
  }
};

// Those of the design document. Boxes that meet in the last six have an IoU of 0.0526, which the
// threshold has to be below.
const std::vector<Example>& Examples() {
  constexpr Row kBeside = {1.5f, 1.5f, 2.5f, 1.5f, 2.5f, 2.5f, 1.5f, 2.5f, 1};
  constexpr Row kApart = {0, 0, -0.5f, 0, -0.5f, -0.5f, 0, -0.5f, 3};
  constexpr Row kApartLast = {0, 0, -0.5f, 0, -0.5f, -0.5f, 0, -0.5f, 1};
  constexpr Row kUnit = {0, 0, 1, 0, 1, 1, 0, 1, 3};
  constexpr Row kUnitLast = {0, 0, 1, 0, 1, 1, 0, 1, 1};
  constexpr Row kShifted = {0.5f, 0.5f, 1.5f, 0.5f, 1.5f, 1.5f, 0.5f, 1.5f, 2};
  constexpr Row kQuarter = {0, 0, 0.5f, 0, 0.5f, 0.5f, 0, 0.5f, 1};
  static const std::vector<Example> examples = {
      {"one_box", 0.1f, {kUnit}, {0}},
      {"second_and_third", 0.1f, {kUnitLast, kShifted, kApart}, {1, 2}},
      {"first_of_three", 0.1f, {kUnit, kShifted, kQuarter}, {0}},
      {"first_and_third", 0.1f, {kUnit, kShifted, kApartLast}, {0, 2}},
      {"score_infinity", 0.05f, {{0, 0, 2, 0, 2, 2, 0, 2, kInfinity}, kBeside, kApart}, {0, 2}},
      {"score_minus_infinity",
       0.05f,
       {{0, 0, 2, 0, 2, 2, 0, 2, -kInfinity}, kBeside, kApart},
       {1, 2}},
      {"score_nan", 0.05f, {{0, 0, 2, 0, 2, 2, 0, 2, kNaN}, kBeside, kApart}, {0, 2}},
      {"infinite_side",
       0.05f,
       {{kInfinity, 0, 2, 0, 2, 2, kInfinity, 2, 2}, kBeside, kApart},
       {0, 1, 2}},
      {"infinite_corners",
       0.05f,
       {{0, 0, kInfinity, kInfinity, 2, 2, 0, 2, 2},
        {1.5f, 1.5f, kInfinity, kInfinity, 2.5f, 2.5f, 1.5f, 2.5f, 1},
        kApart},
       {0, 1, 2}},
      {"nan_corner", 0.05f, {{0, 0, 2, 0, 2, 2, 0, kNaN, 2}, kBeside, kApart}, {0, 1, 2}},
  };
  return examples;
}

// The same boxes, all in one sense of rotation; y points downwards.
std::vector<float> Turned(std::vector<float> boxes, bool clockwise) {
  for (size_t box = 0; box < boxes.size(); box += kBoxFloats) {
    float* const corner = &boxes[box];
    float area = 0;
    for (size_t i = 0; i < 8; i += 2) {
      const size_t next = (i + 2) % 8;
      area += (corner[i] - corner[0]) * (corner[next + 1] - corner[1]) -
              (corner[next] - corner[0]) * (corner[i + 1] - corner[1]);
    }
    if ((area > 0) != clockwise) {
      std::swap(corner[2], corner[6]);
      std::swap(corner[3], corner[7]);
    }
  }
  return boxes;
}

Tensor TensorOfBoxes(const std::vector<float>& boxes) {
  const auto count = static_cast<int64_t>(boxes.size()) / kBoxFloats;
  return cli::TensorOf(MLUOP_DTYPE_FLOAT, {count, kBoxFloats}, boxes);
}

// The C function does not see the shape of what it writes the count to.
Status CheckCount(const Operand& count) {
  DETOPS_RETURN_IF_ERROR(CheckDataType(count, {MLUOP_DTYPE_INT32}));
  return CheckShape(count, {1});
}

class PolyNmsAdapter : public cli::Adapter {
 public:
  const cli::Description& description() const override {
    static const cli::Description description{
        "mluOpPolyNms",
        "poly_nms_param",
        4010,
        {{"boxes", "[N, 9]: x1, y1, ... x4, y4, score", "float"}},
        {{"output", "[N], of which result_num are written", "int32"},
         {"result_num", "[1]", "int32"}},
        {{"iou_threshold", 1, cli::ParameterType::kFloat, 0.5,
          "a box goes when its IoU with a kept one is above this"}},
        {"fewer than 2^31 elements in each tensor", "corners clockwise or anticlockwise",
         "iou_threshold not negative"}};
    return description;
  }

  std::vector<Tensor> Outputs(const cli::Case& input) const override {
    const std::vector<int64_t>& dims = input.inputs[0].dims;
    std::vector<Tensor> outputs;
    outputs.push_back(cli::MakeTensor(MLUOP_DTYPE_INT32, {dims.empty() ? 0 : dims[0]}));
    outputs.push_back(cli::MakeTensor(MLUOP_DTYPE_INT32, {1}));
    return outputs;
  }

  mluOpStatus_t Call(cli::Invocation& call) const override {
    size_t size = 0;
    mluOpStatus_t status = mluOpGetPolyNmsWorkspaceSize(call.handle(), call.input_desc(0), &size);
    if (status == MLUOP_STATUS_SUCCESS) {
      status = ApiCall("mluOpPolyNms", [&] {
        return CheckCount(OperandOf("result_num", call.output_desc(kCount), call.output(kCount)));
      });
    }
    return status != MLUOP_STATUS_SUCCESS
               ? status
               : mluOpPolyNms(call.handle(), call.input_desc(0), call.input(0),
                              call.float_parameter(kIouThreshold), call.Workspace(size), size,
                              call.output_desc(kIndices), call.output(kIndices),
                              call.output(kCount));
  }

  Status Reference(cli::Case& input) const override {
    PolyNmsOptions options;
    options.iou_threshold = static_cast<float>(input.parameters[kIouThreshold]);
    Args args;
    DETOPS_RETURN_IF_ERROR(
        MakeArgs({.boxes = cli::TensorOperand("boxes", input.inputs[0]),
                  .output = cli::TensorOperand("output", input.outputs[kIndices]),
                  .result_num = cli::TensorOperand("result_num", input.outputs[kCount])},
                 options, args));
    poly_nms::Reference(args);
    return {};
  }

  int64_t WrittenCount(const cli::Case& done, size_t output) const override {
    const int64_t count = done.outputs[output].count();
    return output == kIndices ? std::clamp<int64_t>(KeptBy(done), 0, count) : count;
  }

  cli::Work WorkOf(const cli::Case& done) const override {
    const auto boxes = static_cast<double>(done.outputs[kIndices].count());
    const auto kept = static_cast<double>(KeptBy(done));
    return {static_cast<double>(done.inputs[0].bytes()) + (kept + 1) * sizeof(int32_t),
            (boxes - kept) * kOperationsPerOverlap + boxes * kOperationsPerBounds};
  }

  void Fill(cli::Case& input, size_t index, uint32_t seed) const override {
    Tensor& tensor = input.inputs[index];
    const int64_t boxes = (tensor.count() + kBoxFloats - 1) / kBoxFloats;
    std::vector<float> numbers = RandomBoxes(Kind::kAerial, boxes, seed);
    numbers.resize(static_cast<size_t>(tensor.count()));
    cli::SetNumbers(tensor, numbers);
  }

  std::vector<Recipe> Suite() const override {
    std::vector<Recipe> suite;
    AddExamples(suite);
    AddDocumentSizes(suite);
    AddRandom(suite);
    AddNegatives(suite);
    return suite;
  }

  std::vector<Recipe> Benchmarks() const override {
    std::vector<Recipe> benchmarks;
    const auto add = [&](Kind kind, int64_t count, float threshold) {
      const std::string name = fmt::format("{}_{}_{:g}", NameOf(kind), count, threshold);
      benchmarks.push_back({name, CaseKind::kNetwork, [=, this] {
                              return OfBoxes(name, RandomBoxes(kind, count, 1), threshold);
                            }});
    };
    for (const int64_t count : {70, 119, 500, 1000, 2000}) {
      add(Kind::kNormal, count, 1.0f);
      add(Kind::kNormal, count, 0.99f);
      if (count == 70 || count == 500 || count == 2000) {
        add(Kind::kAerial, count, 0.1f);
      }
    }
    add(Kind::kNormal, 2000, 0.5f);
    add(Kind::kAerial, 9770, 0.1f);
    return benchmarks;
  }

  int DemoStage() const override { return kDemoStage; }
  cli::Case DemoCase(const cli::Scene& scene) const override { return MakeDemo(*this, scene); }
  cli::Picture DemoResult(cli::Scene& scene, const cli::Case& done) const override {
    return DrawDemo(*this, scene, done);
  }

 private:
  static int32_t KeptBy(const cli::Case& done) { return *done.outputs[kCount].as<int32_t>(); }

  cli::Case OfTensor(const std::string& name, Tensor boxes, float threshold) const {
    std::vector<Tensor> inputs;
    inputs.push_back(std::move(boxes));
    cli::Case made = cli::MakeCase(*this, name, std::move(inputs));
    made.parameters[kIouThreshold] = static_cast<double>(threshold);
    return made;
  }

  cli::Case OfBoxes(const std::string& name, const std::vector<float>& boxes,
                    float threshold) const {
    return OfTensor(name, TensorOfBoxes(boxes), threshold);
  }

  void AddExamples(std::vector<Recipe>& suite) const {
    for (const Example& example : Examples()) {
      const std::string name = fmt::format("document_{}", example.name);
      suite.push_back({name, CaseKind::kExample, [this, name, &example] {
                         cli::Case made = OfBoxes(name, example.Numbers(), example.iou_threshold);
                         std::vector<float> indices = example.kept;
                         indices.resize(example.boxes.size(), -1);
                         const auto count = static_cast<int64_t>(indices.size());
                         made.outputs.push_back(cli::TensorOf(MLUOP_DTYPE_INT32, {count}, indices));
                         made.outputs.push_back(cli::TensorOf(
                             MLUOP_DTYPE_INT32, {1}, {static_cast<float>(example.kept.size())}));
                         return made;
                       }});
    }
    suite.push_back({"empty", CaseKind::kExample, [this] { return OfBoxes("empty", {}, 0.1f); }});
  }

  // Normally distributed numbers, as the document measures them.
  void AddDocumentSizes(std::vector<Recipe>& suite) const {
    for (const int64_t count : {70, 119, 500, 1000, 2000}) {
      for (const float threshold : {0.1f, 0.5f, 1.0f}) {
        const std::string name = fmt::format("network_{}_threshold_{:g}", count, threshold);
        suite.push_back({name, CaseKind::kNetwork, [=, this] {
                           Tensor boxes = cli::MakeTensor(MLUOP_DTYPE_FLOAT, {count, kBoxFloats});
                           boxes.random.emplace();
                           boxes.random->distribution = cli::RandomData::Distribution::kGaussian;
                           boxes.random->seed = static_cast<int32_t>(count);
                           return OfTensor(name, std::move(boxes), threshold);
                         }});
      }
    }
  }

  void AddRandom(std::vector<Recipe>& suite) const {
    for (const int64_t count : {1, 2, 7, 8, 9, 16, 33, 64, 160, 257, 1000, 9770}) {
      const std::string name = fmt::format("aerial_{}", count);
      suite.push_back({name, CaseKind::kRandom, [=, this] {
                         return OfBoxes(name, RandomBoxes(Kind::kAerial, count, 1), 0.1f);
                       }});
    }
    for (const bool clockwise : {true, false}) {
      for (const int64_t count : {70, 500}) {
        const std::string name =
            fmt::format("{}_{}", clockwise ? "clockwise" : "anticlockwise", count);
        suite.push_back({name, CaseKind::kRandom, [=, this] {
                           const std::vector<float> boxes = RandomBoxes(Kind::kAerial, count, 2);
                           return OfBoxes(name, Turned(boxes, clockwise), 0.1f);
                         }});
      }
    }
    const std::pair<const char*, Kind> kinds[] = {{"far_from_origin", Kind::kFar},
                                                  {"convex", Kind::kConvex},
                                                  {"concave", Kind::kConcave},
                                                  {"thin", Kind::kThin},
                                                  {"near_identical", Kind::kNearIdentical},
                                                  {"sharing_edges", Kind::kSharing},
                                                  {"integers", Kind::kIntegers},
                                                  {"sizes", Kind::kSizes},
                                                  {"heap", Kind::kHeap},
                                                  {"extremes", Kind::kExtremes}};
    for (const auto& [kind_name, kind] : kinds) {
      for (const float threshold : {0.0f, 0.3f, 0.7f}) {
        const std::string name = fmt::format("{}_300_threshold_{:g}", kind_name, threshold);
        suite.push_back({name, CaseKind::kRandom, [this, name, kind = kind, threshold] {
                           return OfBoxes(name, RandomBoxes(kind, 300, 3), threshold);
                         }});
      }
    }
  }

  void AddNegatives(std::vector<Recipe>& suite) const {
    // A call that is right, and what makes it wrong.
    const auto add = [&](const char* name, mluOpStatus_t status,
                         const std::function<void(cli::Case&)>& spoil) {
      const std::string file = fmt::format("negative_{}", name);
      suite.push_back({file, CaseKind::kNegative, [=, this] {
                         cli::Case made = OfBoxes(file, RandomBoxes(Kind::kAerial, 5, 1), 0.1f);
                         made.outputs = Outputs(made);
                         spoil(made);
                         made.expected_status = status;
                         return made;
                       }});
    };
    const auto add_threshold = [&](const char* name, float threshold) {
      add(name, MLUOP_STATUS_BAD_PARAM, [=](cli::Case& call) {
        call.parameters[kIouThreshold] = static_cast<double>(threshold);
      });
    };
    const auto add_boxes = [&](const char* name, mluOpDataType_t dtype,
                               const std::vector<int64_t>& dims) {
      add(name, MLUOP_STATUS_BAD_PARAM, [=](cli::Case& call) {
        call.inputs[0] = cli::MakeTensor(dtype, dims);
        cli::Allocate(call.inputs[0], 0);
      });
    };
    const auto add_output = [&](const char* name, OutputIndex index, mluOpDataType_t dtype,
                                const std::vector<int64_t>& dims) {
      add(name, MLUOP_STATUS_BAD_PARAM,
          [=](cli::Case& call) { call.outputs[index] = cli::MakeTensor(dtype, dims); });
    };
    add_threshold("threshold_negative", -0.1f);
    add_threshold("threshold_nan", kNaN);
    add_boxes("half", MLUOP_DTYPE_HALF, {5, 9});
    add_boxes("int32", MLUOP_DTYPE_INT32, {5, 9});
    add_boxes("rank_1", MLUOP_DTYPE_FLOAT, {45});
    add_boxes("rank_3", MLUOP_DTYPE_FLOAT, {1, 5, 9});
    add_boxes("eight_numbers", MLUOP_DTYPE_FLOAT, {5, 8});
    add_boxes("ten_numbers", MLUOP_DTYPE_FLOAT, {5, 10});
    add_boxes("no_numbers", MLUOP_DTYPE_FLOAT, {5, 0});
    add_output("output_float", kIndices, MLUOP_DTYPE_FLOAT, {5});
    add_output("output_rank_2", kIndices, MLUOP_DTYPE_INT32, {5, 1});
    add_output("output_short", kIndices, MLUOP_DTYPE_INT32, {4});
    add_output("result_num_float", kCount, MLUOP_DTYPE_FLOAT, {1});
    add_output("result_num_rank_2", kCount, MLUOP_DTYPE_INT32, {1, 1});
    add_output("two_result_nums", kCount, MLUOP_DTYPE_INT32, {2});
    add("strided", MLUOP_STATUS_NOT_SUPPORTED, [](cli::Case& call) {
      call.inputs[0].strides = {18, 1};
    });
    add("too_many_elements", MLUOP_STATUS_NOT_SUPPORTED, [](cli::Case& call) {
      call.inputs[0] = cli::MakeTensor(MLUOP_DTYPE_FLOAT, {int64_t{1} << 31, kBoxFloats});
      call.outputs[kIndices] = cli::MakeTensor(MLUOP_DTYPE_INT32, {int64_t{1} << 31});
    });
  }
};

}  // namespace

const cli::Adapter& CommandAdapter() {
  static const PolyNmsAdapter adapter;
  return adapter;
}

}  // namespace detops::poly_nms
