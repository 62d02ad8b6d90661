// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// `detops bench`: times the operators on this machine.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/benchmark.h"
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/machine.h"
#include "cli/progress.h"
#include "cli/sweep.h"

namespace detops::cli {
namespace {

struct BenchOptions {
  BenchmarkOptions benchmarks;
  bool sweep = false;
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

// States what the efficiencies are shares of.
void PrintLimits(const Machine& machine) {
  fmt::print(
      "\nIO and compute are shares of what this machine does at most: bytes moved past the caches, "
      "and float\nadditions and multiplications that are not fused, because no operator fuses "
      "them.\n");
  for (const Limits& limits : machine.limits) {
    fmt::print("With {}: {} and {}\n", Counted(static_cast<size_t>(limits.threads), "thread"),
               FormatWithPrefix(limits.bytes_per_second, "B/s"),
               FormatWithPrefix(limits.operations_per_second, "op/s"));
  }
}

// Returns whether nothing became slower. Throws UserError when the runs have no benchmark in
// common.
bool PrintSlowdowns(const std::string& baseline, const std::vector<BenchResult>& before,
                    const std::vector<BenchResult>& now) {
  if (CountCommon(before, now) == 0) {
    throw UserError(
        fmt::format("{}: has none of these benchmarks with the same number of threads", baseline));
  }
  const std::vector<Slowdown> slowdowns = FindSlowdowns(before, now);
  for (const Slowdown& slowdown : slowdowns) {
    fmt::print("slower: {} {} with {} takes {} instead of {} ({})\n", slowdown.now->op,
               slowdown.now->name, Counted(static_cast<size_t>(slowdown.now->threads), "thread"),
               FormatSeconds(slowdown.now->seconds), FormatSeconds(slowdown.before->seconds),
               FormatRatio(slowdown.now->seconds / slowdown.before->seconds));
  }
  if (slowdowns.empty()) {
    fmt::print("nothing is slower beyond noise\n");
  }
  return slowdowns.empty();
}

double NanosecondsPerBox(const BenchResult& point) {
  return point.seconds * 1e9 / static_cast<double>(point.elements);
}

void PrintSweep(const SweepResults& sweep) {
  size_t widest = 0;
  for (const BenchResult& result : sweep.results) {
    widest = std::max(widest, result.name.size());
  }
  fmt::print("{:<10} {:<{}} {:>7} {:>10} {:>11}\n", "operator", "line and point", widest, "threads",
             "median", "ns per box");
  for (const BenchResult& result : sweep.results) {
    fmt::print("{:<10} {:<{}} {:>7} {:>10} {:>11.1f}\n", result.op, result.name, widest,
               result.threads, FormatSeconds(result.seconds), NanosecondsPerBox(result));
  }
  for (const Cliff& cliff : sweep.cliffs) {
    fmt::print("cliff: {} {} with {}: {:.1f} ns per box, {:.1f} at the next point ({})\n",
               cliff.point->op, cliff.point->name,
               Counted(static_cast<size_t>(cliff.point->threads), "thread"),
               NanosecondsPerBox(*cliff.point), NanosecondsPerBox(*cliff.next),
               FormatRatio(cliff.Ratio()));
  }
  if (sweep.cliffs.empty()) {
    fmt::print("no cliffs: the time per box of neighboring points differs by at most {}\n",
               FormatRatio(kCliff));
  }
}

// Runs and prints the sweep. `is_smooth` becomes whether it has no cliffs.
std::vector<BenchResult> Sweep(const Machine& machine, const BenchOptions& options,
                               bool& is_smooth) {
  SweepOptions sweep_options;
  sweep_options.op = options.benchmarks.op;
  Progress progress(CountSweepLines(machine, sweep_options));
  SweepResults sweep =
      RunSweep(machine, sweep_options, [&](const std::string& name) { progress.Step(name); });
  progress.Clear();
  PrintSweep(sweep);
  is_smooth = sweep.cliffs.empty();
  return std::move(sweep.results);
}

std::vector<BenchResult> TimeBenchmarks(const Machine& machine, const BenchOptions& options) {
  Progress progress(CountBenchmarks(options.benchmarks));
  std::vector<BenchResult> results = RunBenchmarks(
      machine, options.benchmarks, [&](const std::string& name) { progress.Step(name); });
  progress.Clear();
  PrintBenchmarks(results);
  PrintLimits(machine);
  return results;
}

int Bench(const BenchOptions& options) {
  QuietLibrary();
  // Files come first, so that one that cannot be read or written is reported at once.
  std::vector<BenchResult> before;
  if (!options.baseline.empty()) {
    before = ReadBenchmarksJson(options.baseline);
  }
  std::optional<OutputFile> json;
  if (!options.json.empty()) {
    json.emplace(options.json);
  }
  const Machine machine = MeasureMachine();
  bool passed = true;
  const std::vector<BenchResult> results =
      options.sweep ? Sweep(machine, options, passed) : TimeBenchmarks(machine, options);
  if (json) {
    WriteBenchmarksJson(*json, machine, results);
  }
  if (!options.baseline.empty()) {
    passed = PrintSlowdowns(options.baseline, before, results) && passed;
  }
  return passed ? kExitSuccess : kExitFailed;
}

}  // namespace

void AddBenchCommand(CLI::App& app, int& status) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* const command = app.add_subcommand(
      "bench",
      "Time the operators with one thread and with all, and compare with the scalar reference");
  command->add_option("OP", options->benchmarks.op, "Operator to time; all when omitted");
  command->add_option("--json", options->json, "Write the results to this file as JSON")
      ->type_name("FILE");
  command
      ->add_option(
          "--baseline", options->baseline,
          "Compare with a file that --json wrote: print what became slower beyond noise, and "
          "exit with status 1 if anything did")
      ->type_name("FILE");
  command
      ->add_option("--seconds", options->benchmarks.seconds,
                   "Seconds for which each benchmark is timed")
      ->check(CLI::Range(0.0, 3600.0).description(""))
      ->capture_default_str();
  command->add_flag(
      "--sweep", options->sweep,
      "Time scenes of many sizes, densities and thresholds instead, and exit with status 1 if the "
      "time per box of neighboring ones differs by more than a factor of 1.6");
  command->callback([options, &status] { status = Bench(*options); });
  AddExamples(*command,
              {"detops bench", "detops bench poly_nms --json before.json",
               "detops bench poly_nms --baseline before.json", "detops bench --sweep nms"});
}

}  // namespace detops::cli
