// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The vector tiles. Each pair of boxes passes up to three stages: a bound of its IoU from bounding
// boxes and areas, which rejects most pairs (bound-inl.h); the IoU in float with an error bound
// (decision-inl.h); and, where the threshold is within that error, the IoU in double with the bits
// of the reference (exact_iou-inl.h).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/read_once.h"
#include "ops/poly_nms/costs.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/tiles.h"

namespace detops::poly_nms {

// Defined once, below: they have no vectors.
void FindBounds(const void* boxes, const void* metric, const int32_t* ids, int64_t count,
                suppression::Bounds* bounds);
suppression::LeastOverlap LeastOverlapOf(const void* metric, float threshold);

}  // namespace detops::poly_nms

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/poly_nms/kernel.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/poly_nms/decision-inl.h"
#include "ops/poly_nms/iou_matrix-inl.h"
#include "ops/poly_nms/preparation-inl.h"
#include "suppression/pair_search-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::poly_nms {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void PrepareTileT(const suppression::PreparedBoxes& prepared, int64_t begin, int64_t end) {
  PrepareBoxes(hn::CappedTag<float, suppression::kMaxLanes>(), prepared, begin, end);
}

template <class Emit>
using UnscaledFinder = PairFinder<Emit, false>;
template <class Emit>
using ScaledFinder = PairFinder<Emit, true>;

template <template <class> class Finder>
const suppression::Kernels& MakeKernels() {
  static constexpr suppression::Kernels kKernels{
      .columns = kColumns,
      .record_bytes = sizeof(Record),
      .rows_at_once = 64,  // Rows share vectors of pairs.
      .single_rows = 1,
      .nanoseconds_per_pair = kNanosecondsPerPair,
      .nanoseconds_per_test = kNanosecondsPerTest,
      .nanoseconds_per_overlap = kNanosecondsPerOverlap,
      .nanoseconds_to_prepare = kNanosecondsToPrepare,
      .find_bounds = FindBounds,
      .least_overlap = LeastOverlapOf,
      .prepare = PrepareTileT,
      .block_tile = suppression::HWY_NAMESPACE::FindInBlock<Finder>,
      .kept_tile = suppression::HWY_NAMESPACE::FindSuppressed<Finder>,
      .pair_tile = suppression::HWY_NAMESPACE::FindPairs<Finder>};
  static_assert(kColumns <= suppression::kMaxColumns &&
                sizeof(Record) <= suppression::kMaxRecordBytes);
  return kKernels;
}

const suppression::Kernels& KernelsT() { return MakeKernels<UnscaledFinder>(); }
const suppression::Kernels& ScaledKernelsT() { return MakeKernels<ScaledFinder>(); }

void ComputeIousT(const IouArgs& args, const IouTile& tile) {
  if (args.aligned) {
    ComputeAlignedIous(args, tile.row_begin, tile.row_end);
  } else {
    ComputeIouMatrix(args, tile);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::poly_nms
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::poly_nms {

HWY_EXPORT(KernelsT);
HWY_EXPORT(ScaledKernelsT);
HWY_EXPORT(ComputeIousT);

const suppression::Kernels& NmsKernels() { return HWY_DYNAMIC_DISPATCH(KernelsT)(); }
const suppression::Kernels& ScaledNmsKernels() { return HWY_DYNAMIC_DISPATCH(ScaledKernelsT)(); }

void ComputeIous(const IouArgs& args, const IouTile& tile) {
  HWY_DYNAMIC_DISPATCH(ComputeIousT)(args, tile);
}

namespace {

suppression::Bounds BoundsOf(const float* box) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  suppression::Bounds bounds{kInfinity, kInfinity, -kInfinity, -kInfinity};
  for (int i = 0; i < 8; i += 2) {
    // The bounds steer memory access: the grid computes cells from them, which requires that they
    // are finite.
    const float x = ReadOnce(box[i]);
    const float y = ReadOnce(box[i + 1]);
    if (!std::isfinite(x) || !std::isfinite(y)) {
      return {0, 0, 0, 0};
    }
    bounds = {std::min(bounds.x_low, x), std::min(bounds.y_low, y), std::max(bounds.x_high, x),
              std::max(bounds.y_high, y)};
  }
  return bounds;
}

}  // namespace

void FindBounds(const void* boxes, const void* /*metric*/, const int32_t* ids, int64_t count,
                suppression::Bounds* bounds) {
  for (int64_t i = 0; i < count; ++i) {
    bounds[i] = BoundsOf(static_cast<const float*>(boxes) + ids[i] * kBoxFloats);
  }
}

// The area of a quadrilateral may be much smaller than its bounding box, so bounding boxes may
// overlap as little as they like.
suppression::LeastOverlap LeastOverlapOf(const void* /*metric*/, float /*threshold*/) {
  return suppression::LeastOverlap(0);
}

}  // namespace detops::poly_nms
#endif  // HWY_ONCE
