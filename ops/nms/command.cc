// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// How the command describes and calls nms.

#include "cli/operator_parts.h"
#include "core/boundary.h"
#include "ops/nms/cases.h"
#include "ops/nms/op.h"
#include "runtime/submit.h"

namespace detops::nms {
namespace {

using cli::ParameterType;
using cli::Tensor;

// In the order of the description.
enum InputIndex { kBoxes, kScores };
enum OutputIndex { kIndices, kCount };
enum ParameterIndex { kIouThreshold, kOffset, kSortByScore, kMaxOutputs };

// At least one comparison decides whether a box is kept.
constexpr double kOperationsPerComparison = 12;

// MLU-OPS has an operator nms of its own, with other inputs and parameters; hence the case_name.
cli::Description Describe() {
  return {.name = "nms",
          .case_name = "detops_nms",
          .case_title = "axis-aligned NMS",
          .c_function = nullptr,
          .parameters_name = "detops_nms_param",
          .parameters_field = 100010,
          .inputs = {{.name = "boxes", .shape = "[N, 4]: x1, y1, x2, y2", .types = "float"},
                     {.name = "scores", .shape = "[N]", .types = "float"}},
          .outputs = {{.name = "output",
                       .shape = "[N]; the first result_num are written",
                       .types = "int32",
                       .rows_in = "result_num"},
                      {.name = "result_num", .shape = "[1]", .types = "int32"}},
          .parameters = {{.name = "iou_threshold",
                          .field = 1,
                          .type = ParameterType::kFloat,
                          .value = 0.5,
                          .help = "a box is suppressed when its IoU with a kept box exceeds this"},
                         {.name = "offset",
                          .field = 2,
                          .type = ParameterType::kInt,
                          .value = 0,
                          .help = "added to every width and height: 0, or 1 for inclusive pixels"},
                         {.name = "sort_by_score",
                          .field = 3,
                          .type = ParameterType::kBool,
                          .value = 1,
                          .help = "return kept boxes by descending score, not by ascending index"},
                         {.name = "max_outputs",
                          .field = 4,
                          .type = ParameterType::kInt,
                          .value = 0,
                          .help = "maximum number of kept boxes; 0 or less means no limit"}},
          .limits = {"fewer than 2^31 elements in each tensor", "iou_threshold at least 0"}};
}

int64_t MaxOutputsOf(const cli::Case& input) {
  const double limit = input.parameters[kMaxOutputs];
  return limit >= 1 ? static_cast<int64_t>(limit) : NmsOptions().max_outputs;
}

// Calls body(operands, options) with the tensors and parameters of the case.
template <class Body>
Status WithOperands(const cli::Case& input, const Body& body) {
  NmsOptions options;
  options.iou_threshold = static_cast<float>(input.parameters[kIouThreshold]);
  options.offset = static_cast<int>(input.parameters[kOffset]);
  options.sort_by_score = input.parameters[kSortByScore] != 0;
  options.max_outputs = MaxOutputsOf(input);
  return body({.boxes = cli::TensorOperand("boxes", input.inputs[kBoxes]),
               .scores = cli::TensorOperand("scores", input.inputs[kScores]),
               .output = cli::TensorOperand("output", input.outputs[kIndices]),
               .result_num = cli::TensorOperand("result_num", input.outputs[kCount])},
              options);
}

Status ArgsOf(const cli::Case& input, Args& args) {
  return WithOperands(input, [&](const Operands& operands, const NmsOptions& options) {
    return MakeArgs(operands, options, args);
  });
}

class NmsAdapter : public cli::Adapter {
 public:
  NmsAdapter() : Adapter(Describe()) {}

  std::vector<Tensor> Outputs(const cli::Case& input) const override {
    return cli::TensorList(cli::MakeTensor(MLUOP_DTYPE_INT32, {cli::RowsOf(input.inputs[kBoxes])}),
                           cli::MakeTensor(MLUOP_DTYPE_INT32, {1}));
  }

  cli::Work WorkOf(const cli::Case& done) const override {
    const int64_t kept = *done.outputs[kCount].as<int32_t>();
    // Boxes after the last one that is asked for need not be examined.
    const int64_t decided = kept == MaxOutputsOf(done) ? kept : done.outputs[kIndices].count();
    const auto bytes =
        static_cast<double>(done.inputs[kBoxes].bytes() + done.inputs[kScores].bytes());
    return {bytes + static_cast<double>(kept + 1) * sizeof(int32_t),
            static_cast<double>(decided) * kOperationsPerComparison};
  }

  void Fill(cli::Case& input, size_t index, uint32_t seed) const override {
    cli::FillRows(input.inputs[index], index == kBoxes ? kBoxFloats : 1, [&](int64_t rows) {
      return index == kBoxes ? RandomBoxes(Kind::kScene, rows, seed) : RandomScores(rows, seed);
    });
  }

  // There is no C function: this is the body that the C++ function has, on tensors that may have
  // strides.
  mluOpStatus_t Call(cli::Invocation& call) const override {
    constexpr const char* kFunction = "Nms";
    return ApiCall(kFunction, [&] {
      return WithOperands(call.call(), [&](const Operands& operands, const NmsOptions& options) {
        return nms::Call(kFunction, call.handle(), operands, options);
      });
    });
  }

  Status Reference(cli::Case& input) const override {
    return cli::RunReference(input, ArgsOf, nms::Reference);
  }
};

}  // namespace

const cli::Adapter& CommandAdapter() {
  static const NmsAdapter adapter;
  return adapter;
}

}  // namespace detops::nms
