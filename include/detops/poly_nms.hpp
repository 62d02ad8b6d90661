// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// Quadrilaterals: which detections to keep (non-maximum suppression), and how much two overlap.
/// ops/poly_nms/README.md is the contract.

#ifndef DETOPS_POLY_NMS_HPP_
#define DETOPS_POLY_NMS_HPP_

#include "detops/context.hpp"
#include "detops/export.hpp"
#include "detops/nms.hpp"
#include "detops/tensor.hpp"

namespace detops {

using PolyNmsOptions = SuppressionOptions;
using PolyNmsResult = SuppressionResult;

/// Greedy non-maximum suppression of `boxes`, float [N, 9]: four corners (x, y) and a score. The
/// context's queue is waited for; the result is there when the call returns.
DETOPS_EXPORT PolyNmsResult PolyNms(Context& context, const ConstTensorView& boxes,
                                    const PolyNmsOptions& options = {});
DETOPS_EXPORT PolyNmsResult PolyNms(const ConstTensorView& boxes,
                                    const PolyNmsOptions& options = {});

/// The same into memory of the caller: `output`, int32 [N], of which the rest is left as it was,
/// and `result_num`, int32 [1] or as many as there are images. On the context's queue when it has
/// one.
DETOPS_EXPORT void PolyNms(Context& context, const ConstTensorView& boxes, const TensorView& output,
                           const TensorView& result_num, const PolyNmsOptions& options = {});

/// Writes the IoU of every quadrilateral of `polygons1` [M, 8] with every one of `polygons2` [N, 8]
/// to `ious` [M, N], all float. A ninth number (a score) is passed over. On the context's queue
/// when it has one.
DETOPS_EXPORT void PolygonIou(Context& context, const ConstTensorView& polygons1,
                              const ConstTensorView& polygons2, const TensorView& ious);
DETOPS_EXPORT void PolygonIou(const ConstTensorView& polygons1, const ConstTensorView& polygons2,
                              const TensorView& ious);

/// Writes the IoU of the pairs `polygons1[i]`, `polygons2[i]` to `ious` [M].
DETOPS_EXPORT void PolygonIouAligned(Context& context, const ConstTensorView& polygons1,
                                     const ConstTensorView& polygons2, const TensorView& ious);
DETOPS_EXPORT void PolygonIouAligned(const ConstTensorView& polygons1,
                                     const ConstTensorView& polygons2, const TensorView& ious);

}  // namespace detops

#endif  // DETOPS_POLY_NMS_HPP_
