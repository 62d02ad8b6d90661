// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/new_files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <list>
#include <utility>

namespace detops {
namespace {

constexpr mode_t kFolderMode = 0700;
constexpr mode_t kFileMode = 0600;

// Creates a folder if it does not exist. Returns 0 or an error number.
int MakeFolder(int within, const std::string& path) {
  return mkdirat(within, path.c_str(), kFolderMode) == 0 || errno == EEXIST ? 0 : errno;
}

// Creates the folders of a path that do not exist. Returns the result for the last one.
int MakeFolders(const std::string& path) {
  for (size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    MakeFolder(AT_FDCWD, path.substr(0, end));
  }
  return MakeFolder(AT_FDCWD, path);
}

// Returns 0 or an error number.
int WriteAll(int file, std::string_view bytes) {
  // Writing past this limit would raise SIGXFSZ, which ends the process.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      bytes.size() > limit.rlim_cur) {
    return EFBIG;
  }
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return errno;
    }
    bytes.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
  }
  return 0;
}

// Gives a file its final name unless that name is taken. Returns 0 or an error number.
int RenameWithoutReplacing(int folder, const char* from, const char* to) {
  if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0) {
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS) {
    return errno;
  }
  // Some file systems, such as NFS, lack that operation but have hard links.
  if (linkat(folder, from, folder, to, 0) != 0) {
    return errno;
  }
  unlinkat(folder, from, 0);
  return 0;
}

// A file under a temporary name, until it is published. Unless it is kept, the destructor removes
// it under either name.
class PendingFile {
 public:
  PendingFile(int folder, std::string name)
      : folder_(folder), name_(std::move(name)), temporary_("." + name_ + ".tmp") {}
  ~PendingFile() {
    if (exists_as_ != nullptr) {
      unlinkat(folder_, exists_as_->c_str(), 0);
    }
  }
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  // Each returns 0 or an error number.
  int Write(std::string_view bytes) {
    const int file =
        openat(folder_, temporary_.c_str(),
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, kFileMode);
    if (file < 0) {
      return errno;
    }
    exists_as_ = &temporary_;
    const int error = WriteAll(file, bytes);
    // Some file systems report a full disk only here.
    const int close_error = close(file) == 0 ? 0 : errno;
    return error != 0 ? error : close_error;
  }
  int Publish() {
    const int error = RenameWithoutReplacing(folder_, temporary_.c_str(), name_.c_str());
    if (error == 0) {
      exists_as_ = &name_;
    }
    return error;
  }
  void Keep() { exists_as_ = nullptr; }

 private:
  const int folder_;
  const std::string name_;
  const std::string temporary_;
  const std::string* exists_as_ = nullptr;  // the name to remove
};

}  // namespace

Folder::~Folder() {
  if (folder_ >= 0) {
    close(folder_);
  }
}

FileError Folder::Open(const std::string& base, std::initializer_list<std::string_view> names) {
  path_ = base;
  int make_error = MakeFolders(base);
  folder_ = open(base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int open_error = folder_ >= 0 ? 0 : errno;
  for (auto name = names.begin(); name != names.end() && folder_ >= 0; ++name) {
    path_.append("/").append(*name);
    const std::string terminated(*name);
    make_error = MakeFolder(folder_, terminated);
    const int inner =
        openat(folder_, terminated.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    open_error = inner >= 0 ? 0 : errno;
    close(std::exchange(folder_, inner));
  }
  // A folder that is missing could not be created, which has a reason of its own.
  return {.number = open_error == ENOENT && make_error != 0 ? make_error : open_error,
          .path = path_};
}

FileError Folder::Write(std::span<const NewFile> files) const {
  std::list<PendingFile> pending;
  for (const NewFile& file : files) {
    pending.emplace_back(folder_, file.name);
    if (const int error = pending.back().Write(file.bytes); error != 0) {
      return {.number = error, .path = path_ + "/" + file.name};
    }
  }
  size_t next = 0;
  for (PendingFile& file : pending) {
    if (const int error = file.Publish(); error != 0) {
      return {.number = error, .path = path_ + "/" + files[next].name};
    }
    ++next;
  }
  for (PendingFile& file : pending) {
    file.Keep();
  }
  return {};
}

}  // namespace detops
