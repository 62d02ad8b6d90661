// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Recorded calls of every operator are read as cases and replayed: the operators (CaseOf) and the
// command (command.cc) agree on names, order and meaning of tensors and parameters.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "cli/adapter.h"
#include "cli/case_file.h"
#include "cli/machine.h"
#include "cli/runner.h"
#include "detops/detops.hpp"
#include "mlu_op.h"
#include "testing/c_api_fixture.h"
#include "testing/log_capture.h"
#include "testing/test_folder.h"
#include "tests/operator_calls.h"

namespace detops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Records to a temporary folder until the end of the test. ctest runs each test in a process of its
// own, so no cause has been logged before.
class RecordingReplay : public testing::Test {
 protected:
  RecordingReplay() {
    EXPECT_EQ(mluOpSetGenCaseDirectory(temporary_.path().c_str()), MLUOP_STATUS_SUCCESS);
  }
  ~RecordingReplay() override { mluOpSetGenCaseMode(0); }

  // Makes a call and returns the case file of it, or nothing if the call is not recorded.
  std::string Record(int mode, const std::function<void()>& call) {
    const std::vector<std::string> before = CaseFiles();
    mluOpSetGenCaseMode(mode);
    call();
    mluOpSetGenCaseMode(0);
    std::vector<std::string> made;
    const std::vector<std::string> after = CaseFiles();
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                        std::back_inserter(made));
    EXPECT_LE(made.size(), 1u);
    return made.empty() ? "" : made.front();
  }

  std::vector<std::string> CaseFiles() const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(temporary_.path())) {
      if (entry.path().extension() == ".prototxt") {
        files.push_back(entry.path().string());
      }
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  static void Replay(const std::string& file) {
    cli::Case read = cli::ReadCase(file);
    cli::Machine machine;
    cli::Runner runner(machine, {.threads = 2});
    const cli::CaseResult result = runner.Run(read);
    EXPECT_TRUE(result.passed) << file << ": " << cli::WhyItFailed(result);
  }

  TestFolder temporary_;
  LogCapture log_;
};

std::string ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Checks that the parameters in the file are exactly those that the command describes.
void ExpectDescribedParameters(const std::string& file) {
  const cli::Description& description = cli::FindAdapter(cli::ReadCase(file).op).description();
  std::string expected = fmt::format("\n{} {{\n", description.parameters_name);
  for (const cli::Parameter& parameter : description.parameters) {
    expected += fmt::format("  {}: VALUE\n", parameter.name);
  }
  expected += "}\n";
  EXPECT_THAT(std::regex_replace(ContentOf(file), std::regex(": [^\n]*"), ": VALUE"),
              HasSubstr(expected))
      << file;
}

bool IsNms(const OperatorCall& call) { return call.name.rfind("Nms", 0) == 0; }

class EveryOperator : public RecordingReplay, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Modes, EveryOperator, testing::Values(1, 2));

TEST_P(EveryOperator, IsReplayed) {
  std::map<std::string, int> recorded;
  for (OperatorCall& call : AllCalls()) {
    if (IsNms(call)) {
      continue;
    }
    Context context;
    call.Clear();
    const std::string file = Record(
        GetParam(), [&] { EXPECT_EQ(call.make(context), MLUOP_STATUS_SUCCESS) << call.name; });
    EXPECT_TRUE(call.IsRight()) << call.name;
    if (file.empty()) {
      EXPECT_NE(call.name.rfind("mluOp", 0), 0u) << call.name << ": C functions are recorded";
      continue;
    }
    SCOPED_TRACE(call.name);
    ++recorded[std::filesystem::path(file).parent_path().filename().string()];
    ExpectDescribedParameters(file);
    Replay(file);
  }
  for (const char* const op : {"bbox_overlaps", "border_align_forward", "generate_proposals_v2",
                               "poly_nms", "psroipool_forward"}) {
    EXPECT_GT(recorded[op], 0) << op;
  }
}

TEST_P(EveryOperator, NmsIsReplayed) {
  int recorded = 0;
  for (OperatorCall& call : AllCalls()) {
    if (!IsNms(call)) {
      continue;
    }
    Context context;
    const std::string file = Record(
        GetParam(), [&] { EXPECT_EQ(call.make(context), MLUOP_STATUS_SUCCESS) << call.name; });
    if (!file.empty()) {
      SCOPED_TRACE(call.name);
      ++recorded;
      ExpectDescribedParameters(file);
      Replay(file);
    }
  }
  EXPECT_GT(recorded, 0);
}

TEST_F(RecordingReplay, InputsAreTheSameBitForBit) {
  // NaNs with payloads, infinities, denormals and both zeros, in text and in a raw file.
  const uint32_t special[] = {0x7fc12345, 0xff800001, 0x7f800000, 0xff800000,
                              0x00000001, 0x80000000, 0x00000000, 0x3f800001};
  for (const int64_t rows : {2, 3000}) {
    std::vector<float> boxes(static_cast<size_t>(rows * 4));
    for (size_t i = 0; i < boxes.size(); ++i) {
      boxes[i] = std::bit_cast<float>(special[i % std::size(special)]);
    }
    std::vector<float> ious(static_cast<size_t>(rows * 2));
    const std::string file = Record(2, [&] {
      BboxOverlaps({boxes.data(), {rows, 4}}, {boxes.data(), {2, 4}}, {ious.data(), {rows, 2}},
                   {.mode = OverlapMode::kIof, .offset = 1});
    });
    ASSERT_NE(file, "");
    const cli::Case read = cli::ReadCase(file);
    EXPECT_EQ(read.op, "bbox_overlaps");
    EXPECT_THAT(read.parameters, ElementsAre(1, 0, 1));
    ASSERT_EQ(read.inputs.size(), 2u);
    EXPECT_THAT(read.inputs[0].dims, ElementsAre(rows, 4));
    ASSERT_EQ(read.inputs[0].values.size(), boxes.size() * sizeof(float));
    EXPECT_EQ(std::memcmp(read.inputs[0].values.data(), boxes.data(), boxes.size() * sizeof(float)),
              0);
    EXPECT_THAT(read.outputs.at(0).dims, ElementsAre(rows, 2));
  }
}

TEST_F(RecordingReplay, TensorsOfProposalsAreInTheOrderOfCaseFiles) {
  const std::vector<float> scores = {0.5f};
  const std::vector<float> deltas = {0, 0, 0, 0};
  const std::vector<float> anchors = {0, 0, 10, 10};
  const std::vector<float> image_size = {20, 30};
  const std::string file = Record(2, [&] {
    const GenerateProposalsResult result =
        GenerateProposalsV2({scores.data(), {1, 1, 1, 1}}, {deltas.data(), {1, 1, 1, 4}},
                            {image_size.data(), {1, 2}}, {anchors.data(), {1, 1, 1, 4}});
    EXPECT_EQ(result.counts, std::vector<int32_t>{1});
  });
  ASSERT_NE(file, "");
  cli::Case read = cli::ReadCase(file);
  cli::PrepareTensors(read);
  EXPECT_EQ(read.inputs[0].as<float>()[0], 0.5f);
  EXPECT_EQ(read.inputs[2].as<float>()[2], 10);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(read.inputs[3].as<float>()[i], 1) << "variances that a call lacks are ones";
  }
  EXPECT_EQ(read.inputs[4].as<float>()[1], 30);
  Replay(file);
}

TEST_F(RecordingReplay, CallsWithNothingToComputeAreReplayed) {
  const ScopedHandle handle;
  const ScopedDescriptor none({0, 4});
  const ScopedDescriptor three({3, 4});
  const ScopedDescriptor ious({0, 3});
  const std::string file = Record(2, [&] {
    EXPECT_EQ(mluOpBboxOverlaps(handle, 0, false, 0, none, nullptr, three, nullptr, ious, nullptr),
              MLUOP_STATUS_SUCCESS);
  });
  ASSERT_NE(file, "");
  Replay(file);
}

TEST_F(RecordingReplay, CallsThatFailTheirChecksAreNotRecorded) {
  const ScopedHandle handle;
  const ScopedDescriptor boxes({3, 4});
  EXPECT_EQ(Record(2,
                   [&] {
                     EXPECT_EQ(mluOpBboxOverlaps(handle, 2, false, 0, boxes, nullptr, boxes,
                                                 nullptr, boxes, nullptr),
                               MLUOP_STATUS_BAD_PARAM);
                   }),
            "");
  EXPECT_EQ(log_.Take().size(), 1u) << "only the failure of the call itself";
}

TEST_F(RecordingReplay, OptionsThatCaseFilesLackAreNamedOnce) {
  const std::vector<float> boxes = {0, 0, 1, 1, 0, 0, 1, 1};
  const std::vector<float> scores = {1, 2};
  const std::vector<int32_t> groups = {0, 1};
  const ConstTensorView boxes_view(boxes.data(), {2, 4});
  NmsOptions grouped;
  grouped.groups = ConstTensorView(groups.data(), {2});
  NmsOptions none;
  none.max_outputs = 0;
  EXPECT_EQ(Record(2,
                   [&] {
                     (void)Nms(boxes_view, {scores.data(), {2}}, grouped);
                     (void)Nms(boxes_view, {scores.data(), {2}}, grouped);
                     (void)Nms(boxes_view, {scores.data(), {2}}, none);
                     (void)BboxOverlapsRowMaximum(boxes_view, boxes_view);
                     (void)BboxOverlapsPairs(boxes_view, boxes_view, 0.5f);
                   }),
            "");
  EXPECT_THAT(
      log_.Take(),
      ElementsAre(
          "Nms: the call is not recorded: case files have no groups, image_counts and "
          "score_threshold",
          "Nms: the call is not recorded: in case files, max_outputs 0 means no limit",
          "BboxOverlapsRowMaximum: the call is not recorded: no case file describes this function",
          "BboxOverlapsPairs: the call is not recorded: no case file describes this function"));
}

TEST_F(RecordingReplay, OtherLayoutsAndRoundingsAreNamed) {
  const std::vector<float> map(16, 1.0f);
  const std::vector<float> rois = {0, 0, 0, 1, 1};
  std::vector<float> output(4);
  EXPECT_EQ(Record(2,
                   [&] {
                     PsRoiPoolForward({map.data(), {1, 4, 2, 2}}, {rois.data(), {1, 5}},
                                      {output.data(), {1, 1, 2, 2}}, std::nullopt,
                                      {.group_size = 2, .layout = ImageLayout::kNchw});
                     PsRoiPoolForward({map.data(), {1, 2, 2, 4}}, {rois.data(), {1, 5}},
                                      {output.data(), {1, 2, 2, 1}}, std::nullopt,
                                      {.group_size = 2, .rounding = RoiRounding::kAfterScaling});
                     BorderAlignForward({map.data(), {1, 4, 2, 2}}, {rois.data(), {1, 1, 4}},
                                        {output.data(), {1, 1, 1, 4}}, std::nullopt,
                                        {.pool_size = 1, .layout = ImageLayout::kNchw});
                   }),
            "");
  EXPECT_THAT(log_.Take(),
              ElementsAre(HasSubstr("PsRoiPoolForward: the call is not recorded: case files have "
                                    "no channels-first layout"),
                          HasSubstr("RoIs are rounded before scaling"),
                          HasSubstr("BorderAlignForward: the call is not recorded")));
}

TEST_F(RecordingReplay, AnOutputThatTheCallLacksIsDerived) {
  const std::vector<float> map(16, 1.0f);
  const std::vector<float> rois = {0, 0, 0, 1, 1};
  std::vector<float> output(4);
  const std::string file = Record(2, [&] {
    PsRoiPoolForward({map.data(), {1, 2, 2, 4}}, {rois.data(), {1, 5}},
                     {output.data(), {1, 2, 2, 1}}, std::nullopt, {.group_size = 2});
  });
  ASSERT_NE(file, "");
  EXPECT_THAT(cli::ReadCase(file).outputs, IsEmpty());
  Replay(file);
}

}  // namespace
}  // namespace detops
