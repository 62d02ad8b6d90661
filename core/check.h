// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Checks of single arguments. Each failure names the argument, the value found and what was
// expected.

#ifndef DETOPS_CORE_CHECK_H_
#define DETOPS_CORE_CHECK_H_

#include <cstddef>
#include <string_view>

#include "core/status.h"

namespace detops {

inline Status CheckNotNull(std::string_view argument, const void* pointer) {
  return pointer != nullptr ? Status() : BadParam("{} is NULL, expected a valid pointer", argument);
}

// An integer in [low, high].
template <class Integer>
Status CheckRange(std::string_view argument, Integer value, Integer low, Integer high) {
  return value >= low && value <= high
             ? Status()
             : BadParam("{} is {}, expected {} to {}", argument, value, low, high);
}

// An enumerator between `first` and `last`, for enumerations without gaps. C callers can pass any
// integer.
template <class Enum>
Status CheckEnum(std::string_view argument, Enum value, Enum first, Enum last) {
  return CheckRange(argument, static_cast<int>(value), static_cast<int>(first),
                    static_cast<int>(last));
}

// Memory of the caller that a call needs.
inline Status CheckWorkspace(const void* workspace, size_t size, size_t needed) {
  if (needed == 0) {
    return {};
  }
  DETOPS_RETURN_IF_ERROR(CheckNotNull("workspace", workspace));
  return size >= needed ? Status()
                        : BadParam("workspace_size is {}, expected at least {}", size, needed);
}

}  // namespace detops

#endif  // DETOPS_CORE_CHECK_H_
