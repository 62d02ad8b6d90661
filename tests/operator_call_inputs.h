// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Inputs and result memory that the calls of the C API and of the C++ API share.

#ifndef DETOPS_TESTS_OPERATOR_CALL_INPUTS_H_
#define DETOPS_TESTS_OPERATOR_CALL_INPUTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "measure/slow_build.h"
#include "ops/bbox_overlaps/cases.h"
#include "ops/generate_proposals_v2/cases.h"
#include "ops/poly_nms/cases.h"
#include "tests/operator_calls.h"

namespace detops {

// Fills the memory of results before a call.
inline constexpr std::byte kUntouched{0xA5};

// Height and width of the feature maps of proposals.
inline constexpr int64_t kMapRows = kSlowBuild ? 14 : 35;

// The spatial_scale of position-sensitive RoI pooling.
inline constexpr float kScale = 0.0625f;

// Memory for one result of a call, and for the expected result.
template <class T>
struct Room {
  T* result;
  T* expected;
};

template <class T>
Room<T> AddResult(OperatorCall& call, int64_t count) {
  const std::vector<std::byte> untouched(static_cast<size_t>(count) * sizeof(T), kUntouched);
  OperatorCall::Result& added =
      call.results.emplace_back(OperatorCall::Result{untouched, untouched});
  // The pointers stay valid: a vector that is moved keeps its memory.
  return {reinterpret_cast<T*>(added.memory.data()), reinterpret_cast<T*>(added.expected.data())};
}

bbox_overlaps::Case OverlapCase(int64_t rows, int64_t columns, bool aligned, bool half);

poly_nms::Case PolygonCase(poly_nms::Kind kind, int64_t count);

std::shared_ptr<const generate_proposals_v2::Case> ProposalCase(
    const generate_proposals_v2::Shape& shape, float nms_thresh, bool channels_first);

// Memory for the results of generate_proposals_v2.
struct ProposalRooms {
  ProposalRooms(OperatorCall& call, const generate_proposals_v2::Case& input);

  Room<float> rois;
  Room<float> probs;
  Room<int32_t> counts;
  Room<int32_t> total;
};

}  // namespace detops

#endif  // DETOPS_TESTS_OPERATOR_CALL_INPUTS_H_
