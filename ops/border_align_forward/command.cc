// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the command knows of border_align_forward.

#include <fmt/format.h>

#include <utility>

#include "cli/adapter.h"
#include "ops/border_align_forward/cases.h"
#include "ops/border_align_forward/demo.h"
#include "ops/border_align_forward/op.h"

namespace detops::border_align_forward {
namespace {

using cli::CaseKind;
using cli::Recipe;
using cli::Tensor;

// In the order of the description.
enum InputIndex { kInput, kBoxes };
enum OutputIndex { kOutput, kArgmax };
enum ParameterIndex { kPoolSize };

// Of one channel of a border: four products, three sums, and what positions and maximum take.
constexpr double kOperationsPerSample = 14;

constexpr mluOpTensorLayout_t kNhwc = MLUOP_LAYOUT_NHWC;
constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM;

mluOpDataType_t TypeOf(bool half) { return half ? MLUOP_DTYPE_HALF : MLUOP_DTYPE_FLOAT; }

// As the feature maps of networks.
cli::RandomData MapValues(uint32_t seed) { return cli::UniformData(seed, -1, 1); }

// Whether a kind's maps are like those of MapValues.
bool DrawsMap(Kind kind) { return kind != Kind::kIntegers && kind != Kind::kExtremes; }

class BorderAlignForwardAdapter : public cli::Adapter {
 public:
  const cli::Description& description() const override {
    static const cli::Description description{
        "mluOpBorderAlignForward",
        "border_align_param",
        9001,
        {{"input", "[N, H, W, 4C]", "float, half"}, {"boxes", "[N, K, 4]", "as input"}},
        {{"output", "[N, K, 4, C]", "as input"}, {"argmax_idx", "[N, K, 4, C]", "int32"}},
        {{"pool_size", 1, cli::ParameterType::kInt, 10,
          "steps along a border, which has one sample more"}},
        {"fewer than 2^31 elements in each tensor", "no tensor without elements",
         "pool_size at least 1", "layout NHWC of input, output and argmax_idx"}};
    return description;
  }

  std::vector<Tensor> Outputs(const cli::Case& input) const override {
    const Tensor& map = input.inputs[kInput];
    const Tensor& boxes = input.inputs[kBoxes];
    std::vector<int64_t> dims(4);
    if (map.dims.size() == 4 && boxes.dims.size() == 3) {
      // Rounded up, so that channels which are no multiple of 4 are what is refused.
      dims = {map.dims[0], boxes.dims[1], kBorders, (map.dims[3] + kBorders - 1) / kBorders};
    }
    std::vector<Tensor> outputs;
    outputs.push_back(cli::MakeTensor(map.dtype, dims, kNhwc));
    outputs.push_back(cli::MakeTensor(MLUOP_DTYPE_INT32, dims, kNhwc));
    return outputs;
  }

  mluOpStatus_t Call(cli::Invocation& call) const override {
    return mluOpBorderAlignForward(
        call.handle(), call.input_desc(kInput), call.input(kInput), call.input_desc(kBoxes),
        call.input(kBoxes), call.int_parameter(kPoolSize), call.output_desc(kOutput),
        call.output(kOutput), call.output_desc(kArgmax), call.output(kArgmax));
  }

  Status Reference(cli::Case& input) const override {
    Args args;
    DETOPS_RETURN_IF_ERROR(
        MakeArgs({.input = cli::TensorOperand("input", input.inputs[kInput]),
                  .boxes = cli::TensorOperand("boxes", input.inputs[kBoxes]),
                  .output = cli::TensorOperand("output", input.outputs[kOutput]),
                  .argmax_idx = cli::TensorOperand("argmax_idx", input.outputs[kArgmax])},
                 {.pool_size = static_cast<int32_t>(input.parameters[kPoolSize])}, args));
    border_align_forward::Reference(args);
    return {};
  }

  cli::Work WorkOf(const cli::Case& done) const override {
    const auto bytes =
        static_cast<double>(done.inputs[kInput].bytes() + done.inputs[kBoxes].bytes() +
                            done.outputs[kOutput].bytes() + done.outputs[kArgmax].bytes());
    return {bytes, static_cast<double>(done.outputs[kOutput].count()) *
                       (done.parameters[kPoolSize] + 1) * kOperationsPerSample};
  }

  void Fill(cli::Case& input, size_t index, uint32_t seed) const override {
    Tensor& tensor = input.inputs[index];
    if (index == kInput) {
      tensor.random = MapValues(seed);
      cli::DrawValues(tensor);
      return;
    }
    // Boxes of a map of one size are alike in all its images; there are no channels to draw.
    const std::vector<int64_t>& map = input.inputs[kInput].dims;
    Shape shape{1, 8, 8, 0, (tensor.count() + kBoxNumbers - 1) / kBoxNumbers, 1};
    if (map.size() == 4) {
      shape.height = map[1];
      shape.width = map[2];
    }
    std::vector<float> numbers = RandomCase(Kind::kNetwork, shape, seed).boxes;
    numbers.resize(static_cast<size_t>(tensor.count()));
    cli::SetNumbers(tensor, numbers);
  }

  std::vector<Recipe> Suite() const override {
    std::vector<Recipe> suite;
    AddExamples(suite);
    AddDocumentsSizes(suite);
    AddSizes(suite);
    AddDocumentsNegatives(suite);
    AddWrongTypes(suite);
    AddWrongShapes(suite);
    AddNotSupported(suite);
    return suite;
  }

  std::vector<Recipe> Benchmarks() const override {
    std::vector<Recipe> benchmarks;
    AddSize(benchmarks, CaseKind::kNetwork, "", {3, 10, 10, 1, 5, 8}, false);
    AddSize(benchmarks, CaseKind::kNetwork, "", {2, 10, 7, 128, 70, 10}, false);
    AddSize(benchmarks, CaseKind::kNetwork, "", {2, 7, 10, 256, 70, 10}, false);
    AddSize(benchmarks, CaseKind::kNetwork, "", {2, 25, 38, 256, 950, 10}, true);
    AddSize(benchmarks, CaseKind::kNetwork, "", {2, 25, 38, 256, 950, 10}, false);
    return benchmarks;
  }

  int DemoStage() const override { return kDemoStage; }
  cli::Case DemoCase(const cli::Scene& scene) const override { return MakeDemo(*this, scene); }
  cli::Picture DemoResult(cli::Scene& scene, const cli::Case& done) const override {
    return DrawDemo(*this, scene, done);
  }

 private:
  // A map and boxes of any sizes, possible or not.
  cli::Case Sized(const std::string& name, const std::vector<int64_t>& map,
                  const std::vector<int64_t>& boxes, int pool_size, bool half) const {
    std::vector<Tensor> inputs;
    inputs.push_back(cli::MakeTensor(TypeOf(half), map, kNhwc));
    inputs[kInput].random = MapValues(1);
    inputs.push_back(cli::MakeTensor(TypeOf(half), boxes));
    cli::Case made = cli::MakeCase(*this, name, std::move(inputs));
    made.parameters[kPoolSize] = pool_size;
    Fill(made, kBoxes, 2);
    return made;
  }

  cli::Case Sized(const std::string& name, const Shape& shape, bool half) const {
    return Sized(name, {shape.images, shape.height, shape.width, kBorders * shape.channels},
                 {shape.images, shape.boxes_per_image, kBoxNumbers}, shape.pool_size, half);
  }

  // These boxes, and unless a drawn one is as good this map.
  cli::Case Exactly(const std::string& name, const Case& numbers, bool draws_map) const {
    cli::Case made = Sized(name, numbers.shape, numbers.half);
    cli::SetNumbers(made.inputs[kBoxes], numbers.boxes);
    if (!draws_map) {
      cli::SetNumbers(made.inputs[kInput], numbers.input);
    }
    return made;
  }

  void AddExamples(std::vector<Recipe>& suite) const {
    for (const bool half : {false, true}) {
      const std::string name = half ? "document_example_half" : "document_example";
      suite.push_back(
          {name, CaseKind::kExample, [=, this] {
             Case example = SeedsExample();
             example.half = half;
             cli::Case made = Exactly(name, example, false);
             made.outputs = Outputs(made);
             const Result result = SeedsResult();
             cli::SetNumbers(made.outputs[kOutput], result.values);
             cli::SetNumbers(made.outputs[kArgmax], {result.samples.begin(), result.samples.end()});
             return made;
           }});
    }
  }

  void AddSize(std::vector<Recipe>& suite, CaseKind kind, const char* prefix, const Shape& shape,
               bool half) const {
    const std::string name = fmt::format(
        "{}{}x{}x{}x{}_{}_boxes_pool{}{}", prefix, shape.images, shape.height, shape.width,
        kBorders * shape.channels, shape.boxes_per_image, shape.pool_size, half ? "_half" : "");
    suite.push_back({name, kind, [=, this] { return Sized(name, shape, half); }});
  }

  void AddDocumentsSizes(std::vector<Recipe>& suite) const {
    for (const bool half : {false, true}) {
      for (const Shape& shape : {Shape{2, 7, 10, 256, 70, 10}, Shape{2, 25, 38, 256, 950, 10},
                                 Shape{2, 10, 7, 128, 70, 10}}) {
        AddSize(suite, CaseKind::kNetwork, "network_", shape, half);
      }
      // The last two are what the impossible ones of the list may have meant.
      for (const Shape& shape :
           {Shape{3, 10, 10, 1, 5, 8}, Shape{3, 8, 10, 102, 80, 2}, Shape{3, 8, 100, 2, 800, 1}}) {
        AddSize(suite, CaseKind::kRandom, "random_", shape, half);
      }
    }
  }

  // Around the widths of vectors, every kind of numbers; and maps of unusual sizes.
  void AddSizes(std::vector<Recipe>& suite) const {
    uint32_t seed = 0;
    for (const bool half : {false, true}) {
      for (const Kind kind : kAllKinds) {
        for (const int64_t channels : {1, 7, 8, 9, 17, 33, 65}) {
          const std::string name =
              fmt::format("{}_{}_channels{}", NameOf(kind), channels, half ? "_half" : "");
          const Shape shape{2, 3, 5, channels, 6, static_cast<int32_t>(1 + seed % 12)};
          suite.push_back({name, CaseKind::kRandom, [=, this] {
                             Case numbers = RandomCase(kind, shape, seed);
                             numbers.half = half;
                             return Exactly(name, numbers, DrawsMap(kind));
                           }});
          ++seed;
        }
      }
      for (const Shape& shape : {Shape{1, 1, 1, 5, 3, 4}, Shape{1, 1, 40, 8, 9, 10},
                                 Shape{2, 40, 1, 8, 9, 10}, Shape{1, 12, 16, 20, 1, 1000},
                                 Shape{5, 4, 4, 300, 2, 3}, Shape{1, 200, 304, 16, 4, 10}}) {
        AddSize(suite, CaseKind::kRandom, "map_", shape, half);
      }
    }
  }

  // A call that is right, and what makes it wrong.
  void AddNegative(std::vector<Recipe>& suite, const std::string& what, mluOpStatus_t status,
                   const std::function<void(cli::Case&)>& spoil) const {
    const std::string name = "negative_" + what;
    suite.push_back({name, CaseKind::kNegative, [=, this] {
                       cli::Case made = Sized(name, Shape{2, 5, 6, 3, 4, 2}, false);
                       made.outputs = Outputs(made);
                       spoil(made);
                       made.expected_status = status;
                       return made;
                     }});
  }

  // The document's list, and those of its random ones that break the operator's rules.
  void AddDocumentsNegatives(std::vector<Recipe>& suite) const {
    struct Impossible {
      const char* name;
      std::vector<int64_t> map, boxes;
      int pool_size;
    };
    const Impossible list[] = {
        {"negative_410_channels", {10, 8, 10, 410}, {3, 80, 4}, 2},
        {"negative_boxes_of_3_of_10_images", {10, 8, 100, 8}, {3, 800, 4}, 1},
        {"negative_map_of_rank_5", {3, 1, 2, 1, 256}, {3, 5, 4}, 5},
        {"negative_boxes_of_rank_2", {3, 9, 2, 10}, {3, 4}, 10},
        {"negative_map_without_columns", {3, 1, 0, 1}, {13, 5, 3}, 6},
    };
    for (const Impossible& one : list) {
      for (const bool half : {false, true}) {
        const std::string name = fmt::format("{}{}", one.name, half ? "_half" : "");
        suite.push_back({name, CaseKind::kNegative, [=, this] {
                           cli::Case made = Sized(name, one.map, one.boxes, one.pool_size, half);
                           made.outputs = Outputs(made);
                           made.expected_status = kBad;
                           return made;
                         }});
      }
    }
  }

  void AddWrongTypes(std::vector<Recipe>& suite) const {
    const auto add_input = [&](const char* name, InputIndex index, mluOpDataType_t dtype) {
      AddNegative(suite, name, kBad, [=](cli::Case& call) {
        Tensor& tensor = call.inputs[index];
        tensor = cli::ZeroTensor(dtype, tensor.dims, tensor.layout);
      });
    };
    add_input("input_int32", kInput, MLUOP_DTYPE_INT32);
    add_input("input_int8", kInput, MLUOP_DTYPE_INT8);
    add_input("input_half_boxes_float", kInput, MLUOP_DTYPE_HALF);
    add_input("boxes_half", kBoxes, MLUOP_DTYPE_HALF);
    AddNegative(suite, "output_half", kBad,
                [](cli::Case& call) { call.outputs[kOutput].dtype = MLUOP_DTYPE_HALF; });
    AddNegative(suite, "argmax_float", kBad,
                [](cli::Case& call) { call.outputs[kArgmax].dtype = MLUOP_DTYPE_FLOAT; });
    for (const mluOpTensorLayout_t layout : {MLUOP_LAYOUT_NCHW, MLUOP_LAYOUT_ARRAY}) {
      const char* const layout_name = layout == MLUOP_LAYOUT_NCHW ? "nchw" : "array";
      AddNegative(suite, fmt::format("input_{}", layout_name), kBad,
                  [=](cli::Case& call) { call.inputs[kInput].layout = layout; });
      AddNegative(suite, fmt::format("output_{}", layout_name), kBad,
                  [=](cli::Case& call) { call.outputs[kOutput].layout = layout; });
      AddNegative(suite, fmt::format("argmax_{}", layout_name), kBad,
                  [=](cli::Case& call) { call.outputs[kArgmax].layout = layout; });
    }
    for (const int pool_size : {0, -1}) {
      AddNegative(suite, fmt::format("pool_size_{}", pool_size), kBad,
                  [=](cli::Case& call) { call.parameters[kPoolSize] = pool_size; });
    }
  }

  void AddWrongShapes(std::vector<Recipe>& suite) const {
    const auto add_input = [&](const char* name, InputIndex index,
                               const std::vector<int64_t>& dims) {
      AddNegative(suite, name, kBad, [=](cli::Case& call) {
        Tensor& tensor = call.inputs[index];
        tensor = cli::ZeroTensor(tensor.dtype, dims, tensor.layout);
      });
    };
    const auto add_output = [&](const char* name, OutputIndex index,
                                const std::vector<int64_t>& dims) {
      AddNegative(suite, name, kBad, [=](cli::Case& call) { call.outputs[index].dims = dims; });
    };
    add_input("input_rank_2", kInput, {60, 12});
    add_input("boxes_rank_4", kBoxes, {2, 2, 2, 4});
    add_output("output_rank_1", kOutput, {96});
    add_output("argmax_rank_3", kArgmax, {8, 4, 3});
    add_input("no_images", kInput, {0, 5, 6, 12});
    add_input("no_channels", kInput, {2, 5, 6, 0});
    add_input("no_boxes", kBoxes, {2, 0, 4});
    add_output("no_output", kOutput, {2, 4, 4, 0});
    add_output("no_argmax", kArgmax, {2, 0, 4, 3});
    add_input("ten_channels", kInput, {2, 5, 6, 10});
    add_input("boxes_of_one_image", kBoxes, {1, 4, 4});
    add_input("five_coordinates", kBoxes, {2, 4, 5});
    add_output("output_of_one_image", kOutput, {1, 4, 4, 3});
    add_output("output_of_three_boxes", kOutput, {2, 3, 4, 3});
    add_output("output_channels_first", kOutput, {2, 3, 4, 4});
    add_output("argmax_of_two_channels", kArgmax, {2, 4, 4, 2});
  }

  void AddNotSupported(std::vector<Recipe>& suite) const {
    constexpr mluOpStatus_t kNot = MLUOP_STATUS_NOT_SUPPORTED;
    AddNegative(suite, "input_strided", kNot, [](cli::Case& call) {
      call.inputs[kInput].strides = {390, 78, 13, 1};
    });
    AddNegative(suite, "boxes_strided", kNot, [](cli::Case& call) {
      call.inputs[kBoxes].strides = {16, 1, 4};
    });
    AddNegative(suite, "output_strided", kNot, [](cli::Case& call) {
      call.outputs[kOutput].strides = {96, 24, 6, 2};
    });
    AddNegative(suite, "argmax_strided", kNot, [](cli::Case& call) {
      call.outputs[kArgmax].strides = {48, 12, 1, 4};
    });
    const auto add_huge = [&](const char* name, const std::vector<int64_t>& map,
                              const std::vector<int64_t>& boxes) {
      AddNegative(suite, name, kNot, [=, this](cli::Case& call) {
        call.inputs[kInput] = cli::MakeTensor(MLUOP_DTYPE_FLOAT, map, kNhwc);
        call.inputs[kBoxes] = cli::MakeTensor(MLUOP_DTYPE_FLOAT, boxes);
        call.outputs = Outputs(call);
      });
    };
    add_huge("input_too_large", {1, 1 << 15, 1 << 14, 4}, {1, 12, 4});
    add_huge("boxes_too_large", {1, 3, 4, 4}, {1, 1 << 29, 4});
    add_huge("results_too_large", {1, 1, 1, 1 << 16}, {1, 1 << 15, 4});
  }
};

}  // namespace

const cli::Adapter& CommandAdapter() {
  static const BorderAlignForwardAdapter adapter;
  return adapter;
}

}  // namespace detops::border_align_forward
