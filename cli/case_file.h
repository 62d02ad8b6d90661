// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Case files: one protobuf message, as text (.prototxt) or binary (.pb). The format is that of the
// MLU-OPS tests, so their files can be used unchanged.

#ifndef DETOPS_CLI_CASE_FILE_H_
#define DETOPS_CLI_CASE_FILE_H_

#include <string>
#include <vector>

#include "cli/case.h"

namespace detops::cli {

// Reads a case file. Tensors have values when the file, or a raw file that it names, has them; else
// `random` when the file describes how to draw them. Throws UserError that begins with the path.
Case ReadCase(const std::string& path);

// Returns the given files, and for folders all case files below them, sorted, each file once.
// Throws UserError when a path does not exist or a folder has no case files.
std::vector<std::string> FindCaseFiles(const std::vector<std::string>& paths);

enum class CaseFormat { kText, kBinary };

// Returns ".prototxt" or ".pb".
const char* EndingOf(CaseFormat format);

// Writes a case and, next to it, raw files for long lists of values. Equal cases give equal bytes.
// Throws UserError when something cannot be written; then no file is left.
void WriteCase(const Case& input, const std::string& path, CaseFormat format);

}  // namespace detops::cli

#endif  // DETOPS_CLI_CASE_FILE_H_
