// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// `detops bench`: how fast the operators are on this machine.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/benchmark.h"
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/machine.h"
#include "cli/progress.h"

namespace detops::cli {
namespace {

struct BenchOptions {
  BenchmarkOptions benchmarks;
  std::string json;
  std::string baseline;
};

void PrintBenchmarks(const std::vector<BenchResult>& results) {
  size_t widest = 0;
  for (const BenchResult& result : results) {
    widest = std::max(widest, result.name.size());
  }
  fmt::print("{:<22} {:<{}} {:>7} {:>10} {:>22} {:>10} {:>8} {:>8}\n", "operator", "benchmark",
             widest, "threads", "median", "quartiles", "faster", "IO", "compute");
  for (const BenchResult& result : results) {
    fmt::print("{:<22} {:<{}} {:>7} {:>10} {:>22} {:>10} {:>8} {:>8}\n", result.op, result.name,
               widest, result.threads, FormatSeconds(result.seconds),
               FormatSeconds(result.lower) + " - " + FormatSeconds(result.upper),
               FormatRatio(result.reference_seconds / result.seconds),
               FormatPercent(result.io_efficiency), FormatPercent(result.compute_efficiency));
  }
}

// Whether nothing got slower. Throws UserError when the runs have no benchmark in common.
bool PrintSlowdowns(const std::vector<BenchResult>& before, const std::vector<BenchResult>& now) {
  if (CountCommon(before, now) == 0) {
    throw UserError("the baseline has none of these benchmarks with as many threads");
  }
  const std::vector<Slowdown> slowdowns = FindSlowdowns(before, now);
  for (const Slowdown& slowdown : slowdowns) {
    fmt::print("slower: {} {} with {} threads takes {} instead of {} ({})\n", slowdown.now->op,
               slowdown.now->name, slowdown.now->threads, FormatSeconds(slowdown.now->seconds),
               FormatSeconds(slowdown.before->seconds),
               FormatRatio(slowdown.now->seconds / slowdown.before->seconds));
  }
  if (slowdowns.empty()) {
    fmt::print("nothing is slower beyond the noise\n");
  }
  return slowdowns.empty();
}

int Bench(const BenchOptions& options) {
  QuietLibrary();
  // First, so that a file that cannot be read or written costs no minutes.
  std::vector<BenchResult> before;
  if (!options.baseline.empty()) {
    before = ReadBenchmarksJson(options.baseline);
  }
  std::optional<OutputFile> json;
  if (!options.json.empty()) {
    json.emplace(options.json);
  }
  Progress progress(CountBenchmarks(options.benchmarks));
  const Machine machine = MeasureMachine();
  const std::vector<BenchResult> results = RunBenchmarks(
      machine, options.benchmarks, [&](const std::string& name) { progress.Step(name); });
  progress.Clear();
  PrintBenchmarks(results);
  if (json) {
    WriteBenchmarksJson(*json, machine, results);
  }
  return options.baseline.empty() || PrintSlowdowns(before, results) ? kExitSuccess : kExitFailed;
}

}  // namespace

void AddBenchCommand(CLI::App& app, int& status) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* const command = app.add_subcommand(
      "bench", "Time the operators with one thread and with all, against the scalar reference");
  command->add_option("OP", options->benchmarks.op, "An operator; all when none is named");
  command->add_option("--json", options->json, "Write the results to this file")->type_name("FILE");
  command
      ->add_option("--baseline", options->baseline,
                   "Results of an earlier --json: print what got slower beyond the noise, and exit "
                   "with 1 when something did")
      ->type_name("FILE");
  command->add_option("--seconds", options->benchmarks.seconds, "How long each is timed")
      ->check(CLI::Range(0.0, 3600.0).description(""))
      ->capture_default_str();
  command->callback([options, &status] { status = Bench(*options); });
  AddExamples(*command, {"detops bench", "detops bench poly_nms --json before.json",
                         "detops bench poly_nms --baseline before.json"});
}

}  // namespace detops::cli
