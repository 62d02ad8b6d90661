// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Files that are there completely or not at all.

#ifndef DETOPS_CLI_OUTPUT_FILE_H_
#define DETOPS_CLI_OUTPUT_FILE_H_

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace detops::cli {

// Writes beside the file, under another name, until Commit() puts it in its place. Without a
// Commit, and when the command is interrupted, nothing is left. What is no regular file (/dev/full,
// a pipe) is written as it is. All throw UserError, one line that begins with the path.
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
  std::string temporary_;  // empty when the file is written as it is
  std::FILE* file_ = nullptr;
};

// Makes SIGINT, SIGTERM and SIGHUP end the process at once: one line, no unfinished file, exit
// status 130 (143, 129). To be called before the first thread is started.
void HandleInterrupts();

}  // namespace detops::cli

#endif  // DETOPS_CLI_OUTPUT_FILE_H_
