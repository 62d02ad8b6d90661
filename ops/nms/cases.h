// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Inputs of tests, benchmarks and the fuzz target.

#ifndef DETOPS_OPS_NMS_CASES_H_
#define DETOPS_OPS_NMS_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "measure/fuzz_bytes.h"
#include "ops/nms/op.h"
#include "suppression/cases.h"

namespace detops::nms {

enum class Kind {
  kScene,     // boxes of 8 to 40 pixels; about half of them overlap another box
  kImage,     // clusters of detections around 20 objects, like those of a network
  kIntegers,  // corners on a small grid: many equal IoUs
  kHeap,      // one cluster, in which all boxes overlap
  kSizes,     // widths and heights of 1e-3 to 1e4
  kFar,       // coordinates around 1e7, where all floats are integers
  kExtremes,  // among others NaN, infinities, denormals, huge and reversed boxes
};
inline constexpr Kind kAllKinds[] = {Kind::kScene, Kind::kImage, Kind::kIntegers, Kind::kHeap,
                                     Kind::kSizes, Kind::kFar,   Kind::kExtremes};

const char* NameOf(Kind kind);

// Returns 4 numbers per box: x1, y1, x2, y2.
std::vector<float> RandomBoxes(Kind kind, int64_t count, uint32_t seed);
// Returns scores, some of which are equal. With `special`, some are NaN, infinite or huge.
std::vector<float> RandomScores(int64_t count, uint32_t seed, bool special = false);

// A call. Its result is sorted by score, the default of NmsOptions.
struct Case : SuppressionCase {
  Case() { sort_by_score = true; }

  std::vector<float> scores;
  int offset = 0;

  // What suppression/harness.h calls.
  static constexpr auto kRun = &Run;
  static constexpr auto kReference = &Reference;
  static constexpr auto kWorkspaceBytes = &WorkspaceBytes;

  int64_t count() const { return static_cast<int64_t>(scores.size()); }
  Args args(int32_t* output, int32_t* result_num) const;
  std::string ToString() const;
};

Case RandomCase(Kind kind, int64_t count, uint32_t seed);
Case CaseFromBytes(FuzzBytes& bytes);

}  // namespace detops::nms

#endif  // DETOPS_OPS_NMS_CASES_H_
