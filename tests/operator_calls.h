// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// One call of every operator and more, through every door: what it reads, memory for what it
// writes, and what belongs there. For tests that look at calls, not at numbers.

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
  // Whether results go to memory of the caller, in the order of the context's queue. Other calls
  // return them in memory of their own.
  bool in_place = true;
  // Makes the call and does not wait for the queue. An exception becomes its status.
  std::function<mluOpStatus_t(Context&)> make;

  struct Result {
    std::vector<std::byte> memory;
    std::vector<std::byte> expected;  // what the reference makes of memory that nobody has touched
  };
  std::vector<Result> results;

  // Looking at results allocates nothing.
  void Clear();
  bool IsUntouched() const;
  bool IsRight() const;
};

// Through the C API, in each of an operator's ways: small and large, few and many.
std::vector<OperatorCall> CCalls();

// Through the C++ functions that take a context.
std::vector<OperatorCall> CppCalls();

// Both of the above.
std::vector<OperatorCall> AllCalls();

// mluOpBboxOverlaps of so many boxes and as many others.
OperatorCall OverlapsOf(int64_t boxes);

}  // namespace detops

#endif  // DETOPS_TESTS_OPERATOR_CALLS_H_
