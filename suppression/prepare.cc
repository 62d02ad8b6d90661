// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "suppression/prepare.h"

#include <algorithm>

#include "core/math.h"
#include "suppression/block.h"
#include "suppression/costs.h"

namespace detops::suppression {

PreparedBoxes PreparedIn(const Workspace& space, const Group& group) {
  return {.boxes = group.boxes,
          .metric = group.metric,
          .ids = space.slot_ids,
          .columns = space.columns,
          .records = space.records,
          .count = group.count};
}

void Prepare(const Group& group, const PreparedBoxes& prepared, int64_t begin, int64_t end) {
  ParallelFor(group.threads, CeilDiv(end - begin, kMaxLanes),
              group.kernels.nanoseconds_to_prepare * kMaxLanes, [&](int64_t first, int64_t last) {
                group.kernels.prepare(prepared, begin + first * kMaxLanes,
                                      std::min(begin + last * kMaxLanes, end));
              });
  ZeroTail(group.kernels, prepared.columns, end);
}

void CopyColumns(const Kernels& kernels, const Columns& from, int64_t from_index, const Columns& to,
                 int64_t to_index) {
  for (int i = 0; i < kernels.columns; ++i) {
    to.array[i][to_index] = from.array[i][from_index];
  }
}

void ReportWork(const Group& group, int64_t work) {
  if (group.work != nullptr) {
    *group.work += work;
  }
}

}  // namespace detops::suppression
