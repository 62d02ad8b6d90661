// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Results about the machine, about cases and about benchmarks. They are printed, written as JSON
// and shown in the report.

#ifndef DETOPS_CLI_RESULTS_H_
#define DETOPS_CLI_RESULTS_H_

#include <string>
#include <vector>

#include "cli/adapter.h"
#include "cli/case.h"
#include "cli/demo_step.h"
#include "detops/info.hpp"

namespace detops::cli {

// Measured limits of the machine with a number of threads.
struct Limits {
  int threads;
  double bytes_per_second;
  double operations_per_second;  // float additions and multiplications, not fused
};

struct Machine {
  Info info;
  // For one thread, for all, and for the number that the command uses; in ascending order.
  std::vector<Limits> limits;

  // Returns the limits for this many threads, else for the next smaller number.
  const Limits& LimitsOf(int threads) const;
};

// One measure of one output.
struct Check {
  std::string output;
  const char* against;  // "reference" or "expected"
  Measure measure;
  double value;   // diff3: the relative error; diff4: the larger share
  double second;  // diff3: the absolute error; diff4: the number of unequal elements; else 0
  double threshold;
  bool passed;
};

struct CaseResult {
  std::string name;
  std::string op;
  std::string shapes;  // of the inputs, "float[2,3], float[4]"
  mluOpStatus_t status;
  mluOpStatus_t expected_status;
  std::string message;  // from the library, when the call failed
  std::vector<Check> checks;
  bool passed;
  // The rest is 0 for calls that failed.
  double seconds;  // the median
  double reference_seconds;
  Work work;
  double io_efficiency;       // share of the machine's bytes per second
  double compute_efficiency;  // share of the machine's operations per second
};

struct BenchResult {
  std::string op;
  std::string name;
  std::string shapes;
  int64_t elements;  // of inputs and outputs together: the size in charts
  int threads;
  int samples;
  double seconds;            // the median
  double lower;              // quartile
  double upper;              // quartile
  double reference_seconds;  // with one thread
  Work work;
  double io_efficiency;
  double compute_efficiency;
};

struct DemoPart {
  std::string op;
  std::string shapes;
  std::string results;  // what came out, "12 of 240 boxes"
  double seconds;
  bool equals_reference;
  Picture picture;
};

}  // namespace detops::cli

#endif  // DETOPS_CLI_RESULTS_H_
