// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The criteria of case files: of the whole case and of single outputs.

#include "cli/case_criteria.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/adapter.h"
#include "cli/case_file.h"
#include "cli/test_cases.h"
#include "cli/test_folder.h"

namespace detops::cli {
namespace {

using testing::HasSubstr;

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

TEST(CaseCriteria, EvaluationCriteriaTakePrecedenceOverTestParam) {
  const std::string test = "test_param { error_func: DIFF2 error_threshold: 7 }";
  EXPECT_EQ(CriteriaOf(""), "");
  EXPECT_EQ(CriteriaOf(test), "1:7 ");
  EXPECT_EQ(CriteriaOf(test + "evaluation_criterion: DIFF4 evaluation_threshold: 5"), "4:5 ");
  EXPECT_EQ(CriteriaOf("evaluation_criterion: [DIFF1, DIFF3] evaluation_threshold: [1, 2]"),
            "0:1 2:2 ");
}

TEST(CaseCriteria, UnknownCriteriaAreSkippedWithTheirThresholds) {
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

TEST(CaseCriteria, EachCriterionNeedsAThreshold) {
  const auto error = [](const std::string& text) {
    return ErrorOfText(CaseText(TensorText("input", ""), text));
  };
  EXPECT_EQ(
      error("evaluation_criterion: [DIFF1, DIFF2] evaluation_threshold: 1"),
      ": has 2 evaluation_criterion and 1 evaluation_threshold; there must be one threshold per "
      "criterion");
  EXPECT_EQ(
      error("evaluation_threshold: 1"),
      ": has 0 evaluation_criterion and 1 evaluation_threshold; there must be one threshold per "
      "criterion");
  EXPECT_EQ(error("test_param { error_func: DIFF1 }"),
            ": has 1 error_func and 0 error_threshold; there must be one threshold per criterion");
  EXPECT_EQ(error("evaluation_criterion: DIFF1 evaluation_threshold: nan"),
            ": evaluation_threshold[0] is nan; it must be 0 or more");
  EXPECT_EQ(error("evaluation_criterion: DIFF1 evaluation_threshold: -1"),
            ": evaluation_threshold[0] is -1; it must be 0 or more");
}

// ---- Thresholds of single outputs ---------------------------------------------------------------

// A case of poly_nms, which has two outputs, in both formats.
struct OutputsCase {
  std::string output1;  // the thresholds of the outputs; empty: the output has none
  std::string output2;
  std::string node;  // criteria and thresholds of the case
};

std::string TextOf(const OutputsCase& fields) {
  return "op_name: \"poly_nms\"\n" + TensorText("input", "", "dims: 3 dims: 9") +
         TensorText("output", fields.output1, "dims: 3", "DTYPE_INT32") +
         TensorText("output", fields.output2, "dims: 1", "DTYPE_INT32") + fields.node;
}

// Field 14 has the criteria, field 15 the thresholds; of an output, field 15 has a message.
std::string BinaryOf(const OutputsCase& fields) {
  const auto tensor = [](int role, const std::string& more) {
    return Bytes(role, BinaryTensor("") + more);
  };
  return Bytes(5, "poly_nms") + tensor(6, "") + tensor(7, fields.output1) +
         tensor(7, fields.output2) + fields.node;
}

// Returns the criteria of the case and of its outputs, "case | output | output".
std::string AllCriteria(const Case& read) {
  return Join(read.criteria) + "| " + Join(read.outputs[0].criteria) + "| " +
         Join(read.outputs[1].criteria);
}

TEST(CaseCriteria, OutputsMayHaveTheirOwnThresholds) {
  const auto text = [](const OutputsCase& fields) { return AllCriteria(ReadText(TextOf(fields))); };
  const std::string own = "thresholds { evaluation_threshold: 3 evaluation_threshold: 4 }";
  const std::string other = "thresholds { evaluation_threshold: [5, 6] }";
  const std::string criteria = "evaluation_criterion: DIFF1 evaluation_criterion: DIFF3 ";
  const std::string thresholds = "evaluation_threshold: [1, 2]";
  EXPECT_EQ(text({own, "", criteria + thresholds}), "0:1 2:2 | 0:3 2:4 | ");
  EXPECT_EQ(text({own, other, criteria + thresholds}), "0:1 2:2 | 0:3 2:4 | 0:5 2:6 ");
  // Existing files have none on the Node.
  EXPECT_EQ(text({own, other, criteria}), "| 0:3 2:4 | 0:5 2:6 ");
  EXPECT_EQ(text({"", other, criteria}), "| | 0:5 2:6 ");
  EXPECT_EQ(text({own, "threshold_use: 1", "test_param { error_func: [DIFF2, DIFF4] }"}),
            "| 1:3 4:4 | ");
  EXPECT_EQ(text({own, "", "evaluation_criterion: [MAPE, DIFF2] evaluation_threshold: [1, 2]"}),
            "1:2 | 1:4 | ");
}

TEST(CaseCriteria, OutputsOfBinaryFilesMayHaveTheirOwnThresholds) {
  const auto binary = [](const OutputsCase& fields) {
    return AllCriteria(ReadBinary(BinaryOf(fields)));
  };
  const std::string own = Bytes(15, Double(1, 3) + Double(1, 4)) + Number(16, 1);
  const std::string criteria = Number(14, 6) + Number(14, 8);
  EXPECT_EQ(binary({own, "", criteria + Double(15, 1) + Double(15, 2)}), "0:1 2:2 | 0:3 2:4 | ");
  EXPECT_EQ(binary({"", own, criteria}), "| | 0:3 2:4 ");
  EXPECT_EQ(binary({own, own, Number(14, 99) + Number(14, 7)}), "| 1:4 | 1:4 ");
}

TEST(CaseCriteria, ThresholdsOfInputsAreSkipped) {
  const std::string input = TensorText("input", "thresholds { evaluation_threshold: 1 }");
  EXPECT_EQ(ReadText(CaseText(input)).inputs[0].criteria.size(), 0u);
  EXPECT_EQ(ErrorOfText(CaseText(input, "evaluation_criterion: DIFF1")),
            ": has 1 evaluation_criterion and 0 evaluation_threshold; there must be one threshold "
            "per criterion");
}

TEST(CaseCriteria, AnOutputNeedsOneThresholdPerCriterion) {
  struct Wrong {
    OutputsCase fields;
    const char* error;
  };
  const std::string one = "thresholds { evaluation_threshold: 1 }";
  const std::string two = "thresholds { evaluation_threshold: [1, 2] }";
  const std::string criteria = "evaluation_criterion: [DIFF1, DIFF2] ";
  const Wrong all[] = {
      {{two, one, criteria},
       "output 1 'output': has 1 evaluation_threshold of its own; there must be 2, one for each "
       "evaluation_criterion of the case"},
      {{one, "", criteria + "evaluation_threshold: [1, 2]"},
       "output 0 'output': has 1 evaluation_threshold of its own; there must be 2, one for each "
       "evaluation_criterion of the case"},
      {{"thresholds { }", "", criteria + "evaluation_threshold: [1, 2]"},
       "output 0 'output': has 0 evaluation_threshold of its own; there must be 2, one for each "
       "evaluation_criterion of the case"},
      {{one, "", ""},
       "output 0 'output': has 1 evaluation_threshold of its own; there must be 0, one for each "
       "evaluation_criterion of the case"},
      {{two, "", "test_param { error_func: DIFF1 error_threshold: 1 }"},
       "output 0 'output': has 2 evaluation_threshold of its own; there must be 1, one for each "
       "error_func of the case"},
      // Thresholds of outputs do not excuse too few of the case.
      {{two, two, criteria + "evaluation_threshold: 1"},
       "has 2 evaluation_criterion and 1 evaluation_threshold; there must be one threshold per "
       "criterion"},
      {{"thresholds { evaluation_threshold: [1, -2] }", "", criteria},
       "output 0 'output': evaluation_threshold[1] is -2; it must be 0 or more"}};
  for (const Wrong& wrong : all) {
    EXPECT_EQ(ErrorOfText(TextOf(wrong.fields)), std::string(": ") + wrong.error);
  }
  EXPECT_EQ(
      ErrorOfFile("a.pb", BinaryOf({"", Bytes(15, Double(1, 3)), Number(14, 6) + Number(14, 7)})),
      ": output 1 't': has 1 evaluation_threshold of its own; there must be 2, one for each "
      "evaluation_criterion of the case");
}

// ---- Writing ------------------------------------------------------------------------------------

TEST(CaseCriteria, ThresholdsOfOutputsAreReadBack) {
  const std::string own = "thresholds { evaluation_threshold: 3 evaluation_threshold: 4 }";
  const std::string criteria = "evaluation_criterion: [DIFF1, DIFF3] ";
  for (const OutputsCase& fields :
       {OutputsCase{own, own, criteria}, OutputsCase{"", own, criteria},
        OutputsCase{own, "", criteria + "evaluation_threshold: [1, 2]"}}) {
    const Case read = ReadText(TextOf(fields));
    for (const CaseFormat format : {CaseFormat::kText, CaseFormat::kBinary}) {
      const TestFolder folder;
      const std::string path = folder / "a" + EndingOf(format);
      WriteCase(read, path, format);
      EXPECT_EQ(AllCriteria(ReadCase(path)), AllCriteria(read));
    }
  }
}

TEST(CaseCriteria, ThresholdsOfOutputsAreWrittenAsExistingFilesHaveThem) {
  const std::string own = "thresholds { evaluation_threshold: 3 evaluation_threshold: 4 }";
  const Case read = ReadText(TextOf({own, own, "evaluation_criterion: [DIFF1, DIFF3]"}));
  const TestFolder folder;
  WriteCase(read, folder / "a.prototxt", CaseFormat::kText);
  EXPECT_THAT(folder.Read("a.prototxt"),
              HasSubstr("  thresholds {\n    evaluation_threshold: [3, 4]\n  }\n}\n"
                        "evaluation_criterion: [DIFF1, DIFF3]\npoly_nms_param"));
}

TEST(CaseCriteria, AllOutputsMustHaveTheSameMeasures) {
  const TestFolder folder;
  Case made = ReadText(TextOf({}));
  made.outputs[0].criteria = {{Measure::kDiff1, 1}};
  made.outputs[1].criteria = {{Measure::kDiff2, 1}};
  EXPECT_THAT(UserErrorOf([&] { WriteCase(made, folder / "a.pb", CaseFormat::kBinary); }),
              HasSubstr("its outputs have different measures, which case files cannot express"));
  EXPECT_EQ(folder.Count(), 0u);
}

}  // namespace
}  // namespace detops::cli
