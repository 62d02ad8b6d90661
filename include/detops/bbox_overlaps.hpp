// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// How much boxes overlap: the matrix, the best match of each row, or the pairs above a threshold.
/// ops/bbox_overlaps/README.md is the contract.

#ifndef DETOPS_BBOX_OVERLAPS_HPP_
#define DETOPS_BBOX_OVERLAPS_HPP_

#include <cstdint>
#include <vector>

#include "detops/context.hpp"
#include "detops/export.hpp"
#include "detops/tensor.hpp"

namespace detops {

enum class OverlapMode {
  kIou = 0,  ///< Intersection over union.
  kIof = 1,  ///< Intersection over the area of the first box.
};

struct BboxOverlapsOptions {
  OverlapMode mode = OverlapMode::kIou;
  int offset = 0;  ///< 0 or 1, added to every width and height.
};

/// Writes the overlap of every box of `boxes1` [M, 4] with every box of `boxes2` [N, 4] to `ious`
/// [M, N]: floats or halves, the same for all three. On the context's queue when it has one.
DETOPS_EXPORT void BboxOverlaps(Context& context, const ConstTensorView& boxes1,
                                const ConstTensorView& boxes2, const TensorView& ious,
                                const BboxOverlapsOptions& options = {});
DETOPS_EXPORT void BboxOverlaps(const ConstTensorView& boxes1, const ConstTensorView& boxes2,
                                const TensorView& ious, const BboxOverlapsOptions& options = {});

/// Writes the overlap of the box pairs `boxes1[i]`, `boxes2[i]` to `ious` [M] or [M, 1].
DETOPS_EXPORT void BboxOverlapsAligned(Context& context, const ConstTensorView& boxes1,
                                       const ConstTensorView& boxes2, const TensorView& ious,
                                       const BboxOverlapsOptions& options = {});
DETOPS_EXPORT void BboxOverlapsAligned(const ConstTensorView& boxes1, const ConstTensorView& boxes2,
                                       const TensorView& ious,
                                       const BboxOverlapsOptions& options = {});

/// The best match of each box of `boxes1` among `boxes2`.
struct RowMaximum {
  std::vector<float> values;     ///< Its overlap. 0 when there is no box, NaN when all are NaN.
  std::vector<int32_t> columns;  ///< Its index, the lowest of equals; -1 when there is none.
};

/// The largest overlap of each row and where it is, without the matrix. NaNs are passed over. The
/// context's queue is waited for; the result is there when the call returns.
DETOPS_EXPORT RowMaximum BboxOverlapsRowMaximum(Context& context, const ConstTensorView& boxes1,
                                                const ConstTensorView& boxes2,
                                                const BboxOverlapsOptions& options = {});
DETOPS_EXPORT RowMaximum BboxOverlapsRowMaximum(const ConstTensorView& boxes1,
                                                const ConstTensorView& boxes2,
                                                const BboxOverlapsOptions& options = {});

struct OverlapPair {
  int32_t row;     ///< Index into boxes1.
  int32_t column;  ///< Index into boxes2.
  float overlap;
};

/// The pairs whose overlap exceeds `threshold`, by row and then by column, without the matrix. The
/// context's queue is waited for; the result is there when the call returns.
DETOPS_EXPORT std::vector<OverlapPair> BboxOverlapsPairs(Context& context,
                                                         const ConstTensorView& boxes1,
                                                         const ConstTensorView& boxes2,
                                                         float threshold,
                                                         const BboxOverlapsOptions& options = {});
DETOPS_EXPORT std::vector<OverlapPair> BboxOverlapsPairs(const ConstTensorView& boxes1,
                                                         const ConstTensorView& boxes2,
                                                         float threshold,
                                                         const BboxOverlapsOptions& options = {});

}  // namespace detops

#endif  // DETOPS_BBOX_OVERLAPS_HPP_
