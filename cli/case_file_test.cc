// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/case_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/test_cases.h"
#include "cli/test_folder.h"
#include "cli/test_numbers.h"

namespace detops::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ReadCase, ReadsTheFieldsOfExistingFiles) {
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
  EXPECT_FALSE(read.inputs[0].random.has_value()) << "values take precedence";
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

TEST(ReadCase, TheOperatorMayBeTheApiName) {
  const std::string tensors = TensorText("input", "") + TensorText("input", "");
  EXPECT_EQ(ReadText("api_name: \"bbox_overlaps\"\n" + tensors).op, "bbox_overlaps");
  EXPECT_EQ(ReadText("api_name: \"mlu\" op_name: \"bbox_overlaps\"\n" + tensors).op,
            "bbox_overlaps");
  EXPECT_EQ(ErrorOfText(tensors),
            ": has neither op_name nor api_name; one of them must name an operator");
  EXPECT_THAT(ErrorOfText("op_name: \"abs\"\n" + tensors),
              StartsWith(": there is no operator 'abs'; the operators are bbox_overlaps, "));
}

// MLU-OPS has an operator nms of its own, with other inputs and parameters.
TEST(ReadCase, AnOperatorOfMluOpsIsNotTakenForOneOfTheSameName) {
  const std::string tensors =
      TensorText("input", "") + TensorText("input", "", "dims: 2") + "nms_param { offset: 0.5 }";
  const std::string error =
      ": nms is MLU-OPS' own operator nms, which detops does not have; detops' axis-aligned NMS is "
      "called detops_nms in case files";
  EXPECT_EQ(ErrorOfText("op_name: \"nms\"\n" + tensors), error);
  EXPECT_EQ(ErrorOfText("api_name: \"nms\"\n" + tensors), error);
  EXPECT_EQ(ErrorOfFile("a.pb", Bytes(5, "nms") + Bytes(6, BinaryTensor("")) +
                                    Bytes(768, Number(1, 0) + Number(2, 10))),
            error);
  const Case read = ReadText("op_name: \"detops_nms\"\n" + tensors);
  EXPECT_EQ(read.op, "nms");
  EXPECT_THAT(ErrorOfText("op_name: \"abs\"\n" + tensors), HasSubstr("detops_nms, "));
}

TEST(ReadCase, TheStatusMayBeExpected) {
  const std::string input = TensorText("input", "");
  EXPECT_EQ(ReadText(CaseText(input, "expected_status: 3")).expected_status,
            MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(ErrorOfText(CaseText(input, "expected_status: 9")),
            ": expected_status is 9; it must be 0 to 8");
  EXPECT_EQ(ErrorOfText(CaseText(input, "expected_status: -1")),
            ": expected_status is -1; it must be 0 to 8");
}

TEST(ReadCase, TheNumberOfTensorsMustFitTheOperator) {
  const std::string input = TensorText("input", "");
  EXPECT_EQ(ErrorOfText("op_name: \"bbox_overlaps\"\n" + input),
            ": has 1 input; bbox_overlaps needs 2");
  EXPECT_EQ(ErrorOfText(CaseText(input, input)), ": has 3 inputs; bbox_overlaps needs 2");
  const std::string output = TensorText("output", "");
  EXPECT_EQ(ErrorOfText(CaseText(input, output + output)),
            ": has 2 outputs; bbox_overlaps needs 1");
  EXPECT_EQ(ReadText(CaseText(input, TensorText("output", kEight))).outputs[0].values.size(), 32u);
}

TEST(ReadCase, ReportsWhatCannotBeRead) {
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
            huge + ": has 2147483648 bytes; the limit is 2147483647");
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

TEST(FindCaseFiles, ReportsWhatIsMissing) {
  const TestFolder folder;
  EXPECT_EQ(UserErrorOf([&] { FindCaseFiles({folder / "a.pb"}); }),
            folder / "a.pb: cannot be read: No such file or directory");
  EXPECT_EQ(UserErrorOf([&] { FindCaseFiles({folder.path()}); }),
            folder.path() + ": contains no case files, which end in .prototxt or .pb");
  EXPECT_EQ(UserErrorOf([&] { FindCaseFiles({""}); }),
            "CASE is empty; it must name a case file or a folder");
}

TEST(FindCaseFiles, NamesTheFolderThatCannotBeRead) {
  const TestFolder folder;
  chmod(folder.path().c_str(), 0755);
  folder.Write("a.pb", "");
  std::filesystem::create_directories(folder / "b/secret");
  chmod((folder / "b/secret").c_str(), 0);
  const bool is_root = geteuid() == 0;
  if (is_root) {  // root may read everything
    constexpr uid_t kNobody = 65534;
    ASSERT_EQ(seteuid(kNobody), 0);
  }
  const std::string below = UserErrorOf([&] { FindCaseFiles({folder.path()}); });
  const std::string itself = UserErrorOf([&] { FindCaseFiles({folder / "b/secret"}); });
  const std::string inside = UserErrorOf([&] { FindCaseFiles({folder / "b/secret/a.pb"}); });
  if (is_root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  chmod((folder / "b/secret").c_str(), 0700);
  EXPECT_EQ(below, folder / "b/secret: cannot be read: Permission denied");
  EXPECT_EQ(itself, folder / "b/secret: cannot be read: Permission denied");
  EXPECT_EQ(inside, folder / "b/secret/a.pb: cannot be read: Permission denied");
}

TEST(FindCaseFiles, IgnoresLinksThatLeadNowhere) {
  const TestFolder folder;
  folder.Write("a.pb", "");
  std::filesystem::create_symlink("missing", folder / "b.pb");
  std::filesystem::create_directory_symlink(".", folder / "loop");
  EXPECT_THAT(FindCaseFiles({folder.path()}), ElementsAre(folder / "a.pb"));
}

}  // namespace
}  // namespace detops::cli
