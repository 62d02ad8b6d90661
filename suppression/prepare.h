// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Boxes of a group in the form that tiles read.

#ifndef DETOPS_SUPPRESSION_PREPARE_H_
#define DETOPS_SUPPRESSION_PREPARE_H_

#include <cstdint>

#include "suppression/group.h"
#include "suppression/kernels.h"
#include "suppression/workspace.h"

namespace detops::suppression {

PreparedBoxes PreparedIn(const Workspace& space, const Group& group);

// Prepares the slots [begin, end); `begin` is a multiple of kMaxLanes.
void Prepare(const Group& group, const PreparedBoxes& prepared, int64_t begin, int64_t end);

void CopyColumns(const Kernels& kernels, const Columns& from, int64_t from_index, const Columns& to,
                 int64_t to_index);

// Adds to the work that the caller of the group counts, if it does.
void ReportWork(const Group& group, int64_t work);

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_PREPARE_H_
