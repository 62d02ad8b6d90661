// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// Everything of the C++ API.

#ifndef DETOPS_DETOPS_HPP_
#define DETOPS_DETOPS_HPP_

#include "detops/bbox_overlaps.hpp"
#include "detops/border_align_forward.hpp"
#include "detops/context.hpp"
#include "detops/error.hpp"
#include "detops/generate_proposals_v2.hpp"
#include "detops/info.hpp"
#include "detops/nms.hpp"
#include "detops/poly_nms.hpp"
#include "detops/psroipool_forward.hpp"
#include "detops/tensor.hpp"

#endif  // DETOPS_DETOPS_HPP_
