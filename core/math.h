// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Integer arithmetic for sizes and counts.

#ifndef DETOPS_CORE_MATH_H_
#define DETOPS_CORE_MATH_H_

#include <type_traits>

namespace detops {

// Returns a / b rounded up. `a` must not be negative, `b` must be positive, and a + b - 1 must not
// overflow.
template <class Integer>
constexpr Integer CeilDiv(Integer a, std::type_identity_t<Integer> b) {
  static_assert(std::is_integral_v<Integer>);
  return (a + (b - 1)) / b;
}

// Returns the smallest multiple of `unit` that is not below `value`. The limits of CeilDiv apply.
template <class Integer>
constexpr Integer RoundUp(Integer value, std::type_identity_t<Integer> unit) {
  return CeilDiv(value, unit) * unit;
}

}  // namespace detops

#endif  // DETOPS_CORE_MATH_H_
