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

// Floats per box: four corners (x, y) and a score.
inline constexpr int64_t kBoxFloats = 9;

// Boxes are kBoxFloats floats each, with the score as the last one.
using suppression::Args;
using suppression::Operands;

// The tensors of PolygonIou.
struct IouOperands {
  Operand polygons1{};
  Operand polygons2{};
  Operand ious{};
  bool aligned = false;  // whether to compare only polygons with the same index

  std::array<const Operand*, 3> all() const { return {&polygons1, &polygons2, &ious}; }
};

struct IouArgs {
  const float* first;
  const float* second;
  int64_t rows;
  int64_t columns;
  int64_t first_stride;  // in floats
  int64_t second_stride;
  bool aligned;  // whether to compare only polygons with the same index; then rows == columns
  float* ious;

  int64_t count() const { return aligned ? rows : rows * columns; }
};

Status MakeArgs(const Operands& operands, const PolyNmsOptions& options, Args& args);
Status MakeIouArgs(const IouOperands& operands, IouArgs& args);

// The implementations that the C, C++ and Python functions share. CallWithResult allocates the
// result after checking shapes.
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

// Returns the IoU of two quadrilaterals of 8 floats each, computed in double. This is the
// definition.
double ReferencePolygonIou(const float* a, const float* b);

}  // namespace detops::poly_nms

#endif  // DETOPS_OPS_POLY_NMS_OP_H_
