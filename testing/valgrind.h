// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Requests to Valgrind. Without its headers they do nothing.

#ifndef DETOPS_TESTING_VALGRIND_H_
#define DETOPS_TESTING_VALGRIND_H_

#include <cstddef>

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif

namespace detops {

// Returns whether the program runs under Valgrind, which ignores the floating-point mode, sets no
// exception flags and runs one thread at a time. Tests of these are skipped.
inline bool UnderValgrind() {
#if defined(RUNNING_ON_VALGRIND)
  return RUNNING_ON_VALGRIND != 0;
#else
  return false;
#endif
}

// Makes Valgrind treat the bytes as uninitialized memory.
inline void MarkUninitialized([[maybe_unused]] void* address, [[maybe_unused]] size_t bytes) {
#if defined(VALGRIND_MAKE_MEM_UNDEFINED)
  VALGRIND_MAKE_MEM_UNDEFINED(address, bytes);
#endif
}

}  // namespace detops

#endif  // DETOPS_TESTING_VALGRIND_H_
