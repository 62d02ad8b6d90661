// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Suppression by pairs: finds all pairs that exceed the threshold, then resolves them in order.

#ifndef DETOPS_SUPPRESSION_PAIRS_H_
#define DETOPS_SUPPRESSION_PAIRS_H_

#include <cstdint>

#include "suppression/grid.h"
#include "suppression/group.h"
#include "suppression/kernels.h"
#include "suppression/workspace.h"

namespace detops::suppression {

// Work per box after which the search for all pairs gives up.
inline constexpr int64_t kWorkPerBox = 256;

// Returns the number of pairs found, or -1 when there are too many. `nanoseconds_per_box` is an
// estimate of the cost.
int64_t FindSuppressions(const Group& group, const Workspace& space, const Grid& grid,
                         const PreparedBoxes& prepared, double nanoseconds_per_box);

void ResolveSuppressions(const Group& group, const Workspace& space, const PreparedBoxes& prepared,
                         int64_t found);

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_PAIRS_H_
