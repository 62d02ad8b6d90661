// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// main() of the test programs.

#include <gtest/gtest.h>

#include "core/simd_target.h"

int main(int argc, char** argv) {
  // Tests that run once per SIMD target hide the other targets from Highway, so the library must
  // detect the targets first.
  detops::InitSimdTarget();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
