// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Runs the suppression engine with the kernels for quadrilaterals, and computes matrices of IoUs.

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/parallel.h"
#include "ops/poly_nms/costs.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/tiles.h"
#include "suppression/engine.h"

namespace detops::poly_nms {
namespace {

// Columns of a task: few enough that a matrix with a single row is split, too.
constexpr int64_t kBlockColumns = 1024;

// Returns the larger side of the bounding box.
double SizeOf(const float* box) {
  double size = 0;
  for (int64_t axis = 0; axis < 2; ++axis) {
    const auto [low, high] = std::minmax({box[axis], box[axis + 2], box[axis + 4], box[axis + 6]});
    size = std::max(size, double{high} - low);
  }
  return size;
}

// Returns a scale that brings the median size of some boxes near 1, or 1 if float arithmetic
// reaches far enough. A few boxes are sufficient, because the scale changes the speed only.
Scale ScaleOf(const Args& args) {
  constexpr int64_t kSamples = 9;
  // Fewer boxes than this take little time at any scale.
  constexpr int64_t kMinCount = 32;
  // Half sizes of 2^-48 to 2^42 are in the range of float arithmetic. These leave some room.
  constexpr int kLeastExponent = -40;
  constexpr int kLargestExponent = 36;
  if (args.count < kMinCount) {
    return {};
  }
  const auto* const boxes = static_cast<const float*>(args.boxes);
  int exponents[kSamples];
  int64_t used = 0;
  for (int64_t i = 0; i < kSamples; ++i) {
    const double size = SizeOf(boxes + args.count * i / kSamples * kBoxFloats);
    if (std::isfinite(size) && size > 0) {
      exponents[used++] = std::ilogb(size);
    }
  }
  if (used == 0) {
    return {};
  }
  std::nth_element(exponents, exponents + used / 2, exponents + used);
  const int median = exponents[used / 2];
  if (median >= kLeastExponent && median <= kLargestExponent) {
    return {};
  }
  // Clamped so that the factor is a normal number.
  return {.factor = std::ldexp(1.0f, std::clamp(-median, -126, 126))};
}

}  // namespace

size_t WorkspaceBytes(int64_t count) { return suppression::WorkspaceBytes(NmsKernels(), count); }

Status Run(RunContext& context, const Args& args) {
  const Scale scale = ScaleOf(args);
  if (scale.factor == 1) {
    return suppression::Run(context, NmsKernels(), args);
  }
  Args scaled = args;
  scaled.metric = &scale;
  return suppression::Run(context, ScaledNmsKernels(), scaled);
}

Status RunIou(RunContext& context, const IouArgs& args) {
  const int64_t blocks =
      args.aligned ? 1 : std::max<int64_t>(CeilDiv(args.columns, kBlockColumns), 1);
  const double nanoseconds =
      kNanosecondsPerIou *
      (args.aligned ? 1.0 : static_cast<double>(std::min(args.columns, kBlockColumns)));
  ParallelFor(context.threads, args.rows * blocks, nanoseconds, [&](int64_t begin, int64_t end) {
    // The range may extend over several blocks of columns.
    while (begin < end) {
      const int64_t block = begin / args.rows;
      const int64_t part_end = std::min(end, (block + 1) * args.rows);
      const int64_t column = block * kBlockColumns;
      ComputeIous(args, {.row_begin = begin - block * args.rows,
                         .row_end = part_end - block * args.rows,
                         .column_begin = column,
                         .column_end = std::min(column + kBlockColumns, args.columns)});
      begin = part_end;
    }
  });
  return {};
}

}  // namespace detops::poly_nms
