// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// scale_boxes: boxes times a factor. README.md is the contract.

#ifndef DETOPS_OPS_SCALE_BOXES_OP_H_
#define DETOPS_OPS_SCALE_BOXES_OP_H_

#include <array>
#include <cstdint>

#include "core/operand.h"
#include "ops/scale_boxes/scale_boxes.hpp"
#include "runtime/job.h"

namespace detops::scale_boxes {

// The tensors of a call.
struct Operands {
  Operand boxes{};
  Operand scaled{};

  std::array<const Operand*, 2> all() const { return {&boxes, &scaled}; }
};

// Checked arguments, as plain data.
struct Args {
  const float* boxes;
  float* scaled;
  int64_t count;  // coordinates
  float factor;
};

// Checks all arguments and fills `args`.
Status MakeArgs(const Operands& operands, const ScaleBoxesOptions& options, Args& args);

// The call that all entry points share: check, log and submit. `function` is the name of the entry
// point.
Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const ScaleBoxesOptions& options);

Status Run(RunContext& context, const Args& args);
void Reference(const Args& args);

// Scales the coordinates [begin, end), on the best target.
void ScaleTile(const Args& args, int64_t begin, int64_t end);

}  // namespace detops::scale_boxes

#endif  // DETOPS_OPS_SCALE_BOXES_OP_H_
