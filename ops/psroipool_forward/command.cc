// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the command knows of psroipool_forward.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "cli/adapter.h"
#include "ops/psroipool_forward/cases.h"
#include "ops/psroipool_forward/demo.h"
#include "ops/psroipool_forward/op.h"

namespace detops::psroipool_forward {
namespace {

using cli::CaseKind;
using cli::Recipe;
using cli::Tensor;

// In the order of the description.
enum InputIndex { kInput, kRois };
enum OutputIndex { kOutput, kMapping };
enum ParameterIndex { kScale, kGroup, kDim, kPooledHeight, kPooledWidth };

constexpr mluOpTensorLayout_t kNhwc = MLUOP_LAYOUT_NHWC;
constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM;

// As the feature maps of networks.
cli::RandomData MapValues(uint32_t seed) { return cli::UniformData(seed, -1, 1); }

// Whether a kind's maps are like those of MapValues.
bool DrawsMap(Kind kind) { return kind != Kind::kIntegers && kind != Kind::kExtremes; }

void SetGroup(cli::Case& call, double group) {
  for (const ParameterIndex index : {kGroup, kPooledHeight, kPooledWidth}) {
    call.parameters[index] = group;
  }
}

class PsRoiPoolForwardAdapter : public cli::Adapter {
 public:
  const cli::Description& description() const override {
    using cli::ParameterType;
    static const cli::Description description{
        "mluOpPsRoiPoolForward",
        "psroipool_forward_param",
        4004,
        {{"input", "[N, H, W, G * G * D]", "float"},
         {"rois", "[R, 5], an image's number and x1, y1, x2, y2", "float"}},
        {{"output", "[R, G, G, D]", "float"}, {"mapping_channel", "[R, G, G, D]", "int32"}},
        {{"spatial_scale", 1, ParameterType::kFloat, 1, "of the map against the rois"},
         {"group_size", 2, ParameterType::kInt, 7, "G, bins along an axis"},
         {"output_dim", 3, ParameterType::kInt, 1, "D, channels of a bin"},
         {"pooled_height", 4, ParameterType::kInt, 7, "G"},
         {"pooled_width", 5, ParameterType::kInt, 7, "G"}},
        {"fewer than 2^31 elements in each tensor",
         "group_size = pooled_height = pooled_width, at least 1", "output_dim at least 1",
         "spatial_scale finite and above 0", "every roi of an image that exists",
         "layout NHWC of input, output and mapping_channel"}};
    return description;
  }

  std::vector<Tensor> Outputs(const cli::Case& input) const override {
    const std::vector<int64_t>& map = input.inputs[kInput].dims;
    const std::vector<int64_t>& rois = input.inputs[kRois].dims;
    const auto group = static_cast<int64_t>(input.parameters[kGroup]);
    const auto dim = static_cast<int64_t>(input.parameters[kDim]);
    std::vector<int64_t> dims(4);
    // Other calls are refused before anybody looks at the results.
    if (map.size() == 4 && rois.size() == 2 && group >= 1 && dim >= 1 &&
        map[3] / (group * group) == dim && map[3] % (group * group) == 0) {
      dims = {rois[0], group, group, dim};
    }
    std::vector<Tensor> outputs;
    outputs.push_back(cli::MakeTensor(MLUOP_DTYPE_FLOAT, dims, kNhwc));
    outputs.push_back(cli::MakeTensor(MLUOP_DTYPE_INT32, dims, kNhwc));
    return outputs;
  }

  mluOpStatus_t Call(cli::Invocation& call) const override {
    return mluOpPsRoiPoolForward(
        call.handle(), call.int_parameter(kPooledHeight), call.int_parameter(kPooledWidth),
        call.float_parameter(kScale), call.int_parameter(kGroup), call.int_parameter(kDim),
        call.input_desc(kInput), call.input(kInput), call.input_desc(kRois), call.input(kRois),
        nullptr, 0, call.output_desc(kOutput), call.output(kOutput), call.output_desc(kMapping),
        call.output(kMapping));
  }

  Status Reference(cli::Case& input) const override {
    Args args;
    DETOPS_RETURN_IF_ERROR(
        MakeArgs({.input = cli::TensorOperand("input", input.inputs[kInput]),
                  .rois = cli::TensorOperand("rois", input.inputs[kRois]),
                  .output = cli::TensorOperand("output", input.outputs[kOutput]),
                  .mapping_channel = cli::TensorOperand("mapping_channel", input.outputs[kMapping]),
                  .output_dim = static_cast<int>(input.parameters[kDim])},
                 {.group_size = static_cast<int>(input.parameters[kGroup]),
                  .spatial_scale = static_cast<float>(input.parameters[kScale])},
                 args));
    return psroipool_forward::Reference(args);
  }

  cli::Work WorkOf(const cli::Case& done) const override {
    const Tensor& map = done.inputs[kInput];
    const Tensor& rois = done.inputs[kRois];
    const Tensor& output = done.outputs[kOutput];
    if (map.count() == 0) {
      return {0, 0};
    }
    Case bins_only;
    bins_only.shape = {map.dims[0],    map.dims[1],    map.dims[2],
                       output.dims[1], output.dims[3], rois.dims[0]};
    bins_only.scale = static_cast<float>(done.parameters[kScale]);
    bins_only.rois.assign(rois.as<float>(), rois.as<float>() + rois.count());
    double pixels = 0;
    for (int64_t roi = 0; roi < bins_only.shape.rois; ++roi) {
      for (const Rectangle& bin : BinsOf(bins_only, roi)) {
        pixels += bin.empty()
                      ? 0
                      : static_cast<double>((bin.y_end - bin.y_begin) * (bin.x_end - bin.x_begin));
      }
    }
    const double additions = pixels * static_cast<double>(output.dims[3]);
    // Few regions need not all of the map.
    const double map_bytes = std::min(static_cast<double>(map.bytes()), additions * sizeof(float));
    return {map_bytes +
                static_cast<double>(rois.bytes() + output.bytes() + done.outputs[kMapping].bytes()),
            additions + static_cast<double>(output.count())};
  }

  void Fill(cli::Case& input, size_t index, uint32_t seed) const override {
    Tensor& tensor = input.inputs[index];
    if (index == kInput) {
      tensor.random = MapValues(seed);
      cli::DrawValues(tensor);
      return;
    }
    // There are no channels to draw.
    const std::vector<int64_t>& map = input.inputs[kInput].dims;
    Shape shape{1, 14, 14, 1, 0, (tensor.count() + kRoiNumbers - 1) / kRoiNumbers};
    if (map.size() == 4) {
      shape.images = std::max<int64_t>(map[0], 1);
      shape.height = map[1];
      shape.width = map[2];
    }
    const auto scale = static_cast<float>(input.parameters[kScale]);
    const bool is_possible = std::isfinite(scale) && scale > 0;
    std::vector<float> numbers =
        RandomCase(Kind::kNetwork, shape, is_possible ? scale : 1, seed).rois;
    numbers.resize(static_cast<size_t>(tensor.count()));
    cli::SetNumbers(tensor, numbers);
  }

  std::vector<Recipe> Suite() const override {
    std::vector<Recipe> suite;
    AddExamples(suite);
    AddDocumentsSizes(suite);
    AddSizes(suite);
    AddEmpty(suite);
    AddWrongParameters(suite);
    AddWrongTypes(suite);
    AddWrongShapes(suite);
    AddWrongImages(suite);
    AddNotSupported(suite);
    return suite;
  }

  std::vector<Recipe> Benchmarks() const override {
    std::vector<Recipe> benchmarks;
    AddSize(benchmarks, CaseKind::kNetwork, "", {1, 7, 7, 3, 4, 10}, 1);
    AddSize(benchmarks, CaseKind::kNetwork, "", {1, 14, 14, 7, 8, 320}, 1);
    AddSize(benchmarks, CaseKind::kNetwork, "", {2, 14, 14, 3, 21, 493}, 0.0625f);
    AddSize(benchmarks, CaseKind::kNetwork, "", {1, 38, 63, 7, 21, 10}, 0.0625f);
    AddSize(benchmarks, CaseKind::kNetwork, "", {1, 38, 63, 7, 81, 2000}, 0.0625f);
    return benchmarks;
  }

  int DemoStage() const override { return kDemoStage; }
  cli::Case DemoCase(const cli::Scene& scene) const override { return MakeDemo(*this, scene); }
  cli::Picture DemoResult(cli::Scene& scene, const cli::Case& done) const override {
    return DrawDemo(*this, scene, done);
  }

 private:
  // A network's rois.
  cli::Case Sized(const std::string& name, const Shape& shape, float scale) const {
    std::vector<Tensor> inputs;
    inputs.push_back(cli::MakeTensor(
        MLUOP_DTYPE_FLOAT,
        {shape.images, shape.height, shape.width, shape.group * shape.group * shape.dim}, kNhwc));
    inputs[kInput].random = MapValues(1);
    inputs.push_back(cli::MakeTensor(MLUOP_DTYPE_FLOAT, {shape.rois, kRoiNumbers}));
    cli::Case made = cli::MakeCase(*this, name, std::move(inputs));
    made.parameters[kScale] = static_cast<double>(scale);
    made.parameters[kDim] = static_cast<double>(shape.dim);
    SetGroup(made, static_cast<double>(shape.group));
    Fill(made, kRois, 2);
    return made;
  }

  // These rois, and unless a drawn one is as good this map.
  cli::Case Exactly(const std::string& name, const Case& numbers, bool draws_map) const {
    cli::Case made = Sized(name, numbers.shape, numbers.scale);
    cli::SetNumbers(made.inputs[kRois], numbers.rois);
    if (!draws_map) {
      cli::SetNumbers(made.inputs[kInput], numbers.input);
    }
    return made;
  }

  void AddExamples(std::vector<Recipe>& suite) const {
    for (const bool has_fractions : {false, true}) {
      const std::string name = has_fractions ? "example_fractions_of_images" : "example";
      suite.push_back({name, CaseKind::kExample, [=, this] {
                         Case example = ExampleCase();
                         if (has_fractions) {  // which are cut off
                           example.rois[0] = -0.5f;
                           example.rois[kRoiNumbers] = 1.5f;
                         }
                         cli::Case made = Exactly(name, example, false);
                         made.outputs = Outputs(made);
                         cli::SetNumbers(made.outputs[kOutput],
                                         {std::begin(kExampleMeans), std::end(kExampleMeans)});
                         cli::SetNumbers(made.outputs[kMapping], {std::begin(kExampleChannels),
                                                                  std::end(kExampleChannels)});
                         return made;
                       }});
    }
  }

  void AddSize(std::vector<Recipe>& suite, CaseKind kind, const char* prefix, const Shape& shape,
               float scale) const {
    const std::string name =
        fmt::format("{}{}x{}x{}x{}_{}_rois_group{}", prefix, shape.images, shape.height,
                    shape.width, shape.group * shape.group * shape.dim, shape.rois, shape.group);
    suite.push_back({name, kind, [=, this] { return Sized(name, shape, scale); }});
  }

  void AddDocumentsSizes(std::vector<Recipe>& suite) const {
    AddSize(suite, CaseKind::kNetwork, "network_", {1, 14, 14, 7, 8, 320}, 1);
    AddSize(suite, CaseKind::kNetwork, "network_", {2, 14, 14, 3, 21, 493}, 0.0625f);
    AddSize(suite, CaseKind::kNetwork, "network_", {1, 38, 63, 7, 81, 2000}, 0.0625f);
    // As the document writes the second: 3 * 3 * 21 is 189.
    const std::string name = "negative_198_channels";
    suite.push_back({name, CaseKind::kNegative, [=, this] {
                       cli::Case made = Sized(name, {2, 14, 14, 3, 21, 493}, 0.0625f);
                       made.outputs = Outputs(made);
                       made.inputs[kInput].dims[3] = 198;
                       made.expected_status = kBad;
                       return made;
                     }});
  }

  // Around the widths of vectors, every kind of numbers, few rois and many; and maps of unusual
  // sizes. At a scale of 0.1 a fused multiply-add would move bins.
  void AddSizes(std::vector<Recipe>& suite) const {
    constexpr float kScales[] = {1, 0.0625f, 0.1f, 0.3f};
    uint32_t seed = 0;
    for (const Kind kind : kAllKinds) {
      for (const int64_t dim : {1, 3, 4, 8, 9, 17, 33}) {
        for (const int64_t rois : {2, 30}) {
          const std::string name = fmt::format("{}_{}_channels_{}_rois", NameOf(kind), dim, rois);
          const Shape shape{2, 6, 5, static_cast<int64_t>(1 + seed % 3), dim, rois};
          const float scale = kScales[seed % std::size(kScales)];
          suite.push_back({name, CaseKind::kRandom, [=, this] {
                             return Exactly(name, RandomCase(kind, shape, scale, seed),
                                            DrawsMap(kind));
                           }});
          ++seed;
        }
      }
    }
    for (const Shape& shape :
         {Shape{2, 1, 1, 3, 5, 4}, Shape{1, 1, 37, 2, 9, 50}, Shape{1, 37, 1, 2, 9, 50},
          Shape{1, 80, 5, 3, 4, 60}, Shape{1, 8, 9, 16, 1, 25}, Shape{1, 8, 9, 17, 4, 25},
          Shape{1, 2, 3, 100, 1, 9}, Shape{1, 40, 50, 2, 130, 60}, Shape{5, 9, 9, 2, 3, 4}}) {
      AddSize(suite, CaseKind::kRandom, "map_", shape, 0.1f);
    }
  }

  // Without pixels there is nothing to do, whatever the rois say.
  void AddEmpty(std::vector<Recipe>& suite) const {
    for (const Shape& shape :
         {Shape{0, 4, 5, 2, 3, 3}, Shape{2, 0, 5, 2, 3, 3}, Shape{2, 4, 0, 2, 3, 3}}) {
      AddSize(suite, CaseKind::kExample, "empty_", shape, 1);
    }
  }

  // A call that is right, and what makes it wrong.
  void AddNegative(std::vector<Recipe>& suite, const std::string& what, mluOpStatus_t status,
                   const std::function<void(cli::Case&)>& spoil) const {
    const std::string name = "negative_" + what;
    suite.push_back({name, CaseKind::kNegative, [=, this] {
                       cli::Case made = Sized(name, {2, 4, 5, 2, 3, 3}, 1);
                       made.outputs = Outputs(made);
                       spoil(made);
                       made.expected_status = status;
                       return made;
                     }});
  }

  void AddWrongParameters(std::vector<Recipe>& suite) const {
    const auto add = [&](const std::string& what, ParameterIndex index, double value) {
      AddNegative(suite, what, kBad, [=](cli::Case& call) { call.parameters[index] = value; });
    };
    add("group_size_is_not_pooled_height", kPooledHeight, 3);
    add("pooled_width_is_not_pooled_height", kPooledWidth, 1);
    add("pooled_is_not_group_size", kGroup, 1);
    for (const int group : {0, -1, 3}) {
      AddNegative(suite, fmt::format("group_size_{}", group), kBad,
                  [=](cli::Case& call) { SetGroup(call, group); });
    }
    for (const int dim : {0, -1, 4}) {
      add(fmt::format("output_dim_{}", dim), kDim, dim);
    }
    using Limits = std::numeric_limits<double>;
    for (const double scale : {0.0, -1.0, Limits::quiet_NaN(), Limits::infinity()}) {
      add(fmt::format("spatial_scale_{}", scale), kScale, scale);
    }
  }

  void AddWrongTypes(std::vector<Recipe>& suite) const {
    const auto add_input = [&](const char* name, InputIndex index, mluOpDataType_t dtype) {
      AddNegative(suite, name, kBad, [=](cli::Case& call) {
        Tensor& tensor = call.inputs[index];
        tensor = cli::ZeroTensor(dtype, tensor.dims, tensor.layout);
      });
    };
    const auto add_output = [&](const char* name, OutputIndex index, mluOpDataType_t dtype) {
      AddNegative(suite, name, kBad, [=](cli::Case& call) { call.outputs[index].dtype = dtype; });
    };
    add_input("input_half", kInput, MLUOP_DTYPE_HALF);
    add_input("input_int32", kInput, MLUOP_DTYPE_INT32);
    add_input("rois_half", kRois, MLUOP_DTYPE_HALF);
    add_output("output_half", kOutput, MLUOP_DTYPE_HALF);
    add_output("mapping_float", kMapping, MLUOP_DTYPE_FLOAT);
    for (const mluOpTensorLayout_t layout : {MLUOP_LAYOUT_NCHW, MLUOP_LAYOUT_ARRAY}) {
      const char* const layout_name = layout == MLUOP_LAYOUT_NCHW ? "nchw" : "array";
      AddNegative(suite, fmt::format("input_{}", layout_name), kBad,
                  [=](cli::Case& call) { call.inputs[kInput].layout = layout; });
      AddNegative(suite, fmt::format("output_{}", layout_name), kBad,
                  [=](cli::Case& call) { call.outputs[kOutput].layout = layout; });
      AddNegative(suite, fmt::format("mapping_{}", layout_name), kBad,
                  [=](cli::Case& call) { call.outputs[kMapping].layout = layout; });
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
    add_input("input_rank_3", kInput, {8, 5, 12});
    add_input("rois_rank_3", kRois, {1, 3, 5});
    add_output("output_rank_3", kOutput, {3, 4, 3});
    add_output("mapping_rank_2", kMapping, {3, 12});
    add_input("thirteen_channels", kInput, {2, 4, 5, 13});
    add_input("no_channels", kInput, {2, 4, 5, 0});
    add_input("four_numbers_of_a_roi", kRois, {3, 4});
    add_output("output_of_two_rois", kOutput, {2, 2, 2, 3});
    add_output("output_channels_first", kOutput, {3, 3, 2, 2});
    add_output("mapping_of_two_channels", kMapping, {3, 2, 2, 2});
    const auto without_rois = [=, this](cli::Case& call) {
      call.inputs[kRois] = cli::MakeTensor(MLUOP_DTYPE_FLOAT, {0, 5});
      call.outputs = Outputs(call);
    };
    AddNegative(suite, "no_rois", kBad, without_rois);
    AddNegative(suite, "no_rois_and_no_images", kBad, [=](cli::Case& call) {
      call.inputs[kInput] = cli::MakeTensor(MLUOP_DTYPE_FLOAT, {0, 4, 5, 12}, kNhwc);
      without_rois(call);
    });
  }

  // What only the data can show.
  void AddWrongImages(std::vector<Recipe>& suite) const {
    using Limits = std::numeric_limits<float>;
    for (const float image : {-1.0f, 2.0f, 4096.0f, Limits::quiet_NaN(), Limits::infinity()}) {
      AddNegative(suite, fmt::format("roi_of_image_{}", image), kBad,
                  [=](cli::Case& call) { call.inputs[kRois].as<float>()[kRoiNumbers] = image; });
    }
  }

  void AddNotSupported(std::vector<Recipe>& suite) const {
    constexpr mluOpStatus_t kNot = MLUOP_STATUS_NOT_SUPPORTED;
    AddNegative(suite, "input_strided", kNot, [](cli::Case& call) {
      call.inputs[kInput].strides = {260, 65, 13, 1};
    });
    AddNegative(suite, "rois_strided", kNot, [](cli::Case& call) {
      call.inputs[kRois].strides = {6, 1};
    });
    AddNegative(suite, "output_strided", kNot, [](cli::Case& call) {
      call.outputs[kOutput].strides = {24, 12, 6, 2};
    });
    AddNegative(suite, "mapping_strided", kNot, [](cli::Case& call) {
      call.outputs[kMapping].strides = {12, 2, 1, 4};
    });
    const auto add_huge = [&](const char* name, const std::vector<int64_t>& map, int64_t rois) {
      AddNegative(suite, name, kNot, [=, this](cli::Case& call) {
        call.inputs[kInput] = cli::MakeTensor(MLUOP_DTYPE_FLOAT, map, kNhwc);
        call.inputs[kRois] = cli::MakeTensor(MLUOP_DTYPE_FLOAT, {rois, kRoiNumbers});
        call.parameters[kDim] = static_cast<double>(map[3]) / 4;  // of 2 x 2 bins
        call.outputs = Outputs(call);
      });
    };
    add_huge("input_too_large", {1, 1 << 15, 1 << 14, 4}, 3);
    add_huge("rois_too_large", {2, 2, 3, 12}, 1 << 29);
    add_huge("results_too_large", {2, 1, 1, 1 << 16}, 1 << 15);
    add_huge("results_too_large_without_images", {0, 1, 1, 1 << 16}, 1 << 15);
  }
};

}  // namespace

const cli::Adapter& CommandAdapter() {
  static const PsRoiPoolForwardAdapter adapter;
  return adapter;
}

}  // namespace detops::psroipool_forward
