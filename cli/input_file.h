// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Files that the command reads.

#ifndef DETOPS_CLI_INPUT_FILE_H_
#define DETOPS_CLI_INPUT_FILE_H_

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>

#include "cli/case.h"

namespace detops::cli {

// A file that is open for reading. Throws UserErrors that do not name the file; callers add its
// path.
class InputFile {
 public:
  explicit InputFile(const std::string& path)
      : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)) {
    if (file_ < 0) {
      ThrowErrno(errno);
    }
    if (fstat(file_, &status_) != 0 || S_ISDIR(status_.st_mode)) {
      const int error = S_ISDIR(status_.st_mode) ? EISDIR : errno;
      close(file_);
      ThrowErrno(error);
    }
  }
  ~InputFile() { close(file_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  int descriptor() const { return file_; }
  bool is_regular() const { return S_ISREG(status_.st_mode); }
  // Size in bytes. Only regular files have one.
  int64_t size() const { return status_.st_size; }
  bool Rewind() const { return lseek(file_, 0, SEEK_SET) == 0; }

  // Reads exactly this many bytes. Returns false when the file ends before.
  bool Read(void* to, size_t bytes) const {
    auto* next = static_cast<char*>(to);
    while (bytes != 0) {
      const ssize_t got = read(file_, next, bytes);
      if (got < 0 && errno != EINTR) {
        ThrowErrno(errno);
      }
      if (got == 0) {
        return false;
      }
      if (got > 0) {
        next += got;
        bytes -= static_cast<size_t>(got);
      }
    }
    return true;
  }

  [[noreturn]] static void ThrowErrno(int error) {
    throw UserError(fmt::format("cannot be read: {}", std::generic_category().message(error)));
  }

 private:
  int file_;
  struct stat status_ {};
};

}  // namespace detops::cli

#endif  // DETOPS_CLI_INPUT_FILE_H_
