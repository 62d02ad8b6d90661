// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/case_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <utility>

#include "cli/case_file.h"
#include "cli/test_cases.h"
#include "cli/test_folder.h"
#include "cli/test_numbers.h"

namespace detops::cli {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::StartsWith;

TEST(CaseTensor, ReadsEveryKindOfValue) {
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

TEST(CaseTensor, BitPatternsAreKept) {
  const Tensor tensor =
      ReadTensorText(R"(value_h: ["7f800001", "ff812345"])", "dims: 2", "DTYPE_FLOAT");
  EXPECT_EQ(tensor.as<uint32_t>()[0], 0x7f800001u);
  EXPECT_EQ(tensor.as<uint32_t>()[1], 0xff812345u);
}

TEST(CaseTensor, ReadsRawFilesBesideTheCase) {
  const TestFolder folder;
  const std::string text = CaseText(TensorText("input", "path: \"sub/a.raw\""));
  std::filesystem::create_directory(folder / "sub");
  const float values[] = {1, 2, 3, 4, 5, 6, 7, 8};
  folder.Write("sub/a.raw", {reinterpret_cast<const char*>(values), sizeof(values)});
  const std::string path = folder.Write("a.prototxt", text);
  EXPECT_THAT(NumbersOf(ReadCase(path).inputs[0], 8), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  const auto error = [&] {
    std::string message = UserErrorOf([&] { ReadCase(path); });
    EXPECT_THAT(message, StartsWith(path + ": input 0 'input' names the raw file " +
                                    (folder / "sub/a.raw") + ", which "));
    return message;
  };
  folder.Write("sub/a.raw", "short");
  EXPECT_THAT(error(), EndsWith("has 5 bytes; float[2,4] needs 32"));
  folder.Write("sub/a.raw", std::string(33, 'x'));
  EXPECT_THAT(error(), EndsWith("has 33 bytes; float[2,4] needs 32"));
  std::filesystem::remove(folder / "sub/a.raw");
  EXPECT_THAT(error(), EndsWith("cannot be read: No such file or directory"));
  ASSERT_EQ(mkfifo((folder / "sub/a.raw").c_str(), 0600), 0);
  EXPECT_THAT(error(), EndsWith("is not a regular file"));
}

TEST(CaseTensor, RandomDataHasDefaultsAndPrecision) {
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

TEST(CaseTensor, ImpossibleRandomDataIsRefused) {
  EXPECT_EQ(ErrorOfTensor("random_data { upper_bound: inf }"),
            ": input 0 'input' has random_data with upper_bound inf; it must be finite");
  EXPECT_EQ(ErrorOfTensor("random_data { mu_double: nan }"),
            ": input 0 'input' has random_data with mu nan; it must be finite");
  EXPECT_EQ(
      ErrorOfTensor("random_data { upper_bound: 3e9 }", "dims: 8", "DTYPE_INT32"),
      ": input 0 'input' has random_data that reaches 3000000000; int32 ends at -2^31 and 2^31 - "
      "1");
  EXPECT_EQ(
      ErrorOfTensor("random_data { distribution: GAUSSIAN sigma: 1e9 }", "dims: 8", "DTYPE_INT32"),
      ": input 0 'input' has random_data that reaches -7000000000; int32 ends at -2^31 and 2^31 - "
      "1");
}

TEST(CaseTensor, StridesOfContiguousTensorsAreLeftOut) {
  const auto strides = [](const std::string& dims) {
    return ReadTensorText("", dims, "DTYPE_FLOAT").strides;
  };
  EXPECT_THAT(strides("dims: [2, 4] dim_stride: [4, 1]"), ElementsAre());
  EXPECT_THAT(strides("dims: [2, 4] dim_stride: [8, 1]"), ElementsAre(8, 1));
  EXPECT_THAT(strides("dims: [0, 4] dim_stride: [4, 1]"), ElementsAre());
  EXPECT_EQ(ErrorOfTensor("", "dims: [2, 4] dim_stride: 4"),
            ": input 0 'input' has 1 dim_stride for 2 dims; there must be one per dimension");
}

TEST(CaseTensor, OtherTypesHaveNoValues) {
  const Tensor tensor =
      ReadTensorText("value_i: [1, 2] random_data { seed: 1 }", "dims: 3", "DTYPE_INT64");
  EXPECT_EQ(tensor.dtype, MLUOP_DTYPE_INT64);
  EXPECT_THAT(tensor.dims, ElementsAre(3));
  EXPECT_FALSE(tensor.has_values());
  EXPECT_FALSE(tensor.random.has_value());
}

TEST(CaseTensor, HugeTensorsGetNoMemory) {
  const Tensor tensor = ReadTensorText("random_data { }", "dims: [65536, 65536]", "DTYPE_FLOAT");
  EXPECT_EQ(tensor.values.size(), 0u);
  EXPECT_EQ(tensor.count(), int64_t{1} << 32);
  EXPECT_EQ(ErrorOfTensor("value_f: 1", "dims: [65536, 32768]"),
            ": input 0 'input' has values for 2147483648 elements; a tensor with values must have "
            "fewer than 2^31");
}

TEST(CaseTensor, ValuesMustFitTheTensor) {
  EXPECT_EQ(ErrorOfTensor("value_f: [1, 2, 3]"),
            ": input 0 'input' has 3 values; dims [2,4] need 8");
  EXPECT_EQ(ErrorOfTensor("value_h: \"0\"", "dims: 0"),
            ": input 0 'input' has 1 values; dims [0] need 0");
  EXPECT_EQ(ErrorOfTensor(kEight + " value_i: 1"),
            ": input 0 'input' has both value_f and value_i; only one of them may be given");
  EXPECT_EQ(ErrorOfTensor("value_f: 1.5", "dims: 1", "DTYPE_INT32"),
            ": input 0 'input' has value 1.5 at index 0; it must be a 32-bit integer");
  EXPECT_EQ(ErrorOfTensor("value_f: [0, nan]", "dims: 2", "DTYPE_INT32"),
            ": input 0 'input' has value nan at index 1; it must be a 32-bit integer");
  EXPECT_EQ(ErrorOfTensor("value_l: 2147483648", "dims: 1", "DTYPE_INT32"),
            ": input 0 'input' has value 2147483648 at index 0; it must be a 32-bit integer");
  EXPECT_EQ(ErrorOfTensor("value_ul: 18446744073709551615", "dims: 1", "DTYPE_INT32"),
            ": input 0 'input' has value 18446744073709551615 at index 0; it must be a 32-bit "
            "integer");
  for (const char* text : {"", "0x", "123456789", "1g", "-1", " 1", "0x0x1"}) {
    EXPECT_EQ(ErrorOfTensor("value_h: \"" + std::string(text) + "\"", "dims: 1"),
              ": input 0 'input' has value_h '" + std::string(text) +
                  "' at index 0; it must be 1 to 8 hexadecimal digits");
  }
  EXPECT_EQ(ErrorOfTensor("value_h: \"12345\"", "dims: 1", "DTYPE_HALF"),
            ": input 0 'input' has value_h '12345' at index 0; it must be 1 to 4 hexadecimal "
            "digits");
}

TEST(CaseTensor, ImpossibleTensorsAreRefused) {
  EXPECT_EQ(ErrorOfTensor("", "dims: [2, -4]"),
            ": input 0 'input' has dims [2,-4]; they must be 0 or more");
  EXPECT_EQ(ErrorOfTensor("", "dims: [4294967296, 4294967296]"),
            ": input 0 'input' has dims [4294967296,4294967296]; such a tensor is larger than any "
            "memory");
  EXPECT_EQ(ErrorOfTensor("", "dims: [1,1,1,1,1,1,1,1,1]"),
            ": input 0 'input' has 9 dimensions; at most 8 are supported");
  EXPECT_EQ(ErrorOfText(CaseText("input { dtype: DTYPE_FLOAT } ")),
            ": input 0 '' has no known layout; set one, for example LAYOUT_NCHW");
  EXPECT_EQ(ErrorOfText(CaseText("input { layout: LAYOUT_NCHW } ")),
            ": input 0 '' has no known dtype; set one, for example DTYPE_HALF");
  EXPECT_EQ(ErrorOfText(CaseText("input { layout: LAYOUT_NEW dtype: DTYPE_FLOAT } ")),
            ": input 0 '' has layout LAYOUT_NEW, which is not supported");
  EXPECT_EQ(ErrorOfTensor("", "dims: 1", "DTYPE_INT4X2"),
            ": input 0 'input' has dtype DTYPE_INT4X2, which is not supported");
}

}  // namespace
}  // namespace detops::cli
