// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Inputs of tests, benchmarks, the fuzz target and the command.

#ifndef DETOPS_OPS_BBOX_OVERLAPS_CASES_H_
#define DETOPS_OPS_BBOX_OVERLAPS_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "measure/fuzz_bytes.h"
#include "ops/bbox_overlaps/op.h"

namespace detops::bbox_overlaps {

// The arguments of a call, with coordinates as floats whatever the type of the call.
struct Case {
  std::vector<float> boxes1;  // 4 coordinates per box
  std::vector<float> boxes2;
  bool aligned = false;
  bool half = false;
  OverlapMode mode = OverlapMode::kIou;
  int offset = 0;
  float threshold = 0.25f;  // of the search for pairs

  int64_t rows() const { return static_cast<int64_t>(boxes1.size() / 4); }
  int64_t columns() const { return static_cast<int64_t>(boxes2.size() / 4); }
  int64_t count() const { return aligned ? rows() : rows() * columns(); }
  std::string ToString() const;
};

enum class Kind {
  kGrid,      // small integers: every product and sum is exact
  kImage,     // boxes of an image, as detectors produce them
  kExtremes,  // ordinary boxes with NaN, infinite, denormal, huge and reversed coordinates
  kWide,      // coordinates of 0 or of magnitude 2^-30 to 2^40
  kInOrder,   // kExtremes without NaNs and reversed boxes; some areas are 0 or infinite
};
inline constexpr Kind kAllKinds[] = {Kind::kGrid, Kind::kImage, Kind::kExtremes, Kind::kWide,
                                     Kind::kInOrder};

std::vector<float> RandomBoxes(Kind kind, int64_t count, uint32_t seed);

// Returns a case whose sizes, options and coordinates come from a fuzzer's bytes.
Case CaseFromBytes(FuzzBytes& bytes);

// Returns one case for each combination of type, mode and offset, with these boxes.
std::vector<Case> Variants(const std::vector<float>& boxes1, const std::vector<float>& boxes2,
                           bool aligned);

// The boxes of a case in memory, in the type of the call.
class Problem {
 public:
  explicit Problem(const Case& input);

  // Returns the arguments of a call that writes to `ious`.
  Args args(void* ious) const;
  int64_t result_bytes() const { return case_.count() * (case_.half ? 2 : 4); }
  // Returns the result of the reference.
  std::vector<std::byte> Expected() const;
  const void* boxes1() const { return boxes1_.data(); }
  const void* boxes2() const { return boxes2_.data(); }
  int64_t boxes1_bytes() const { return static_cast<int64_t>(boxes1_.size()); }
  int64_t boxes2_bytes() const { return static_cast<int64_t>(boxes2_.size()); }

 private:
  Case case_;
  std::vector<std::byte> boxes1_;
  std::vector<std::byte> boxes2_;
};

}  // namespace detops::bbox_overlaps

#endif  // DETOPS_OPS_BBOX_OVERLAPS_CASES_H_
