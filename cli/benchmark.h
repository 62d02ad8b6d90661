// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Times operators.

#ifndef DETOPS_CLI_BENCHMARK_H_
#define DETOPS_CLI_BENCHMARK_H_

#include <functional>
#include <string>
#include <vector>

#include "cli/results.h"

namespace detops::cli {

struct BenchmarkOptions {
  std::string op;              // empty: all
  double seconds = 0.3;        // for which each benchmark is timed
  bool smallest_only = false;  // only the first benchmark of each operator
};

// Times the benchmarks with one thread and with all. Compares each result with the reference first,
// and throws UserError when one is wrong. Calls step(name) before each benchmark.
std::vector<BenchResult> RunBenchmarks(const Machine& machine, const BenchmarkOptions& options,
                                       const std::function<void(const std::string&)>& step);

// Returns the number of calls of `step`.
size_t CountBenchmarks(const BenchmarkOptions& options);

// A benchmark that became slower, by more than the spread of both runs explains.
struct Slowdown {
  const BenchResult* before;
  const BenchResult* now;
};

// Returns the number of benchmarks that are in both runs.
size_t CountCommon(const std::vector<BenchResult>& before, const std::vector<BenchResult>& now);

std::vector<Slowdown> FindSlowdowns(const std::vector<BenchResult>& before,
                                    const std::vector<BenchResult>& now);

}  // namespace detops::cli

#endif  // DETOPS_CLI_BENCHMARK_H_
