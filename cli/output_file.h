// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Output files that appear complete or not at all.

#ifndef DETOPS_CLI_OUTPUT_FILE_H_
#define DETOPS_CLI_OUTPUT_FILE_H_

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace detops::cli {

// Writes to a temporary file in the same folder, which Commit() renames. Without a Commit, and when
// the command is interrupted, no file is left. A path that is not a regular file, such as /dev/full
// or a pipe, is written directly. All functions throw UserError that begins with the path.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void Write(const void* data, size_t bytes);
  void Write(std::string_view text) { Write(text.data(), text.size()); }
  void Commit();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string temporary_;  // empty when the path is written directly
  std::FILE* file_ = nullptr;
};

// Makes SIGINT, SIGTERM and SIGHUP end the process at once, with one line of output, no incomplete
// file and exit status 130, 143 or 129. Must be called before the first thread is started.
void HandleInterrupts();

}  // namespace detops::cli

#endif  // DETOPS_CLI_OUTPUT_FILE_H_
