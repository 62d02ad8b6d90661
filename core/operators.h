// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The operators that this library was built with.

#ifndef DETOPS_CORE_OPERATORS_H_
#define DETOPS_CORE_OPERATORS_H_

#include <vector>

namespace detops {

// What an operator says about itself. Each defines one in its namespace, detops::<op>::kOperator,
// in api.cc.
struct Operator {
  const char* name;     // the folder's name
  const char* summary;  // one line
};

// In the order in which they were added.
const std::vector<const Operator*>& Operators();

}  // namespace detops

#endif  // DETOPS_CORE_OPERATORS_H_
