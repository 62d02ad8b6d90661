// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// One call or more of every operator, through the C API and the C++ API: inputs, memory for the
// results, and the expected results. For tests of calls (memory, threads, queues), not of numbers.

#ifndef DETOPS_TESTS_OPERATOR_CALLS_H_
#define DETOPS_TESTS_OPERATOR_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "detops/context.hpp"
#include "mlu_op.h"

namespace detops {

struct OperatorCall {
  std::string name;
  // Whether the call writes to memory of the caller, in the order of the context's queue. Other
  // calls return their results.
  bool in_place = true;
  // Makes the call without waiting for the queue. Returns the status of an exception.
  std::function<mluOpStatus_t(Context&)> make;

  struct Result {
    std::vector<std::byte> memory;
    std::vector<std::byte> expected;  // what the reference writes to memory filled by Clear
  };
  std::vector<Result> results;

  // None of these allocates memory.
  void Clear();
  bool IsUntouched() const;
  bool IsRight() const;
};

// Returns calls of the C API that take each path of an operator: small and large, few and many.
std::vector<OperatorCall> CCalls();

// Returns calls of the C++ functions that take a context.
std::vector<OperatorCall> CppCalls();

// Returns both of the above.
std::vector<OperatorCall> AllCalls();

// Returns a call of mluOpBboxOverlaps with `boxes` boxes on either side.
OperatorCall OverlapsOf(int64_t boxes);

}  // namespace detops

#endif  // DETOPS_TESTS_OPERATOR_CALLS_H_
