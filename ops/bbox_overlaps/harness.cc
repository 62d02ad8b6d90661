// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/bbox_overlaps/harness.h"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace detops::bbox_overlaps {
namespace {

void RequireOk(const Status& status) {
  if (!status.ok()) {
    std::fprintf(stderr, "bbox_overlaps failed: %s\n", status.message().c_str());
    std::abort();
  }
}

Pairs BitsOf(const std::vector<OverlapPair>& pairs) {
  Pairs bits;
  bits.reserve(pairs.size());
  for (const OverlapPair& pair : pairs) {
    bits.push_back(std::bit_cast<Pairs::value_type>(pair));
  }
  return bits;
}

// Calls find(args), which fills the row maxima, and returns them.
template <class Find>
RowMaxima CollectRowMaxima(const Boxes& boxes, const Placement& placement, const Find& find) {
  const auto rows = static_cast<size_t>(boxes.rows);
  const GuardedArray<float> values(rows, -7.0f, placement);
  const GuardedArray<int32_t> columns(rows, -7, placement);
  find({.boxes = boxes, .values = values.data(), .columns = columns.data()});
  RowMaxima result{.values = std::vector<uint32_t>(rows), .columns = columns.values()};
  if (rows != 0) {
    std::memcpy(result.values.data(), values.data(), rows * sizeof(float));
  }
  return result;
}

// Calls find(args), which fills the list of pairs, and returns it.
template <class Find>
Pairs CollectPairs(const Boxes& boxes, float threshold, const Find& find) {
  std::vector<OverlapPair> pairs;
  find({.boxes = boxes, .threshold = threshold, .pairs = &pairs});
  return BitsOf(pairs);
}

}  // namespace

GuardedBoxes::GuardedBoxes(const Problem& problem, size_t elements_after)
    : boxes_(problem.args(nullptr).boxes),
      first_(static_cast<size_t>(problem.boxes1_bytes()), elements_after * element()),
      second_(static_cast<size_t>(problem.boxes2_bytes()), elements_after * element()) {
  if (first_.size() != 0) {
    std::memcpy(first_.data(), problem.boxes1(), first_.size());
  }
  if (second_.size() != 0) {
    std::memcpy(second_.data(), problem.boxes2(), second_.size());
  }
  boxes_.first = first_.data();
  boxes_.second = second_.data();
}

Matrix ReferenceMatrix(const Case& input) { return Problem(input).Expected(); }

RowMaxima ReferenceRowMaxima(const Case& input) {
  const Problem problem(input);
  return CollectRowMaxima(problem.args(nullptr).boxes, {},
                          [](const RowMaximumArgs& args) { ReferenceRowMaximum(args); });
}

Pairs ReferencePairs(const Case& input) {
  const Problem problem(input);
  return CollectPairs(problem.args(nullptr).boxes, input.threshold,
                      [](const PairsArgs& args) { ReferencePairs(args); });
}

Matrix RunMatrix(Threads& threads, const Case& input, const Placement& placement) {
  const Problem problem(input);
  const GuardedBoxes boxes(problem, placement.elements_after);
  const auto bytes = static_cast<size_t>(problem.result_bytes());
  const GuardedBuffer ious(bytes, placement.BytesAfter(bytes, input.half ? 2 : 4));
  Args args = problem.args(ious.data());
  args.boxes = boxes.boxes();
  RunContext context{.threads = threads, .scratch = nullptr};
  RequireOk(Run(context, args));
  return {ious.data(), ious.data() + bytes};
}

RowMaxima RunRowMaxima(Threads& threads, const Case& input, const Placement& placement) {
  const GuardedBoxes boxes(Problem(input), placement.elements_after);
  return CollectRowMaxima(boxes.boxes(), placement, [&](const RowMaximumArgs& args) {
    RunContext context{.threads = threads, .scratch = nullptr};
    RequireOk(RunRowMaximum(context, args));
  });
}

Pairs RunPairs(Threads& threads, const Case& input, const Placement& placement) {
  const GuardedBoxes boxes(Problem(input), placement.elements_after);
  return CollectPairs(boxes.boxes(), input.threshold, [&](const PairsArgs& args) {
    RunContext context{.threads = threads, .scratch = nullptr};
    RequireOk(RunPairs(context, args));
  });
}

}  // namespace detops::bbox_overlaps
