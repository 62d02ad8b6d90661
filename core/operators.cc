// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/operators.h"

namespace detops {

// operators.inc is written from the detops_add_ops calls. A list that is compiled in, not objects
// that register themselves: static linking would drop those.
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
