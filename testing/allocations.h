// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The one hook of all heap memory: a program that is linked with allocations.cc has these `new` and
// `delete`, which count, and which fail where a test wants it. TBB's memory does not come from
// there.

#ifndef DETOPS_TESTING_ALLOCATIONS_H_
#define DETOPS_TESTING_ALLOCATIONS_H_

#include <cstdint>

namespace detops {

// Of all threads, since the program began; failed ones are not among them.
int64_t AllocationsMade();
// How many of them were not freed.
int64_t AllocationsAlive();

// Makes allocations of all threads fail while it lives. There is one at a time, and what the test
// itself allocates meanwhile counts, too.
class AllocationFault {
 public:
  enum class Extent {
    kOne,   // only the first: whatever reports the failure has memory
    kRest,  // all from there on
  };

  // From the `first` allocation on; 1 is the next one.
  AllocationFault(int64_t first, Extent extent);
  ~AllocationFault();
  AllocationFault(const AllocationFault&) = delete;
  AllocationFault& operator=(const AllocationFault&) = delete;

  // How many have failed.
  static int64_t Failed();
};

}  // namespace detops

#endif  // DETOPS_TESTING_ALLOCATIONS_H_
