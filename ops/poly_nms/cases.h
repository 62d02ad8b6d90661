// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Inputs for tests, benchmarks, the command and the fuzz target.

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
  kAerial,         // rotated rectangles of 8 to 40 pixels; a threshold of 0.1 suppresses about half
  kFar,            // the same, far from the origin
  kConvex,         // convex quadrilaterals of any shape
  kConcave,        // one corner inside the triangle of the others
  kThin,           // rotated rectangles with sides of 1 to 10,000
  kNearIdentical,  // copies of a few boxes that differ in the last bits
  kSharing,        // rotated rectangles that share edges and corners
  kIntegers,       // corners on a small grid: some cross themselves, are degenerate or repeated
  kLattice,        // the same on a grid of inexact floats: areas of 0 become slightly more than 0
  kNormal,         // normally distributed corners: nearly half of the boxes cross themselves
  kSizes,          // rotated rectangles with sides of 1e-3 to 1e4
  kHeap,           // all overlap each other
  kExtremes,       // some coordinates and scores are NaN, infinite, denormal or huge
};

inline constexpr Kind kAllKinds[] = {
    Kind::kAerial,        Kind::kFar,     Kind::kConvex,   Kind::kConcave, Kind::kThin,
    Kind::kNearIdentical, Kind::kSharing, Kind::kIntegers, Kind::kLattice, Kind::kNormal,
    Kind::kSizes,         Kind::kHeap,    Kind::kExtremes};

const char* NameOf(Kind kind);

// Returns boxes of kBoxFloats floats with corners in either orientation. Some scores are equal.
std::vector<float> RandomBoxes(Kind kind, int64_t count, uint32_t seed);

// The arguments of a call.
struct Case : SuppressionCase {
  // What suppression/harness.h calls.
  static constexpr auto kRun = &Run;
  static constexpr auto kReference = &Reference;
  static constexpr auto kWorkspaceBytes = &WorkspaceBytes;

  int64_t count() const { return static_cast<int64_t>(boxes.size()) / kBoxFloats; }
  Args args(int32_t* output, int32_t* result_num) const;
  std::string ToString() const;
};

Case CaseFromBytes(FuzzBytes& bytes);

}  // namespace detops::poly_nms

#endif  // DETOPS_OPS_POLY_NMS_CASES_H_
