// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The reference against every target and several numbers of threads: any differing bit is a defect.

#include <cstring>
#include <vector>

#include "ops/bbox_overlaps/cases.h"
#include "testing/fuzz_everywhere.h"

namespace detops::bbox_overlaps {
namespace {

void Require(bool is_equal, const Case& input, const char* what) {
  RequireEqual(is_equal, "bbox_overlaps", what, input);
}

void Compare(const Case& input, int thread_count) {
  Threads threads(thread_count);
  RunContext context{threads, nullptr};
  const Problem problem(input);

  const std::vector<std::byte> expected = problem.Expected();
  std::vector<std::byte> result(expected.size());
  Require(Run(context, problem.args(result.data())).ok() && result == expected, input,
          "the matrix");

  const Boxes boxes = problem.args(nullptr).boxes;
  const auto rows = static_cast<size_t>(boxes.rows);
  std::vector<float> values(rows);
  std::vector<float> expected_values(rows);
  std::vector<int32_t> columns(rows);
  std::vector<int32_t> expected_columns(rows);
  ReferenceRowMaximum({boxes, expected_values.data(), expected_columns.data()});
  Require(RunRowMaximum(context, {boxes, values.data(), columns.data()}).ok() &&
              columns == expected_columns &&
              std::memcmp(values.data(), expected_values.data(), rows * sizeof(float)) == 0,
          input, "the row maximum");

  std::vector<OverlapPair> pairs;
  std::vector<OverlapPair> expected_pairs;
  ReferencePairs({boxes, 0.25f, &expected_pairs});
  Require(RunPairs(context, {boxes, 0.25f, &pairs}).ok() && pairs.size() == expected_pairs.size() &&
              (pairs.empty() || std::memcmp(pairs.data(), expected_pairs.data(),
                                            pairs.size() * sizeof(pairs[0])) == 0),
          input, "the list of pairs");
}

}  // namespace
}  // namespace detops::bbox_overlaps

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace op = detops::bbox_overlaps;
  detops::FuzzBytes bytes(data, size);
  const op::Case input = op::CaseFromBytes(bytes);
  detops::Everywhere([&](int threads) { op::Compare(input, threads); });
  return 0;
}
