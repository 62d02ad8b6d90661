// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Runs cases through the C API, judges their results and times them.

#ifndef DETOPS_CLI_RUNNER_H_
#define DETOPS_CLI_RUNNER_H_

#include <string>
#include <vector>

#include "cli/results.h"
#include "detops/context.hpp"

namespace detops::cli {

struct RunnerOptions {
  int threads = 0;            // 0: as many as a new handle has
  bool queue = false;         // whether calls go through a queue
  double timing_seconds = 0;  // how long a case is timed, at least three calls; 0: not at all
};

// Median and quartiles of the seconds that a call takes.
struct Timing {
  double median;
  double lower;
  double upper;
  int samples;
};

class Runner {
 public:
  Runner(const Machine& machine, const RunnerOptions& options);

  // Gives inputs their values and outputs their memory, calls, compares with the reference and with
  // expected values, and times. The case's outputs are the results afterwards. Throws UserError
  // when the case makes no call possible.
  CaseResult Run(Case& input);

  // Times a case that was run, for that long.
  Timing Time(const Case& done, double seconds);

  int threads() const { return context_.threads(); }

 private:
  mluOpStatus_t Call(const Adapter& adapter, Invocation& invocation);

  const Machine& machine_;
  RunnerOptions options_;
  Queue queue_;
  Context context_;
};

// Draws the values of inputs that have none and gives outputs memory, but for tensors that are too
// large for any operator. Throws UserError when the memory does not suffice.
void PrepareTensors(Case& input);

// The case's tensors, "float[2,3], int32[4]".
std::string ShapesOf(const std::vector<Tensor>& tensors);

// Seconds that the scalar reference takes for a case that was run, in the median. The case's
// results stay as they are.
double ReferenceSeconds(Case& done);

// How failed checks and unexpected statuses read, one line; empty for a case that passed.
std::string WhyItFailed(const CaseResult& result);

}  // namespace detops::cli

#endif  // DETOPS_CLI_RUNNER_H_
