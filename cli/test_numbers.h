// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// For tests: a tensor's elements as a vector.

#ifndef DETOPS_CLI_TEST_NUMBERS_H_
#define DETOPS_CLI_TEST_NUMBERS_H_

#include <cstdint>
#include <vector>

#include "cli/case.h"

namespace detops::cli {

inline std::vector<double> NumbersOf(const Tensor& tensor, int64_t count) {
  const Numbers numbers(tensor, count);
  std::vector<double> copied;
  copied.reserve(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    copied.push_back(numbers[i]);
  }
  return copied;
}

}  // namespace detops::cli

#endif  // DETOPS_CLI_TEST_NUMBERS_H_
