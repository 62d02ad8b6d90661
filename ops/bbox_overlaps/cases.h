// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Inputs for tests, benchmark and fuzz target.

#ifndef DETOPS_OPS_BBOX_OVERLAPS_CASES_H_
#define DETOPS_OPS_BBOX_OVERLAPS_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "measure/fuzz_bytes.h"
#include "ops/bbox_overlaps/op.h"

namespace detops::bbox_overlaps {

// What a call gets, before it is put into memory of its type.
struct Case {
  std::vector<float> boxes1;  // 4 numbers a box
  std::vector<float> boxes2;
  bool aligned = false;
  bool half = false;
  OverlapMode mode = OverlapMode::kIou;
  int offset = 0;
  float threshold = 0.25f;  // of the pairs

  int64_t rows() const { return static_cast<int64_t>(boxes1.size() / 4); }
  int64_t columns() const { return static_cast<int64_t>(boxes2.size() / 4); }
  int64_t count() const { return aligned ? rows() : rows() * columns(); }
  std::string ToString() const;
};

enum class Kind {
  kGrid,      // small integers: every product and sum is exact
  kImage,     // boxes of an image, as detectors make them
  kExtremes,  // NaN, infinities, denormals, huge and reversed boxes among others
  kWide,      // coordinates of magnitude 2^-30 to 2^40, or 0
  kInOrder,   // extremes without NaNs, and no box reversed: areas of 0 and of infinity among others
};
inline constexpr Kind kAllKinds[] = {Kind::kGrid, Kind::kImage, Kind::kExtremes, Kind::kWide,
                                     Kind::kInOrder};

std::vector<float> RandomBoxes(Kind kind, int64_t count, uint32_t seed);

Case CaseFromBytes(FuzzBytes& bytes);

// Every combination of type, mode and offset, with these boxes.
std::vector<Case> Variants(const std::vector<float>& boxes1, const std::vector<float>& boxes2,
                           bool aligned);

// A case in memory.
class Problem {
 public:
  explicit Problem(const Case& input);

  // The result goes to `ious`.
  Args args(void* ious) const;
  int64_t result_bytes() const { return case_.count() * (case_.half ? 2 : 4); }
  // The reference's answer.
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
