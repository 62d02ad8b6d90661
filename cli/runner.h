// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Runs cases through the C API, checks their results and times them.

#ifndef DETOPS_CLI_RUNNER_H_
#define DETOPS_CLI_RUNNER_H_

#include <string>
#include <vector>

#include "cli/results.h"
#include "detops/context.hpp"

namespace detops::cli {

struct RunnerOptions {
  int threads = 0;            // 0: the default of a new handle
  bool queue = false;         // whether calls are asynchronous, on a queue
  double timing_seconds = 0;  // how long a case is timed, at least three calls; 0: not timed
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

  // Fills the inputs, allocates the outputs, calls the operator, compares the results with the
  // reference and with expected values, and times the call. The case's outputs then hold the
  // results. Throws UserError when the operator cannot be called at all.
  CaseResult Run(Case& input);
  // Same, with an adapter other than that of the case's operator.
  CaseResult Run(const Adapter& adapter, Case& input);

  // Times a case that was run before, for about this many seconds.
  Timing Time(const Case& done, double seconds);

  int threads() const { return context_.threads(); }

 private:
  mluOpStatus_t Call(const Adapter& adapter, Invocation& invocation);

  const Machine& machine_;
  RunnerOptions options_;
  Queue queue_;
  Context context_;
};

// Draws the values of inputs that have none and allocates the outputs, except for tensors that are
// too large for any operator. Throws UserError when there is not enough memory.
void PrepareTensors(Case& input);

// Returns types and shapes, "float[2,3], int32[4]".
std::string ShapesOf(const std::vector<Tensor>& tensors);

// Returns the median time of the scalar reference for a case that was run before. Keeps the case's
// results.
double ReferenceSeconds(Case& done);

// Returns the reason in one line; empty for a case that passed.
std::string WhyItFailed(const CaseResult& result);

}  // namespace detops::cli

#endif  // DETOPS_CLI_RUNNER_H_
