// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "tests/operator_calls.h"

#include <algorithm>
#include <utility>

#include "tests/operator_call_inputs.h"

namespace detops {

void OperatorCall::Clear() {
  for (Result& result : results) {
    std::fill(result.memory.begin(), result.memory.end(), kUntouched);
  }
}

bool OperatorCall::IsUntouched() const {
  return std::all_of(results.begin(), results.end(), [](const Result& result) {
    return std::all_of(result.memory.begin(), result.memory.end(),
                       [](std::byte byte) { return byte == kUntouched; });
  });
}

bool OperatorCall::IsRight() const {
  return std::all_of(results.begin(), results.end(),
                     [](const Result& result) { return result.memory == result.expected; });
}

std::vector<OperatorCall> AllCalls() {
  std::vector<OperatorCall> calls = CCalls();
  std::vector<OperatorCall> others = CppCalls();
  for (OperatorCall& call : others) {
    calls.push_back(std::move(call));
  }
  return calls;
}

// ---- Inputs -------------------------------------------------------------------------------------

bbox_overlaps::Case OverlapCase(int64_t rows, int64_t columns, bool aligned, bool half) {
  bbox_overlaps::Case input;
  input.boxes1 = RandomBoxes(bbox_overlaps::Kind::kImage, rows, 1);
  input.boxes2 = RandomBoxes(bbox_overlaps::Kind::kImage, columns, 2);
  input.aligned = aligned;
  input.half = half;
  return input;
}

poly_nms::Case PolygonCase(poly_nms::Kind kind, int64_t count) {
  poly_nms::Case input;
  input.boxes = poly_nms::RandomBoxes(kind, count, 1);
  input.iou_threshold = 0.1f;
  return input;
}

std::shared_ptr<const generate_proposals_v2::Case> ProposalCase(
    const generate_proposals_v2::Shape& shape, float nms_thresh, bool channels_first) {
  generate_proposals_v2::Case input =
      generate_proposals_v2::RandomCase(generate_proposals_v2::Kind::kTrained, shape, 8, 32, 1);
  input.post_nms_top_n = 500;
  input.nms_thresh = nms_thresh;
  if (channels_first) {
    input = input.ChannelsFirst();
  }
  return std::make_shared<const generate_proposals_v2::Case>(std::move(input));
}

ProposalRooms::ProposalRooms(OperatorCall& call, const generate_proposals_v2::Case& input)
    : rois(AddResult<float>(call, input.rows() * 4)),
      probs(AddResult<float>(call, input.rows())),
      counts(AddResult<int32_t>(call, input.images)),
      total(AddResult<int32_t>(call, 1)) {
  generate_proposals_v2::Proposals unused(input);
  generate_proposals_v2::Args args = MakeArgs(input, unused);
  args.rois = rois.expected;
  args.probs = probs.expected;
  args.counts = counts.expected;
  args.total = total.expected;
  Reference(args);
}

}  // namespace detops
