// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/scale_boxes/harness.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace detops::scale_boxes {
namespace {

// Calls run(args) with boxes and results in guarded memory and returns the results.
template <class Run>
Bits Collect(const Case& input, const Placement& placement, const Run& run) {
  const size_t count = input.boxes.size();
  const GuardedArray<float> boxes(count, 0.0f, placement);
  const GuardedArray<float> scaled(count, -7.0f, placement);
  std::copy(input.boxes.begin(), input.boxes.end(), boxes.data());
  Args args = input.args(scaled.data());
  args.boxes = boxes.data();
  run(args);
  Bits bits(count);
  if (count != 0) {
    std::memcpy(bits.data(), scaled.data(), count * sizeof(float));
  }
  return bits;
}

}  // namespace

Bits RunReference(const Case& input) {
  return Collect(input, {}, [](const Args& args) { Reference(args); });
}

Bits RunOn(Threads& threads, const Case& input, const Placement& placement) {
  return Collect(input, placement, [&](const Args& args) {
    RunContext context{.threads = threads, .scratch = nullptr};
    if (!Run(context, args).ok()) {
      std::abort();
    }
  });
}

}  // namespace detops::scale_boxes
