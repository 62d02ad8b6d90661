// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/case_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cli/adapter.h"
#include "cli/case_schema.h"
#include "cli/suite.h"
#include "cli/test_folder.h"
#include "cli/test_numbers.h"
#include "core/half.h"

namespace detops::cli {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// ---- Helpers ------------------------------------------------------------------------------------

// A tensor block of float[2,4], which holds what is said between.
std::string TensorText(const std::string& role, const std::string& between,
                       const std::string& dims = "dims: 2 dims: 4",
                       const std::string& type = "DTYPE_FLOAT") {
  return role + " { id: \"" + role + "\" shape { " + dims +
         " } layout: LAYOUT_ARRAY dtype: " + type + " " + between + " }\n";
}

const std::string kEight = "value_f: [1, 2, 3, 4, 5, 6, 7, 8]";

// A case of bbox_overlaps whose first input is that.
std::string CaseText(const std::string& first_input, const std::string& rest = "") {
  return "op_name: \"bbox_overlaps\"\n" + first_input + TensorText("input", "") + rest;
}

Case ReadText(const std::string& text) {
  const TestFolder folder;
  return ReadCase(folder.Write("some.case.prototxt", text));
}

// Without the path, which it begins with.
std::string ErrorOfFile(const std::string& name, const std::string& content) {
  const TestFolder folder;
  const std::string path = folder.Write(name, content);
  const std::string error = UserErrorOf([&] { ReadCase(path); });
  EXPECT_THAT(error, StartsWith(path + ":"));
  EXPECT_EQ(error.find('\n'), std::string::npos);
  return error.substr(std::min(path.size(), error.size()));
}

std::string ErrorOfText(const std::string& text) { return ErrorOfFile("a.prototxt", text); }

// Of a case whose first input holds this.
std::string ErrorOfTensor(const std::string& between, const std::string& dims = "dims: 2 dims: 4",
                          const std::string& type = "DTYPE_FLOAT") {
  return ErrorOfText(CaseText(TensorText("input", between, dims, type)));
}

Tensor ReadTensorText(const std::string& between, const std::string& dims,
                      const std::string& type) {
  return std::move(ReadText(CaseText(TensorText("input", between, dims, type))).inputs[0]);
}

void ExpectSame(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.layout, b.layout);
  EXPECT_EQ(a.dtype, b.dtype);
  EXPECT_EQ(a.dims, b.dims);
  EXPECT_EQ(a.strides, b.strides);
  ASSERT_EQ(a.random.has_value(), b.random.has_value());
  if (a.random) {
    EXPECT_EQ(a.random->distribution, b.random->distribution);
    EXPECT_EQ(a.random->seed, b.random->seed);
    EXPECT_EQ(a.random->lower_bound, b.random->lower_bound);
    EXPECT_EQ(a.random->upper_bound, b.random->upper_bound);
    EXPECT_EQ(a.random->mu, b.random->mu);
    EXPECT_EQ(a.random->sigma, b.random->sigma);
  }
  ASSERT_EQ(a.values.size(), b.values.size());
  EXPECT_TRUE(a.values.size() == 0 ||
              std::memcmp(a.values.data(), b.values.data(), a.values.size()) == 0);
}

void ExpectSame(const Case& a, const Case& b) {
  EXPECT_EQ(a.op, b.op);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.expected_status, b.expected_status);
  ASSERT_EQ(a.criteria.size(), b.criteria.size());
  for (size_t i = 0; i < a.criteria.size(); ++i) {
    EXPECT_EQ(a.criteria[i].measure, b.criteria[i].measure);
    EXPECT_EQ(a.criteria[i].threshold, b.criteria[i].threshold);
  }
  ASSERT_EQ(a.inputs.size(), b.inputs.size());
  ASSERT_EQ(a.outputs.size(), b.outputs.size());
  for (size_t i = 0; i < a.inputs.size(); ++i) {
    ExpectSame(a.inputs[i], b.inputs[i]);
  }
  for (size_t i = 0; i < a.outputs.size(); ++i) {
    ExpectSame(a.outputs[i], b.outputs[i]);
  }
}

// Protobuf's wire format by hand.
std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes += static_cast<char>(value | 0x80);
  }
  return bytes + static_cast<char>(value);
}
std::string Number(int field, uint64_t value) {
  return Varint(static_cast<uint64_t>(field) << 3) + Varint(value);
}
std::string Bytes(int field, const std::string& bytes) {
  return Varint(static_cast<uint64_t>(field) << 3 | 2) + Varint(bytes.size()) + bytes;
}
std::string Double(int field, double value) {
  std::string bytes(sizeof(value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return Varint(static_cast<uint64_t>(field) << 3 | 1) + bytes;
}

// A float tensor of two elements that holds this.
std::string BinaryTensor(const std::string& between) {
  return Bytes(1, "t") + Bytes(2, Number(1, 2)) + Number(3, 5) + Number(4, 2) + between;
}
std::string BinaryCase(const std::string& between, const std::string& rest = "") {
  return Bytes(5, "bbox_overlaps") + Bytes(6, BinaryTensor(between)) + Bytes(6, BinaryTensor("")) +
         rest;
}
Case ReadBinary(const std::string& bytes) {
  const TestFolder folder;
  return ReadCase(folder.Write("a.pb", bytes));
}

// ---- The schema ---------------------------------------------------------------------------------

TEST(CaseSchema, HasTheParametersOfEveryOperator) {
  const CaseSchema schema;
  const auto node = schema.NewNode();
  for (size_t i = 0; i < Operators().size(); ++i) {
    const Description& description = AdapterOf(i).description();
    const auto* const field = FieldOf(*node, description.parameters_name);
    EXPECT_EQ(field->number(), description.parameters_field);
    EXPECT_EQ(field->message_type()->field_count(),
              static_cast<int>(description.parameters.size()));
    for (const Parameter& parameter : description.parameters) {
      EXPECT_EQ(field->message_type()->FindFieldByName(parameter.name)->number(), parameter.field);
    }
  }
}

TEST(CaseSchema, NumbersHaveTheNamesOfTheirMeanings) {
  const CaseSchema schema;
  const auto node = schema.NewNode();
  const auto* const tensor = FieldOf(*node, "input")->message_type();
  const auto* const layouts = tensor->FindFieldByName("layout")->enum_type();
  ASSERT_EQ(layouts->value_count(), static_cast<int>(std::size(kLayoutNumbers)));
  for (const auto& entry : kLayoutNumbers) {
    EXPECT_EQ(layouts->FindValueByNumber(entry.number)->name(),
              "LAYOUT_" + std::string(*LayoutName(entry.meaning)));
  }
  const auto* const types = tensor->FindFieldByName("dtype")->enum_type();
  ASSERT_EQ(types->value_count(), static_cast<int>(std::size(kDataTypeNumbers)));
  EXPECT_EQ(types->FindValueByNumber(*NumberOf(kDataTypeNumbers, MLUOP_DTYPE_INT64))->name(),
            "DTYPE_INT64");
  EXPECT_EQ(types->FindValueByNumber(*NumberOf(kDataTypeNumbers, MLUOP_DTYPE_HALF))->name(),
            "DTYPE_HALF");
  EXPECT_FALSE(NumberOf(kDataTypeNumbers, MLUOP_DTYPE_INVALID).has_value());
}

// ---- Reading text -------------------------------------------------------------------------------

TEST(ReadCase, ReadsWhatExistingFilesHave) {
  const Case read = ReadText(R"(
    op_name: "bbox_overlaps"  # a comment
    device: CPU
    op_type: BBOX_OVERLAPS
    supported_mlu_platform: [MLU370, MLU590]
    input {
      id: "boxes1"
      shape: { dims: [2, 4] }
      layout: LAYOUT_NHWC
      dtype: DTYPE_FLOAT
      onchip_dtype: DTYPE_FLOAT
      thresholds { evaluation_threshold: 0.1 deeper < list: [{a: 1}, {a: "b"}] > }
      random_data: { seed: 23 upper_bound: 100.5 lower_bound: -1 distribution: GAUSSIAN mu: 2 }
      value_f: 1 value_f: 2.5 value_f: -3e2 value_f: [4, 5, 6, 7]
      value_f: 8f
    }
    input {
      id: "boxes2"
      shape: { dims: 3 dims: 4 }
      layout: LAYOUT_ARRAY
      dtype: DTYPE_FLOAT
      random_data: { seed: 23 upper_bound: 100.5 lower_bound: -1 distribution: UNIFORM }
    }
    output {
      id: "ious" shape: { dims: 2 dims: 3 } layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT
    }
    bbox_overlaps_param: { mode: 1 aligned: false }
    test_param: {
      error_func: DIFF1 error_func: DIFF3_2
      error_threshold: 0.003 error_threshold: 1e-5
      baseline_device: CPU
    }
    [some.extension] { a: 1 }
    other_param { a: { b: { c: 1 } } }
  )");
  EXPECT_EQ(read.name, "some.case");
  EXPECT_EQ(read.op, "bbox_overlaps");
  ASSERT_EQ(read.inputs.size(), 2u);
  EXPECT_EQ(read.inputs[0].id, "boxes1");
  EXPECT_EQ(read.inputs[0].layout, MLUOP_LAYOUT_NHWC);
  EXPECT_EQ(read.inputs[0].dtype, MLUOP_DTYPE_FLOAT);
  EXPECT_THAT(read.inputs[0].dims, ElementsAre(2, 4));
  EXPECT_THAT(NumbersOf(read.inputs[0], 8), ElementsAre(1, 2.5, -300, 4, 5, 6, 7, 8));
  EXPECT_FALSE(read.inputs[0].random.has_value()) << "values win";
  ASSERT_TRUE(read.inputs[1].random.has_value());
  EXPECT_FALSE(read.inputs[1].has_values());
  EXPECT_EQ(read.inputs[1].random->distribution, RandomData::Distribution::kUniform);
  EXPECT_EQ(read.inputs[1].random->seed, 23);
  EXPECT_EQ(read.inputs[1].random->lower_bound, -1);
  EXPECT_EQ(read.inputs[1].random->upper_bound, 100.5);
  ASSERT_EQ(read.outputs.size(), 1u);
  EXPECT_FALSE(read.outputs[0].has_values());
  EXPECT_THAT(read.parameters, ElementsAre(1, 0, 0));
  ASSERT_EQ(read.criteria.size(), 2u);
  EXPECT_EQ(read.criteria[0].measure, Measure::kDiff1);
  EXPECT_EQ(read.criteria[1].measure, Measure::kDiff3_2);
  EXPECT_EQ(read.criteria[1].threshold, 1e-5);
  EXPECT_EQ(read.expected_status, MLUOP_STATUS_SUCCESS);
}

TEST(ReadCase, ReadsEveryKindOfValue) {
  const auto numbers = [](const std::string& values, const std::string& type) {
    const Tensor tensor = ReadTensorText(values, "dims: 2", type);
    return NumbersOf(tensor, 2);
  };
  for (const char* field : {"value_f", "value_i", "value_l", "value_ui", "value_ul"}) {
    for (const char* type : {"DTYPE_FLOAT", "DTYPE_HALF", "DTYPE_INT32"}) {
      EXPECT_THAT(numbers(std::string(field) + ": [3, 2047]", type), ElementsAre(3, 2047))
          << field << type;
    }
  }
  EXPECT_THAT(numbers("value_f: [1.5, 65504]", "DTYPE_HALF"), ElementsAre(1.5, 65504));
  EXPECT_THAT(numbers("value_i: [-2147483648, 2147483647]", "DTYPE_INT32"),
              ElementsAre(-2147483648.0, 2147483647));
  EXPECT_THAT(numbers("value_f: -2147483648 value_f: -0.0", "DTYPE_INT32"),
              ElementsAre(-2147483648.0, 0));
  EXPECT_THAT(numbers("value_l: [-2147483648, 5]", "DTYPE_INT32"), ElementsAre(-2147483648.0, 5));
  EXPECT_THAT(numbers(R"(value_h: "3f800000" value_h: "0xC0000000")", "DTYPE_FLOAT"),
              ElementsAre(1, -2));
  EXPECT_THAT(numbers(R"(value_h: ["3C00", "0XC000"])", "DTYPE_HALF"), ElementsAre(1, -2));
  EXPECT_THAT(numbers(R"(value_h: ["ffffffff", "5"])", "DTYPE_INT32"), ElementsAre(-1, 5));
}

TEST(ReadCase, BitsArriveAsTheyAre) {
  const Tensor tensor =
      ReadTensorText(R"(value_h: ["7f800001", "ff812345"])", "dims: 2", "DTYPE_FLOAT");
  EXPECT_EQ(tensor.as<uint32_t>()[0], 0x7f800001u);
  EXPECT_EQ(tensor.as<uint32_t>()[1], 0xff812345u);
}

TEST(ReadCase, ReadsRawFilesBesideTheCase) {
  const TestFolder folder;
  const std::string text = CaseText(TensorText("input", "path: \"sub/a.raw\""));
  std::filesystem::create_directory(folder / "sub");
  const float values[] = {1, 2, 3, 4, 5, 6, 7, 8};
  folder.Write("sub/a.raw", {reinterpret_cast<const char*>(values), sizeof(values)});
  const std::string path = folder.Write("a.prototxt", text);
  EXPECT_THAT(NumbersOf(ReadCase(path).inputs[0], 8), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  const auto error = [&] {
    std::string message = UserErrorOf([&] { ReadCase(path); });
    EXPECT_THAT(message, StartsWith(path + ": input 0 'input' has the raw file " +
                                    (folder / "sub/a.raw") + ", which "));
    return message;
  };
  folder.Write("sub/a.raw", "short");
  EXPECT_THAT(error(), EndsWith("has 5 bytes, expected 32 for float[2,4]"));
  folder.Write("sub/a.raw", std::string(33, 'x'));
  EXPECT_THAT(error(), EndsWith("has 33 bytes, expected 32 for float[2,4]"));
  std::filesystem::remove(folder / "sub/a.raw");
  EXPECT_THAT(error(), EndsWith("cannot be read: No such file or directory"));
  ASSERT_EQ(mkfifo((folder / "sub/a.raw").c_str(), 0600), 0);
  EXPECT_THAT(error(), EndsWith("is no file"));
}

TEST(ReadCase, RandomDataHasDefaultsAndPrecision) {
  const auto random = [](const std::string& text) {
    const Case read = ReadText("op_name: \"bbox_overlaps\"\n" + TensorText("input", "") +
                               TensorText("input", "random_data { " + text + " }"));
    return read.inputs[1].random.value();
  };
  EXPECT_EQ(random("").seed, 1) << "the tensor's index";
  EXPECT_EQ(random("").distribution, RandomData::Distribution::kUniform);
  EXPECT_EQ(random("").upper_bound, 1);
  EXPECT_EQ(random("lower_bound: 3 lower_bound_double: 0.1").lower_bound, 0.1);
  EXPECT_EQ(random("upper_bound_double: 0.2 upper_bound: 3").upper_bound, 0.2);
  EXPECT_EQ(random("distribution: GAUSSIAN mu_double: 0.3").mu, 0.3);
  EXPECT_EQ(random("distribution: GAUSSIAN sigma_double: 0.4").sigma, 0.4);
  EXPECT_EQ(random("distribution: GAUSSIAN").distribution, RandomData::Distribution::kGaussian);
  EXPECT_EQ(random("distribution: BINOMIAL").distribution, RandomData::Distribution::kUniform);
}

TEST(ReadCase, RandomDataMustBePossible) {
  EXPECT_EQ(ErrorOfTensor("random_data { upper_bound: inf }"),
            ": input 0 'input' has random_data whose upper_bound is inf, expected a finite number");
  EXPECT_EQ(ErrorOfTensor("random_data { mu_double: nan }"),
            ": input 0 'input' has random_data whose mu is nan, expected a finite number");
  EXPECT_EQ(ErrorOfTensor("random_data { upper_bound: 3e9 }", "dims: 8", "DTYPE_INT32"),
            ": input 0 'input' has random_data that reaches 3000000000, expected what int32 holds");
  EXPECT_EQ(
      ErrorOfTensor("random_data { distribution: GAUSSIAN sigma: 1e9 }", "dims: 8", "DTYPE_INT32"),
      ": input 0 'input' has random_data that reaches -7000000000, expected what int32 "
      "holds");
}

TEST(ReadCase, StridesOfContiguousTensorsAreLeftOut) {
  const auto strides = [](const std::string& dims) {
    return ReadTensorText("", dims, "DTYPE_FLOAT").strides;
  };
  EXPECT_THAT(strides("dims: [2, 4] dim_stride: [4, 1]"), ElementsAre());
  EXPECT_THAT(strides("dims: [2, 4] dim_stride: [8, 1]"), ElementsAre(8, 1));
  EXPECT_THAT(strides("dims: [0, 4] dim_stride: [4, 1]"), ElementsAre());
  EXPECT_EQ(ErrorOfTensor("", "dims: [2, 4] dim_stride: 4"),
            ": input 0 'input' has 1 of dim_stride, expected as many as its 2 dims");
}

TEST(ReadCase, OtherTypesAreDescribedOnly) {
  const Tensor tensor =
      ReadTensorText("value_i: [1, 2] random_data { seed: 1 }", "dims: 3", "DTYPE_INT64");
  EXPECT_EQ(tensor.dtype, MLUOP_DTYPE_INT64);
  EXPECT_THAT(tensor.dims, ElementsAre(3));
  EXPECT_FALSE(tensor.has_values());
  EXPECT_FALSE(tensor.random.has_value());
}

TEST(ReadCase, HugeTensorsGetNoMemory) {
  const Tensor tensor = ReadTensorText("random_data { }", "dims: [65536, 65536]", "DTYPE_FLOAT");
  EXPECT_EQ(tensor.values.size(), 0u);
  EXPECT_EQ(tensor.count(), int64_t{1} << 32);
  EXPECT_EQ(ErrorOfTensor("value_f: 1", "dims: [65536, 32768]"),
            ": input 0 'input' has values for 2147483648 elements, expected fewer than 2^31");
}

TEST(ReadCase, TheOperatorMayBeTheApiName) {
  const std::string tensors = TensorText("input", "") + TensorText("input", "");
  EXPECT_EQ(ReadText("api_name: \"bbox_overlaps\"\n" + tensors).op, "bbox_overlaps");
  EXPECT_EQ(ReadText("api_name: \"mlu\" op_name: \"bbox_overlaps\"\n" + tensors).op,
            "bbox_overlaps");
  EXPECT_EQ(ErrorOfText(tensors),
            ": has neither op_name nor api_name, expected the name of an operator");
  EXPECT_THAT(ErrorOfText("op_name: \"abs\"\n" + tensors),
              StartsWith(": there is no operator 'abs'; the operators are bbox_overlaps, "));
}

TEST(ReadCase, ParametersHaveDefaults) {
  const std::string input = TensorText("input", "");
  EXPECT_THAT(ReadText(CaseText(input)).parameters, ElementsAre(0, 0, 0));
  EXPECT_THAT(
      ReadText(CaseText(input, "bbox_overlaps_param { aligned: true offset: 1 }")).parameters,
      ElementsAre(0, 1, 1));
}

TEST(ReadCase, TheStatusMayBeExpected) {
  const std::string input = TensorText("input", "");
  EXPECT_EQ(ReadText(CaseText(input, "expected_status: 3")).expected_status,
            MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(ErrorOfText(CaseText(input, "expected_status: 9")),
            ": expected_status is 9, expected 0 to 8");
  EXPECT_EQ(ErrorOfText(CaseText(input, "expected_status: -1")),
            ": expected_status is -1, expected 0 to 8");
}

// ---- Criteria -----------------------------------------------------------------------------------

std::string Join(const std::vector<Criterion>& criteria) {
  std::string text;
  for (const Criterion& criterion : criteria) {
    text += std::to_string(static_cast<int>(criterion.measure)) + ":" +
            std::to_string(static_cast<int>(criterion.threshold)) + " ";
  }
  return text;
}

std::string CriteriaOf(const std::string& text) {
  return Join(ReadText(CaseText(TensorText("input", ""), text)).criteria);
}

TEST(ReadCase, CriteriaOfTheCaseComeBeforeThoseOfTheTest) {
  const std::string test = "test_param { error_func: DIFF2 error_threshold: 7 }";
  EXPECT_EQ(CriteriaOf(""), "");
  EXPECT_EQ(CriteriaOf(test), "1:7 ");
  EXPECT_EQ(CriteriaOf(test + "evaluation_criterion: DIFF4 evaluation_threshold: 5"), "4:5 ");
  EXPECT_EQ(CriteriaOf("evaluation_criterion: [DIFF1, DIFF3] evaluation_threshold: [1, 2]"),
            "0:1 2:2 ");
}

TEST(ReadCase, UnknownCriteriaAreSkippedWithTheirThresholds) {
  EXPECT_EQ(CriteriaOf("evaluation_criterion: [DIFF_KL, DIFF1, 77, DIFF2, MAPE] "
                       "evaluation_threshold: [1, 2, 3, 4, 5]"),
            "0:2 1:4 ");
  EXPECT_EQ(CriteriaOf("evaluation_criterion: NRMSE evaluation_threshold: 1"), "");
  EXPECT_EQ(CriteriaOf("test_param { error_func: [X, DIFF2] error_threshold: [7, 8] }"), "1:8 ");
  const auto binary = [](const std::string& bytes) {
    return Join(ReadBinary(BinaryCase("", bytes)).criteria);
  };
  const std::string thresholds = Double(15, 1) + Double(15, 2) + Double(15, 3);
  EXPECT_EQ(binary(Number(14, 11) + Number(14, 6) + Number(14, 1'000'000) + thresholds), "0:2 ");
  EXPECT_EQ(binary(Bytes(14, Varint(7) + Varint(99) + Varint(8)) + thresholds), "1:1 2:3 ");
  EXPECT_EQ(binary(Bytes(10, Number(1, 3) + Number(1, 7) + Double(2, 1) + Double(2, 2))), "1:2 ");
}

TEST(ReadCase, CriteriaMustFitTheirThresholds) {
  const auto error = [](const std::string& text) {
    return ErrorOfText(CaseText(TensorText("input", ""), text));
  };
  EXPECT_EQ(error("evaluation_criterion: [DIFF1, DIFF2] evaluation_threshold: 1"),
            ": has 2 of evaluation_criterion and 1 of evaluation_threshold, expected as many");
  EXPECT_EQ(error("evaluation_threshold: 1"),
            ": has 0 of evaluation_criterion and 1 of evaluation_threshold, expected as many");
  EXPECT_EQ(error("test_param { error_func: DIFF1 }"),
            ": has 1 of error_func and 0 of error_threshold, expected as many");
  EXPECT_EQ(error("evaluation_criterion: DIFF1 evaluation_threshold: nan"),
            ": evaluation_threshold 0 is nan, expected 0 or more");
  EXPECT_EQ(error("evaluation_criterion: DIFF1 evaluation_threshold: -1"),
            ": evaluation_threshold 0 is -1, expected 0 or more");
}

TEST(ReadCase, TooManyUnknownValuesAreAnError) {
  std::string criteria;
  for (int i = 0; i < 40; ++i) {
    criteria += "evaluation_criterion: NEW" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(ErrorOfText(CaseText(TensorText("input", ""), criteria)),
            ": has unknown values of EvaluationCriterion, such as NEW32");
  EXPECT_EQ(ErrorOfText(CaseText(TensorText("input", ""), "evaluation_criterion: UNIFORM")),
            ": has unknown values of EvaluationCriterion, such as UNIFORM");
}

// ---- Wrong files --------------------------------------------------------------------------------

TEST(ReadCase, SaysWhatCannotBeRead) {
  const TestFolder folder;
  EXPECT_EQ(UserErrorOf([&] { ReadCase(folder / "a.pb"); }),
            folder / "a.pb: cannot be read: No such file or directory");
  EXPECT_EQ(UserErrorOf([&] { ReadCase(folder.path()); }),
            folder.path() + ": cannot be read: Is a directory");
  if (geteuid() != 0) {
    const std::string path = folder.Write("secret.pb", "");
    chmod(path.c_str(), 0);
    EXPECT_EQ(UserErrorOf([&] { ReadCase(path); }), path + ": cannot be read: Permission denied");
  }
  const std::string huge = folder.Write("huge.prototxt", "");
  std::filesystem::resize_file(huge, uintmax_t{1} << 31);
  EXPECT_EQ(UserErrorOf([&] { ReadCase(huge); }),
            huge + ": has 2147483648 bytes, expected at most 2147483647");
}

TEST(ReadCase, SaysWhereTheSyntaxIsWrong) {
  EXPECT_EQ(ErrorOfText("op_name: \"x\"\n  input { id: }\n"), ":2:15: Expected string, got: }");
  EXPECT_EQ(ErrorOfText("op_name: \"x"), ":1:12: Unexpected end of string.");
  EXPECT_EQ(ErrorOfText("input {"), ":1:8: Expected identifier, got: ");
  EXPECT_THAT(ErrorOfText("input { value_f: abc }"), StartsWith(":1:18: Expected double"));
  EXPECT_THAT(ErrorOfText("input { value_i: 3000000000 }"), HasSubstr("Integer out of range"));
  EXPECT_EQ(ErrorOfText("\xff\xfe garbage"),
            ":1:1: a byte that is no text, expected protobuf's text format in UTF-8");
  EXPECT_EQ(ErrorOfText(std::string("op_name: \0", 10)),
            ":1:10: a byte that is no text, expected protobuf's text format in UTF-8");
}

TEST(ReadCase, TextMustBeUtf8) {
  EXPECT_EQ(ErrorOfText("op_name: \"\xff\""), ": has text in op_name that is not UTF-8");
  for (const char* bytes :
       {"\xc3", "\xc3(", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\x80", "\xe2\x82"}) {
    EXPECT_EQ(ErrorOfText(CaseText(std::string("input { id: \"") + bytes + "\" }")),
              ": input 0 '' has text in id that is not UTF-8");
  }
  EXPECT_EQ(ErrorOfFile("a.pb", BinaryCase(Bytes(11, "\xff"))),
            ": input 0 't' has text in path that is not UTF-8");
  const std::string good = "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf";
  const Case read =
      ReadText(CaseText("input { id: \"" + good + "\" layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT } "));
  EXPECT_EQ(read.inputs[0].id, good);
  // Comments are nobody's text.
  EXPECT_EQ(ReadText("# \xff\n" + CaseText(TensorText("input", ""))).op, "bbox_overlaps");
}

TEST(ReadCase, AnErrorIsOneLineWhateverItQuotes) {
  EXPECT_THAT(ErrorOfText("op_name: \"a\\nb\\033[0m\""),
              StartsWith(": there is no operator 'a?b?[0m'; the operators are "));
  EXPECT_EQ(ErrorOfText(CaseText("input { id: \"a\\r\" } ")),
            ": input 0 'a?' has no layout that is known, expected one");
}

TEST(ReadCase, ValuesMustFitTheTensor) {
  EXPECT_EQ(ErrorOfTensor("value_f: [1, 2, 3]"),
            ": input 0 'input' has 3 values for dims [2,4], expected 8");
  EXPECT_EQ(ErrorOfTensor("value_h: \"0\"", "dims: 0"),
            ": input 0 'input' has 1 values for dims [0], expected 0");
  EXPECT_EQ(ErrorOfTensor(kEight + " value_i: 1"),
            ": input 0 'input' has value_f and value_i, expected one of them");
  EXPECT_EQ(ErrorOfTensor("value_f: 1.5", "dims: 1", "DTYPE_INT32"),
            ": input 0 'input' has the value 1.5 at 0, expected a whole number of 32 bits");
  EXPECT_EQ(ErrorOfTensor("value_f: [0, nan]", "dims: 2", "DTYPE_INT32"),
            ": input 0 'input' has the value nan at 1, expected a whole number of 32 bits");
  EXPECT_EQ(ErrorOfTensor("value_l: 2147483648", "dims: 1", "DTYPE_INT32"),
            ": input 0 'input' has the value 2147483648 at 0, expected a whole number of 32 bits");
  EXPECT_EQ(ErrorOfTensor("value_ul: 18446744073709551615", "dims: 1", "DTYPE_INT32"),
            ": input 0 'input' has the value 18446744073709551615 at 0, expected a whole number of "
            "32 bits");
  for (const char* text : {"", "0x", "123456789", "1g", "-1", " 1", "0x0x1"}) {
    EXPECT_EQ(ErrorOfTensor("value_h: \"" + std::string(text) + "\"", "dims: 1"),
              ": input 0 'input' has the value_h '" + std::string(text) +
                  "' at 0, expected up to 8 hexadecimal digits");
  }
  EXPECT_EQ(ErrorOfTensor("value_h: \"12345\"", "dims: 1", "DTYPE_HALF"),
            ": input 0 'input' has the value_h '12345' at 0, expected up to 4 hexadecimal digits");
}

TEST(ReadCase, TensorsMustBePossible) {
  EXPECT_EQ(ErrorOfTensor("", "dims: [2, -4]"),
            ": input 0 'input' has dims [2,-4], expected 0 or more");
  EXPECT_EQ(ErrorOfTensor("", "dims: [4294967296, 4294967296]"),
            ": input 0 'input' has dims [4294967296,4294967296], whose product is larger than any "
            "memory");
  EXPECT_EQ(ErrorOfTensor("", "dims: [1,1,1,1,1,1,1,1,1]"),
            ": input 0 'input' has 9 dimensions, expected at most 8");
  EXPECT_EQ(ErrorOfText(CaseText("input { dtype: DTYPE_FLOAT } ")),
            ": input 0 '' has no layout that is known, expected one");
  EXPECT_EQ(ErrorOfText(CaseText("input { layout: LAYOUT_NCHW } ")),
            ": input 0 '' has no dtype that is known, expected one");
  EXPECT_EQ(ErrorOfText(CaseText("input { layout: LAYOUT_NEW dtype: DTYPE_FLOAT } ")),
            ": input 0 '' has the layout LAYOUT_NEW, which is not supported");
  EXPECT_EQ(ErrorOfTensor("", "dims: 1", "DTYPE_INT4X2"),
            ": input 0 'input' has the dtype DTYPE_INT4X2, which is not supported");
}

TEST(ReadCase, TensorsMustBeAsManyAsTheOperatorHas) {
  const std::string input = TensorText("input", "");
  EXPECT_EQ(ErrorOfText("op_name: \"bbox_overlaps\"\n" + input), ": has 1 inputs, expected 2");
  EXPECT_EQ(ErrorOfText(CaseText(input, input)), ": has 3 inputs, expected 2");
  const std::string output = TensorText("output", "");
  EXPECT_EQ(ErrorOfText(CaseText(input, output + output)), ": has 2 outputs, expected 1");
  EXPECT_EQ(ReadText(CaseText(input, TensorText("output", kEight))).outputs[0].values.size(), 32u);
}

// ---- Binary and hostile files -------------------------------------------------------------------

TEST(ReadCase, ReadsBinaryFilesWhetherPackedOrNot) {
  const float values[] = {1.5f, -2};
  const std::string raw(reinterpret_cast<const char*>(values), sizeof(values));
  const std::string packed = Bytes(7, raw);
  const std::string tag = Varint(7 << 3 | 5);
  const std::string unpacked = tag + raw.substr(0, 4) + tag + raw.substr(4);
  const std::string unknown = Number(30, 5) + Bytes(3000, "x") + Double(31, 1);
  const std::string rest = unknown + Number(100001, 7);
  for (const std::string& bytes : {packed, unpacked, unknown + packed}) {
    const Case read = ReadBinary(BinaryCase(bytes, rest));
    EXPECT_THAT(NumbersOf(read.inputs[0], 2), ElementsAre(1.5, -2));
    EXPECT_EQ(read.expected_status, MLUOP_STATUS_NOT_SUPPORTED);
  }
}

TEST(ReadCase, WithoutAnEndingTheContentDecides) {
  const TestFolder folder;
  EXPECT_EQ(ReadCase(folder.Write("text", CaseText(TensorText("input", "")))).name, "text");
  EXPECT_EQ(ReadCase(folder.Write("binary", BinaryCase(""))).name, "binary");
  EXPECT_EQ(ReadCase(folder.Write("a.pbtxt", CaseText(TensorText("input", "")))).name, "a");
}

TEST(ReadCase, TruncatedBinaryFilesAreFound) {
  const std::string whole = BinaryCase(Bytes(7, std::string(8, '\1')));
  const TestFolder folder;
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const std::string path = folder.Write("a.pb", whole.substr(0, bytes));
    EXPECT_THAT(UserErrorOf([&] { ReadCase(path); }), StartsWith(path + ": ")) << bytes;
  }
  EXPECT_EQ(ErrorOfFile("a.pb", whole.substr(0, whole.size() - 1)),
            ": is truncated or damaged, expected a binary case");
}

TEST(ReadCase, SurvivesHostileFiles) {
  const std::string damaged = ": is truncated or damaged, expected a binary case";
  // Lengths of data that is not there.
  EXPECT_EQ(ErrorOfFile("a.pb", Varint(6 << 3 | 2) + Varint(0x7fffffff)), damaged);
  EXPECT_EQ(ErrorOfFile("a.pb", Varint(5 << 3 | 2) + Varint(0x7ffffff0) + "x"), damaged);
  EXPECT_EQ(ErrorOfFile("a.pb", BinaryCase(Varint(7 << 3 | 2) + Varint(0x7ffffff0))), damaged);
  // Nesting: groups in groups, messages in messages, lists in lists.
  EXPECT_EQ(ErrorOfFile("a.pb", std::string(1'000'000, static_cast<char>(4 << 3 | 3))), damaged);
  const auto repeat = [](const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
      all += text;
    }
    return all;
  };
  EXPECT_THAT(ErrorOfText(repeat("a {", 1'000'000)), HasSubstr("recursion limit"));
  EXPECT_THAT(ErrorOfText("a: " + repeat("[", 1'000'000)), StartsWith(":1:"));
  EXPECT_THAT(ErrorOfText("a: " + repeat("[{ a: ", 1'000'000)), HasSubstr("recursion limit"));
}

TEST(ReadCase, ProtobufSaysNothing) {
  testing::internal::CaptureStderr();
  ReadText(CaseText(TensorText("input", "unknown: 1"), "[ext.ension]: 5 x: { } op_type: Y"));
  ErrorOfText("op_name: 5");
  ErrorOfFile("a.pb", "\xff");
  ErrorOfFile("a.pb", BinaryCase(Bytes(1, "\xff")));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// ---- Writing ------------------------------------------------------------------------------------

// Every kind of tensor that can be written.
Case ManyKinds() {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<Tensor> inputs;
  inputs.push_back(TensorOf(MLUOP_DTYPE_FLOAT, {2, 4},
                            {0.1f, -0.0f, 1e-45f, 3.4028235e38f, 16777216, 1.0f / 3, -7, 5e-39f},
                            MLUOP_LAYOUT_NCHW));
  inputs.push_back(TensorOf(MLUOP_DTYPE_HALF, {4}, {0.1f, infinity, -0.0f, 6e-8f}));
  inputs[0].id = "first \"one\"\n\xc3\xa4";
  inputs[1].strides = {3};
  Case made = MakeCase(FindAdapter("bbox_overlaps"), "many", std::move(inputs));
  made.outputs.push_back(TensorOf(MLUOP_DTYPE_INT32, {3, 1}, {-2147483648.0f, 0, 5}));
  made.parameters = {1, 1, -7};
  made.criteria = {{Measure::kDiff1, 1e-5}, {Measure::kDiff3_2, 0}, {Measure::kDiff4, 0.1}};
  made.expected_status = MLUOP_STATUS_NOT_SUPPORTED;
  return made;
}

void ExpectRoundTrip(const Case& made) {
  for (const CaseFormat format : {CaseFormat::kText, CaseFormat::kBinary}) {
    const TestFolder folder;
    const std::string path = folder / made.name + EndingOf(format);
    WriteCase(made, path, format);
    const Case read = ReadCase(path);
    EXPECT_EQ(read.name, made.name);
    ExpectSame(read, made);
    // The same case gives the same bytes.
    const TestFolder other;
    WriteCase(read, other / made.name + EndingOf(format), format);
    EXPECT_EQ(other.Read(made.name + EndingOf(format)), folder.Read(made.name + EndingOf(format)));
    EXPECT_EQ(other.Count(), folder.Count());
  }
}

TEST(WriteCase, WhatIsWrittenIsReadBack) { ExpectRoundTrip(ManyKinds()); }

TEST(WriteCase, BitsOfNaNsAreReadBack) {
  Case made = ManyKinds();
  const uint32_t bits[] = {0x7f800001, 0xffc12345, 0x7f800000, 0xff800000, 0, 1, 0x80000000, 7};
  std::memcpy(made.inputs[0].values.data(), bits, sizeof(bits));
  const uint16_t half_bits[] = {0x7c01, 0xfe00, 0xffff, 0x0001};
  std::memcpy(made.inputs[1].values.data(), half_bits, sizeof(half_bits));
  ExpectRoundTrip(made);
}

TEST(WriteCase, RandomDataIsReadBack) {
  Case made = ManyKinds();
  made.inputs[0].values = AlignedBuffer();
  RandomData& random = made.inputs[0].random.emplace();
  random.seed = -5;
  random.lower_bound = 0.1;
  random.upper_bound = 1e300;
  ExpectRoundTrip(made);
  random.distribution = RandomData::Distribution::kGaussian;
  random.mu = 0.3;
  random.sigma = 0.5;
  ExpectRoundTrip(made);
  random.lower_bound = 0;
  random.upper_bound = 1;
  ExpectRoundTrip(made);
}

TEST(WriteCase, TypesWithoutValuesAreReadBack) {
  Case made = ManyKinds();
  made.inputs[0] = MakeTensor(MLUOP_DTYPE_INT8, {5000, 4}, MLUOP_LAYOUT_NDHWC);
  made.inputs[1] = MakeTensor(MLUOP_DTYPE_INT64, {});
  made.outputs[0] = MakeTensor(MLUOP_DTYPE_FLOAT, {int64_t{1} << 40, 0});
  ExpectRoundTrip(made);
  made.outputs[0] = MakeTensor(MLUOP_DTYPE_FLOAT, {int64_t{1} << 40});
  ExpectRoundTrip(made);
  made.outputs.clear();
  ExpectRoundTrip(made);
  for (const auto& entry : kLayoutNumbers) {
    made.inputs[0].layout = entry.meaning;
    ExpectRoundTrip(made);
  }
}

TEST(WriteCase, TheCasesOfASuiteAreReadBack) {
  const Adapter& adapter = FindAdapter("bbox_overlaps");
  for (const Recipe& recipe : AcceptanceSuiteOf(adapter)) {
    if (recipe.kind != CaseKind::kNetwork) {
      ExpectRoundTrip(recipe.make());
    }
  }
}

// A file has a float where a description has a double.
TEST(WriteCase, DefaultParametersAreReadBack) {
  for (size_t i = 0; i < Operators().size(); ++i) {
    SCOPED_TRACE(Operators()[i]->name);
    const size_t input_count = AdapterOf(i).description().inputs.size();
    std::vector<Tensor> inputs;
    for (size_t k = 0; k < input_count; ++k) {
      inputs.push_back(MakeTensor(MLUOP_DTYPE_FLOAT, {1}));
    }
    ExpectRoundTrip(MakeCase(AdapterOf(i), "defaults", std::move(inputs)));
  }
}

TEST(WriteCase, LongListsGoIntoFilesOfTheirOwn) {
  const TestFolder folder;
  Case made = ManyKinds();
  made.inputs[0] = TensorOf(MLUOP_DTYPE_FLOAT, {1025}, std::vector<float>(1025, 0.25f));
  made.inputs[1] = TensorOf(MLUOP_DTYPE_HALF, {1024}, std::vector<float>(1024, 0.25f));
  made.outputs[0] = TensorOf(MLUOP_DTYPE_INT32, {41, 25}, std::vector<float>(1025, 7));
  WriteCase(made, folder / "x.y.prototxt", CaseFormat::kText);
  EXPECT_EQ(folder.Count(), 3u);
  EXPECT_EQ(folder.Read("x.y.input0.raw").size(), 4100u);
  EXPECT_EQ(folder.Read("x.y.output0.raw").size(), 4100u);
  EXPECT_THAT(folder.Read("x.y.prototxt"), HasSubstr("path: \"x.y.input0.raw\""));
  ExpectSame(ReadCase(folder / "x.y.prototxt"), made);
}

TEST(WriteCase, TextIsForHumans) {
  const TestFolder folder;
  std::vector<Tensor> inputs;
  inputs.push_back(TensorOf(MLUOP_DTYPE_FLOAT, {1, 4}, {0, 0.1f, -2.5f, 1e20f}));
  inputs.push_back(MakeTensor(MLUOP_DTYPE_FLOAT, {100, 4}));
  inputs[0].id = "bbox1";
  inputs[1].random.emplace().upper_bound = 10;
  Case made = MakeCase(FindAdapter("bbox_overlaps"), "a", std::move(inputs));
  made.criteria = {{Measure::kDiff1, 1e-5}};
  made.expected_status = MLUOP_STATUS_BAD_PARAM;
  WriteCase(made, folder / "a.prototxt", CaseFormat::kText);
  EXPECT_EQ(folder.Read("a.prototxt"), R"(op_name: "bbox_overlaps"
input {
  id: "bbox1"
  shape {
    dims: [1, 4]
  }
  layout: LAYOUT_ARRAY
  dtype: DTYPE_FLOAT
  value_f: [0, 0.1, -2.5, 1e+20]
}
input {
  shape {
    dims: [100, 4]
  }
  layout: LAYOUT_ARRAY
  dtype: DTYPE_FLOAT
  random_data {
    seed: 0
    lower_bound: 0
    upper_bound: 10
    distribution: UNIFORM
  }
}
evaluation_criterion: [DIFF1]
evaluation_threshold: [1e-05]
bbox_overlaps_param {
  mode: 0
  aligned: false
  offset: 0
}
expected_status: 3
)");
}

TEST(WriteCase, EveryFloatIsReadBack) {
  std::vector<float> numbers(1024);
  uint32_t bits = 12345;
  for (int round = 0; round < 20; ++round) {
    for (float& number : numbers) {
      bits = bits * 1664525 + 1013904223;
      std::memcpy(&number, &bits, sizeof(number));
      number = std::isfinite(number) ? number : 1;
    }
    Case made = ManyKinds();
    made.inputs[0] = TensorOf(MLUOP_DTYPE_FLOAT, {1024}, numbers);
    const TestFolder folder;
    WriteCase(made, folder / "a.prototxt", CaseFormat::kText);
    ExpectSame(ReadCase(folder / "a.prototxt"), made);
  }
}

TEST(WriteCase, AFloatIsReadBackThoughReadersRoundTwice) {
  // 7.038531e-26 is the shortest text of this float, and as a double it lies half way to the next.
  const uint32_t bits = 0x15ae43fd;
  float number;
  std::memcpy(&number, &bits, sizeof(number));
  ASSERT_NE(static_cast<float>(7.038531e-26), number);
  Case made = ManyKinds();
  made.inputs[0] = TensorOf(MLUOP_DTYPE_FLOAT, {1}, {number});
  ExpectRoundTrip(made);
}

TEST(WriteCase, AllOrNothing) {
  const TestFolder folder;
  Case made = ManyKinds();
  EXPECT_EQ(UserErrorOf([&] { WriteCase(made, folder / "none/a.pb", CaseFormat::kBinary); }),
            folder / "none/a.pb: cannot be written: No such file or directory");
  made.inputs[0] = TensorOf(MLUOP_DTYPE_FLOAT, {1025}, std::vector<float>(1025, 0.25f));
  made.outputs[0] = TensorOf(MLUOP_DTYPE_INT32, {1025}, std::vector<float>(1025, 7));
  std::filesystem::create_directory(folder / "a.output0.raw");
  EXPECT_EQ(UserErrorOf([&] { WriteCase(made, folder / "a.pb", CaseFormat::kBinary); }),
            folder / "a.output0.raw: is a folder, expected a file to write");
  EXPECT_EQ(folder.Count(), 1u);
  made.inputs[0].dtype = MLUOP_DTYPE_INVALID;
  EXPECT_EQ(UserErrorOf([&] { WriteCase(made, folder / "a.pb", CaseFormat::kBinary); }),
            folder / "a.pb: input 0 '' has the type 0, which case files cannot name");
}

// ---- Finding files ------------------------------------------------------------------------------

TEST(FindCaseFiles, FindsCasesInFolders) {
  const TestFolder folder;
  std::filesystem::create_directories(folder / "b/c");
  for (const char* name : {"z.prototxt", "a.pb", "b/c/x.prototxt", "b/y.pb", "notes.txt",
                           "a.input0.raw", "b/.detops-1-0.tmp"}) {
    folder.Write(name, "");
  }
  const std::vector<std::string> all = {folder / "a.pb", folder / "b/c/x.prototxt",
                                        folder / "b/y.pb", folder / "z.prototxt"};
  EXPECT_EQ(FindCaseFiles({folder.path()}), all);
  EXPECT_EQ(FindCaseFiles({folder.path(), folder / "b", folder / "b/../a.pb"}), all);
  EXPECT_THAT(FindCaseFiles({folder / "notes.txt", folder / "b"}),
              ElementsAre(folder / "notes.txt", folder / "b/c/x.prototxt", folder / "b/y.pb"));
  EXPECT_THAT(FindCaseFiles({}), ElementsAre());
}

TEST(FindCaseFiles, SaysWhatIsMissing) {
  const TestFolder folder;
  EXPECT_EQ(UserErrorOf([&] { FindCaseFiles({folder / "a.pb"}); }),
            folder / "a.pb: cannot be read: No such file or directory");
  EXPECT_EQ(UserErrorOf([&] { FindCaseFiles({folder.path()}); }),
            folder.path() + ": has no case, expected files that end in .prototxt or .pb");
}

}  // namespace
}  // namespace detops::cli
