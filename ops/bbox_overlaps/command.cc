// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the command knows of bbox_overlaps.

#include <fmt/format.h>

#include <utility>

#include "cli/adapter.h"
#include "ops/bbox_overlaps/cases.h"
#include "ops/bbox_overlaps/demo.h"
#include "ops/bbox_overlaps/op.h"

namespace detops::bbox_overlaps {
namespace {

using cli::CaseKind;
using cli::Recipe;
using cli::Tensor;

// In the order of the description.
enum InputIndex { kBoxes1, kBoxes2 };
enum ParameterIndex { kMode, kAligned, kOffset };

// Of one overlap; the areas of aligned pairs are not shared with other pairs.
constexpr double kOperationsPerOverlap = 13;
constexpr double kOperationsPerAlignedPair = kOperationsPerOverlap + 6;

class BboxOverlapsAdapter : public cli::Adapter {
 public:
  const cli::Description& description() const override {
    static const cli::Description description{
        "mluOpBboxOverlaps",
        "bbox_overlaps_param",
        2041,
        {{"bbox1", "[M, 4]", "float, half"}, {"bbox2", "[N, 4]", "as bbox1"}},
        {{"ious", "[M, N]; aligned: [M] or [M, 1]", "as bbox1"}},
        {{"mode", 1, cli::ParameterType::kInt, 0, "0: IoU; 1: IoF, over the area of the first box"},
         {"aligned", 2, cli::ParameterType::kBool, 0, "compare boxes of the same index only"},
         {"offset", 3, cli::ParameterType::kInt, 0, "0 or 1, added to every width and height"}},
        {"fewer than 2^31 elements in each tensor", "aligned: M = N"}};
    return description;
  }

  std::vector<Tensor> Outputs(const cli::Case& input) const override {
    const auto rows = [&](size_t index) {
      const std::vector<int64_t>& dims = input.inputs[index].dims;
      return dims.empty() ? 0 : dims[0];
    };
    std::vector<int64_t> dims{rows(kBoxes1)};
    if (input.parameters[kAligned] == 0) {
      dims.push_back(rows(kBoxes2));
    }
    std::vector<Tensor> outputs;
    outputs.push_back(cli::MakeTensor(input.inputs[kBoxes1].dtype, std::move(dims)));
    return outputs;
  }

  mluOpStatus_t Call(cli::Invocation& call) const override {
    return mluOpBboxOverlaps(
        call.handle(), call.int_parameter(kMode), call.bool_parameter(kAligned),
        call.int_parameter(kOffset), call.input_desc(kBoxes1), call.input(kBoxes1),
        call.input_desc(kBoxes2), call.input(kBoxes2), call.output_desc(0), call.output(0));
  }

  Status Reference(cli::Case& input) const override {
    Args args;
    DETOPS_RETURN_IF_ERROR(
        MakeArgs({.boxes1 = cli::TensorOperand("bbox1", input.inputs[kBoxes1]),
                  .boxes2 = cli::TensorOperand("bbox2", input.inputs[kBoxes2]),
                  .ious = cli::TensorOperand("ious", input.outputs[0]),
                  .aligned = input.parameters[kAligned] != 0},
                 {.mode = static_cast<OverlapMode>(static_cast<int>(input.parameters[kMode])),
                  .offset = static_cast<int>(input.parameters[kOffset])},
                 args));
    bbox_overlaps::Reference(args);
    return {};
  }

  cli::Work WorkOf(const cli::Case& done) const override {
    const auto bytes = static_cast<double>(done.inputs[kBoxes1].bytes() +
                                           done.inputs[kBoxes2].bytes() + done.outputs[0].bytes());
    return {bytes, static_cast<double>(done.outputs[0].count()) * (done.parameters[kAligned] != 0
                                                                       ? kOperationsPerAlignedPair
                                                                       : kOperationsPerOverlap)};
  }

  void Fill(cli::Case& input, size_t index, uint32_t seed) const override {
    Tensor& tensor = input.inputs[index];
    const int64_t boxes = (tensor.count() + 3) / 4;
    std::vector<float> numbers = RandomBoxes(Kind::kImage, boxes, seed);
    numbers.resize(static_cast<size_t>(tensor.count()));
    cli::SetNumbers(tensor, numbers);
  }

  std::vector<Recipe> Suite() const override {
    std::vector<Recipe> suite;
    AddExamples(suite);
    AddSizes(suite);
    AddNegatives(suite);
    return suite;
  }

  std::vector<Recipe> Benchmarks() const override {
    std::vector<Recipe> benchmarks;
    const auto add = [&](int64_t rows, int64_t columns, bool aligned, bool half) {
      const std::string name =
          fmt::format("{}x{}{}{}", rows, columns, aligned ? "_aligned" : "", half ? "_half" : "");
      benchmarks.push_back({name, CaseKind::kNetwork, [=, this] {
                              return Sized(name, rows, columns, {aligned, half});
                            }});
    };
    add(8, 8, false, false);
    add(100, 100, false, false);
    add(1000, 1000, false, false);
    add(1000, 1000, false, true);
    add(1'000'000, 1'000'000, true, false);
    add(10'000, 1000, false, false);
    return benchmarks;
  }

  int DemoStage() const override { return kDemoStage; }
  cli::Case DemoCase(const cli::Scene& scene) const override { return MakeDemo(*this, scene); }
  cli::Picture DemoResult(cli::Scene& scene, const cli::Case& done) const override {
    return DrawDemo(*this, scene, done);
  }

 private:
  struct Variant {
    bool aligned = false;
    bool half = false;
    int mode = 0;
    int offset = 0;
  };

  // Boxes of an image.
  cli::Case Sized(const std::string& name, int64_t rows, int64_t columns,
                  const Variant& variant) const {
    const mluOpDataType_t dtype = variant.half ? MLUOP_DTYPE_HALF : MLUOP_DTYPE_FLOAT;
    std::vector<Tensor> inputs;
    inputs.push_back(cli::MakeTensor(dtype, {rows, 4}));
    inputs.push_back(cli::MakeTensor(dtype, {columns, 4}));
    cli::Case made = cli::MakeCase(*this, name, std::move(inputs));
    made.parameters[kMode] = variant.mode;
    made.parameters[kAligned] = variant.aligned ? 1 : 0;
    made.parameters[kOffset] = variant.offset;
    Fill(made, kBoxes1, 1);
    Fill(made, kBoxes2, 2);
    return made;
  }

  void AddExamples(std::vector<Recipe>& suite) const {
    suite.push_back(
        {"document_example", CaseKind::kExample, [this] {
           std::vector<Tensor> inputs;
           inputs.push_back(cli::TensorOf(MLUOP_DTYPE_FLOAT, {3, 4},
                                          {0, 0, 10, 10, 10, 10, 20, 20, 32, 32, 38, 42}));
           inputs.push_back(cli::TensorOf(MLUOP_DTYPE_FLOAT, {3, 4},
                                          {0, 0, 10, 20, 0, 10, 10, 19, 10, 10, 20, 20}));
           cli::Case made = cli::MakeCase(*this, "document_example", std::move(inputs));
           made.outputs.push_back(
               cli::TensorOf(MLUOP_DTYPE_FLOAT, {3, 3}, {0.5f, 0, 0, 0, 0, 1, 0, 0, 0}));
           return made;
         }});
    for (const auto& [rows, columns] : {std::pair(0, 1), std::pair(1, 0), std::pair(0, 0)}) {
      const std::string name = fmt::format("empty_{}x{}", rows, columns);
      suite.push_back({name, CaseKind::kExample,
                       [this, name, m = rows, n = columns] { return Sized(name, m, n, {}); }});
    }
  }

  // The document names no sizes: around the widths of vectors, every variant of each.
  void AddSizes(std::vector<Recipe>& suite) const {
    const std::pair<int64_t, int64_t> sizes[] = {{1, 1}, {3, 5}, {17, 33}, {128, 257}};
    for (const auto& [rows, columns] : sizes) {
      for (int bits = 0; bits < 16; ++bits) {
        const Variant variant{(bits & 1) != 0, (bits & 2) != 0, (bits >> 2) & 1, (bits >> 3) & 1};
        const int64_t second = variant.aligned ? rows : columns;
        const std::string name =
            fmt::format("{}_{}{}_mode{}_offset{}", rows,
                        variant.aligned ? "aligned" : fmt::format("{}", columns),
                        variant.half ? "_half" : "", variant.mode, variant.offset);
        suite.push_back({name, CaseKind::kRandom, [this, name, m = rows, second, variant] {
                           return Sized(name, m, second, variant);
                         }});
      }
    }
    const auto add_network = [&](int64_t rows, int64_t columns, bool aligned) {
      const std::string name =
          fmt::format("network_{}x{}{}", rows, columns, aligned ? "_aligned" : "");
      suite.push_back({name, CaseKind::kNetwork, [=, this] {
                         Variant variant;
                         variant.aligned = aligned;
                         return Sized(name, rows, columns, variant);
                       }});
    };
    add_network(1000, 1000, false);
    add_network(10'000, 1000, false);
    add_network(100'000, 100'000, true);
  }

  void AddNegatives(std::vector<Recipe>& suite) const {
    // A call that is right, and what makes it wrong.
    const auto add = [&](const char* name, mluOpStatus_t status,
                         const std::function<void(cli::Case&)>& spoil) {
      suite.push_back({fmt::format("negative_{}", name), CaseKind::kNegative, [=, this] {
                         cli::Case made = Sized(fmt::format("negative_{}", name), 3, 5, {});
                         made.outputs = Outputs(made);
                         spoil(made);
                         made.expected_status = status;
                         return made;
                       }});
    };
    constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM;
    add("mode", kBad, [](cli::Case& call) { call.parameters[kMode] = 2; });
    add("offset", kBad, [](cli::Case& call) { call.parameters[kOffset] = -1; });
    add("five_coordinates", kBad, [](cli::Case& call) {
      call.inputs[kBoxes1] = cli::ZeroTensor(MLUOP_DTYPE_FLOAT, {3, 5});
    });
    add("rank_3", kBad, [](cli::Case& call) {
      call.inputs[kBoxes2] = cli::ZeroTensor(MLUOP_DTYPE_FLOAT, {1, 5, 4});
    });
    add("int32", kBad, [](cli::Case& call) {
      call.inputs[kBoxes1] = cli::ZeroTensor(MLUOP_DTYPE_INT32, {3, 4});
    });
    add("two_types", kBad, [](cli::Case& call) {
      call.inputs[kBoxes2] = cli::ZeroTensor(MLUOP_DTYPE_HALF, {5, 4});
    });
    add("aligned_3_and_5", kBad, [](cli::Case& call) { call.parameters[kAligned] = 1; });
    add("result_shape", kBad, [=](cli::Case& call) {
      call.outputs[0] = cli::MakeTensor(MLUOP_DTYPE_FLOAT, {5, 3});
    });
    add("strided", MLUOP_STATUS_NOT_SUPPORTED, [](cli::Case& call) {
      call.inputs[kBoxes1].strides = {8, 1};
    });
    add("too_many_elements", MLUOP_STATUS_NOT_SUPPORTED, [](cli::Case& call) {
      call.inputs[kBoxes1] = cli::MakeTensor(MLUOP_DTYPE_FLOAT, {int64_t{1} << 29, 4});
      call.outputs[0] = cli::MakeTensor(MLUOP_DTYPE_FLOAT, {int64_t{1} << 29, 5});
    });
  }
};

}  // namespace

const cli::Adapter& CommandAdapter() {
  static const BboxOverlapsAdapter adapter;
  return adapter;
}

}  // namespace detops::bbox_overlaps
