// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Inputs of tests, benchmarks and the fuzz target.

#ifndef DETOPS_OPS_SCALE_BOXES_CASES_H_
#define DETOPS_OPS_SCALE_BOXES_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "measure/fuzz_bytes.h"
#include "ops/scale_boxes/op.h"

namespace detops::scale_boxes {

// The arguments of a call.
struct Case {
  std::vector<float> boxes;  // 4 coordinates per box
  float factor = 2.0f;

  // Returns the arguments of a call that writes to `scaled`.
  Args args(float* scaled) const;
  std::string ToString() const;
};

Case RandomCase(int64_t count, uint32_t seed);

// Returns a case whose size, factor and coordinates come from a fuzzer's bytes.
Case CaseFromBytes(FuzzBytes& bytes);

}  // namespace detops::scale_boxes

#endif  // DETOPS_OPS_SCALE_BOXES_CASES_H_
