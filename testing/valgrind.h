// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What tests ask of Valgrind and tell it. Where it is not installed nobody can run under it, and
// telling it something does nothing.

#ifndef DETOPS_TESTING_VALGRIND_H_
#define DETOPS_TESTING_VALGRIND_H_

#include <cstddef>

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif

namespace detops {

// Whether Valgrind runs the program. It computes in the default float mode whatever the program
// asks for, raises no exception flags, and runs one thread at a time: tests of these skip.
inline bool UnderValgrind() {
#if defined(RUNNING_ON_VALGRIND)
  return RUNNING_ON_VALGRIND != 0;
#else
  return false;
#endif
}

// From here on the bytes count as memory that nobody has written.
inline void MarkUnwritten([[maybe_unused]] void* address, [[maybe_unused]] size_t bytes) {
#if defined(VALGRIND_MAKE_MEM_UNDEFINED)
  VALGRIND_MAKE_MEM_UNDEFINED(address, bytes);
#endif
}

}  // namespace detops

#endif  // DETOPS_TESTING_VALGRIND_H_
