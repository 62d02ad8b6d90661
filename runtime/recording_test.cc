// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/tensor_view.h"
#include "runtime/case_text.h"
#include "runtime/submit.h"
#include "testing/c_api_fixture.h"
#include "testing/file_size_limit.h"
#include "testing/log_capture.h"
#include "testing/test_folder.h"

namespace detops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

bool Never() { return false; }
bool Always() { return true; }

// A call with one input of float numbers.
class RecordedNumbers {
 public:
  explicit RecordedNumbers(std::vector<float> numbers)
      : numbers_(std::move(numbers)),
        tensor_("numbers", ConstTensorView(numbers_.data(), {Count()})) {}

  RecordedCase recorded() const {
    return {.op_name = "some_op", .parameters_name = "some_param", .inputs = {Operand(tensor_)}};
  }
  int64_t Count() const { return static_cast<int64_t>(numbers_.size()); }
  std::vector<float>& numbers() { return numbers_; }

 private:
  std::vector<float> numbers_;
  ViewedTensor tensor_;
};

// Returns the paths of all files, sorted.
std::vector<std::string> FilesBelow(const std::string& folder) {
  std::set<std::string> files;
  if (std::filesystem::exists(folder)) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) {
        files.insert(entry.path().string());
      }
    }
  }
  return {files.begin(), files.end()};
}

std::string ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// ---- Recorder -----------------------------------------------------------------------------------

class RecorderTest : public testing::Test {
 protected:
  std::vector<std::string> Files() const { return FilesBelow(temporary_.path()); }

  LogCapture log_;
  TestFolder temporary_;
  RecordedNumbers few_{{1, 2}};
};

TEST_F(RecorderTest, WritesOneFileForASmallCall) {
  Recorder recorder({}, Never);
  recorder.SetDirectory(temporary_ / "new/cases");
  recorder.Record("Function", few_.recorded(), RecordingMode::kData);
  const std::vector<std::string> files = Files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_THAT(files[0], testing::ContainsRegex(
                            "/new/cases/some_op/some_op_[0-9]{8}_[0-9]{2}_[0-9]{2}_[0-9]{2}_[0-9]{"
                            "6}_tid[0-9]+_device0_[0-9]+\\.prototxt$"));
  EXPECT_EQ(ContentOf(files[0]), CaseText(few_.recorded(), "", true));
  EXPECT_THAT(ContentOf(files[0]), HasSubstr("value_h: [\"3f800000\", \"40000000\"]"));
  EXPECT_THAT(log_.Take(), IsEmpty());
}

TEST_F(RecorderTest, WritesALargeInputToAFileOfItsOwn) {
  Recorder recorder({}, Never);
  recorder.SetDirectory(temporary_.path());
  RecordedNumbers many(std::vector<float>(kMaxTextValues + 1, 0.5f));
  many.numbers().back() = 7;
  recorder.Record("Function", many.recorded(), RecordingMode::kData);
  const std::vector<std::string> files = Files();
  ASSERT_EQ(files.size(), 2u);
  const std::string stem = std::filesystem::path(files[0]).stem().string();
  EXPECT_THAT(files[1], testing::EndsWith(stem + "_data0_input"));
  EXPECT_EQ(ContentOf(files[0]), CaseText(many.recorded(), stem, true));
  const std::string raw = ContentOf(files[1]);
  ASSERT_EQ(raw.size(), many.numbers().size() * sizeof(float));
  EXPECT_EQ(std::memcmp(raw.data(), many.numbers().data(), raw.size()), 0);
}

TEST_F(RecorderTest, WritesOrPrintsShapesOnly) {
  Recorder recorder({}, Never);
  recorder.SetDirectory(temporary_.path());
  recorder.Record("Function", few_.recorded(), RecordingMode::kPrint);
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_THAT(log_.Take(), ElementsAre("Function: " + CaseLine(few_.recorded())));
  recorder.Record("Function", few_.recorded(), RecordingMode::kShapes);
  ASSERT_EQ(Files().size(), 1u);
  EXPECT_EQ(ContentOf(Files()[0]), CaseText(few_.recorded(), "", false));
  EXPECT_THAT(ContentOf(Files()[0]), HasSubstr("random_data"));
}

TEST_F(RecorderTest, TheDefaultDirectoryIsGenCase) {
  Recorder recorder({}, Never);
  EXPECT_EQ(recorder.directory(), "gen_case");
  recorder.SetParentOfDefault(temporary_ / "parent");
  EXPECT_EQ(recorder.directory(), temporary_ / "parent/gen_case");
  recorder.Record("Function", few_.recorded(), RecordingMode::kShapes);
  ASSERT_EQ(Files().size(), 1u);
  EXPECT_THAT(Files()[0], StartsWith(temporary_ / "parent/gen_case/some_op/some_op_"));
  recorder.SetDirectory("elsewhere");
  EXPECT_EQ(recorder.directory(), "elsewhere");
}

TEST_F(RecorderTest, CallsThatCaseFilesCannotExpressAreNamedOnce) {
  Recorder recorder({}, Never);
  recorder.SetDirectory(temporary_.path());
  recorder.Record("First", NoCase("too special"), RecordingMode::kData);
  recorder.Record("First", NoCase("too special"), RecordingMode::kPrint);
  recorder.Record("Second", NoCase("too special"), RecordingMode::kShapes);
  EXPECT_THAT(log_.Take(), ElementsAre("First: the call is not recorded: too special",
                                       "Second: the call is not recorded: too special"));
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(RecorderTest, AFolderThatCannotBeWrittenIsLoggedOnce) {
  Recorder recorder({}, Never);
  recorder.SetDirectory(temporary_.Write("file", ""));
  for (int i = 0; i < 3; ++i) {
    recorder.Record("Function", few_.recorded(), RecordingMode::kData);
  }
  EXPECT_THAT(log_.Take(),
              ElementsAre("Function: the call is not recorded: " + (temporary_ / "file") +
                          " cannot be written: Not a directory"));
  // Another folder is another cause, and one that can be written works at once.
  recorder.SetDirectory("/proc/none");
  recorder.Record("Function", few_.recorded(), RecordingMode::kData);
  EXPECT_THAT(log_.Take(), ElementsAre(HasSubstr("/proc/none cannot be written")));
  recorder.SetDirectory(temporary_ / "good");
  recorder.Record("Function", few_.recorded(), RecordingMode::kData);
  EXPECT_THAT(log_.Take(), IsEmpty());
  EXPECT_EQ(FilesBelow(temporary_ / "good").size(), 1u);
}

TEST_F(RecorderTest, ACaseThatCannotBeWrittenCompletelyLeavesNoFile) {
  Recorder recorder({.files = 2}, Never);
  recorder.SetDirectory(temporary_ / "cases");
  const RecordedNumbers many(std::vector<float>(kMaxTextValues + 1));
  {
    const FileSizeLimit limit(kMaxTextValues);
    recorder.Record("Function", many.recorded(), RecordingMode::kData);
    recorder.Record("Function", many.recorded(), RecordingMode::kData);
  }
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_THAT(log_.Take(),
              ElementsAre(HasSubstr("_data0_input cannot be written: File too large")));
  recorder.Record("Function", many.recorded(), RecordingMode::kData);
  EXPECT_EQ(Files().size(), 2u) << "failures do not count against the limits";
}

TEST_F(RecorderTest, StopsAtTheLimitOfFiles) {
  Recorder recorder({.files = 3}, Never);
  recorder.SetDirectory(temporary_ / "cases");
  for (int i = 0; i < 5; ++i) {
    recorder.Record("Function", few_.recorded(), RecordingMode::kData);
  }
  EXPECT_EQ(Files().size(), 3u);
  EXPECT_THAT(log_.Take(),
              ElementsAre("Function: the call is not recorded: one process writes at most 3 files "
                          "and 1073741824 bytes"));
}

TEST_F(RecorderTest, StopsAtTheLimitOfBytes) {
  const auto bytes = static_cast<int64_t>(CaseText(few_.recorded(), "", true).size());
  Recorder recorder({.bytes = 2 * bytes}, Never);
  recorder.SetDirectory(temporary_ / "cases");
  for (int i = 0; i < 4; ++i) {
    recorder.Record("Function", few_.recorded(), RecordingMode::kData);
  }
  EXPECT_EQ(Files().size(), 2u);
  EXPECT_THAT(log_.Take(), ElementsAre(HasSubstr("one process writes at most")));
}

// Users are told these numbers (mlu_op.h, SECURITY.md).
TEST_F(RecorderTest, TheLimitsAreTenThousandFilesAndOneGibibyte) {
  EXPECT_EQ(RecordingLimits().files, 10'000);
  EXPECT_EQ(RecordingLimits().bytes, 1'073'741'824);
  EXPECT_EQ(kMaxTextValues, 1024) << "longer tensors are files of their own";
}

TEST_F(RecorderTest, ARelativeDirectoryStartsInTheWorkingDirectoryOfTheCall) {
  Recorder recorder({}, Never);
  recorder.SetDirectory("relative");
  const std::filesystem::path before = std::filesystem::current_path();
  for (const char* const folder : {"first", "second"}) {
    std::filesystem::create_directory(temporary_ / folder);
    std::filesystem::current_path(temporary_ / folder);
    recorder.Record("Function", few_.recorded(), RecordingMode::kShapes);
  }
  std::filesystem::current_path(before);
  for (const char* const folder : {"first/relative", "second/relative"}) {
    EXPECT_EQ(FilesBelow(temporary_ / folder).size(), 1u) << folder;
  }
}

TEST_F(RecorderTest, ProgramsWithForeignRightsRecordNothing) {
  Recorder recorder({}, Always);
  recorder.SetDirectory(temporary_ / "cases");
  for (const RecordingMode mode :
       {RecordingMode::kShapes, RecordingMode::kData, RecordingMode::kPrint}) {
    recorder.Record("Function", few_.recorded(), mode);
  }
  EXPECT_FALSE(std::filesystem::exists(temporary_ / "cases"));
  EXPECT_THAT(log_.Take(), ElementsAre("Function: the call is not recorded: setuid and setgid "
                                       "programs record nothing"));
}

TEST(HasForeignRights, IsFalseInATest) { EXPECT_FALSE(HasForeignRights()); }

// In a child, whose rights can be changed without an effect on other tests.
TEST(HasForeignRights, IsTrueIfTheEffectiveUserOrGroupIsAnother) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root may change its effective user";
  }
  constexpr unsigned kOther = 65534;
  for (const bool user : {true, false}) {
    const pid_t child = fork();
    if (child == 0) {
      const bool changed = (user ? seteuid(kOther) : setegid(kOther)) == 0;
      _exit(changed && HasForeignRights() ? 42 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 42) << "user " << user;
  }
}

TEST_F(RecorderTest, CausesThatAreLoggedAreLimited) {
  Recorder recorder({}, Never);
  for (int i = 0; i < 150; ++i) {
    recorder.Record("Function", NoCase(std::to_string(i).c_str()), RecordingMode::kData);
  }
  EXPECT_EQ(log_.Take().size(), 100u);
}

TEST_F(RecorderTest, ThreadsUseDifferentNames) {
  Recorder recorder({}, Never);
  recorder.SetDirectory(temporary_ / "cases");
  constexpr size_t kThreads = 4;
  constexpr size_t kCalls = 25;
  std::vector<std::thread> threads(kThreads);
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      for (size_t call = 0; call < kCalls; ++call) {
        recorder.Record("Function", few_.recorded(), RecordingMode::kData);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(Files().size(), kThreads * kCalls);
  EXPECT_THAT(log_.Take(), IsEmpty());
}

// ---- Calls and the C functions ------------------------------------------------------------------

// Records to a temporary folder until the end of the test.
class RecordingTest : public testing::Test {
 protected:
  RecordingTest() {
    EXPECT_EQ(mluOpSetGenCaseDirectory((temporary_ / "cases").c_str()), MLUOP_STATUS_SUCCESS);
  }
  ~RecordingTest() override { mluOpSetGenCaseMode(0); }

  void Record(RecordedNumbers& numbers) {
    RecordCall(*Find<Handle>(handle_), "Function", [&] { return numbers.recorded(); });
  }
  std::vector<std::string> Files() const { return FilesBelow(temporary_ / "cases"); }

  LogCapture log_;
  TestFolder temporary_;
  ScopedHandle handle_;
  RecordedNumbers numbers_{{1, 2}};
};

TEST_F(RecordingTest, ModesOtherThanOneToThreeAreOff) {
  for (const int mode : {0, -1, 4, 1000}) {
    mluOpSetGenCaseMode(1);
    mluOpSetGenCaseMode(mode);
    EXPECT_EQ(CurrentRecordingMode(), RecordingMode::kOff) << mode;
    RecordCall(*Find<Handle>(handle_), "Function", []() -> RecordedCase {
      ADD_FAILURE() << "a case is made although recording is off";
      return {};
    });
  }
  for (const int mode : {1, 2, 3}) {
    mluOpSetGenCaseMode(mode);
    EXPECT_EQ(CurrentRecordingMode(), static_cast<RecordingMode>(mode));
  }
}

TEST_F(RecordingTest, AnExceptionDoesNotReachTheCall) {
  mluOpSetGenCaseMode(2);
  RecordCall(*Find<Handle>(handle_), "Function", []() -> RecordedCase { throw std::bad_alloc(); });
  EXPECT_THAT(log_.Take(), ElementsAre(StartsWith("Function: the call is not recorded: ")));
}

TEST_F(RecordingTest, AQueuedCallIsRecordedAsItsJobSeesIt) {
  mluOpSetGenCaseMode(2);
  ScopedQueue queue(handle_);
  queue.Hold();
  Record(numbers_);
  mluOpSetGenCaseMode(0);
  EXPECT_THAT(Files(), IsEmpty()) << "recorded before its turn";
  numbers_.numbers()[0] = 3;  // after the call, before the job
  EXPECT_EQ(queue.Sync(), cnrtSuccess);
  ASSERT_EQ(Files().size(), 1u);
  EXPECT_THAT(ContentOf(Files()[0]), HasSubstr("value_h: [\"40400000\", \"40000000\"]"));
}

struct OverwriteArgs {
  float* number;
};

Status Overwrite(RunContext&, const OverwriteArgs& args) {
  *args.number = 99;
  return {};
}

TEST_F(RecordingTest, AnOperatorThatReusesItsInputIsRecordedBefore) {
  mluOpSetGenCaseMode(2);
  ScopedQueue queue(handle_);
  Record(numbers_);
  ASSERT_TRUE(Submit<Overwrite>(*Find<Handle>(handle_), "Function",
                                OverwriteArgs{.number = numbers_.numbers().data()})
                  .ok());
  EXPECT_EQ(queue.Sync(), cnrtSuccess);
  ASSERT_EQ(Files().size(), 1u);
  EXPECT_THAT(ContentOf(Files()[0]), HasSubstr("value_h: [\"3f800000\", \"40000000\"]"));
}

TEST_F(RecordingTest, AFailureOnAQueueIsNoErrorOfTheQueue) {
  mluOpSetGenCaseMode(2);
  ASSERT_EQ(mluOpSetGenCaseDirectory(temporary_.Write("file", "").c_str()), MLUOP_STATUS_SUCCESS);
  ScopedQueue queue(handle_);
  Record(numbers_);
  EXPECT_EQ(queue.Sync(), cnrtSuccess);
  EXPECT_THAT(log_.Take(), ElementsAre(HasSubstr("cannot be written: Not a directory")));
}

TEST_F(RecordingTest, TheDirectoryIsReturned) {
  ASSERT_EQ(mluOpSetGenCaseDirectory("some/folder"), MLUOP_STATUS_SUCCESS);
  char buffer[12] = "untouched";
  size_t length = 0;
  mluOpStatus_t status = MLUOP_STATUS_INTERNAL_ERROR;
  EXPECT_EQ(mluOpGetGenCaseDirectory(buffer, sizeof(buffer), &length, &status), buffer);
  EXPECT_STREQ(buffer, "some/folder");
  EXPECT_EQ(length, 11u);
  EXPECT_EQ(status, MLUOP_STATUS_SUCCESS);

  const char* const allocated = mluOpGetGenCaseDirectory(nullptr, 0, nullptr, nullptr);
  EXPECT_STREQ(allocated, "some/folder");
  std::free(const_cast<char*>(allocated));
}

TEST_F(RecordingTest, ABufferThatIsTooSmallIsNotWritten) {
  ASSERT_EQ(mluOpSetGenCaseDirectory("some/folder"), MLUOP_STATUS_SUCCESS);
  char buffer[11] = "untouched";
  size_t length = 0;
  mluOpStatus_t status = MLUOP_STATUS_SUCCESS;
  EXPECT_EQ(mluOpGetGenCaseDirectory(buffer, sizeof(buffer), &length, &status), nullptr);
  EXPECT_EQ(status, MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(length, 11u);
  EXPECT_STREQ(buffer, "untouched");
  EXPECT_THAT(log_.Take(), ElementsAre("mluOpGetGenCaseDirectory: bufferSize is 11; it must be at "
                                       "least 12"));
}

TEST_F(RecordingTest, WrongDirectoriesAreRejected) {
  EXPECT_EQ(mluOpSetGenCaseDirectory(nullptr), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(mluOpSetGenCaseDirectory(""), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(mluOpSetGenCaseDirectory(std::string(4096, 'x').c_str()), MLUOP_STATUS_BAD_PARAM);
  EXPECT_THAT(
      log_.Take(),
      ElementsAre("mluOpSetGenCaseDirectory: path is NULL; it must be a valid pointer",
                  "mluOpSetGenCaseDirectory: path is empty; it must name a folder",
                  "mluOpSetGenCaseDirectory: path has 4096 bytes or more; it must have fewer"));
  EXPECT_EQ(TheRecorder().directory(), temporary_ / "cases");
}

}  // namespace
}  // namespace detops
