// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The reference against every target and several numbers of threads: any other box is a defect.

#include <algorithm>
#include <vector>

#include "ops/poly_nms/cases.h"
#include "testing/fuzz_everywhere.h"

namespace detops::poly_nms {
namespace {

// The first boxes as polygons.
void CompareIou(const Case& input, int thread_count) {
  const int64_t count = std::min<int64_t>(input.count(), 20);
  std::vector<float> ious(static_cast<size_t>(count * count));
  std::vector<float> expected(ious.size());
  IouArgs args{input.boxes.data(), input.boxes.data(), count, count,
               kBoxFloats,         kBoxFloats,         false, ious.data()};
  Threads threads(thread_count);
  RunContext context{threads, nullptr};
  RequireEqual(count == 0 || RunIou(context, args).ok(), "poly_nms", "the status of the IoU",
               input);
  args.ious = expected.data();
  ReferenceIou(args);
  RequireEqual(ious == expected, "poly_nms", "the IoU", input);
}

}  // namespace
}  // namespace detops::poly_nms

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace op = detops::poly_nms;
  detops::FuzzBytes bytes(data, size);
  const op::Case input = op::CaseFromBytes(bytes);
  const detops::Kept expected = op::RunReference(input);
  detops::Everywhere([&](int threads) {
    detops::RequireEqual(op::RunOn(threads, input) == expected, "poly_nms", "what is kept", input);
    op::CompareIou(input, threads);
  });
  return 0;
}
