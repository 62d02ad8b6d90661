// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/psroipool_forward/harness.h"

#include <cstdlib>
#include <utility>

namespace detops::psroipool_forward {
namespace {

// Runs call(args), which returns a Status, and returns it with what the call wrote.
template <class Call>
Result Collect(const Case& input, const Placement& placement, const Call& call) {
  const std::vector<float> memory = input.InputInMemory();
  const auto results = static_cast<size_t>(input.results());
  // No result has these values, so elements that were not written are recognized.
  const GuardedArray<float> output(results, -77.125f, placement);
  const GuardedArray<int32_t> mapping(results, -1, placement);
  int32_t* const mapping_channel = input.mapping ? mapping.data() : nullptr;
  Status status = call(input.args(memory.data(), output.data(), mapping_channel));
  Result result = ReadResult(input, output.data(), mapping_channel);
  result.status = std::move(status);
  return result;
}

}  // namespace

Result RunReference(const Case& input) {
  return Collect(input, {}, [](const Args& args) { return Reference(args); });
}

Result RunOn(Threads& threads, const Case& input, const Placement& placement) {
  return Collect(input, placement, [&](const Args& args) {
    const GuardedBuffer scratch(ScratchBytes(args, threads.count()));
    RunContext context{threads, scratch.data()};
    return Run(context, args);
  });
}

Result RunOn(int threads, const Case& input) {
  Threads limit(threads);
  return RunOn(limit, input);
}

}  // namespace detops::psroipool_forward
