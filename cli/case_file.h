// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Case files: one protobuf message, as text (.prototxt) or binary (.pb), in the format of the
// accelerator's test system, so that its files can be read as they are.

#ifndef DETOPS_CLI_CASE_FILE_H_
#define DETOPS_CLI_CASE_FILE_H_

#include <string>
#include <vector>

#include "cli/case.h"

namespace detops::cli {

// The case in a file. Values are there where the file, or a raw file that it names, has them;
// `random` where it says how to draw them. Throws UserError, one line that begins with the path.
Case ReadCase(const std::string& path);

// The files that are meant: files as they are, and of folders all case files below them, sorted.
// Throws UserError when something does not exist or a folder holds no case.
std::vector<std::string> FindCaseFiles(const std::vector<std::string>& paths);

enum class CaseFormat { kText, kBinary };

// The ending of such files, ".prototxt" or ".pb".
const char* EndingOf(CaseFormat format);

// Writes a case, and beside it raw files for long lists of values. The same case gives the same
// bytes. All of it or nothing. Throws UserError when it cannot be written.
void WriteCase(const Case& input, const std::string& path, CaseFormat format);

}  // namespace detops::cli

#endif  // DETOPS_CLI_CASE_FILE_H_
