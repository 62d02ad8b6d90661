// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// @brief Multiplication of boxes by a factor (scale_boxes): the public C and C++ functions.
///
/// Operators of detops itself are declared in mlu_op.h (C) and in a header in detops/ (C++).

#ifndef DETOPS_SCALE_BOXES_HPP_
#define DETOPS_SCALE_BOXES_HPP_

#include "detops/context.hpp"
#include "detops/export.hpp"
#include "detops/tensor.hpp"
#include "mlu_op.h"

/// @brief Multiplies every coordinate by a factor.
/// @param[in] handle Handle; its queue, if any, runs the operator.
/// @param[in] factor Factor; must be finite.
/// @param[in] boxes_desc Descriptor of `boxes`.
/// @param[in] boxes Boxes, float [N, 4].
/// @param[in] scaled_desc Descriptor of `scaled`.
/// @param[out] scaled Scaled boxes, float [N, 4].
/// @return MLUOP_STATUS_SUCCESS, MLUOP_STATUS_BAD_PARAM or MLUOP_STATUS_NOT_SUPPORTED.
extern "C" DETOPS_EXPORT mluOpStatus_t mluOpScaleBoxes(mluOpHandle_t handle, float factor,
                                                       mluOpTensorDescriptor_t boxes_desc,
                                                       const void* boxes,
                                                       mluOpTensorDescriptor_t scaled_desc,
                                                       void* scaled);

namespace detops {

/// @brief Options of ScaleBoxes().
struct ScaleBoxesOptions {
  float factor = 1.0f;  ///< Factor; must be finite.
};

/// @brief Multiplies every coordinate by a factor.
/// @param context Context; its queue, if any, runs the operator.
/// @param boxes Boxes, float [N, 4].
/// @param[out] scaled Scaled boxes, float [N, 4].
/// @param options Factor.
/// @throws Error if a type, shape or option is invalid.
DETOPS_EXPORT void ScaleBoxes(Context& context, const ConstTensorView& boxes,
                              const TensorView& scaled, const ScaleBoxesOptions& options);
/// @brief Same, with a default context that belongs to the calling thread.
DETOPS_EXPORT void ScaleBoxes(const ConstTensorView& boxes, const TensorView& scaled,
                              const ScaleBoxesOptions& options);

}  // namespace detops

#endif  // DETOPS_SCALE_BOXES_HPP_
