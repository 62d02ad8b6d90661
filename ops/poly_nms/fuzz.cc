// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The reference against every target and several numbers of threads: any other box is a defect.

#include <hwy/targets.h>

#include <cstdio>
#include <cstdlib>

#include "core/simd_target.h"
#include "ops/poly_nms/cases.h"

namespace detops::poly_nms {
namespace {

void Require(bool condition, const Case& input, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "poly_nms: %s differs on %s: %s\n", what, detopsGetSimdTarget(),
                 input.ToString().c_str());
    std::abort();
  }
}

// The first boxes as polygons.
void CompareIou(const Case& input) {
  const int64_t count = std::min<int64_t>(input.count(), 20);
  std::vector<float> ious(static_cast<size_t>(count * count));
  std::vector<float> expected(ious.size());
  IouArgs args{input.boxes.data(), input.boxes.data(), count, count,
               kBoxFloats,         kBoxFloats,         false, ious.data()};
  Threads threads(1);
  RunContext context{threads, nullptr};
  Require(count == 0 || RunIou(context, args).ok(), input, "the status of the IoU");
  args.ious = expected.data();
  ReferenceIou(args);
  Require(ious == expected, input, "the IoU");
}

}  // namespace
}  // namespace detops::poly_nms

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  detops::FuzzBytes bytes(data, size);
  const detops::poly_nms::Case input = detops::poly_nms::CaseFromBytes(bytes);
  const detops::Kept expected = detops::poly_nms::RunReference(input);
  for (const int64_t target : detops::SimdTargets()) {
    if (!detops::SetSimdTarget(hwy::TargetName(target)).ok()) {
      std::abort();
    }
    for (const int threads : {1, 2, 7}) {
      detops::poly_nms::Require(detops::poly_nms::RunOn(threads, input) == expected, input,
                                "what is kept");
    }
    detops::poly_nms::CompareIou(input);
  }
  return 0;
}
