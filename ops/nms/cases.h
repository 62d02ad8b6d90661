// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Inputs for tests, benchmark and fuzz target.

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
  kScene,     // boxes of 8 to 40 pixels, about half of which overlap another
  kImage,     // detections in heaps around objects, as a network makes them
  kIntegers,  // corners on a small grid: many equal overlaps
  kHeap,      // all over each other
  kSizes,     // sides of 1e-3 to 1e4
  kFar,       // around 1e7, where numbers are whole
  kExtremes,  // NaN, infinities, denormals, huge and reversed ones among others
};
inline constexpr Kind kAllKinds[] = {Kind::kScene, Kind::kImage, Kind::kIntegers, Kind::kHeap,
                                     Kind::kSizes, Kind::kFar,   Kind::kExtremes};

const char* NameOf(Kind kind);

// 4 numbers a box.
std::vector<float> RandomBoxes(Kind kind, int64_t count, uint32_t seed);
// With ties, and where asked for NaN and infinities.
std::vector<float> RandomScores(int64_t count, uint32_t seed, bool special = false);

// A call. In the order of the scores, as NmsOptions has it.
struct Case : SuppressionCase {
  Case() { sort_by_score = true; }

  std::vector<float> scores;
  int offset = 0;

  int64_t count() const { return static_cast<int64_t>(scores.size()); }
  Args args(int32_t* output, int32_t* result_num) const;
  std::string ToString() const;
};

Case RandomCase(Kind kind, int64_t count, uint32_t seed);
Case CaseFromBytes(FuzzBytes& bytes);

}  // namespace detops::nms

#endif  // DETOPS_OPS_NMS_CASES_H_
