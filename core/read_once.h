// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Reads of inputs that steer memory access.

#ifndef DETOPS_CORE_READ_ONCE_H_
#define DETOPS_CORE_READ_ONCE_H_

#include <type_traits>

namespace detops {

// Returns `value`, which is read from memory exactly once. Another thread may change an input
// during a call. A number that was checked and is then read again may no longer be valid, and
// compilers may read plain memory as often as they like. Whatever decides which memory is accessed,
// such as an index or a count, is therefore read with this function, checked, and used from the
// copy.
template <class T>
T ReadOnce(const T& value) {
  static_assert(std::is_arithmetic_v<T>, "other types may need several reads");
  return static_cast<const volatile T&>(value);
}

}  // namespace detops

#endif  // DETOPS_CORE_READ_ONCE_H_
