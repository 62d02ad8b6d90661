// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// How fast operators are.

#ifndef DETOPS_CLI_BENCHMARK_H_
#define DETOPS_CLI_BENCHMARK_H_

#include <functional>
#include <string>
#include <vector>

#include "cli/results.h"

namespace detops::cli {

struct BenchmarkOptions {
  std::string op;              // empty: all
  double seconds = 0.3;        // how long each is timed
  bool smallest_only = false;  // of each operator the first
};

// Times the benchmarks with one thread and with all, each after its result was compared with the
// reference: throws UserError when one is wrong. `step` is told the name of each.
std::vector<BenchResult> RunBenchmarks(const Machine& machine, const BenchmarkOptions& options,
                                       const std::function<void(const std::string&)>& step);

// How many there are.
size_t CountBenchmarks(const BenchmarkOptions& options);

// A benchmark that takes longer than it did, beyond what both runs' spread explains.
struct Slowdown {
  const BenchResult* before;
  const BenchResult* now;
};

// How many of the benchmarks are in both.
size_t CountCommon(const std::vector<BenchResult>& before, const std::vector<BenchResult>& now);

std::vector<Slowdown> FindSlowdowns(const std::vector<BenchResult>& before,
                                    const std::vector<BenchResult>& now);

}  // namespace detops::cli

#endif  // DETOPS_CLI_BENCHMARK_H_
