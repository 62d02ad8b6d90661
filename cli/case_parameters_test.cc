// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/case_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/test_cases.h"

namespace detops::cli {
namespace {

using testing::ElementsAre;

// The number of bbox_overlaps_param.
constexpr int kField = 2041;

const std::string kKnown = "; its fields are mode (1), aligned (2), offset (3)";

TEST(CaseParameters, ParametersHaveDefaults) {
  const std::string input = TensorText("input", "");
  EXPECT_THAT(ReadText(CaseText(input)).parameters, ElementsAre(0, 0, 0));
  EXPECT_THAT(
      ReadText(CaseText(input, "bbox_overlaps_param { aligned: true offset: 1 }")).parameters,
      ElementsAre(0, 1, 1));
}

TEST(CaseParameters, BinaryFilesHaveThemToo) {
  EXPECT_THAT(ReadBinary(BinaryCase("", Bytes(kField, Number(3, 1) + Number(1, 1)))).parameters,
              ElementsAre(1, 0, 1));
}

// A case that asks for something that the operator does not know must not pass.
TEST(CaseParameters, AnUnknownFieldIsAnError) {
  struct Unknown {
    const char* fields;
    const char* name;
  };
  for (const Unknown& unknown :
       {Unknown{"mode: 1 eps: 0.1", "eps"}, Unknown{"eps { a: 1 } mode: 1", "eps"},
        Unknown{"eps: [1, 2] other: 3", "eps"}, Unknown{"[some.extension]: 1", "some.extension"},
        Unknown{"7: 1", "7"}}) {
    EXPECT_EQ(
        ErrorOfText(CaseText(TensorText("input", ""),
                             std::string("bbox_overlaps_param { ") + unknown.fields + " }")),
        std::string(": bbox_overlaps_param has the unknown field '") + unknown.name + "'" + kKnown);
  }
}

TEST(CaseParameters, AnUnknownFieldOfABinaryFileIsAnError) {
  const auto error = [](const std::string& parameters) {
    return ErrorOfFile("a.pb", BinaryCase("", Bytes(kField, parameters)));
  };
  for (const std::string& field : {Number(77, 1), Bytes(77, "x"), Double(77, 1)}) {
    EXPECT_EQ(error(Number(1, 1) + field),
              ": bbox_overlaps_param has the unknown field 77" + kKnown);
  }
  EXPECT_EQ(error(Double(3, 1)),
            ": bbox_overlaps_param has a field 3 (offset) of another type; it must be int32");
}

TEST(CaseParameters, UnknownFieldsElsewhereAreSkipped) {
  const std::string unknown = "eps: 0.1 ";
  const Case read =
      ReadText(CaseText(TensorText("input", unknown),
                        unknown + "bbox_overlaps_param { mode: 1 } test_param { " + unknown +
                            "} poly_nms_param { " + unknown + "} other_param { " + unknown + "}"));
  EXPECT_THAT(read.parameters, ElementsAre(1, 0, 0));
  const std::string binary = Number(77, 1);
  EXPECT_THAT(ReadBinary(BinaryCase(binary, binary + Bytes(10, binary) + Bytes(3000, binary) +
                                                Bytes(kField, Number(1, 1))))
                  .parameters,
              ElementsAre(1, 0, 0));
}

}  // namespace
}  // namespace detops::cli
