// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/border_align_forward/harness.h"

#include <cstdlib>
#include <utility>

namespace detops::border_align_forward {
namespace {

// Returns what call(args) writes.
template <class Call>
Result Collect(const Problem& problem, const Placement& placement, const Call& call) {
  const Case& input = problem.source();
  const auto bytes = static_cast<size_t>(problem.output_bytes());
  // The memory is filled with values that are not results.
  const GuardedBuffer output(bytes, placement.BytesAfter(bytes, input.half ? 2 : 4));
  const GuardedArray<int32_t> argmax(static_cast<size_t>(input.results()), -1, placement);
  int32_t* const argmax_idx = input.argmax ? argmax.data() : nullptr;
  call(problem.args(output.data(), argmax_idx));
  return ReadResult(input, output.data(), argmax_idx);
}

}  // namespace

Result RunReference(const Case& input) {
  return Collect(Problem(input), {}, [](const Args& args) { Reference(args); });
}

Result RunOn(Threads& threads, const Problem& problem, const Placement& placement) {
  return Collect(problem, placement, [&](const Args& args) {
    const GuardedBuffer scratch(ScratchBytes(args, threads.count()));
    RunContext context{threads, scratch.data()};
    if (!Run(context, args).ok()) {
      std::abort();
    }
  });
}

Result RunOn(int threads, const Case& input) {
  Threads limit(threads);
  return RunOn(limit, Problem(input));
}

}  // namespace detops::border_align_forward
