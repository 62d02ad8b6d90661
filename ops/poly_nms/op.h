// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The parts of poly_nms. README.md in this folder is the contract.

#ifndef DETOPS_OPS_POLY_NMS_OP_H_
#define DETOPS_OPS_POLY_NMS_OP_H_

#include <cstddef>
#include <cstdint>

#include "core/tensor.h"
#include "detops/poly_nms.hpp"
#include "runtime/job.h"
#include "suppression/engine.h"
#include "suppression/operands.h"

namespace detops::poly_nms {

// Four corners (x, y) and a score.
inline constexpr int64_t kBoxFloats = 9;

// The boxes are floats, kBoxFloats each; the scores are among them.
using Args = suppression::SuppressCall;

struct IouArgs {
  const float* first;
  const float* second;
  int64_t rows;
  int64_t columns;
  int64_t first_stride;  // floats from one polygon to the next
  int64_t second_stride;
  bool aligned;  // rows == columns, and only polygons of one index are compared
  float* ious;

  int64_t count() const { return aligned ? rows : rows * columns; }
};

size_t WorkspaceBytes(int64_t count);

Status MakeArgs(const Operand& boxes, const suppression::SelectionOperands& operands,
                const PolyNmsOptions& options, Args& args);
Status MakeIouArgs(const Operand& polygons1, const Operand& polygons2, const Operand& ious,
                   bool aligned, IouArgs& args);

Status Run(RunContext& context, const Args& args);
Status RunIou(RunContext& context, const IouArgs& args);

void Reference(const Args& args);
void ReferenceIou(const IouArgs& args);

// The IoU of two quadrilaterals, each 8 floats: the definition, in double.
double ReferencePolygonIou(const float* a, const float* b);

}  // namespace detops::poly_nms

#endif  // DETOPS_OPS_POLY_NMS_OP_H_
