// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/operators.h"

namespace detops {

// CMake generates operators.inc from the detops_add_ops calls. The list is compiled in because the
// linker would drop self-registering objects of a static library.
#define DETOPS_OPERATOR(op)        \
  namespace op {                   \
  extern const Operator kOperator; \
  }
#include "core/operators.inc"
#undef DETOPS_OPERATOR

const std::vector<const Operator*>& Operators() {
#define DETOPS_OPERATOR(op) &op::kOperator,
  static const auto* const operators = new std::vector<const Operator*>{
#include "core/operators.inc"
  };
#undef DETOPS_OPERATOR
  return *operators;
}

}  // namespace detops
