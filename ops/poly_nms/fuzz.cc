// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The reference against every target and several numbers of threads: any other box, and any other
// bit of an IoU, is a defect.

#include <algorithm>
#include <cstring>
#include <vector>

#include "ops/poly_nms/harness.h"
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
  constexpr int64_t kMoreThanABlock = 1030;
  return {aligned, rows, aligned ? rows : (bytes.TakeRarely() ? kMoreThanABlock : columns)};
}

// The first boxes as polygons, against the last ones, again and again.
class IouCase {
 public:
  IouCase(const IouShape& shape, const Case& input) : input_(input), shape_(shape) {
    shape_.rows = std::min(shape.rows, input.count());
    shape_.columns = shape.aligned || input.count() == 0 ? shape_.rows : shape.columns;
    for (int64_t i = 0; i < shape_.columns; ++i) {
      const float* const box =
          input.boxes.data() + (input.count() - 1 - i % input.count()) * kBoxFloats;
      second_.insert(second_.end(), box, box + kCorners);
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
    RequireEqual(RunIou(context, args(ious.data())).ok(), "poly_nms", "the status of the IoU",
                 input_);
    return ious.values();
  }

 private:
  static constexpr int64_t kCorners = kBoxFloats - 1;

  IouArgs args(float* ious) const {
    return {input_.boxes.data(), second_.data(), shape_.rows,    shape_.columns,
            kBoxFloats,          kCorners,       shape_.aligned, ious};
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
  const detops::Kept expected = op::RunReference(input);
  const std::vector<float> expected_ious =
      iou_case.empty() ? std::vector<float>() : iou_case.Reference();
  detops::Everywhere([&](detops::Threads& threads) {
    detops::RequireEqual(op::RunOn(threads, input, placement) == expected, "poly_nms",
                         "what is kept", input);
    detops::RequireEqual(
        iou_case.empty() || op::SameBits(iou_case.Run(threads, placement), expected_ious),
        "poly_nms", "the IoU", input);
  });
  return 0;
}
