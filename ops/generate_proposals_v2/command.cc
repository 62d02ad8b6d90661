// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// How the command describes and calls generate_proposals_v2.

#include <algorithm>
#include <limits>
#include <utility>

#include "cli/operator_parts.h"
#include "ops/generate_proposals_v2/cases.h"
#include "ops/generate_proposals_v2/op.h"

namespace detops::generate_proposals_v2 {
namespace {

using cli::ParameterType;
using cli::Tensor;

// In the order of the description, which is that of case files and not of the C function.
enum InputIndex { kScores, kDeltas, kAnchors, kVariances, kImageSizes };
enum OutputIndex { kRois, kProbabilities, kCounts, kTotal };
enum ParameterIndex { kPreNmsTopN, kPostNmsTopN, kNmsThresh, kMinSize, kEta, kPixelOffset };

constexpr double kOperationsPerDecoding = 60;
constexpr double kOperationsPerComparison = 12;
// A candidate has an anchor, a delta and a variance; a proposal has corners and a probability.
constexpr double kBytesPerCandidate = 3 * kBoxFloats * sizeof(float);
constexpr double kBytesPerProposal = (kBoxFloats + 1) * sizeof(float);

std::vector<cli::Parameter> DescribeParameters() {
  return {{.name = "pre_nms_top_n",
           .field = 1,
           .type = ParameterType::kInt,
           .value = 6000,
           .help = "number of top-scoring anchors per image to decode; 0 or less decodes all"},
          {.name = "post_nms_top_n",
           .field = 2,
           .type = ParameterType::kInt,
           .value = 1000,
           .help = "maximum number of proposals per image"},
          {.name = "nms_thresh",
           .field = 3,
           .type = ParameterType::kFloat,
           .value = 0.5,
           .help = "a proposal is suppressed when its IoU with a kept one exceeds this"},
          {.name = "min_size",
           .field = 4,
           .type = ParameterType::kFloat,
           .value = static_cast<double>(0.1f),
           .help = "drop proposals with a side below this or below 1 pixel"},
          {.name = "eta",
           .field = 5,
           .type = ParameterType::kFloat,
           .value = 1,
           .help = "decay of nms_thresh; must be at least 1, which means none"},
          {.name = "pixel_offset",
           .field = 6,
           .type = ParameterType::kBool,
           .value = 0,
           .help = "add 1 to every width and height (inclusive pixel coordinates)"}};
}

cli::Description Describe() {
  return {.name = "generate_proposals_v2",
          .c_function = "mluOpGenerateProposalsV2",
          .parameters_name = "generate_proposals_v2_param",
          .parameters_field = 5930,
          .inputs = {{.name = "scores", .shape = "[N, H, W, A]", .types = "float"},
                     {.name = "bbox_deltas", .shape = "[N, H, W, 4A]", .types = "float"},
                     {.name = "anchors", .shape = "[H, W, A, 4]", .types = "float"},
                     {.name = "variances", .shape = "[H, W, A, 4]", .types = "float"},
                     {.name = "im_shape", .shape = "[N, 2]: height, width", .types = "float"}},
          .outputs = {{.name = "rpn_rois",
                       .shape = "[N * post_nms_top_n, 4]; the first rpn_rois_batch_size rows are "
                                "written",
                       .types = "float",
                       .rows_in = "rpn_rois_batch_size"},
                      {.name = "rpn_roi_probs",
                       .shape = "[N * post_nms_top_n, 1]; the same rows are written",
                       .types = "float",
                       .rows_in = "rpn_rois_batch_size"},
                      {.name = "rpn_rois_num", .shape = "[N]", .types = "int32"},
                      {.name = "rpn_rois_batch_size",
                       .shape = "[1]",
                       .types = "int32",
                       .has_descriptor = false}},
          .parameters = DescribeParameters(),
          .limits = {"fewer than 2^31 elements in each tensor", "H, W and A at least 1",
                     "post_nms_top_n at least 1", "nms_thresh above 0"}};
}

Status ArgsOf(const cli::Case& input, Args& args) {
  GenerateProposalsOptions options;
  options.pre_nms_top_n = static_cast<int>(input.parameters[kPreNmsTopN]);
  options.post_nms_top_n = static_cast<int>(input.parameters[kPostNmsTopN]);
  options.nms_thresh = static_cast<float>(input.parameters[kNmsThresh]);
  options.min_size = static_cast<float>(input.parameters[kMinSize]);
  options.eta = static_cast<float>(input.parameters[kEta]);
  options.pixel_offset = input.parameters[kPixelOffset] != 0;
  return MakeArgs({.scores = cli::TensorOperand("scores", input.inputs[kScores]),
                   .bbox_deltas = cli::TensorOperand("bbox_deltas", input.inputs[kDeltas]),
                   .im_shape = cli::TensorOperand("im_shape", input.inputs[kImageSizes]),
                   .anchors = cli::TensorOperand("anchors", input.inputs[kAnchors]),
                   .variances = cli::TensorOperand("variances", input.inputs[kVariances]),
                   .rois = cli::TensorOperand("rpn_rois", input.outputs[kRois]),
                   .probs = cli::TensorOperand("rpn_roi_probs", input.outputs[kProbabilities]),
                   .counts = cli::TensorOperand("rpn_rois_num", input.outputs[kCounts]),
                   .total = cli::TensorOperand("rpn_rois_batch_size", input.outputs[kTotal])},
                  options, args);
}

// Returns the shape that an input's dimensions imply, without elements when their number is wrong.
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

// Returns the height and width of each image for the size of the map; nothing when the scores are
// not a map.
std::vector<float> ImageSizesOf(const cli::Case& input) {
  const Shape shape = ShapeOf(input.inputs[kScores], kScores);
  const float stride = StrideOf(shape.height);
  std::vector<float> sizes;
  for (int64_t image = 0; image < shape.images; ++image) {
    sizes.push_back(static_cast<float>(shape.height) * stride);
    sizes.push_back(static_cast<float>(shape.width) * stride);
  }
  return sizes;
}

// Returns the natural values of an input whose shape allows any; nothing otherwise.
std::vector<float> NaturalValues(const cli::Case& input, InputIndex index, uint32_t seed) {
  const Tensor& tensor = input.inputs[index];
  if (index == kImageSizes) {
    return ImageSizesOf(input);
  }
  if (index == kVariances) {
    return std::vector<float>(static_cast<size_t>(tensor.count()), 1.0f);
  }
  if (tensor.count() == 0) {
    return {};
  }
  const Shape shape = ShapeOf(tensor, index);
  const float stride = StrideOf(shape.height);
  // Size of the smallest anchors, in strides. Maps with many anchors have those of several levels.
  const float anchor_size = shape.anchors_per_position <= 3 ? 8 : 2;
  Case made = RandomCase(Kind::kTrained, shape, stride, anchor_size * stride, seed);
  return std::move(index == kScores ? made.scores : index == kDeltas ? made.deltas : made.anchors);
}

class GenerateProposalsV2Adapter : public cli::Adapter {
 public:
  GenerateProposalsV2Adapter() : Adapter(Describe()) {}

  std::vector<Tensor> Outputs(const cli::Case& input) const override {
    const int64_t images = cli::RowsOf(input.inputs[kScores]);
    const auto post = static_cast<int64_t>(std::max(input.parameters[kPostNmsTopN], 0.0));
    int64_t rows = 0;
    if (__builtin_mul_overflow(images, post, &rows)) {
      rows = std::numeric_limits<int64_t>::max();
    }
    return cli::TensorList(cli::MakeTensor(MLUOP_DTYPE_FLOAT, {rows, kBoxFloats}),
                           cli::MakeTensor(MLUOP_DTYPE_FLOAT, {rows, 1}),
                           cli::MakeTensor(MLUOP_DTYPE_INT32, {images}),
                           cli::MakeTensor(MLUOP_DTYPE_INT32, {1}));
  }

  // Candidates after the last proposal that is asked for need not be examined. All others are
  // decoded, and compared at least once unless they become proposals.
  cli::Work WorkOf(const cli::Case& done) const override {
    const std::vector<int64_t>& dims = done.inputs[kScores].dims;
    const Tensor& counts = done.outputs[kCounts];
    const auto total = static_cast<double>(*done.outputs[kTotal].as<int32_t>());
    double decoded = 0;
    for (int64_t image = 0; image < counts.count(); ++image) {
      const int32_t proposals = counts.as<int32_t>()[image];
      decoded +=
          static_cast<double>(proposals < done.parameters[kPostNmsTopN]
                                  ? CandidatesOf(dims[1] * dims[2] * dims[3],
                                                 static_cast<int64_t>(done.parameters[kPreNmsTopN]))
                                  : proposals);
    }
    const double bytes =
        static_cast<double>(done.inputs[kScores].bytes() + done.inputs[kImageSizes].bytes()) +
        decoded * kBytesPerCandidate + total * kBytesPerProposal +
        (static_cast<double>(counts.count()) + 1) * sizeof(int32_t);
    return {bytes, decoded * kOperationsPerDecoding + (decoded - total) * kOperationsPerComparison};
  }

  void Fill(cli::Case& input, size_t index, uint32_t seed) const override {
    Tensor& tensor = input.inputs[index];
    const std::vector<float> numbers = NaturalValues(input, static_cast<InputIndex>(index), seed);
    if (static_cast<int64_t>(numbers.size()) == tensor.count()) {
      tensor = cli::TensorOf(tensor.dtype, tensor.dims, numbers, tensor.layout);
    } else {
      tensor.random = cli::UniformData(seed, 0, 1);
      cli::DrawValues(tensor);
    }
  }

  mluOpStatus_t Call(cli::Invocation& call) const override {
    size_t size = 0;
    const mluOpStatus_t status = mluOpGetGenerateProposalsV2WorkspaceSize_v2(
        call.handle(), call.input_desc(kScores), call.int_parameter(kPreNmsTopN), &size);
    if (status != MLUOP_STATUS_SUCCESS) {
      return status;
    }
    return mluOpGenerateProposalsV2(
        call.handle(), call.int_parameter(kPreNmsTopN), call.int_parameter(kPostNmsTopN),
        call.float_parameter(kNmsThresh), call.float_parameter(kMinSize),
        call.float_parameter(kEta), call.bool_parameter(kPixelOffset), call.input_desc(kScores),
        call.input(kScores), call.input_desc(kDeltas), call.input(kDeltas),
        call.input_desc(kImageSizes), call.input(kImageSizes), call.input_desc(kAnchors),
        call.input(kAnchors), call.input_desc(kVariances), call.input(kVariances),
        call.Workspace(size), size, call.output_desc(kRois), call.output(kRois),
        call.output_desc(kProbabilities), call.output(kProbabilities), call.output_desc(kCounts),
        call.output(kCounts), call.output(kTotal));
  }

  Status Reference(cli::Case& input) const override {
    return cli::RunReference(input, ArgsOf, generate_proposals_v2::Reference);
  }
};

}  // namespace

const cli::Adapter& CommandAdapter() {
  static const GenerateProposalsV2Adapter adapter;
  return adapter;
}

}  // namespace detops::generate_proposals_v2
