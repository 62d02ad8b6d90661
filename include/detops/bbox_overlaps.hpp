// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// @brief Bounding box overlaps (bbox_overlaps): the matrix, aligned pairs, the best match of each
/// box, and the pairs above a threshold.
///
/// Specified in ops/bbox_overlaps/README.md. detops.hpp lists the rules that all operators share.

#ifndef DETOPS_BBOX_OVERLAPS_HPP_
#define DETOPS_BBOX_OVERLAPS_HPP_

#include <cstdint>
#include <vector>

#include "detops/context.hpp"
#include "detops/export.hpp"
#include "detops/tensor.hpp"

namespace detops {

/// @brief Measure of overlap.
enum class OverlapMode {
  kIou = 0,  ///< Intersection over union.
  kIof = 1,  ///< Intersection over foreground: over the area of the first box.
};

/// @brief Options of the bbox_overlaps functions.
struct BboxOverlapsOptions {
  OverlapMode mode = OverlapMode::kIou;  ///< Measure of overlap.
  int offset = 0;                        ///< 0 or 1; added to every width and height.
};

/// @brief Computes the overlap of every box of `boxes1` with every box of `boxes2`.
///
/// Boxes are (x1, y1, x2, y2). All three tensors are float, or all are Half (computed in float).
///
/// @param context Context; its queue, if any, runs the operator.
/// @param boxes1 First boxes, [M, 4].
/// @param boxes2 Second boxes, [N, 4].
/// @param[out] ious Overlaps, [M, N].
/// @param options Measure of overlap and offset.
/// @throws Error if a rank, type, shape or option is invalid.
DETOPS_EXPORT void BboxOverlaps(Context& context, const ConstTensorView& boxes1,
                                const ConstTensorView& boxes2, const TensorView& ious,
                                const BboxOverlapsOptions& options = {});
/// @brief Same, with a default context that belongs to the calling thread.
DETOPS_EXPORT void BboxOverlaps(const ConstTensorView& boxes1, const ConstTensorView& boxes2,
                                const TensorView& ious, const BboxOverlapsOptions& options = {});

/// @brief Computes the overlap of each pair `boxes1[i]`, `boxes2[i]`.
///
/// Same as BboxOverlaps(), but M equals N, and `ious` is [M] or [M, 1].
DETOPS_EXPORT void BboxOverlapsAligned(Context& context, const ConstTensorView& boxes1,
                                       const ConstTensorView& boxes2, const TensorView& ious,
                                       const BboxOverlapsOptions& options = {});
/// @brief Same, with a default context that belongs to the calling thread.
DETOPS_EXPORT void BboxOverlapsAligned(const ConstTensorView& boxes1, const ConstTensorView& boxes2,
                                       const TensorView& ious,
                                       const BboxOverlapsOptions& options = {});

/// @brief Best match among `boxes2` of each box of `boxes1`.
struct RowMaximum {
  std::vector<float> values;     ///< Largest overlap; 0 if N is 0, NaN if all overlaps are NaN.
  std::vector<int32_t> columns;  ///< Index of the match, the lowest of equal ones; -1 if none.
};

/// @brief Finds the best match of each box, without building the matrix. NaN overlaps are ignored.
/// @param context Context; jobs on its queue are waited for.
/// @param boxes1 First boxes, float or Half [M, 4].
/// @param boxes2 Second boxes, same type, [N, 4].
/// @param options Measure of overlap and offset.
/// @return M values and M columns.
/// @throws Error if a rank, type, shape or option is invalid.
DETOPS_EXPORT RowMaximum BboxOverlapsRowMaximum(Context& context, const ConstTensorView& boxes1,
                                                const ConstTensorView& boxes2,
                                                const BboxOverlapsOptions& options = {});
/// @brief Same, with a default context that belongs to the calling thread.
DETOPS_EXPORT RowMaximum BboxOverlapsRowMaximum(const ConstTensorView& boxes1,
                                                const ConstTensorView& boxes2,
                                                const BboxOverlapsOptions& options = {});

/// @brief Two boxes that overlap.
struct OverlapPair {
  int32_t row;     ///< Index into boxes1.
  int32_t column;  ///< Index into boxes2.
  float overlap;   ///< Overlap of the two boxes.
};

/// @brief Finds the pairs of boxes whose overlap is greater than a threshold, without building the
/// matrix.
/// @param context Context; jobs on its queue are waited for.
/// @param boxes1 First boxes, float or Half [M, 4].
/// @param boxes2 Second boxes, same type, [N, 4].
/// @param threshold Threshold; any number, also negative or infinite, but not NaN.
/// @param options Measure of overlap and offset.
/// @return The pairs, sorted by row and then by column.
/// @throws Error if a rank, type, shape or option is invalid, or the threshold is NaN.
DETOPS_EXPORT std::vector<OverlapPair> BboxOverlapsPairs(Context& context,
                                                         const ConstTensorView& boxes1,
                                                         const ConstTensorView& boxes2,
                                                         float threshold,
                                                         const BboxOverlapsOptions& options = {});
/// @brief Same, with a default context that belongs to the calling thread.
DETOPS_EXPORT std::vector<OverlapPair> BboxOverlapsPairs(const ConstTensorView& boxes1,
                                                         const ConstTensorView& boxes2,
                                                         float threshold,
                                                         const BboxOverlapsOptions& options = {});

}  // namespace detops

#endif  // DETOPS_BBOX_OVERLAPS_HPP_
