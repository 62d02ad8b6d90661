// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// For the messages of failed comparisons.

#ifndef DETOPS_SUPPRESSION_PRINT_KEPT_H_
#define DETOPS_SUPPRESSION_PRINT_KEPT_H_

#include <gtest/gtest.h>

#include <ostream>

#include "suppression/cases.h"

namespace detops {

inline void PrintTo(const Kept& kept, std::ostream* stream) {
  *stream << "result_num " << testing::PrintToString(kept.result_num) << ", output "
          << testing::PrintToString(kept.output);
}

}  // namespace detops

#endif  // DETOPS_SUPPRESSION_PRINT_KEPT_H_
