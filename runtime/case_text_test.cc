// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/case_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <limits>
#include <string>
#include <vector>

namespace detops {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A tensor argument with its shape.
struct Argument {
  TensorShape shape;
  Operand operand;

  Argument(const char* name, mluOpDataType_t dtype, const std::vector<int64_t>& dims,
           const void* data = nullptr, mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY)
      : shape(MakeShape(dtype, static_cast<int>(dims.size()), dims.data(), layout)),
        operand{.name = name, .shape = &shape, .data = const_cast<void*>(data)} {}
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;
};

RecordedCase CaseWith(const RecordedTensor& input) {
  return {.op_name = "op", .parameters_name = "op_param", .inputs = {input}};
}

TEST(CaseText, HasTensorsAndParametersInOrder) {
  const uint32_t bits[] = {0x3f800000, 0x80000000};
  const Argument first("boxes", MLUOP_DTYPE_FLOAT, {1, 2}, bits);
  const Argument second("map", MLUOP_DTYPE_HALF, {3}, nullptr, MLUOP_LAYOUT_NHWC);
  const Argument output("count", MLUOP_DTYPE_INT32, {1});
  const RecordedCase recorded = {
      .op_name = "some_op",
      .parameters_name = "some_param",
      .parameters = {{"flag", true}, {"number", -7}, {"threshold", 0.1f}},
      .inputs = {first.operand, {second.operand, {.lower = -1, .upper = 2.5}}},
      .outputs = {output.operand}};
  EXPECT_EQ(CaseText(recorded, "stem", true), R"(op_name: "some_op"
input {
  id: "boxes"
  shape {
    dims: 1
    dims: 2
  }
  layout: LAYOUT_ARRAY
  dtype: DTYPE_FLOAT
  value_h: ["3f800000", "80000000"]
}
input {
  id: "map"
  shape {
    dims: 3
  }
  layout: LAYOUT_NHWC
  dtype: DTYPE_HALF
  random_data {
    seed: 2
    lower_bound: -1
    upper_bound: 2.5
    distribution: UNIFORM
  }
}
output {
  id: "count"
  shape {
    dims: 1
  }
  layout: LAYOUT_ARRAY
  dtype: DTYPE_INT32
}
some_param {
  flag: true
  number: -7
  threshold: 0.1
}
)");
  EXPECT_EQ(CaseLine(recorded),
            "op_name: \"some_op\" input { id: \"boxes\" shape { dims: 1 dims: 2 } layout: "
            "LAYOUT_ARRAY dtype: DTYPE_FLOAT random_data { seed: 1 lower_bound: 0 upper_bound: 1 "
            "distribution: UNIFORM } } input { id: \"map\" shape { dims: 3 } layout: LAYOUT_NHWC "
            "dtype: DTYPE_HALF random_data { seed: 2 lower_bound: -1 upper_bound: 2.5 "
            "distribution: UNIFORM } } output { id: \"count\" shape { dims: 1 } layout: "
            "LAYOUT_ARRAY dtype: DTYPE_INT32 } some_param { flag: true number: -7 threshold: 0.1 "
            "}");
}

TEST(CaseText, BitPatternsHaveTheWidthOfTheirType) {
  const uint16_t halves[] = {0x7e01, 0x0001};
  const Argument half("h", MLUOP_DTYPE_HALF, {2}, halves);
  EXPECT_THAT(CaseText(CaseWith(half.operand), "", true), HasSubstr("[\"7e01\", \"0001\"]"));
  const uint32_t nan_with_payload[] = {0xffc12345};
  const Argument number("f", MLUOP_DTYPE_FLOAT, {1}, nan_with_payload);
  EXPECT_THAT(CaseText(CaseWith(number.operand), "", true), HasSubstr("[\"ffc12345\"]"));
  const int64_t long_number[] = {-2};
  const Argument wide("l", MLUOP_DTYPE_INT64, {1}, long_number);
  EXPECT_THAT(CaseText(CaseWith(wide.operand), "", true), HasSubstr("[\"fffffffffffffffe\"]"));
}

TEST(CaseText, LongListsAreSeveralLinesAndLongerOnesARawFile) {
  const std::vector<float> values(kMaxTextValues + 1);
  const Argument lines("lines", MLUOP_DTYPE_FLOAT, {9}, values.data());
  EXPECT_THAT(CaseText(CaseWith(lines.operand), "", true),
              HasSubstr("\"00000000\"]\n  value_h: [\"00000000\"]\n"));
  const Argument most("most", MLUOP_DTYPE_FLOAT, {kMaxTextValues}, values.data());
  EXPECT_EQ(SourceOf(most.operand, true), ValueSource::kText);
  const Argument more("more", MLUOP_DTYPE_FLOAT, {kMaxTextValues + 1}, values.data());
  EXPECT_EQ(SourceOf(more.operand, true), ValueSource::kRawFile);
  const std::string text = CaseText(CaseWith(more.operand), "stem", true);
  EXPECT_THAT(text, HasSubstr("  path: \"stem_data0_input\"\n"));
  EXPECT_THAT(text, Not(HasSubstr("value_h")));
}

TEST(CaseText, TensorsWithoutElementsOrDataHaveNoValues) {
  const Argument empty("empty", MLUOP_DTYPE_FLOAT, {0, 4});
  EXPECT_EQ(SourceOf(empty.operand, true), ValueSource::kNone);
  EXPECT_EQ(SourceOf(empty.operand, false), ValueSource::kNone);
  const Argument null("null", MLUOP_DTYPE_FLOAT, {2, 4});
  EXPECT_EQ(SourceOf(null.operand, true), ValueSource::kRandom);
}

TEST(CaseText, StridesAreWrittenOnlyIfTheyAreUnusual) {
  Argument tensor("t", MLUOP_DTYPE_FLOAT, {1, 4});
  EXPECT_THAT(CaseLine(CaseWith(tensor.operand)), Not(HasSubstr("dim_stride")));
  tensor.shape.strides[0] = 100;
  EXPECT_THAT(CaseLine(CaseWith(tensor.operand)),
              HasSubstr("shape { dims: 1 dims: 4 dim_stride: 100 dim_stride: 1 }"));
  const Argument scalar("s", MLUOP_DTYPE_FLOAT, {});
  EXPECT_THAT(CaseLine(CaseWith(scalar.operand)), HasSubstr("shape { }"));
}

TEST(CaseText, UnknownLayoutsBecomeArray) {
  const Argument tensor("t", MLUOP_DTYPE_FLOAT, {1}, nullptr, static_cast<mluOpTensorLayout_t>(99));
  EXPECT_THAT(CaseLine(CaseWith(tensor.operand)), HasSubstr("layout: LAYOUT_ARRAY"));
}

TEST(CaseText, AnAbsentOutputLeavesOutAllOutputs) {
  const Argument present("present", MLUOP_DTYPE_FLOAT, {1});
  RecordedCase recorded = CaseWith(present.operand);
  recorded.outputs = {present.operand, Operand()};
  EXPECT_THAT(CaseLine(recorded), Not(HasSubstr("output")));
}

TEST(QuotedText, EscapesWhatTheTextFormatCannotHold) {
  EXPECT_EQ(QuotedText("plain name_1"), "\"plain name_1\"");
  EXPECT_EQ(QuotedText("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(QuotedText("line\nbreak\x7f\xc3\xa9"), R"("line\012break\177\303\251")");
  EXPECT_EQ(QuotedText(std::string_view("\0001", 2)), R"("\0001")") << "three digits always";
}

TEST(FloatText, IsReadBackAsTheSameNumber) {
  EXPECT_EQ(FloatText(0.5f), "0.5");
  EXPECT_EQ(FloatText(kInfinity), "inf");
  EXPECT_EQ(FloatText(-kInfinity), "-inf");
  // A sample of all bit patterns of finite numbers.
  for (uint32_t bits = 1; bits < 0x7f800000; bits += 65'537) {
    const auto value = std::bit_cast<float>(bits);
    const std::string text = FloatText(value);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    ASSERT_EQ(static_cast<float>(read), value) << text;
  }
}

}  // namespace
}  // namespace detops
