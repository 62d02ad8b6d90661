// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Random calls of the operators through the C API, with descriptors and pointers that are often
// valid.

#ifndef DETOPS_TESTS_API_FUZZ_OPERATORS_H_
#define DETOPS_TESTS_API_FUZZ_OPERATORS_H_

#include <memory>
#include <vector>

#include "measure/fuzz_bytes.h"
#include "mlu_op.h"
#include "testing/guarded_buffer.h"

namespace detops {

// The memory of calls that may still be pending on a queue.
using CallMemory = std::vector<std::unique_ptr<GuardedBuffer>>;

// Calls one of the operators and its workspace query. Adds the memory that the call uses to
// `memory`; it must stay valid until the handle's queue has run the call. A failed call must not
// write to it.
void CallOperator(FuzzBytes& bytes, mluOpHandle_t handle, CallMemory& memory);

}  // namespace detops

#endif  // DETOPS_TESTS_API_FUZZ_OPERATORS_H_
