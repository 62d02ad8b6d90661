// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// `detops report`: runs the demonstration, the suites and the benchmarks, and writes a page.

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/benchmark.h"
#include "cli/commands.h"
#include "cli/demo.h"
#include "cli/format.h"
#include "cli/machine.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/runner.h"
#include "cli/suite.h"
#include "core/operators.h"

namespace detops::cli {
namespace {

// For how long each case and each benchmark is timed.
constexpr double kCaseSeconds = 0.005;
constexpr double kBenchmarkSeconds = 0.1;

struct ReportOptions {
  std::string output;
  bool quick = false;
};

void PrintDemo(const std::vector<DemoPart>& parts) {
  fmt::print("{:<22} {:>10}  {:<9} {}\n", "operator", "time", "result", "what it did");
  for (const DemoPart& part : parts) {
    fmt::print("{:<22} {:>10}  {:<9} {}\n", part.op, FormatSeconds(part.seconds),
               part.equals_reference ? "right" : "WRONG", part.picture.caption);
  }
}

// With --quick, only small cases.
bool IsWanted(const Recipe& recipe, bool quick) {
  return !quick || recipe.kind == CaseKind::kExample || recipe.kind == CaseKind::kNegative;
}

std::vector<CaseResult> RunSuites(const Machine& machine, bool quick) {
  std::vector<Recipe> recipes;
  for (size_t i = 0; i < Operators().size(); ++i) {
    for (Recipe& recipe : AcceptanceSuiteOf(AdapterOf(i))) {
      if (IsWanted(recipe, quick)) {
        recipes.push_back(std::move(recipe));
      }
    }
  }
  RunnerOptions options;
  options.timing_seconds = kCaseSeconds;
  Runner runner(machine, options);
  Progress progress(recipes.size());
  std::vector<CaseResult> results;
  for (const Recipe& recipe : recipes) {
    progress.Step(recipe.name);
    Case input = recipe.make();
    results.push_back(runner.Run(input));
  }
  return results;
}

std::vector<BenchResult> RunAllBenchmarks(const Machine& machine, bool quick) {
  BenchmarkOptions options;
  options.seconds = quick ? 0 : kBenchmarkSeconds;
  options.smallest_only = quick;
  Progress progress(CountBenchmarks(options));
  return RunBenchmarks(machine, options, [&](const std::string& name) { progress.Step(name); });
}

int WriteReport(const ReportOptions& options) {
  OutputFile file(options.output);  // first, so that a wrong path is reported at once
  QuietLibrary();
  ReportData data;
  data.date = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)));
  data.machine = MeasureMachine();
  data.demo = RunDemo(data.machine);
  PrintDemo(data.demo);
  std::fflush(stdout);
  data.cases = RunSuites(data.machine, options.quick);
  data.benchmarks = RunAllBenchmarks(data.machine, options.quick);
  file.Write(MakeReport(data));
  file.Commit();
  size_t passed = 0;
  for (const CaseResult& result : data.cases) {
    passed += result.passed ? 1 : 0;
    if (!result.passed) {
      fmt::print("FAIL  {} {}: {}\n", result.op, result.name, WhyItFailed(result));
    }
  }
  bool is_demo_right = true;
  for (const DemoPart& part : data.demo) {
    is_demo_right = is_demo_right && part.equals_reference;
  }
  fmt::print("{} of {} cases passed, {} benchmarks\n", passed, data.cases.size(),
             data.benchmarks.size());
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(options.output, error);
  fmt::print("report: {}\n", error ? options.output : absolute.string());
  return passed == data.cases.size() && is_demo_right ? kExitSuccess : kExitFailed;
}

}  // namespace

void AddReportCommand(CLI::App& app, int& status) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* const command = app.add_subcommand(
      "report",
      "Run the demonstration, the test suites and the benchmarks, and write an HTML report");
  command->add_option("-o,--output", options->output, "HTML file to write")
      ->type_name("FILE")
      ->required();
  command->add_flag("--quick", options->quick, "Run only small cases and benchmarks");
  command->callback([options, &status] { status = WriteReport(*options); });
  AddExamples(*command, {"detops report -o report.html"});
}

}  // namespace detops::cli
