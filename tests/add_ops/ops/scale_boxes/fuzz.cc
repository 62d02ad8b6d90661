// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <cstdlib>
#include <cstring>
#include <vector>

#include "measure/fuzz_bytes.h"
#include "ops/scale_boxes/op.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  detops::FuzzBytes bytes(data, size);
  const auto factor = bytes.Take<float>();
  std::vector<float> boxes;
  while (!bytes.empty()) {
    boxes.push_back(bytes.Take<float>());
  }
  std::vector<float> expected(boxes.size());
  std::vector<float> scaled(boxes.size());
  const auto values = static_cast<int64_t>(boxes.size());
  detops::scale_boxes::Reference({boxes.data(), expected.data(), values, factor});
  detops::Threads threads(2);
  detops::RunContext context{threads, nullptr};
  if (!detops::scale_boxes::Run(context, {boxes.data(), scaled.data(), values, factor}).ok()) {
    std::abort();
  }
  for (size_t i = 0; i < boxes.size(); ++i) {
    const bool both_nan = expected[i] != expected[i] && scaled[i] != scaled[i];
    if (!both_nan && std::memcmp(&expected[i], &scaled[i], sizeof(float)) != 0) {
      std::abort();
    }
  }
  return 0;
}
