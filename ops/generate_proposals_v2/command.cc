// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the command knows of generate_proposals_v2.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "cli/adapter.h"
#include "core/boundary.h"
#include "core/tensor_descriptor.h"
#include "ops/generate_proposals_v2/cases.h"
#include "ops/generate_proposals_v2/demo.h"
#include "ops/generate_proposals_v2/op.h"

namespace detops::generate_proposals_v2 {
namespace {

using cli::CaseKind;
using cli::Recipe;
using cli::Tensor;

// In the order of the description, which is that of case files and not of the C function.
enum InputIndex { kScores, kDeltas, kAnchors, kVariances, kImageSizes };
enum OutputIndex { kRois, kProbabilities, kCounts, kTotal };
enum ParameterIndex { kPreNmsTopN, kPostNmsTopN, kNmsThresh, kMinSize, kEta, kPixelOffset };

constexpr double kOperationsPerDecoding = 60;
constexpr double kOperationsPerComparison = 12;
// Of a candidate: anchor, delta and variance. Of a proposal: corners and probability.
constexpr double kBytesPerCandidate = 3 * kBoxFloats * sizeof(float);
constexpr double kBytesPerProposal = (kBoxFloats + 1) * sizeof(float);

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Of the smallest anchors, in strides: maps with many anchors have those of several levels.
float AnchorSizeOf(const Shape& shape) { return shape.anchors_per_position <= 3 ? 8 : 2; }

// As networks make them.
Case NetworkCase(Kind kind, const Shape& shape, float size, uint32_t seed) {
  const float stride = StrideOf(shape.height);
  return RandomCase(kind, shape, stride, size * stride, seed);
}

// By the dimensions of an input, where it has as many as it should; no elements otherwise.
Shape ShapeOf(const Tensor& tensor, InputIndex index) {
  const std::vector<int64_t>& dims = tensor.dims;
  if (dims.size() != 4 || index == kImageSizes) {
    return {0, 0, 0, 0};
  }
  switch (index) {
    case kScores:
      return {dims[0], dims[1], dims[2], dims[3]};
    case kDeltas:
      return {dims[0], dims[1], dims[2], dims[3] / kBoxFloats};
    default:
      return {1, dims[0], dims[1], dims[2]};
  }
}

Tensor Drawn(std::vector<int64_t> dims, const cli::RandomData& random) {
  Tensor tensor = cli::MakeTensor(MLUOP_DTYPE_FLOAT, std::move(dims));
  tensor.random = random;
  return tensor;
}

cli::RandomData GaussianData(int32_t seed, double sigma) {
  return {cli::RandomData::Distribution::kGaussian, seed, 0, 1, 0, sigma};
}

GenerateProposalsOptions OptionsOf(const cli::Case& input) {
  GenerateProposalsOptions options;
  options.pre_nms_top_n = static_cast<int>(input.parameters[kPreNmsTopN]);
  options.post_nms_top_n = static_cast<int>(input.parameters[kPostNmsTopN]);
  options.nms_thresh = static_cast<float>(input.parameters[kNmsThresh]);
  options.min_size = static_cast<float>(input.parameters[kMinSize]);
  options.eta = static_cast<float>(input.parameters[kEta]);
  options.pixel_offset = input.parameters[kPixelOffset] != 0;
  return options;
}

// The C function does not see the shape of what it writes the total to.
Status CheckTotal(const Operand& total) {
  DETOPS_RETURN_IF_ERROR(CheckDataType(total, {MLUOP_DTYPE_INT32}));
  return CheckShape(total, {1});
}

// What a case of a suite has besides its shape.
struct Variant {
  int pre_nms_top_n = 6000;
  int post_nms_top_n = 1000;
  float nms_thresh = 0.5f;
  float min_size = 0.1f;
  bool pixel_offset = false;
  double variance = 1;
};

class GenerateProposalsV2Adapter : public cli::Adapter {
 public:
  const cli::Description& description() const override {
    static const cli::Description description{
        "mluOpGenerateProposalsV2",
        "generate_proposals_v2_param",
        5930,
        {{"scores", "[N, H, W, A]", "float"},
         {"bbox_deltas", "[N, H, W, 4A]", "float"},
         {"anchors", "[H, W, A, 4]", "float"},
         {"variances", "[H, W, A, 4]", "float"},
         {"im_shape", "[N, 2]: height, width", "float"}},
        {{"rpn_rois", "[N * post_nms_top_n, 4], of which rpn_rois_batch_size are written", "float"},
         {"rpn_roi_probs", "[N * post_nms_top_n, 1], likewise", "float"},
         {"rpn_rois_num", "[N]", "int32"},
         {"rpn_rois_batch_size", "[1]", "int32"}},
        {{"pre_nms_top_n", 1, cli::ParameterType::kInt, 6000,
          "proposals of an image that are decoded; all when not positive"},
         {"post_nms_top_n", 2, cli::ParameterType::kInt, 1000,
          "proposals of an image that are kept at most"},
         {"nms_thresh", 3, cli::ParameterType::kFloat, 0.5,
          "a proposal goes when its IoU with a kept one is above this"},
         {"min_size", 4, cli::ParameterType::kFloat, static_cast<double>(0.1f),
          "proposals narrower or lower than this, or than 1, are dropped"},
         {"eta", 5, cli::ParameterType::kFloat, 1, "at least 1: the threshold does not adapt"},
         {"pixel_offset", 6, cli::ParameterType::kBool, 0,
          "boxes reach one pixel beyond their last coordinate"}},
        {"fewer than 2^31 elements in each tensor", "H, W and A at least 1",
         "post_nms_top_n at least 1", "nms_thresh above 0"}};
    return description;
  }

  std::vector<Tensor> Outputs(const cli::Case& input) const override {
    const std::vector<int64_t>& dims = input.inputs[kScores].dims;
    const int64_t images = dims.empty() ? 0 : dims[0];
    const auto post = static_cast<int64_t>(std::max(input.parameters[kPostNmsTopN], 0.0));
    int64_t rows = 0;
    if (__builtin_mul_overflow(images, post, &rows)) {
      rows = std::numeric_limits<int64_t>::max();
    }
    std::vector<Tensor> outputs;
    outputs.push_back(cli::MakeTensor(MLUOP_DTYPE_FLOAT, {rows, kBoxFloats}));
    outputs.push_back(cli::MakeTensor(MLUOP_DTYPE_FLOAT, {rows, 1}));
    outputs.push_back(cli::MakeTensor(MLUOP_DTYPE_INT32, {images}));
    outputs.push_back(cli::MakeTensor(MLUOP_DTYPE_INT32, {1}));
    return outputs;
  }

  mluOpStatus_t Call(cli::Invocation& call) const override {
    size_t size = 0;
    mluOpStatus_t status = mluOpGetGenerateProposalsV2WorkspaceSize_v2(
        call.handle(), call.input_desc(kScores), call.int_parameter(kPreNmsTopN), &size);
    if (status == MLUOP_STATUS_SUCCESS) {
      status = ApiCall("mluOpGenerateProposalsV2", [&] {
        return CheckTotal(
            OperandOf("rpn_rois_batch_size", call.output_desc(kTotal), call.output(kTotal)));
      });
    }
    return status != MLUOP_STATUS_SUCCESS ? status : CallWith(call, size);
  }

  Status Reference(cli::Case& input) const override {
    Args args;
    DETOPS_RETURN_IF_ERROR(
        MakeArgs({.scores = cli::TensorOperand("scores", input.inputs[kScores]),
                  .bbox_deltas = cli::TensorOperand("bbox_deltas", input.inputs[kDeltas]),
                  .im_shape = cli::TensorOperand("im_shape", input.inputs[kImageSizes]),
                  .anchors = cli::TensorOperand("anchors", input.inputs[kAnchors]),
                  .variances = cli::TensorOperand("variances", input.inputs[kVariances]),
                  .rois = cli::TensorOperand("rpn_rois", input.outputs[kRois]),
                  .probs = cli::TensorOperand("rpn_roi_probs", input.outputs[kProbabilities]),
                  .counts = cli::TensorOperand("rpn_rois_num", input.outputs[kCounts]),
                  .total = cli::TensorOperand("rpn_rois_batch_size", input.outputs[kTotal])},
                 OptionsOf(input), args));
    generate_proposals_v2::Reference(args);
    return {};
  }

  int64_t WrittenCount(const cli::Case& done, size_t output) const override {
    const int64_t count = done.outputs[output].count();
    if (output != kRois && output != kProbabilities) {
      return count;
    }
    const int64_t numbers = output == kRois ? kBoxFloats : 1;
    return std::clamp<int64_t>(TotalOf(done) * numbers, 0, count);
  }

  // Candidates behind the last proposal that is asked for need not be looked at. Any other one is
  // decoded, and compared at least once when it becomes no proposal.
  cli::Work WorkOf(const cli::Case& done) const override {
    const auto images = static_cast<double>(done.outputs[kCounts].count());
    const auto total = static_cast<double>(TotalOf(done));
    double decoded = 0;
    for (int64_t image = 0; image < done.outputs[kCounts].count(); ++image) {
      const int32_t proposals = done.outputs[kCounts].as<int32_t>()[image];
      decoded += static_cast<double>(
          proposals < done.parameters[kPostNmsTopN] ? CandidatesPerImage(done) : proposals);
    }
    const double bytes =
        static_cast<double>(done.inputs[kScores].bytes() + done.inputs[kImageSizes].bytes()) +
        decoded * kBytesPerCandidate + total * kBytesPerProposal + (images + 1) * sizeof(int32_t);
    return {bytes, decoded * kOperationsPerDecoding + (decoded - total) * kOperationsPerComparison};
  }

  void Fill(cli::Case& input, size_t index, uint32_t seed) const override {
    Tensor& tensor = input.inputs[index];
    const Shape shape = ShapeOf(tensor, static_cast<InputIndex>(index));
    std::vector<float> numbers;
    if (index == kImageSizes) {
      numbers = SizesOfImages(input);
    } else if (index == kVariances) {
      numbers.assign(static_cast<size_t>(tensor.count()), 1.0f);
    } else if (tensor.count() != 0) {
      Case made = NetworkCase(Kind::kTrained, shape, AnchorSizeOf(shape), seed);
      numbers = std::move(index == kScores   ? made.scores
                          : index == kDeltas ? made.deltas
                                             : made.anchors);
    }
    if (static_cast<int64_t>(numbers.size()) == tensor.count()) {
      tensor = cli::TensorOf(tensor.dtype, tensor.dims, numbers, tensor.layout);
    } else {
      tensor.random = cli::UniformData(seed, 0, 1);
      cli::DrawValues(tensor);
    }
  }

  std::vector<Recipe> Suite() const override {
    std::vector<Recipe> suite;
    AddExamples(suite);
    AddNetworks(suite);
    AddShapes(suite);
    AddVariants(suite);
    AddEmpty(suite);
    AddNegativeParameters(suite);
    AddNegativeTensors(suite);
    return suite;
  }

  std::vector<Recipe> Benchmarks() const override {
    struct Setting {
      const char* name;
      Shape shape;
      float anchor_size;  // in strides; makes as many proposals as trained networks have
      int pre_nms_top_n;
      int post_nms_top_n;
    };
    const Setting settings[] = {{"11x11x3", {1, 11, 11, 3}, 8, 12000, 2000},
                                {"50x68x3", {1, 50, 68, 3}, 7.3f, 12000, 2000},
                                {"54x40x15", {1, 54, 40, 15}, 4.4f, 12000, 2000},
                                {"168x256x3_small_boxes", {1, 168, 256, 3}, 2, 12000, 2000},
                                {"200x304x3_to_1000", {1, 200, 304, 3}, 2, 2000, 1000},
                                {"200x304x3_small_boxes", {1, 200, 304, 3}, 2, 12000, 2000},
                                {"200x304x3_large_boxes", {1, 200, 304, 3}, 16, 12000, 2000}};
    std::vector<Recipe> benchmarks;
    for (const Setting& setting : settings) {
      for (const Kind kind : {Kind::kTrained, Kind::kUniform}) {
        const std::string name = fmt::format("{}_{}", setting.name, NameOf(kind));
        benchmarks.push_back({name, CaseKind::kNetwork, [=, this] {
                                Case input =
                                    NetworkCase(kind, setting.shape, setting.anchor_size, 1);
                                input.pre_nms_top_n = setting.pre_nms_top_n;
                                input.post_nms_top_n = setting.post_nms_top_n;
                                return OfNumbers(name, input);
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
  static int64_t TotalOf(const cli::Case& done) { return *done.outputs[kTotal].as<int32_t>(); }

  static int64_t CandidatesPerImage(const cli::Case& done) {
    const std::vector<int64_t>& dims = done.inputs[kScores].dims;
    return CandidatesOf(dims[1] * dims[2] * dims[3],
                        static_cast<int64_t>(done.parameters[kPreNmsTopN]));
  }

  // Height and width of each image, by the map's; none when the scores are no map.
  static std::vector<float> SizesOfImages(const cli::Case& input) {
    const Shape shape = ShapeOf(input.inputs[kScores], kScores);
    const float stride = StrideOf(shape.height);
    std::vector<float> sizes;
    for (int64_t image = 0; image < shape.images; ++image) {
      sizes.push_back(static_cast<float>(shape.height) * stride);
      sizes.push_back(static_cast<float>(shape.width) * stride);
    }
    return sizes;
  }

  static mluOpStatus_t CallWith(cli::Invocation& call, size_t workspace_size) {
    return mluOpGenerateProposalsV2(
        call.handle(), call.int_parameter(kPreNmsTopN), call.int_parameter(kPostNmsTopN),
        call.float_parameter(kNmsThresh), call.float_parameter(kMinSize),
        call.float_parameter(kEta), call.bool_parameter(kPixelOffset), call.input_desc(kScores),
        call.input(kScores), call.input_desc(kDeltas), call.input(kDeltas),
        call.input_desc(kImageSizes), call.input(kImageSizes), call.input_desc(kAnchors),
        call.input(kAnchors), call.input_desc(kVariances), call.input(kVariances),
        call.Workspace(workspace_size), workspace_size, call.output_desc(kRois), call.output(kRois),
        call.output_desc(kProbabilities), call.output(kProbabilities), call.output_desc(kCounts),
        call.output(kCounts), call.output(kTotal));
  }

  // A call with all its numbers.
  cli::Case OfNumbers(const std::string& name, const Case& input) const {
    const int64_t n = input.images;
    const int64_t h = input.height;
    const int64_t w = input.width;
    const int64_t a = input.anchors_per_position;
    std::vector<Tensor> inputs;
    inputs.push_back(cli::TensorOf(MLUOP_DTYPE_FLOAT, {n, h, w, a}, input.scores));
    inputs.push_back(cli::TensorOf(MLUOP_DTYPE_FLOAT, {n, h, w, kBoxFloats * a}, input.deltas));
    inputs.push_back(cli::TensorOf(MLUOP_DTYPE_FLOAT, {h, w, a, kBoxFloats}, input.anchors));
    inputs.push_back(cli::TensorOf(MLUOP_DTYPE_FLOAT, {h, w, a, kBoxFloats}, input.variances));
    inputs.push_back(cli::TensorOf(MLUOP_DTYPE_FLOAT, {n, 2}, input.im_shape));
    cli::Case made = cli::MakeCase(*this, name, std::move(inputs));
    made.parameters[kPreNmsTopN] = input.pre_nms_top_n;
    made.parameters[kPostNmsTopN] = input.post_nms_top_n;
    made.parameters[kNmsThresh] = static_cast<double>(input.nms_thresh);
    made.parameters[kMinSize] = static_cast<double>(input.min_size);
    made.parameters[kPixelOffset] = input.pixel_offset ? 1 : 0;
    return made;
  }

  // A call whose scores, deltas and variances are drawn when it runs, so that its file is small.
  cli::Case Sized(const std::string& name, const Shape& shape, const Variant& variant) const {
    const auto& [n, h, w, a] = shape;
    std::vector<Tensor> inputs;
    inputs.push_back(Drawn({n, h, w, a}, cli::UniformData(1, 0, 1)));
    inputs.push_back(Drawn({n, h, w, kBoxFloats * a}, GaussianData(2, 0.2)));
    inputs.push_back(cli::MakeTensor(MLUOP_DTYPE_FLOAT, {h, w, a, kBoxFloats}));
    inputs.push_back(
        Drawn({h, w, a, kBoxFloats}, cli::UniformData(3, variant.variance, variant.variance)));
    inputs.push_back(cli::MakeTensor(MLUOP_DTYPE_FLOAT, {n, 2}));
    cli::Case made = cli::MakeCase(*this, name, std::move(inputs));
    Fill(made, kAnchors, 4);
    Fill(made, kImageSizes, 5);
    made.parameters[kPreNmsTopN] = variant.pre_nms_top_n;
    made.parameters[kPostNmsTopN] = variant.post_nms_top_n;
    made.parameters[kNmsThresh] = static_cast<double>(variant.nms_thresh);
    made.parameters[kMinSize] = static_cast<double>(variant.min_size);
    made.parameters[kPixelOffset] = variant.pixel_offset ? 1 : 0;
    return made;
  }

  void AddSized(std::vector<Recipe>& suite, const std::string& name, CaseKind kind,
                const Shape& shape, const Variant& variant) const {
    suite.push_back({name, kind, [=, this] { return Sized(name, shape, variant); }});
  }

  void AddExamples(std::vector<Recipe>& suite) const {
    suite.push_back({"document_nan", CaseKind::kExample, [this] {
                       Case input;
                       input.images = 2;
                       input.width = 2;
                       input.height = 1;
                       input.scores = {0.2f, kNaN, 0.5f, -kInfinity};
                       input.deltas = {0, 0, 2, 2, 0, 0, 2, 2, 0, 0, 2, 2, 0, 0, 2, 2};
                       input.anchors = {1, 1, 3, 3, 1, 1, 3, 3};
                       input.variances = {1, 1, 3, 3, 1, 1, 3, 3};
                       input.im_shape = {5, 5, 5, 5};
                       input.pre_nms_top_n = 2000;
                       cli::Case made = OfNumbers("document_nan", input);
                       made.outputs = Outputs(made);
                       std::vector<float> rois{0, 0, 5, 5, 0, 0, 5, 5};
                       std::vector<float> probabilities{kNaN, 0.5f};
                       SetExpected(made.outputs[kRois], rois);
                       SetExpected(made.outputs[kProbabilities], probabilities);
                       SetExpected(made.outputs[kCounts], {1, 1});
                       SetExpected(made.outputs[kTotal], {2});
                       return made;
                     }});
    // Everything random in images that are smaller than most proposals need.
    suite.push_back(
        {"document_small_images", CaseKind::kExample, [this] {
           Variant variant;
           variant.pre_nms_top_n = 2000;
           variant.min_size = 0;
           cli::Case made = Sized("document_small_images", {2, 54, 40, 15}, variant);
           made.inputs[kDeltas].random = cli::UniformData(2, 0, 1);
           made.inputs[kAnchors] = Drawn({54, 40, 15, 4}, cli::UniformData(4, 0, 1));
           made.inputs[kVariances].random = cli::UniformData(3, 0, 1);
           made.inputs[kImageSizes] = cli::TensorOf(MLUOP_DTYPE_FLOAT, {2, 2}, {10, 10, 5, 5});
           return made;
         }});
  }

  // The first elements; the rest is never compared.
  static void SetExpected(Tensor& output, std::vector<float> numbers) {
    numbers.resize(static_cast<size_t>(output.count()));
    output = cli::TensorOf(output.dtype, output.dims, numbers);
  }

  void AddNetworks(std::vector<Recipe>& suite) const {
    for (const Shape& shape : NetworkShapes()) {
      Variant variant;
      variant.pre_nms_top_n = 12000;
      variant.post_nms_top_n = 2000;
      AddSized(suite,
               fmt::format("network_{}x{}x{}x{}", shape.images, shape.height, shape.width,
                           shape.anchors_per_position),
               CaseKind::kNetwork, shape, variant);
    }
  }

  void AddShapes(std::vector<Recipe>& suite) const {
    const Shape shapes[] = {{1, 1, 1, 1},   {3, 1, 1, 1},    {1, 1, 64, 9},   {1, 65, 1, 2},
                            {2, 7, 5, 3},   {2, 54, 40, 15}, {4, 16, 16, 12}, {5, 33, 17, 1},
                            {8, 25, 34, 3}, {9, 10, 14, 3},  {16, 11, 11, 3}, {1, 31, 33, 100}};
    for (const Shape& shape : shapes) {
      AddSized(suite,
               fmt::format("random_{}x{}x{}x{}", shape.images, shape.height, shape.width,
                           shape.anchors_per_position),
               CaseKind::kRandom, shape, {});
    }
    for (const Kind kind : kAllKinds) {
      const std::string name = fmt::format("{}_3x25x34x3", NameOf(kind));
      suite.push_back({name, CaseKind::kRandom, [=, this] {
                         return OfNumbers(name, NetworkCase(kind, {3, 25, 34, 3}, 8, 1));
                       }});
    }
  }

  // Parameters, on a map of 2 * 612 anchors.
  void AddVariants(std::vector<Recipe>& suite) const {
    const auto add = [&](const char* name, void (*change)(Variant&)) {
      Variant variant;
      change(variant);
      AddSized(suite, fmt::format("parameters_{}", name), CaseKind::kRandom, {2, 12, 17, 3},
               variant);
    };
    add("pre_all", [](Variant& variant) { variant.pre_nms_top_n = 0; });
    add("pre_negative", [](Variant& variant) { variant.pre_nms_top_n = -1; });
    add("pre_1", [](Variant& variant) { variant.pre_nms_top_n = 1; });
    add("pre_as_many_as_there_are", [](Variant& variant) { variant.pre_nms_top_n = 612; });
    add("pre_one_less", [](Variant& variant) { variant.pre_nms_top_n = 611; });
    add("post_1", [](Variant& variant) { variant.post_nms_top_n = 1; });
    add("post_7", [](Variant& variant) { variant.post_nms_top_n = 7; });
    add("thresh_0.01", [](Variant& variant) { variant.nms_thresh = 0.01f; });
    add("thresh_0.7", [](Variant& variant) { variant.nms_thresh = 0.7f; });
    add("thresh_1", [](Variant& variant) { variant.nms_thresh = 1; });
    add("min_size_300", [](Variant& variant) { variant.min_size = 300; });
    add("nothing_large_enough", [](Variant& variant) { variant.min_size = 1e6f; });
    add("pixel_offset", [](Variant& variant) { variant.pixel_offset = true; });
    add("variance_0.1", [](Variant& variant) { variant.variance = 0.1; });
  }

  void AddEmpty(std::vector<Recipe>& suite) const {
    AddSized(suite, "no_images", CaseKind::kExample, {0, 3, 4, 3}, {});
    const Shape shapes[] = {{1, 0, 4, 3}, {1, 3, 0, 3}, {1, 3, 4, 0}, {1, 0, 0, 0},
                            {0, 0, 4, 3}, {0, 3, 0, 3}, {0, 3, 4, 0}};
    for (const Shape& shape : shapes) {
      const std::string name = fmt::format("negative_empty_{}x{}x{}x{}", shape.images, shape.height,
                                           shape.width, shape.anchors_per_position);
      suite.push_back({name, CaseKind::kNegative, [=, this] {
                         cli::Case made = Sized(name, shape, {});
                         made.expected_status = MLUOP_STATUS_BAD_PARAM;
                         return made;
                       }});
    }
  }

  // A call that is right, and what makes it wrong.
  void AddNegative(std::vector<Recipe>& suite, const char* name, mluOpStatus_t status,
                   const std::function<void(cli::Case&)>& spoil) const {
    const std::string file = fmt::format("negative_{}", name);
    suite.push_back({file, CaseKind::kNegative, [=, this] {
                       Variant variant;
                       variant.post_nms_top_n = 10;
                       cli::Case made = Sized(file, {2, 3, 4, 5}, variant);
                       made.outputs = Outputs(made);
                       spoil(made);
                       made.expected_status = status;
                       return made;
                     }});
  }

  void AddNegativeParameters(std::vector<Recipe>& suite) const {
    const auto add = [&](const char* name, ParameterIndex index, float value) {
      AddNegative(suite, name, MLUOP_STATUS_BAD_PARAM,
                  [=](cli::Case& call) { call.parameters[index] = static_cast<double>(value); });
    };
    add("post_0", kPostNmsTopN, 0);
    add("post_minus_1", kPostNmsTopN, -1);
    add("thresh_0", kNmsThresh, 0);
    add("thresh_negative", kNmsThresh, -0.5f);
    add("thresh_nan", kNmsThresh, kNaN);
    add("min_size_nan", kMinSize, kNaN);
    add("eta_below_1", kEta, 0.9f);
    add("eta_nan", kEta, kNaN);
  }

  void AddNegativeTensors(std::vector<Recipe>& suite) const {
    AddNegativeInputs(suite);
    AddNegativeOutputs(suite);
    const auto add_strided = [&](const char* name, InputIndex index,
                                 const std::vector<int64_t>& strides) {
      AddNegative(suite, name, MLUOP_STATUS_NOT_SUPPORTED,
                  [=](cli::Case& call) { call.inputs[index].strides = strides; });
    };
    add_strided("scores_strided", kScores, {60, 20, 5, 2});
    add_strided("deltas_strided", kDeltas, {480, 80, 20, 1});
    add_strided("anchors_strided", kAnchors, {80, 20, 4, 2});
    add_strided("variances_strided", kVariances, {120, 20, 4, 1});
    add_strided("im_shape_strided", kImageSizes, {4, 1});
    AddNegative(suite, "too_many_elements", MLUOP_STATUS_NOT_SUPPORTED, [](cli::Case& call) {
      constexpr int64_t kThousand = 1 << 10;
      const auto replace = [&](InputIndex index, std::vector<int64_t> dims) {
        call.inputs[index] = cli::MakeTensor(MLUOP_DTYPE_FLOAT, std::move(dims));
      };
      replace(kScores, {2, kThousand, kThousand, kThousand});
      replace(kDeltas, {2, kThousand, kThousand, kBoxFloats * kThousand});
      replace(kAnchors, {kThousand, kThousand, kThousand, kBoxFloats});
      replace(kVariances, {kThousand, kThousand, kThousand, kBoxFloats});
    });
  }

  void AddNegativeInputs(std::vector<Recipe>& suite) const {
    const auto add = [&](const char* name, InputIndex index, mluOpDataType_t dtype,
                         const std::vector<int64_t>& dims) {
      AddNegative(suite, name, MLUOP_STATUS_BAD_PARAM, [=](cli::Case& call) {
        call.inputs[index] = cli::MakeTensor(dtype, dims);
        cli::Allocate(call.inputs[index], 0);
      });
    };
    add("scores_half", kScores, MLUOP_DTYPE_HALF, {2, 3, 4, 5});
    add("scores_rank_3", kScores, MLUOP_DTYPE_FLOAT, {2, 3, 20});
    add("deltas_half", kDeltas, MLUOP_DTYPE_HALF, {2, 3, 4, 20});
    add("deltas_rank_5", kDeltas, MLUOP_DTYPE_FLOAT, {2, 3, 4, 5, 4});
    add("deltas_of_another_map", kDeltas, MLUOP_DTYPE_FLOAT, {2, 4, 3, 20});
    add("deltas_of_fewer_anchors", kDeltas, MLUOP_DTYPE_FLOAT, {2, 3, 4, 16});
    add("deltas_of_one_image", kDeltas, MLUOP_DTYPE_FLOAT, {1, 3, 4, 20});
    add("anchors_half", kAnchors, MLUOP_DTYPE_HALF, {3, 4, 5, 4});
    add("anchors_rank_2", kAnchors, MLUOP_DTYPE_FLOAT, {60, 4});
    add("anchors_of_five_numbers", kAnchors, MLUOP_DTYPE_FLOAT, {3, 4, 5, 5});
    add("anchors_of_another_map", kAnchors, MLUOP_DTYPE_FLOAT, {4, 3, 5, 4});
    add("variances_int32", kVariances, MLUOP_DTYPE_INT32, {3, 4, 5, 4});
    add("variances_rank_1", kVariances, MLUOP_DTYPE_FLOAT, {4});
    add("variances_of_another_map", kVariances, MLUOP_DTYPE_FLOAT, {3, 4, 4, 4});
    add("im_shape_int32", kImageSizes, MLUOP_DTYPE_INT32, {2, 2});
    add("im_shape_rank_1", kImageSizes, MLUOP_DTYPE_FLOAT, {2});
    add("im_shape_of_three_numbers", kImageSizes, MLUOP_DTYPE_FLOAT, {2, 3});
    add("im_shape_of_one_image", kImageSizes, MLUOP_DTYPE_FLOAT, {1, 2});
  }

  void AddNegativeOutputs(std::vector<Recipe>& suite) const {
    const auto add = [&](const char* name, OutputIndex index, mluOpDataType_t dtype,
                         const std::vector<int64_t>& dims) {
      AddNegative(suite, name, MLUOP_STATUS_BAD_PARAM,
                  [=](cli::Case& call) { call.outputs[index] = cli::MakeTensor(dtype, dims); });
    };
    add("rois_half", kRois, MLUOP_DTYPE_HALF, {20, 4});
    add("rois_short", kRois, MLUOP_DTYPE_FLOAT, {19, 4});
    add("rois_rank_3", kRois, MLUOP_DTYPE_FLOAT, {2, 10, 4});
    add("probabilities_half", kProbabilities, MLUOP_DTYPE_HALF, {20, 1});
    add("probabilities_rank_1", kProbabilities, MLUOP_DTYPE_FLOAT, {20});
    add("probabilities_long", kProbabilities, MLUOP_DTYPE_FLOAT, {21, 1});
    add("counts_float", kCounts, MLUOP_DTYPE_FLOAT, {2});
    add("counts_of_three_images", kCounts, MLUOP_DTYPE_INT32, {3});
    add("total_float", kTotal, MLUOP_DTYPE_FLOAT, {1});
    add("two_totals", kTotal, MLUOP_DTYPE_INT32, {2});
  }
};

}  // namespace

const cli::Adapter& CommandAdapter() {
  static const GenerateProposalsV2Adapter adapter;
  return adapter;
}

}  // namespace detops::generate_proposals_v2
