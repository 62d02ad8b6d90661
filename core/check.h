// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Checks of single arguments. Each failure names the argument, the value found and what was
// expected.

#ifndef DETOPS_CORE_CHECK_H_
#define DETOPS_CORE_CHECK_H_

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

}  // namespace detops

#endif  // DETOPS_CORE_CHECK_H_
