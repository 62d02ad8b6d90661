// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/new_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "testing/file_size_limit.h"
#include "testing/test_folder.h"

namespace detops {
namespace {

mode_t ModeOf(const std::string& path) {
  struct stat found {};
  EXPECT_EQ(lstat(path.c_str(), &found), 0) << path;
  return found.st_mode & 07777;
}

TEST(NewFiles, AreComplete) {
  const TestFolder temporary;
  Folder folder;
  ASSERT_EQ(folder.Open(temporary / "a/b", {"c", "d"}).number, 0);
  const std::vector<NewFile> files = {{.name = "one", .bytes = "first"},
                                      {.name = "two", .bytes = ""}};
  ASSERT_EQ(folder.Write(files).number, 0);
  EXPECT_EQ(temporary.Read("a/b/c/d/one"), "first");
  EXPECT_EQ(temporary.Read("a/b/c/d/two"), "");
  for (const char* const path : {"a", "a/b", "a/b/c", "a/b/c/d"}) {
    EXPECT_EQ(ModeOf(temporary / path), 0700u) << path;
  }
  EXPECT_EQ(ModeOf(temporary / "a/b/c/d/one"), 0600u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(temporary / "a/b/c/d"), {}), 2)
      << "no temporary file stays";
}

TEST(NewFiles, FoldersThatExistAreUsed) {
  const TestFolder temporary;
  for (int i = 0; i < 2; ++i) {
    Folder folder;
    ASSERT_EQ(folder.Open(temporary.path() + "/", {"op"}).number, 0);
  }
  Folder working_directory;
  EXPECT_EQ(working_directory.Open(".", {}).number, 0);
}

TEST(NewFiles, NoneIsWrittenIfANameIsTaken) {
  const TestFolder temporary;
  temporary.Write("two", "old");
  Folder folder;
  ASSERT_EQ(folder.Open(temporary.path(), {}).number, 0);
  const std::vector<NewFile> files = {{.name = "one", .bytes = "1"}, {.name = "two", .bytes = "2"}};
  const FileError error = folder.Write(files);
  EXPECT_EQ(error.number, EEXIST);
  EXPECT_EQ(error.path, temporary / "two");
  EXPECT_EQ(temporary.Read("two"), "old");
  EXPECT_EQ(temporary.Count(), 1u) << "the first file and the temporary files are removed";
}

TEST(NewFiles, ATakenTemporaryNameIsNotUsed) {
  const TestFolder temporary;
  temporary.Write("elsewhere", "old");
  ASSERT_EQ(symlink("elsewhere", (temporary / ".one.tmp").c_str()), 0);
  Folder folder;
  ASSERT_EQ(folder.Open(temporary.path(), {}).number, 0);
  const std::vector<NewFile> files = {{.name = "one", .bytes = "1"}};
  EXPECT_EQ(folder.Write(files).number, EEXIST);
  EXPECT_EQ(temporary.Read("elsewhere"), "old");
  EXPECT_EQ(temporary.Count(), 2u);
}

TEST(NewFiles, NoneIsWrittenIfOneIsTooLarge) {
  const TestFolder temporary;
  Folder folder;
  ASSERT_EQ(folder.Open(temporary.path(), {}).number, 0);
  const std::string large(1000, 'x');
  const std::vector<NewFile> files = {{.name = "small", .bytes = "1"},
                                      {.name = "large", .bytes = large}};
  FileError error;
  {
    const FileSizeLimit limit(999);
    error = folder.Write(files);  // must not raise SIGXFSZ
  }
  EXPECT_EQ(error.number, EFBIG);
  EXPECT_EQ(error.path, temporary / "large");
  EXPECT_EQ(temporary.Count(), 0u);
  EXPECT_EQ(folder.Write(files).number, 0);
}

TEST(NewFiles, OwnFoldersMayNotBeLinks) {
  const TestFolder temporary;
  std::filesystem::create_directory(temporary / "target");
  ASSERT_EQ(symlink("target", (temporary / "link").c_str()), 0);
  Folder through_link;
  const FileError error = through_link.Open(temporary.path(), {"link"});
  EXPECT_TRUE(error.number == ELOOP || error.number == ENOTDIR) << error.number;
  EXPECT_EQ(error.path, temporary / "link");
  Folder chosen;
  EXPECT_EQ(chosen.Open(temporary / "link", {"op"}).number, 0) << "the user's folder may be a link";
  EXPECT_TRUE(std::filesystem::is_directory(temporary / "target/op"));
}

TEST(NewFiles, AFileInPlaceOfAFolderIsAnError) {
  const TestFolder temporary;
  temporary.Write("file", "");
  Folder as_base;
  EXPECT_EQ(as_base.Open(temporary / "file", {"op"}).number, ENOTDIR);
  Folder as_own;
  EXPECT_EQ(as_own.Open(temporary.path(), {"file", "op"}).number, ENOTDIR);
}

TEST(NewFiles, AFolderWithoutPermissionIsAnError) {
  if (geteuid() == 0) {
    GTEST_SKIP() << "root may write everywhere";
  }
  const TestFolder temporary;
  std::filesystem::create_directory(temporary / "locked");
  ASSERT_EQ(chmod((temporary / "locked").c_str(), 0500), 0);
  Folder folder;
  EXPECT_EQ(folder.Open(temporary / "locked", {"op"}).number, EACCES);
  Folder existing;
  ASSERT_EQ(existing.Open(temporary / "locked", {}).number, 0);
  const std::vector<NewFile> files = {{.name = "one", .bytes = "1"}};
  EXPECT_EQ(existing.Write(files).number, EACCES);
}

}  // namespace
}  // namespace detops
