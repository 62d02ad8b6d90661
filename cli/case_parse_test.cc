// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/case_parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/case_file.h"
#include "cli/test_cases.h"
#include "cli/test_folder.h"
#include "cli/test_numbers.h"

namespace detops::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(CaseParse, ReportsWhereTheSyntaxIsWrong) {
  EXPECT_EQ(ErrorOfText("op_name: \"x\"\n  input { id: }\n"), ":2:15: Expected string, got: }");
  EXPECT_EQ(ErrorOfText("op_name: \"x"), ":1:12: Unexpected end of string.");
  EXPECT_EQ(ErrorOfText("input {"), ":1:8: Expected identifier, got: ");
  EXPECT_THAT(ErrorOfText("input { value_f: abc }"), StartsWith(":1:18: Expected double"));
  EXPECT_THAT(ErrorOfText("input { value_i: 3000000000 }"), HasSubstr("Integer out of range"));
  EXPECT_EQ(ErrorOfText("\xff\xfe garbage"),
            ":1:1: this byte is not text; the file must be in protobuf's text format, in UTF-8");
  EXPECT_EQ(ErrorOfText(std::string("op_name: \0", 10)),
            ":1:10: this byte is not text; the file must be in protobuf's text format, in UTF-8");
}

TEST(CaseParse, TextMustBeUtf8) {
  EXPECT_EQ(ErrorOfText("op_name: \"\xff\""), ": has invalid UTF-8 in op_name");
  for (const char* bytes :
       {"\xc3", "\xc3(", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\x80", "\xe2\x82"}) {
    EXPECT_EQ(ErrorOfText(CaseText(std::string("input { id: \"") + bytes + "\" }")),
              ": input 0 '' has invalid UTF-8 in id");
  }
  EXPECT_EQ(ErrorOfFile("a.pb", BinaryCase(Bytes(11, "\xff"))),
            ": input 0 't' has invalid UTF-8 in path");
  const std::string good = "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf";
  const Case read =
      ReadText(CaseText("input { id: \"" + good + "\" layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT } "));
  EXPECT_EQ(read.inputs[0].id, good);
  // Comments may hold any bytes.
  EXPECT_EQ(ReadText("# \xff\n" + CaseText(TensorText("input", ""))).op, "bbox_overlaps");
}

TEST(CaseParse, AnErrorIsOneLineWhateverItQuotes) {
  EXPECT_THAT(
      ErrorOfText("op_name: \"a\\nb\\033[0m\""),
      AllOf(StartsWith(": "), HasSubstr("operator 'a?b?[0m'"), HasSubstr("bbox_overlaps, ")));
  EXPECT_EQ(ErrorOfText(CaseText("input { id: \"a\\r\" } ")),
            ": input 0 'a?' has no known layout; set one, for example LAYOUT_NCHW");
}

TEST(CaseParse, TooManyUnknownValuesAreAnError) {
  std::string criteria;
  for (int i = 0; i < 40; ++i) {
    criteria += "evaluation_criterion: NEW" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(ErrorOfText(CaseText(TensorText("input", ""), criteria)),
            ": has 'NEW32', which is not a known EvaluationCriterion");
  EXPECT_EQ(ErrorOfText(CaseText(TensorText("input", ""), "evaluation_criterion: UNIFORM")),
            ": has 'UNIFORM', which is not a known EvaluationCriterion");
}

TEST(CaseParse, ReadsBinaryFilesWhetherPackedOrNot) {
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

TEST(CaseParse, WithoutAnEndingTheContentDecides) {
  const TestFolder folder;
  EXPECT_EQ(ReadCase(folder.Write("text", CaseText(TensorText("input", "")))).name, "text");
  EXPECT_EQ(ReadCase(folder.Write("binary", BinaryCase(""))).name, "binary");
  EXPECT_EQ(ReadCase(folder.Write("a.pbtxt", CaseText(TensorText("input", "")))).name, "a");
}

TEST(CaseParse, TruncatedBinaryFilesAreFound) {
  const std::string whole = BinaryCase(Bytes(7, std::string(8, '\1')));
  const TestFolder folder;
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const std::string path = folder.Write("a.pb", whole.substr(0, bytes));
    EXPECT_THAT(UserErrorOf([&] { ReadCase(path); }), StartsWith(path + ": ")) << bytes;
  }
  EXPECT_EQ(ErrorOfFile("a.pb", whole.substr(0, whole.size() - 1)),
            ": is truncated, damaged or not a binary case");
}

TEST(CaseParse, SurvivesHostileFiles) {
  const std::string damaged = ": is truncated, damaged or not a binary case";
  // Lengths beyond the end of the file.
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

TEST(CaseParse, ProtobufPrintsNothing) {
  testing::internal::CaptureStderr();
  ReadText(CaseText(TensorText("input", "unknown: 1"), "[ext.ension]: 5 x: { } op_type: Y"));
  ErrorOfText("op_name: 5");
  ErrorOfFile("a.pb", "\xff");
  ErrorOfFile("a.pb", BinaryCase(Bytes(1, "\xff")));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace detops::cli
