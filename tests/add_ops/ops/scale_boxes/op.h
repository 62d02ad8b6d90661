// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#ifndef DETOPS_OPS_SCALE_BOXES_OP_H_
#define DETOPS_OPS_SCALE_BOXES_OP_H_

#include <cstdint>

#include "core/tensor.h"
#include "runtime/job.h"

namespace detops::scale_boxes {

struct Args {
  const float* boxes;
  float* scaled;
  int64_t values;
  float factor;
};

Status MakeArgs(const Operand& boxes, const Operand& scaled, float factor, Args& args);
Status Run(RunContext& context, const Args& args);
void Reference(const Args& args);

// The values [begin, end), on the best target.
void Tile(const Args& args, int64_t begin, int64_t end);

}  // namespace detops::scale_boxes

extern "C" __attribute__((visibility("default"))) mluOpStatus_t mluOpScaleBoxes(
    mluOpHandle_t handle, float factor, mluOpTensorDescriptor_t boxes_desc, const void* boxes,
    mluOpTensorDescriptor_t scaled_desc, void* scaled);

#endif  // DETOPS_OPS_SCALE_BOXES_OP_H_
