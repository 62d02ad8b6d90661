// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Runs calls in which one allocation, or every allocation from one on, fails.

#ifndef DETOPS_TESTS_ALLOCATION_FAULTS_H_
#define DETOPS_TESTS_ALLOCATION_FAULTS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "cnrt.h"
#include "measure/slow_build.h"
#include "mlu_op.h"
#include "testing/allocations.h"

namespace detops {

using Extent = AllocationFault::Extent;

// More allocations than any call makes. A call that still fails at this number is at fault.
inline constexpr int64_t kMaxAllocations = 2000;

// Returns a description to be followed by the number of the allocation.
inline const char* NameOf(Extent extent) {
  return extent == Extent::kOne ? "only the failure of allocation "
                                : "all failures from allocation ";
}

// Discards the log at the given level without allocating memory.
class LogToNowhere {
 public:
  explicit LogToNowhere(detopsLogLevel_t level) {
    detopsSetLogSink([](detopsLogLevel_t, const char*, void*) {}, nullptr);
    detopsSetLogLevel(level);
  }
  ~LogToNowhere() {
    detopsSetLogLevel(DETOPS_LOG_ERROR);
    detopsSetLogSink(nullptr, nullptr);
  }
  LogToNowhere(const LogToNowhere&) = delete;
  LogToNowhere& operator=(const LogToNowhere&) = delete;
};

// Runs attempt(number, extent) without a failure, so that objects that are created once per process
// exist, including those for the log.
template <class Attempt>
void WarmUp(const Attempt& attempt) {
  const LogToNowhere log(DETOPS_LOG_DEBUG);
  attempt(kMaxAllocations, Extent::kOne);
}

// Calls attempt(number, extent) for number = 1, 2, ... until it returns false, which means that no
// allocation has failed. Returns the largest number of allocations that could fail.
template <class Attempt>
int64_t ForEachAllocation(const Attempt& attempt) {
  int64_t most = 0;
  for (const detopsLogLevel_t level : {DETOPS_LOG_OFF, DETOPS_LOG_ERROR, DETOPS_LOG_DEBUG}) {
    if (kSlowBuild && level != DETOPS_LOG_DEBUG) {
      continue;  // the debug level makes the most allocations
    }
    const LogToNowhere log(level);
    for (const Extent extent : {Extent::kOne, Extent::kRest}) {
      int64_t number = 1;
      while (number < kMaxAllocations && attempt(number, extent)) {
        ++number;
      }
      EXPECT_LT(number, kMaxAllocations);
      most = std::max(most, number - 1);
    }
  }
  return most;
}

enum class Outcome { kSuccess, kNoMemory, kOther };

inline Outcome OutcomeOf(mluOpStatus_t status) {
  return status == MLUOP_STATUS_SUCCESS        ? Outcome::kSuccess
         : status == MLUOP_STATUS_ALLOC_FAILED ? Outcome::kNoMemory
                                               : Outcome::kOther;
}

inline Outcome OutcomeOf(cnrtRet_t result) {
  return result == cnrtSuccess      ? Outcome::kSuccess
         : result == cnrtErrorNoMem ? Outcome::kNoMemory
                                    : Outcome::kOther;
}

}  // namespace detops

#endif  // DETOPS_TESTS_ALLOCATION_FAULTS_H_
