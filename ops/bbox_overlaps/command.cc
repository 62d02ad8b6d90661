// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// How the command describes and calls bbox_overlaps.

#include "cli/operator_parts.h"
#include "ops/bbox_overlaps/cases.h"
#include "ops/bbox_overlaps/op.h"

namespace detops::bbox_overlaps {
namespace {

using cli::ParameterType;
using cli::Tensor;

// In the order of the description.
enum InputIndex { kBoxes1, kBoxes2 };
enum ParameterIndex { kMode, kAligned, kOffset };

// Cost of one overlap. Aligned pairs do not share the areas of their boxes with other pairs.
constexpr double kOperationsPerOverlap = 13;
constexpr double kOperationsPerAlignedPair = kOperationsPerOverlap + 6;

cli::Description Describe() {
  return {.name = "bbox_overlaps",
          .c_function = "mluOpBboxOverlaps",
          .parameters_name = "bbox_overlaps_param",
          .parameters_field = 2041,
          .inputs = {{.name = "bbox1", .shape = "[M, 4]", .types = "float, half"},
                     {.name = "bbox2", .shape = "[N, 4]", .types = "same as bbox1"}},
          .outputs = {{.name = "ious",
                       .shape = "[M, N]; if aligned, [M] or [M, 1]",
                       .types = "same as bbox1"}},
          .parameters = {{.name = "mode",
                          .field = 1,
                          .type = ParameterType::kInt,
                          .value = 0,
                          .help = "what to compute: 0 for IoU, 1 for IoF (intersection over the "
                                  "area of the box in bbox1)"},
                         {.name = "aligned",
                          .field = 2,
                          .type = ParameterType::kBool,
                          .value = 0,
                          .help = "compare only boxes of the same index, not every pair"},
                         {.name = "offset",
                          .field = 3,
                          .type = ParameterType::kInt,
                          .value = 0,
                          .help = "added to every width and height: 0, or 1 for inclusive pixels"}},
          .limits = {"fewer than 2^31 elements in each tensor", "if aligned, M = N"}};
}

Status ArgsOf(const cli::Case& input, Args& args) {
  return MakeArgs({.boxes1 = cli::TensorOperand("bbox1", input.inputs[kBoxes1]),
                   .boxes2 = cli::TensorOperand("bbox2", input.inputs[kBoxes2]),
                   .ious = cli::TensorOperand("ious", input.outputs[0]),
                   .aligned = input.parameters[kAligned] != 0},
                  {.mode = static_cast<OverlapMode>(static_cast<int>(input.parameters[kMode])),
                   .offset = static_cast<int>(input.parameters[kOffset])},
                  args);
}

class BboxOverlapsAdapter : public cli::Adapter {
 public:
  BboxOverlapsAdapter() : Adapter(Describe()) {}

  std::vector<Tensor> Outputs(const cli::Case& input) const override {
    std::vector<int64_t> dims{cli::RowsOf(input.inputs[kBoxes1])};
    if (input.parameters[kAligned] == 0) {
      dims.push_back(cli::RowsOf(input.inputs[kBoxes2]));
    }
    return cli::TensorList(cli::MakeTensor(input.inputs[kBoxes1].dtype, std::move(dims)));
  }

  cli::Work WorkOf(const cli::Case& done) const override {
    return {cli::BytesOf(done), static_cast<double>(done.outputs[0].count()) *
                                    (done.parameters[kAligned] != 0 ? kOperationsPerAlignedPair
                                                                    : kOperationsPerOverlap)};
  }

  void Fill(cli::Case& input, size_t index, uint32_t seed) const override {
    cli::FillRows(input.inputs[index], 4,
                  [&](int64_t rows) { return RandomBoxes(Kind::kImage, rows, seed); });
  }

  mluOpStatus_t Call(cli::Invocation& call) const override {
    return mluOpBboxOverlaps(
        call.handle(), call.int_parameter(kMode), call.bool_parameter(kAligned),
        call.int_parameter(kOffset), call.input_desc(kBoxes1), call.input(kBoxes1),
        call.input_desc(kBoxes2), call.input(kBoxes2), call.output_desc(0), call.output(0));
  }

  Status Reference(cli::Case& input) const override {
    return cli::RunReference(input, ArgsOf, bbox_overlaps::Reference);
  }
};

}  // namespace

const cli::Adapter& CommandAdapter() {
  static const BboxOverlapsAdapter adapter;
  return adapter;
}

}  // namespace detops::bbox_overlaps
