// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// How the command describes and calls poly_nms.

#include "cli/operator_parts.h"
#include "ops/poly_nms/cases.h"
#include "ops/poly_nms/op.h"

namespace detops::poly_nms {
namespace {

using cli::Tensor;

// In the order of the description.
enum OutputIndex { kIndices, kCount };
enum ParameterIndex { kIouThreshold };

// A suppressed box has met one that suppresses it, which takes an exact overlap. For a kept box,
// the bounds of one pair may be enough.
constexpr double kOperationsPerOverlap = 400;
constexpr double kOperationsPerBounds = 16;

cli::Description Describe() {
  return {.name = "poly_nms",
          .c_function = "mluOpPolyNms",
          .parameters_name = "poly_nms_param",
          .parameters_field = 4010,
          .inputs = {{.name = "boxes",
                      .shape = "[N, 9]: x1, y1, ..., x4, y4, score",
                      .types = "float"}},
          .outputs =
              {{.name = "output",
                .shape = "[N]; the first result_num are written",
                .types = "int32",
                .rows_in = "result_num"},
               {.name = "result_num", .shape = "[1]", .types = "int32", .has_descriptor = false}},
          .parameters = {{.name = "iou_threshold",
                          .field = 1,
                          .type = cli::ParameterType::kFloat,
                          .value = 0.5,
                          .help = "a box is suppressed when its IoU with a kept box exceeds this"}},
          .limits = {"fewer than 2^31 elements in each tensor",
                     "corners clockwise or counterclockwise", "iou_threshold at least 0"}};
}

Status ArgsOf(const cli::Case& input, Args& args) {
  PolyNmsOptions options;
  options.iou_threshold = static_cast<float>(input.parameters[kIouThreshold]);
  return MakeArgs({.boxes = cli::TensorOperand("boxes", input.inputs[0]),
                   .output = cli::TensorOperand("output", input.outputs[kIndices]),
                   .result_num = cli::TensorOperand("result_num", input.outputs[kCount])},
                  options, args);
}

class PolyNmsAdapter : public cli::Adapter {
 public:
  PolyNmsAdapter() : Adapter(Describe()) {}

  std::vector<Tensor> Outputs(const cli::Case& input) const override {
    return cli::TensorList(cli::MakeTensor(MLUOP_DTYPE_INT32, {cli::RowsOf(input.inputs[0])}),
                           cli::MakeTensor(MLUOP_DTYPE_INT32, {1}));
  }

  cli::Work WorkOf(const cli::Case& done) const override {
    const auto boxes = static_cast<double>(done.outputs[kIndices].count());
    const auto kept = static_cast<double>(*done.outputs[kCount].as<int32_t>());
    return {static_cast<double>(done.inputs[0].bytes()) + (kept + 1) * sizeof(int32_t),
            (boxes - kept) * kOperationsPerOverlap + boxes * kOperationsPerBounds};
  }

  void Fill(cli::Case& input, size_t index, uint32_t seed) const override {
    cli::FillRows(input.inputs[index], kBoxFloats,
                  [&](int64_t rows) { return RandomBoxes(Kind::kAerial, rows, seed); });
  }

  mluOpStatus_t Call(cli::Invocation& call) const override {
    size_t size = 0;
    const mluOpStatus_t status =
        mluOpGetPolyNmsWorkspaceSize(call.handle(), call.input_desc(0), &size);
    return status != MLUOP_STATUS_SUCCESS
               ? status
               : mluOpPolyNms(call.handle(), call.input_desc(0), call.input(0),
                              call.float_parameter(kIouThreshold), call.Workspace(size), size,
                              call.output_desc(kIndices), call.output(kIndices),
                              call.output(kCount));
  }

  Status Reference(cli::Case& input) const override {
    return cli::RunReference(input, ArgsOf, poly_nms::Reference);
  }
};

}  // namespace

const cli::Adapter& CommandAdapter() {
  static const PolyNmsAdapter adapter;
  return adapter;
}

}  // namespace detops::poly_nms
