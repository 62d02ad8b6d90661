// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include "core/boundary.h"
#include "core/check.h"
#include "core/log.h"
#include "core/operators.h"
#include "core/tensor_descriptor.h"
#include "ops/scale_boxes/op.h"
#include "runtime/submit.h"

namespace detops::scale_boxes {

extern const Operator kOperator{"scale_boxes", "every coordinate times a factor"};

Status MakeArgs(const Operand& boxes, const Operand& scaled, float factor, Args& args) {
  for (const Operand& tensor : {boxes, scaled}) {
    DETOPS_RETURN_IF_ERROR(CheckDescribed(tensor));
    DETOPS_RETURN_IF_ERROR(CheckRank(tensor, 2));
    DETOPS_RETURN_IF_ERROR(CheckDataType(tensor, {MLUOP_DTYPE_FLOAT}));
  }
  if (!std::isfinite(factor)) {
    return BadParam("factor is {}; it must be a finite number", factor);
  }
  DETOPS_RETURN_IF_ERROR(CheckDimension(boxes, 1, 4));
  DETOPS_RETURN_IF_ERROR(CheckDimension(scaled, 0, boxes.dim(0)));
  DETOPS_RETURN_IF_ERROR(CheckDimension(scaled, 1, 4));
  for (const Operand& tensor : {boxes, scaled}) {
    DETOPS_RETURN_IF_ERROR(CheckContiguous(tensor));
    DETOPS_RETURN_IF_ERROR(CheckElementCount(tensor));
  }
  const int64_t values = boxes.shape->element_count;
  if (values != 0) {
    DETOPS_RETURN_IF_ERROR(CheckData(boxes));
    DETOPS_RETURN_IF_ERROR(CheckData(scaled));
  }
  args = {static_cast<const float*>(boxes.data), static_cast<float*>(scaled.data), values, factor};
  return {};
}

}  // namespace detops::scale_boxes

mluOpStatus_t mluOpScaleBoxes(mluOpHandle_t handle, float factor,
                              mluOpTensorDescriptor_t boxes_desc, const void* boxes,
                              mluOpTensorDescriptor_t scaled_desc, void* scaled) {
  using namespace detops;  // NOLINT(google-build-using-namespace): a C function has no namespace of
                           // its own
  constexpr const char* kName = "mluOpScaleBoxes";
  return ApiCall(kName, [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("handle", handle));
    scale_boxes::Args args;
    DETOPS_RETURN_IF_ERROR(scale_boxes::MakeArgs(OperandOf("boxes", boxes_desc, boxes),
                                                 OperandOf("scaled", scaled_desc, scaled), factor,
                                                 args));
    if (LogEnabled(DETOPS_LOG_DEBUG)) {
      Log(DETOPS_LOG_DEBUG,
          fmt::format("{}: boxes {}, factor {}", kName, boxes_desc->shape.ToString(), factor));
    }
    return args.values == 0 ? Status() : Submit<scale_boxes::Run>(handle, kName, args);
  });
}
