// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// @brief Quadrilateral NMS (poly_nms), and the IoU of quadrilaterals.
///
/// Specified in ops/poly_nms/README.md. detops.hpp lists the rules that all operators share.

#ifndef DETOPS_POLY_NMS_HPP_
#define DETOPS_POLY_NMS_HPP_

#include "detops/context.hpp"
#include "detops/export.hpp"
#include "detops/nms.hpp"
#include "detops/tensor.hpp"

namespace detops {

using PolyNmsOptions = SuppressionOptions;  ///< @brief Options of PolyNms().
using PolyNmsResult = SuppressionResult;    ///< @brief The boxes that PolyNms() kept.

/// @brief Quadrilateral NMS: greedy non-maximum suppression of quadrilaterals.
/// @param context Context; jobs on its queue are waited for.
/// @param boxes Boxes (x1, y1, x2, y2, x3, y3, x4, y4, score), float [N, 9].
/// @param options Thresholds, groups, images and order of the result.
/// @return The kept boxes.
/// @throws Error if a rank, type, shape or option is invalid.
DETOPS_EXPORT PolyNmsResult PolyNms(Context& context, const ConstTensorView& boxes,
                                    const PolyNmsOptions& options = {});
/// @brief Same, with a default context that belongs to the calling thread.
DETOPS_EXPORT PolyNmsResult PolyNms(const ConstTensorView& boxes,
                                    const PolyNmsOptions& options = {});

/// @brief Same as above, but writes the kept boxes to memory of the caller.
/// @param context Context; its queue, if any, runs the operator.
/// @param boxes Boxes (x1, y1, x2, y2, x3, y3, x4, y4, score), float [N, 9].
/// @param[out] output Indices of the kept boxes, int32 [N]. The rest is not written.
/// @param[out] result_num Number of kept boxes of each image, int32 [B], or [1] without
///   `image_counts`.
/// @param options Thresholds, groups, images and order of the result.
/// @throws Error if a rank, type, shape or option is invalid. If the operator runs on a queue, the
///   next synchronization reports invalid `image_counts` instead.
DETOPS_EXPORT void PolyNms(Context& context, const ConstTensorView& boxes, const TensorView& output,
                           const TensorView& result_num, const PolyNmsOptions& options = {});

/// @brief Computes the IoU of every quadrilateral of `polygons1` with every one of `polygons2`.
/// @param context Context; its queue, if any, runs the operator.
/// @param polygons1 Corners (x1, y1, ..., x4, y4), float [M, 8], or [M, 9] with an ignored score.
/// @param polygons2 Corners (x1, y1, ..., x4, y4), float [N, 8], or [N, 9] with an ignored score.
/// @param[out] ious IoUs, float [M, N].
/// @throws Error if a rank, type or shape is invalid.
DETOPS_EXPORT void PolygonIou(Context& context, const ConstTensorView& polygons1,
                              const ConstTensorView& polygons2, const TensorView& ious);
/// @brief Same, with a default context that belongs to the calling thread.
DETOPS_EXPORT void PolygonIou(const ConstTensorView& polygons1, const ConstTensorView& polygons2,
                              const TensorView& ious);

/// @brief Computes the IoU of each pair `polygons1[i]`, `polygons2[i]`.
///
/// Same as PolygonIou(), but M equals N, and `ious` is [M].
DETOPS_EXPORT void PolygonIouAligned(Context& context, const ConstTensorView& polygons1,
                                     const ConstTensorView& polygons2, const TensorView& ious);
/// @brief Same, with a default context that belongs to the calling thread.
DETOPS_EXPORT void PolygonIouAligned(const ConstTensorView& polygons1,
                                     const ConstTensorView& polygons2, const TensorView& ious);

}  // namespace detops

#endif  // DETOPS_POLY_NMS_HPP_
