// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// `detops run`: runs case files through the C API.

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
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

// For how long a case is timed.
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

// Prints "ious against the reference: diff1 0 (<= 1e-6), diff2 0 (<= 1e-6)", one line per output.
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

// The results of all files.
struct Outcome {
  std::vector<CaseResult> results;
  std::vector<std::string> unusable;  // errors of files that could not be run
  size_t passed = 0;
};

void RunFile(const std::string& file, Runner& runner, Progress& progress, Outcome& outcome) {
  std::string problem;
  try {
    Case input = ReadCase(file);
    outcome.results.push_back(runner.Run(input));
    outcome.passed += outcome.results.back().passed ? 1 : 0;
    progress.Clear();
    PrintResult(outcome.results.back());
    return;
  } catch (const UserError& error) {
    problem = OneLine(error.what());
  } catch (const std::bad_alloc&) {
    problem = OneLine(fmt::format("{}: out of memory", file));
  }
  progress.Clear();
  std::fflush(stdout);
  fmt::print(stderr, "detops: {}\n", problem);
  outcome.unusable.push_back(std::move(problem));
}

int RunCases(const RunOptions& options) {
  const std::vector<std::string> files = FindCaseFiles(options.paths);
  std::optional<OutputFile> json;
  if (!options.json.empty()) {
    json.emplace(options.json);  // first, so that a wrong path is reported at once
  }
  QuietLibrary();
  ChooseTarget(options.execution);
  const Machine machine = MeasureMachine(options.execution.threads);
  Runner runner(machine, {.threads = options.execution.threads,
                          .queue = options.execution.queue,
                          .timing_seconds = kTimingSeconds});
  Outcome outcome;
  Progress progress(files.size());
  for (const std::string& file : files) {
    progress.Step(file);
    RunFile(file, runner, progress, outcome);
  }
  fmt::print("{} of {} cases passed{}\n", outcome.passed, files.size(),
             outcome.unusable.empty()
                 ? ""
                 : fmt::format(", {} could not be run", outcome.unusable.size()));
  if (json) {
    WriteCasesJson(*json, machine, outcome.results, outcome.unusable);
  }
  if (!outcome.unusable.empty()) {
    return kExitError;
  }
  return outcome.passed == files.size() ? kExitSuccess : kExitFailed;
}

}  // namespace

void AddRunCommand(CLI::App& app, int& status) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* const command = app.add_subcommand("run",
                                               "Run case files through the C API and compare the "
                                               "results with the reference and with expected "
                                               "values");
  command
      ->add_option("CASE", options->paths,
                   "Case files (.prototxt or .pb), or folders that contain some")
      ->required();
  command->add_option("--json", options->json, "Write the results to this file as JSON")
      ->type_name("FILE");
  AddExecutionOptions(*command, options->execution);
  command->callback([options, &status] { status = RunCases(*options); });
  AddExamples(*command, {"detops run case.prototxt", "detops run suite --json results.json",
                         "detops run suite --threads 1 --target sse4 --queue"});
}

}  // namespace detops::cli
