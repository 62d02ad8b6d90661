// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Inputs for tests, benchmark and fuzz target.

#ifndef DETOPS_OPS_POLY_NMS_CASES_H_
#define DETOPS_OPS_POLY_NMS_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "measure/fuzz_bytes.h"
#include "ops/poly_nms/op.h"
#include "suppression/cases.h"

namespace detops::poly_nms {

enum class Kind {
  kAerial,         // rotated rectangles of 8 to 40 pixels, of which 0.1 suppresses about half
  kFar,            // the same, far from the origin
  kConvex,         // any convex quadrilaterals
  kConcave,        // one corner inside the triangle of the others
  kThin,           // sides of 1 to 10,000
  kNearIdentical,  // a few boxes, again and again, disturbed by the last bits
  kSharing,        // edges and corners in common, rotated
  kIntegers,       // corners on a small grid: also crossing, degenerate and repeated
  kLattice,        // the same on a grid that floats do not hit: areas of 0 come out as nearly 0
  kNormal,         // eight normally distributed numbers: half of them cross themselves
  kSizes,          // rotated rectangles of 1e-3 to 1e4
  kHeap,           // all over each other
  kExtremes,       // NaN, infinities, denormals, huge ones among others
};

inline constexpr Kind kAllKinds[] = {
    Kind::kAerial,        Kind::kFar,     Kind::kConvex,   Kind::kConcave, Kind::kThin,
    Kind::kNearIdentical, Kind::kSharing, Kind::kIntegers, Kind::kLattice, Kind::kNormal,
    Kind::kSizes,         Kind::kHeap,    Kind::kExtremes};

const char* NameOf(Kind kind);

// 9 numbers a box, corners in either sense of rotation, scores with ties.
std::vector<float> RandomBoxes(Kind kind, int64_t count, uint32_t seed);

// A call.
struct Case : SuppressionCase {
  int64_t count() const { return static_cast<int64_t>(boxes.size()) / kBoxFloats; }
  Args args(int32_t* output, int32_t* result_num) const;
  std::string ToString() const;
};

Case CaseFromBytes(FuzzBytes& bytes);

}  // namespace detops::poly_nms

#endif  // DETOPS_OPS_POLY_NMS_CASES_H_
