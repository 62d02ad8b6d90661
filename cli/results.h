// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What the command finds out: about the machine, about cases, about speed. Printed, written as
// JSON, and shown in the report.

#ifndef DETOPS_CLI_RESULTS_H_
#define DETOPS_CLI_RESULTS_H_

#include <string>
#include <vector>

#include "cli/adapter.h"
#include "cli/demo_step.h"
#include "cli/case.h"
#include "detops/info.hpp"

namespace detops::cli {

// What the machine can do with a number of threads.
struct Limits {
  int threads;
  double bytes_per_second;
  double operations_per_second;
};

struct Machine {
  Info info;
  // For one thread, for all, and for as many as a command uses; from the fewest to the most.
  std::vector<Limits> limits;

  // Those of that many threads, or of the most that are not more.
  const Limits& LimitsOf(int threads) const;
};

// One measure of one output.
struct Check {
  std::string output;
  const char* against;  // "reference" or "expected"
  Measure measure;
  double value;   // of diff3 the relative part, of diff4 the larger share
  double second;  // of diff3 the absolute part, of diff4 the number unequal; else 0
  double threshold;
  bool passed;
};

struct CaseResult {
  std::string name;
  std::string op;
  std::string shapes;  // of the inputs, "float[2,3], float[4]"
  mluOpStatus_t status;
  mluOpStatus_t expected_status;
  std::string message;  // the library's, when the call failed
  std::vector<Check> checks;
  bool passed;
  // Of calls that succeeded; 0 for others.
  double seconds;  // the median
  double reference_seconds;
  Work work;
  double io_efficiency;       // of the machine's bytes in a second
  double compute_efficiency;  // of its operations
};

struct BenchResult {
  std::string op;
  std::string name;
  std::string shapes;
  int64_t elements;  // of inputs and outputs: the size that charts show
  int threads;
  int samples;
  double seconds;  // the median
  double lower;    // the quartiles
  double upper;
  double reference_seconds;  // on one thread
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
