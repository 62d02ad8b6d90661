// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/benchmark.h"

#include <fmt/format.h>

#include <memory>

#include "cli/runner.h"
#include "cli/suite.h"
#include "core/operators.h"

namespace detops::cli {
namespace {

// A benchmark is slower when its lower quartile exceeds the earlier upper quartile by more than
// this share. Two runs of the same program differ by this much on a quiet machine.
constexpr double kNoise = 0.05;

int64_t ElementsOf(const Case& done) {
  int64_t elements = 0;
  for (const std::vector<Tensor>* const tensors : {&done.inputs, &done.outputs}) {
    for (const Tensor& tensor : *tensors) {
      elements += tensor.count();
    }
  }
  return elements;
}

// Calls use(adapter, recipe) for each benchmark.
template <class Use>
void ForEachBenchmark(const BenchmarkOptions& options, const Use& use) {
  if (!options.op.empty()) {
    static_cast<void>(FindAdapter(options.op));
  }
  for (size_t i = 0; i < Operators().size(); ++i) {
    if (!options.op.empty() && options.op != Operators()[i]->name) {
      continue;
    }
    const Adapter& adapter = AdapterOf(i);
    for (const Recipe& recipe : BenchmarksOf(adapter)) {
      use(adapter, recipe);
      if (options.smallest_only) {
        break;
      }
    }
  }
}

// Checks and times one benchmark. Measures `reference_seconds` when it is 0.
BenchResult TimeOne(const Machine& machine, const Adapter& adapter, Runner& runner, Case& input,
                    double seconds, double& reference_seconds) {
  const CaseResult checked = runner.Run(input);
  if (!checked.passed) {
    throw UserError(fmt::format("{} {}: not timed, because the result is wrong: {}", input.op,
                                input.name, WhyItFailed(checked)));
  }
  if (reference_seconds == 0) {
    reference_seconds = ReferenceSeconds(input);
  }
  const Timing timing = runner.Time(input, seconds);
  BenchResult result{};
  result.op = input.op;
  result.name = input.name;
  result.shapes = checked.shapes;
  result.elements = ElementsOf(input);
  result.threads = runner.threads();
  result.samples = timing.samples;
  result.seconds = timing.median;
  result.lower = timing.lower;
  result.upper = timing.upper;
  result.reference_seconds = reference_seconds;
  result.work = adapter.WorkOf(input);
  const Limits& limits = machine.LimitsOf(runner.threads());
  result.io_efficiency = result.work.bytes / timing.median / limits.bytes_per_second;
  result.compute_efficiency = result.work.operations / timing.median / limits.operations_per_second;
  return result;
}

// Calls use(before, now) for each benchmark that is in both runs.
template <class Use>
void ForEachCommon(const std::vector<BenchResult>& before, const std::vector<BenchResult>& now,
                   const Use& use) {
  for (const BenchResult& result : now) {
    for (const BenchResult& old : before) {
      if (old.op == result.op && old.name == result.name && old.threads == result.threads) {
        use(old, result);
      }
    }
  }
}

}  // namespace

std::vector<BenchResult> RunBenchmarks(const Machine& machine, const BenchmarkOptions& options,
                                       const std::function<void(const std::string&)>& step) {
  std::vector<std::unique_ptr<Runner>> runners;
  for (const Limits& limits : machine.limits) {
    RunnerOptions of_runner;
    of_runner.threads = limits.threads;
    runners.push_back(std::make_unique<Runner>(machine, of_runner));
  }
  std::vector<BenchResult> results;
  ForEachBenchmark(options, [&](const Adapter& adapter, const Recipe& recipe) {
    step(fmt::format("{} {}", adapter.name(), recipe.name));
    Case input = recipe.make();
    double reference_seconds = 0;  // measured once, for all runners
    for (const std::unique_ptr<Runner>& runner : runners) {
      input.outputs.clear();  // results of the previous runner would count as expected values
      results.push_back(
          TimeOne(machine, adapter, *runner, input, options.seconds, reference_seconds));
    }
  });
  return results;
}

size_t CountBenchmarks(const BenchmarkOptions& options) {
  size_t count = 0;
  ForEachBenchmark(options, [&](const Adapter& /*adapter*/, const Recipe& /*recipe*/) { ++count; });
  return count;
}

size_t CountCommon(const std::vector<BenchResult>& before, const std::vector<BenchResult>& now) {
  size_t count = 0;
  ForEachCommon(before, now, [&](const BenchResult&, const BenchResult&) { ++count; });
  return count;
}

std::vector<Slowdown> FindSlowdowns(const std::vector<BenchResult>& before,
                                    const std::vector<BenchResult>& now) {
  std::vector<Slowdown> slowdowns;
  ForEachCommon(before, now, [&](const BenchResult& old, const BenchResult& result) {
    if (result.lower > old.upper * (1 + kNoise)) {
      slowdowns.push_back({&old, &result});
    }
  });
  return slowdowns;
}

}  // namespace detops::cli
