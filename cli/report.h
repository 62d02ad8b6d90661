// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The test report: one HTML page without external files.

#ifndef DETOPS_CLI_REPORT_H_
#define DETOPS_CLI_REPORT_H_

#include <string>
#include <vector>

#include "cli/results.h"

namespace detops::cli {

struct ReportData {
  std::string date;  // "2026-11-16 12:00 UTC"
  Machine machine;
  std::vector<CaseResult> cases;
  std::vector<BenchResult> benchmarks;
  std::vector<DemoPart> demo;
};

// Returns the HTML page.
std::string MakeReport(const ReportData& data);

}  // namespace detops::cli

#endif  // DETOPS_CLI_REPORT_H_
