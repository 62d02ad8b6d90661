// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The parts of poly_nms. README.md in this folder is the contract.

#ifndef DETOPS_OPS_POLY_NMS_OP_H_
#define DETOPS_OPS_POLY_NMS_OP_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/operand.h"
#include "detops/poly_nms.hpp"
#include "runtime/job.h"
#include "suppression/engine.h"
#include "suppression/operands.h"

namespace detops::poly_nms {

// Numbers per box: four corners (x, y) and a score.
inline constexpr int64_t kBoxFloats = 9;

// Boxes are kBoxFloats floats each; the scores are among them.
using suppression::Args;
using suppression::Operands;

// The tensors of PolygonIou.
struct IouOperands {
  Operand polygons1{};
  Operand polygons2{};
  Operand ious{};
  bool aligned = false;  // compares polygons of the same index only

  std::array<const Operand*, 3> all() const { return {&polygons1, &polygons2, &ious}; }
};

struct IouArgs {
  const float* first;
  const float* second;
  int64_t rows;
  int64_t columns;
  int64_t first_stride;  // in floats
  int64_t second_stride;
  bool aligned;  // rows == columns; compares polygons of the same index only
  float* ious;

  int64_t count() const { return aligned ? rows : rows * columns; }
};

Status MakeArgs(const Operands& operands, const PolyNmsOptions& options, Args& args);
Status MakeIouArgs(const IouOperands& operands, IouArgs& args);

// The bodies that all doors share. CallWithResult allocates the result after checking shapes.
Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const PolyNmsOptions& options);
Status CallWithResult(const char* function, mluOpHandle_t handle, const Operands& operands,
                      const PolyNmsOptions& options, PolyNmsResult& result);
Status CallIou(const char* function, mluOpHandle_t handle, const IouOperands& operands);

size_t WorkspaceBytes(int64_t count);

Status Run(RunContext& context, const Args& args);
Status RunIou(RunContext& context, const IouArgs& args);

void Reference(const Args& args);
void ReferenceIou(const IouArgs& args);

// Returns the IoU of two quadrilaterals of 8 floats each: the definition, in double.
double ReferencePolygonIou(const float* a, const float* b);

}  // namespace detops::poly_nms

#endif  // DETOPS_OPS_POLY_NMS_OP_H_
