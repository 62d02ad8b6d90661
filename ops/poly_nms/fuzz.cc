// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Compares the kept boxes and the bits of IoUs with the reference, on every target and with several
// numbers of threads.

#include <algorithm>
#include <cstring>
#include <vector>

#include "ops/poly_nms/cases.h"
#include "suppression/harness.h"
#include "testing/fuzz_everywhere.h"

namespace detops::poly_nms {
namespace {

struct IouShape {
  bool aligned;
  int64_t rows;
  int64_t columns;
};

IouShape TakeIouShape(FuzzBytes& bytes) {
  const bool aligned = bytes.TakeInRange(0, 3) == 0;
  const int64_t rows = bytes.TakeInRange(1, 20);
  const int64_t columns = bytes.TakeInRange(1, 40);
  constexpr int64_t kMoreThanOneBlock = 1030;
  return {aligned, rows, aligned ? rows : (bytes.TakeRarely() ? kMoreThanOneBlock : columns)};
}

// The first boxes of a case compared with its last ones, which repeat as often as needed.
class IouCase {
 public:
  IouCase(const IouShape& shape, const Case& input) : input_(input), shape_(shape) {
    shape_.rows = std::min(shape.rows, input.count());
    shape_.columns = shape.aligned || input.count() == 0 ? shape_.rows : shape.columns;
    for (int64_t i = 0; i < shape_.columns; ++i) {
      const float* const box =
          input.boxes.data() + (input.count() - 1 - i % input.count()) * kBoxFloats;
      second_.insert(second_.end(), box, box + kCornerFloats);
    }
  }

  bool empty() const { return shape_.rows == 0; }
  std::vector<float> Reference() const {
    std::vector<float> ious(count());
    ReferenceIou(args(ious.data()));
    return ious;
  }
  std::vector<float> Run(Threads& threads, const Placement& placement) const {
    const GuardedArray<float> ious(count(), -1, placement);
    RunContext context{threads, nullptr};
    RequireEqual(RunIou(context, args(ious.data())).ok(), "poly_nms", "the status of RunIou",
                 input_);
    return ious.values();
  }

 private:
  static constexpr int64_t kCornerFloats = kBoxFloats - 1;

  IouArgs args(float* ious) const {
    return {.first = input_.boxes.data(),
            .second = second_.data(),
            .rows = shape_.rows,
            .columns = shape_.columns,
            .first_stride = kBoxFloats,
            .second_stride = kCornerFloats,
            .aligned = shape_.aligned,
            .ious = ious};
  }
  size_t count() const { return static_cast<size_t>(args(nullptr).count()); }

  const Case& input_;
  IouShape shape_;
  std::vector<float> second_;
};

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace
}  // namespace detops::poly_nms

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace op = detops::poly_nms;
  detops::FuzzBytes bytes(data, size);
  const detops::Placement placement = detops::TakePlacement(bytes);
  const op::IouShape iou_shape = op::TakeIouShape(bytes);
  const op::Case input = op::CaseFromBytes(bytes);
  const op::IouCase iou_case(iou_shape, input);
  const detops::Kept expected = detops::RunReference(input);
  const std::vector<float> expected_ious =
      iou_case.empty() ? std::vector<float>() : iou_case.Reference();
  detops::Everywhere([&](detops::Threads& threads) {
    detops::RequireEqual(detops::RunOn(threads, input, placement) == expected, "poly_nms",
                         "the set of kept boxes", input);
    detops::RequireEqual(
        iou_case.empty() || op::SameBits(iou_case.Run(threads, placement), expected_ious),
        "poly_nms", "the matrix of IoUs", input);
  });
  return 0;
}
