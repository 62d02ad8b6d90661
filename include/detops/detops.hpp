// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// @brief The whole C++ API.
///
/// These rules hold for all operators:
/// - Functions that write to output views run on the queue of the context if it has one. The
///   tensors must then outlive the work; Queue::Sync() waits for it.
/// - Functions that return their result wait for the jobs on that queue first, because their inputs
///   may come from them, and have finished when the call returns.
/// - Overloads without a context use one that belongs to the calling thread. It has no queue and
///   the default number of threads.
/// - Tensors have fewer than 2^31 elements. Results are identical, bit for bit, for every number of
///   threads and every instruction set. Only the sign and payload of a NaN may differ.
/// - A call that fails throws detops::Error and writes nothing.

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
