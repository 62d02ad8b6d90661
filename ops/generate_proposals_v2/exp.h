// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The exponential function of the operator. Which proposals are kept depends on its bits, so they
// must be the same everywhere: it uses only additions and multiplications of doubles in a fixed
// order. exp-inl.h is the same function on vectors; docs/numerics.md derives its error.

#ifndef DETOPS_OPS_GENERATE_PROPOSALS_V2_EXP_H_
#define DETOPS_OPS_GENERATE_PROPOSALS_V2_EXP_H_

#include <cstdint>
#include <cstring>

namespace detops::generate_proposals_v2 {

// e^x = 2^n * e^r with an integer n and |r| <= ln(2) / 2.
struct ExpConstants {
  // Smaller x are replaced by this one. Their results round to 0, and n stays in the range of
  // exponents.
  static constexpr float kLowest = -150.0f;
  static constexpr double kLog2E = 0x1.71547652b82fep0;
  static constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  // Adding this to a number below 2^51 leaves the nearest integer in the lowest bits.
  static constexpr double kToInteger = 0x1.8p52;
  static constexpr int64_t kExponentBias = 1023;
  static constexpr int kMantissaBits = 52;
  // 1 / k! for k = 9 to 0. The remainder of the series is below 1e-11 of the result, far less than
  // a float's last place, which is at least 5e-8 of it.
  static constexpr int kTerms = 10;
  static constexpr double kTaylor[kTerms] = {1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
                                             1.0 / 120,    1.0 / 24,    1.0 / 6,    1.0 / 2,
                                             1.0,          1.0};
};

// Returns e^x; NaN for NaN. x must not be above kLargestDelta (op.h).
inline float Exp(float x) {
  using C = ExpConstants;
  const double clamped = x < C::kLowest ? C::kLowest : x;
  const double shifted = clamped * C::kLog2E + C::kToInteger;
  const double r = clamped - (shifted - C::kToInteger) * C::kLn2;
  double series = C::kTaylor[0];
  for (int i = 1; i < C::kTerms; ++i) {
    series = series * r + C::kTaylor[i];
  }
  uint64_t bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  bits = (bits + C::kExponentBias) << C::kMantissaBits;
  double power_of_two;
  std::memcpy(&power_of_two, &bits, sizeof(power_of_two));
  return static_cast<float>(series * power_of_two);
}

}  // namespace detops::generate_proposals_v2

#endif  // DETOPS_OPS_GENERATE_PROPOSALS_V2_EXP_H_
