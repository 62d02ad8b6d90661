// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// `detops run`: case files through the C API.

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/case_file.h"
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/machine.h"
#include "cli/one_line.h"
#include "cli/progress.h"
#include "cli/runner.h"

namespace detops::cli {
namespace {

// How long a case is timed.
constexpr double kTimingSeconds = 0.02;

struct RunOptions {
  std::vector<std::string> paths;
  std::string json;
  ExecutionOptions execution;
};

std::string ValueOf(const Check& check) {
  switch (check.measure) {
    case Measure::kDiff3:
      return fmt::format("{} and {}", FormatError(check.value), FormatError(check.second));
    case Measure::kDiff4:
      return fmt::format("{} of {:.0f}", FormatError(check.value), check.second);
    default:
      return FormatError(check.value);
  }
}

// "ious: diff1 0 (<= 1e-06), diff2 0 (<= 1e-06)", a line for each output.
void PrintChecks(const std::vector<Check>& checks) {
  for (size_t i = 0; i < checks.size(); ++i) {
    const Check& check = checks[i];
    const bool is_first =
        i == 0 || checks[i - 1].output != check.output || checks[i - 1].against != check.against;
    if (is_first) {
      fmt::print("{}      {} against the {}:", i == 0 ? "" : "\n", check.output, check.against);
    }
    fmt::print("{} {} {} ({} {})", is_first ? "" : ",", NameOf(check.measure), ValueOf(check),
               check.passed ? "<=" : "not <=", FormatError(check.threshold));
  }
  if (!checks.empty()) {
    fmt::print("\n");
  }
}

void PrintResult(const CaseResult& result) {
  fmt::print("{}  {} {}: {}", result.passed ? "PASS" : "FAIL", result.op, result.name,
             result.shapes);
  if (!result.passed) {
    fmt::print("\n      {}\n", WhyItFailed(result));
  } else if (result.status != MLUOP_STATUS_SUCCESS) {
    fmt::print("\n      {} as expected: {}\n", mluOpGetErrorString(result.status), result.message);
  } else {
    fmt::print(", {}, IO {}, compute {}\n", FormatSeconds(result.seconds),
               FormatPercent(result.io_efficiency), FormatPercent(result.compute_efficiency));
  }
  PrintChecks(result.checks);
}

int RunCases(const RunOptions& options) {
  const std::vector<std::string> files = FindCaseFiles(options.paths);
  QuietLibrary();
  ChooseTarget(options.execution);
  const Machine machine = MeasureMachine(options.execution.threads);
  Runner runner(machine, {options.execution.threads, options.execution.queue, kTimingSeconds});
  std::vector<CaseResult> results;
  size_t unusable = 0;
  size_t passed = 0;
  Progress progress(files.size());
  for (const std::string& file : files) {
    progress.Step(file);
    try {
      Case input = ReadCase(file);
      results.push_back(runner.Run(input));
      passed += results.back().passed ? 1 : 0;
      progress.Clear();
      PrintResult(results.back());
    } catch (const UserError& error) {
      ++unusable;
      progress.Clear();
      std::fflush(stdout);
      fmt::print(stderr, "detops: {}\n", OneLine(error.what()));
    }
  }
  fmt::print("{} of {} cases passed{}\n", passed, files.size(),
             unusable == 0 ? "" : fmt::format(", {} could not be run", unusable));
  if (!options.json.empty()) {
    WriteCasesJson(options.json, machine, results);
  }
  if (unusable != 0) {
    return kExitError;
  }
  return passed == files.size() ? kExitSuccess : kExitFailed;
}

}  // namespace

void AddRunCommand(CLI::App& app, int& status) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* const command = app.add_subcommand(
      "run", "Run case files through the C API and compare with the reference and expected values");
  command->add_option("CASE", options->paths, "Case files (.prototxt, .pb), or folders of them")
      ->required();
  command->add_option("--json", options->json, "Write the results to this file")->type_name("FILE");
  AddExecutionOptions(*command, options->execution);
  command->callback([options, &status] { status = RunCases(*options); });
  AddExamples(*command, {"detops run case.prototxt", "detops run suite --json results.json",
                         "detops run suite --threads 1 --target SSE4 --queue"});
}

}  // namespace detops::cli
