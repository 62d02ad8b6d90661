// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The parts of nms. README.md in this folder is the contract.

#ifndef DETOPS_OPS_NMS_OP_H_
#define DETOPS_OPS_NMS_OP_H_

#include <cstdint>

#include "core/tensor.h"
#include "detops/nms.hpp"
#include "runtime/job.h"
#include "suppression/engine.h"
#include "suppression/operands.h"

namespace detops::nms {

// x1, y1, x2, y2.
inline constexpr int64_t kBoxFloats = 4;

struct Boxes {
  const float* coordinates;
  int offset;  // added to every width and height
};

struct Args {
  Boxes boxes;
  suppression::SuppressCall call;  // its boxes point to those above only while it runs
};

size_t WorkspaceBytes(int64_t count);

Status MakeArgs(const Operand& boxes, const Operand& scores,
                const suppression::SelectionOperands& operands, const NmsOptions& options,
                Args& args);

Status Run(RunContext& context, const Args& args);

void Reference(const Args& args);

// The IoU of two boxes: the definition, in double.
double ReferenceIou(const float* a, const float* b, int offset);

// What the search reads of a box.
enum Column { kX1, kY1, kX2, kY2, kArea, kColumns };

// The kernels, on the best target.
const suppression::Kernels& BoxKernels();

}  // namespace detops::nms

#endif  // DETOPS_OPS_NMS_OP_H_
