// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#ifndef DETOPS_OPS_SCALE_BOXES_CASES_H_
#define DETOPS_OPS_SCALE_BOXES_CASES_H_

#include <cstdint>
#include <vector>

namespace detops::scale_boxes {

std::vector<float> RandomBoxes(int64_t count, uint32_t seed);

}  // namespace detops::scale_boxes

#endif  // DETOPS_OPS_SCALE_BOXES_CASES_H_
