// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Checks of scalar arguments. Each failure names the argument, the value found and the values that
// are valid. core/operand.h has the checks of tensors.

#ifndef DETOPS_CORE_CHECK_H_
#define DETOPS_CORE_CHECK_H_

#include <string_view>

#include "core/status.h"

namespace detops {

inline Status CheckNotNull(std::string_view argument, const void* pointer) {
  return pointer != nullptr ? Status()
                            : BadParam("{} is NULL; it must be a valid pointer", argument);
}

// Checks that `value` is in [low, high].
template <class Integer>
Status CheckRange(std::string_view argument, Integer value, Integer low, Integer high) {
  return value >= low && value <= high
             ? Status()
             : BadParam("{} is {}; it must be {} to {}", argument, value, low, high);
}

// Rejects NaN, too.
template <class Number>
Status CheckAtLeast(std::string_view argument, Number value, Number low) {
  return value >= low ? Status()
                      : BadParam("{} is {}; it must be at least {}", argument, value, low);
}

// Checks an enumerator between `first` and `last`, for enumerations without gaps. C callers can
// pass any integer.
template <class Enum>
Status CheckEnum(std::string_view argument, Enum value, Enum first, Enum last) {
  return CheckRange(argument, static_cast<int>(value), static_cast<int>(first),
                    static_cast<int>(last));
}

}  // namespace detops

#endif  // DETOPS_CORE_CHECK_H_
