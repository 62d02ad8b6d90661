// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The list of operators in this build of the library.

#ifndef DETOPS_CORE_OPERATORS_H_
#define DETOPS_CORE_OPERATORS_H_

#include <vector>

namespace detops {

// Describes an operator. Each operator defines detops::<op>::kOperator in its api.cc.
struct Operator {
  const char* name;     // same as its folder, for example "poly_nms"
  const char* summary;  // one line for lists and help
};

// Returns all operators, in the order of the detops_add_ops calls.
const std::vector<const Operator*>& Operators();

}  // namespace detops

#endif  // DETOPS_CORE_OPERATORS_H_
