// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Calls of the operators through the C API, with descriptors and pointers that are often right.

#ifndef DETOPS_TESTS_API_FUZZ_OPERATORS_H_
#define DETOPS_TESTS_API_FUZZ_OPERATORS_H_

#include <memory>
#include <vector>

#include "measure/fuzz_bytes.h"
#include "mlu_op.h"
#include "testing/guarded_buffer.h"

namespace detops {

// Ends the program unless `condition`.
void Require(bool condition, const char* what);

// Of a refused call: it says which function refused.
void RequireReason(const char* function);

// The memory of calls that may still be on a queue.
using CallMemory = std::vector<std::unique_ptr<GuardedBuffer>>;

// Calls one of the operators or of their queries. What the call may use is added to `memory` and
// has to live until the handle's queue has come past it. A refused call must not have written
// anything.
void CallOperator(FuzzBytes& bytes, mluOpHandle_t handle, CallMemory& memory);

}  // namespace detops

#endif  // DETOPS_TESTS_API_FUZZ_OPERATORS_H_
