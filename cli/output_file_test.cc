// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/output_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "cli/case.h"
#include "cli/test_folder.h"

namespace detops::cli {
namespace {

mode_t PermissionsOf(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST(OutputFile, AppearsWithTheCommit) {
  const TestFolder folder;
  OutputFile file(folder / "a.txt");
  file.Write("two ");
  file.Write("parts");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.txt"));
  file.Commit();
  EXPECT_EQ(folder.Read("a.txt"), "two parts");
  EXPECT_EQ(folder.Count(), 1u);
}

TEST(OutputFile, LeavesNothingWithoutACommit) {
  const TestFolder folder;
  folder.Write("a.txt", "old");
  {
    OutputFile file(folder / "a.txt");
    file.Write("new");
    EXPECT_EQ(folder.Count(), 2u);
  }
  EXPECT_EQ(folder.Read("a.txt"), "old");
  EXPECT_EQ(folder.Count(), 1u);
}

TEST(OutputFile, HasTheDefaultPermissions) {
  const TestFolder folder;
  const mode_t before = umask(0027);
  OutputFile file(folder / "a.txt");
  file.Commit();
  umask(before);
  EXPECT_EQ(PermissionsOf(folder / "a.txt"), 0640u);
}

TEST(OutputFile, KeepsThePermissionsOfTheReplacedFile) {
  const TestFolder folder;
  const std::string path = folder.Write("a.txt", "old");
  chmod(path.c_str(), 0604);
  OutputFile file(path);
  file.Write("new");
  file.Commit();
  EXPECT_EQ(PermissionsOf(path), 0604u);
  EXPECT_EQ(folder.Read("a.txt"), "new");
}

TEST(OutputFile, ReplacesTheTargetOfALink) {
  const TestFolder folder;
  folder.Write("a.txt", "old");
  std::filesystem::create_symlink("a.txt", folder / "link");
  OutputFile file(folder / "link");
  file.Write("new");
  file.Commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(folder.Read("a.txt"), "new");
}

TEST(OutputFile, SeveralAtOnceDoNotCollide) {
  const TestFolder folder;
  OutputFile a(folder / "same");
  OutputFile b(folder / "same");
  a.Write("a");
  b.Write("b");
  a.Commit();
  EXPECT_EQ(folder.Read("same"), "a");
  b.Commit();
  EXPECT_EQ(folder.Read("same"), "b");
  EXPECT_EQ(folder.Count(), 1u);
}

TEST(OutputFile, NamesMayHaveTheMaximumLength) {
  const TestFolder folder;
  const std::string name(255, 'n');
  OutputFile file(folder / name);
  file.Write("x");
  file.Commit();
  EXPECT_EQ(folder.Read(name), "x");
}

TEST(OutputFile, AFullDiskIsAnError) {
  const auto fill = [] {
    OutputFile file("/dev/full");
    file.Write("x");
    file.Commit();
  };
  EXPECT_EQ(UserErrorOf(fill), "/dev/full: cannot be written: No space left on device");
  const auto fill_more = [] {
    OutputFile file("/dev/full");
    file.Write(std::string(1 << 20, 'x'));
  };
  EXPECT_EQ(UserErrorOf(fill_more), "/dev/full: cannot be written: No space left on device");
}

TEST(OutputFile, ADeviceStaysADevice) {
  OutputFile file("/dev/null");
  file.Write("x");
  file.Commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(OutputFile, ReportsWhyItCannotBeWritten) {
  const TestFolder folder;
  EXPECT_EQ(UserErrorOf([&] { OutputFile file(folder / "missing/a.txt"); }),
            folder / "missing/a.txt: cannot be written: No such file or directory");
  EXPECT_EQ(UserErrorOf([&] { OutputFile file(folder.path()); }),
            folder.path() + ": is a folder; the output must be a file");
  folder.Write("file", "");
  EXPECT_EQ(UserErrorOf([&] { OutputFile file(folder / "file/a.txt"); }),
            folder / "file/a.txt: cannot be written: Not a directory");
}

TEST(OutputFile, AReadOnlyFileIsNotReplaced) {
  if (geteuid() == 0) {
    GTEST_SKIP() << "root may write all files";
  }
  const TestFolder folder;
  const std::string path = folder.Write("a.txt", "old");
  chmod(path.c_str(), 0444);
  EXPECT_EQ(UserErrorOf([&] { OutputFile file(path); }),
            path + ": cannot be written: Permission denied");
}

// Sends a signal to a process that writes a file, and waits for its end. Returns its exit status,
// and its standard error in `said`.
int Interrupt(int signal, const std::string& path, std::string& said) {
  int ready[2];
  int errors[2];
  EXPECT_EQ(pipe(ready), 0);
  EXPECT_EQ(pipe(errors), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(errors[1], STDERR_FILENO);
    HandleInterrupts();
    OutputFile file(path);
    file.Write("half of it");
    [[maybe_unused]] const ssize_t written = write(ready[1], "x", 1);
    for (;;) {
      // Temporary files appear and disappear while the signal is handled.
      OutputFile another(path + "2");
      another.Write("x");
    }
  }
  close(ready[1]);
  close(errors[1]);
  char byte;
  EXPECT_EQ(read(ready[0], &byte, 1), 1);
  kill(child, signal);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  char text[256] = {};
  EXPECT_GE(read(errors[0], text, sizeof(text) - 1), 0);
  said = text;
  close(ready[0]);
  close(errors[0]);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(HandleInterrupts, LeavesNoFileAndOneLine) {
  for (int repeat = 0; repeat < 5; ++repeat) {
    const TestFolder folder;
    std::string said;
    EXPECT_EQ(Interrupt(SIGINT, folder / "a.txt", said), 130);
    EXPECT_EQ(said, "detops: interrupted\n");
    EXPECT_EQ(folder.Count(), 0u);
    EXPECT_EQ(Interrupt(SIGTERM, folder / "a.txt", said), 143);
    EXPECT_EQ(folder.Count(), 0u);
  }
}

TEST(HandleInterrupts, IgnoredSignalsStayIgnored) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGINT, SIG_IGN);
    HandleInterrupts();
    kill(getpid(), SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    _exit(7);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace detops::cli
