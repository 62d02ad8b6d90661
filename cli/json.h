// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Results as JSON, for programs that read them.

#ifndef DETOPS_CLI_JSON_H_
#define DETOPS_CLI_JSON_H_

#include <string>
#include <vector>

#include "cli/results.h"

namespace detops::cli {

// Writes {"machine": ..., "cases": [...]}, all or nothing.
void WriteCasesJson(const std::string& path, const Machine& machine,
                    const std::vector<CaseResult>& cases);

// Writes {"machine": ..., "benchmarks": [...]}, all or nothing.
void WriteBenchmarksJson(const std::string& path, const Machine& machine,
                         const std::vector<BenchResult>& benchmarks);

// What WriteBenchmarksJson wrote. Throws UserError, one line that begins with the path, when it is
// something else.
std::vector<BenchResult> ReadBenchmarksJson(const std::string& path);

}  // namespace detops::cli

#endif  // DETOPS_CLI_JSON_H_
