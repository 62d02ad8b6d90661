// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The reference against every target and several numbers of threads: any differing bit is a defect.

#include <hwy/targets.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/simd_target.h"
#include "ops/bbox_overlaps/cases.h"

namespace detops::bbox_overlaps {
namespace {

void Require(bool condition, const Case& input, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "bbox_overlaps: %s differs on %s: %s\n", what, detopsGetSimdTarget(),
                 input.ToString().c_str());
    std::abort();
  }
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
  detops::FuzzBytes bytes(data, size);
  const detops::bbox_overlaps::Case input = detops::bbox_overlaps::CaseFromBytes(bytes);
  for (const int64_t target : detops::SimdTargets()) {
    if (!detops::SetSimdTarget(hwy::TargetName(target)).ok()) {
      std::abort();
    }
    for (const int threads : {1, 2, 7}) {
      detops::bbox_overlaps::Compare(input, threads);
    }
  }
  return 0;
}
