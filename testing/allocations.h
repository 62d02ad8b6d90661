// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Replaces operator new and delete in programs that are linked with allocations.cc: allocations are
// counted, and fail where a test asks for it.

#ifndef DETOPS_TESTING_ALLOCATIONS_H_
#define DETOPS_TESTING_ALLOCATIONS_H_

#include <cstdint>

namespace detops {

// Returns the number of successful allocations of all threads since the program started.
int64_t AllocationsMade();
// Returns how many of them have not been freed.
int64_t AllocationsAlive();

// Makes allocations of all threads fail during its lifetime. Only one may exist at a time.
// Allocations of the test itself count, too.
class AllocationFault {
 public:
  enum class Extent {
    kOne,   // one allocation fails: there is memory to report the failure
    kRest,  // all further allocations fail, too
  };

  // `first` is the number of the first allocation that fails; 1 is the next one.
  AllocationFault(int64_t first, Extent extent);
  ~AllocationFault();
  AllocationFault(const AllocationFault&) = delete;
  AllocationFault& operator=(const AllocationFault&) = delete;

  // Returns the number of allocations that have failed.
  static int64_t Failed();
};

}  // namespace detops

#endif  // DETOPS_TESTING_ALLOCATIONS_H_
