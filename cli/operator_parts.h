// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What each operator implements for the command, in its namespace detops::<op>. The lists of
// operators are generated from the detops_add_ops calls.

#ifndef DETOPS_CLI_OPERATOR_PARTS_H_
#define DETOPS_CLI_OPERATOR_PARTS_H_

#include "cli/adapter.h"
#include "cli/demo_step.h"
#include "cli/suite.h"
#include "cli/sweep.h"

namespace detops {

// CommandAdapter() is in command.cc. The other two are in suite.cc: AcceptanceSuite() adds the
// cases that the operator must pass, Benchmarks() those worth timing, the smallest first.
#define DETOPS_OPERATOR(op)                     \
  namespace op {                                \
  const cli::Adapter& CommandAdapter();         \
  void AcceptanceSuite(cli::RecipeList& suite); \
  void Benchmarks(cli::RecipeList& benchmarks); \
  }
#include "core/operators.inc"
#undef DETOPS_OPERATOR

// Demo() is in demo.cc, which operators may have.
#define DETOPS_DEMO(op) \
  namespace op {        \
  cli::DemoStep Demo(); \
  }
#include "cli/demos.inc"
#undef DETOPS_DEMO

// SweepLines() is in sweep.cc, which operators may have.
#define DETOPS_SWEEP(op)                    \
  namespace op {                            \
  std::vector<cli::SweepLine> SweepLines(); \
  }
#include "cli/sweeps.inc"
#undef DETOPS_SWEEP

}  // namespace detops

#endif  // DETOPS_CLI_OPERATOR_PARTS_H_
