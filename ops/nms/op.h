// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The parts of nms. README.md in this folder is the contract.

#ifndef DETOPS_OPS_NMS_OP_H_
#define DETOPS_OPS_NMS_OP_H_

#include <cstdint>

#include "detops/nms.hpp"
#include "runtime/job.h"
#include "suppression/engine.h"
#include "suppression/operands.h"

namespace detops::nms {

// Numbers per box: x1, y1, x2, y2.
inline constexpr int64_t kBoxFloats = 4;

// How the overlap of two boxes is measured.
struct Metric {
  int offset;  // added to every width and height
};

struct Args {
  Metric metric;
  suppression::Args suppression;  // Run sets its metric: an Args may be copied.
};

using suppression::Operands;

Status MakeArgs(const Operands& operands, const NmsOptions& options, Args& args);

// The bodies that all doors share. CallWithResult allocates the result after checking shapes.
Status Call(const char* function, mluOpHandle_t handle, const Operands& operands,
            const NmsOptions& options);
Status CallWithResult(const char* function, mluOpHandle_t handle, const Operands& operands,
                      const NmsOptions& options, SuppressionResult& result);

size_t WorkspaceBytes(int64_t count);

Status Run(RunContext& context, const Args& args);

void Reference(const Args& args);

// Returns the IoU of two boxes: the definition, in double.
double ReferenceIou(const float* a, const float* b, int offset);

// The quantities that the search reads per box.
enum Column { kX1, kY1, kX2, kY2, kArea, kColumns };

// Boxes of up to kMaxLanes pairs, one row per coordinate: kX1 to kY2.
struct BoxRows {
  float array[kBoxFloats][suppression::kMaxLanes];
};

// Decides pairs in double, in vectors, with the operations of the reference. Bit i of the result is
// whether pair i, of `count`, exceeds the threshold. A function of its own, because the search
// would be slower if the compiler knew which registers it uses.
uint32_t DecideInDouble(const BoxRows& a, const BoxRows& b, int64_t count, int offset,
                        float threshold);

// Returns the kernels for the best target. Their tiles read columns and the metric only, so other
// operators can compare boxes that they hold as columns.
const suppression::Kernels& BoxKernels();

}  // namespace detops::nms

#endif  // DETOPS_OPS_NMS_OP_H_
