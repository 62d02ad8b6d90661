// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Results as JSON, for other programs.

#ifndef DETOPS_CLI_JSON_H_
#define DETOPS_CLI_JSON_H_

#include <string>
#include <vector>

#include "cli/output_file.h"
#include "cli/results.h"

namespace detops::cli {

// Writes {"machine": ..., "cases": [...], "unusable": [...]}. The last are the errors of files that
// could not be run.
void WriteCasesJson(OutputFile& file, const Machine& machine, const std::vector<CaseResult>& cases,
                    const std::vector<std::string>& unusable);

// Writes {"machine": ..., "benchmarks": [...]}.
void WriteBenchmarksJson(OutputFile& file, const Machine& machine,
                         const std::vector<BenchResult>& benchmarks);

// Reads a file that WriteBenchmarksJson wrote. Throws UserError that begins with the path.
std::vector<BenchResult> ReadBenchmarksJson(const std::string& path);

}  // namespace detops::cli

#endif  // DETOPS_CLI_JSON_H_
