// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/simd_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <sstream>
#include <string>
#include <vector>

// A function that returns the target it was compiled for, to observe the dispatch.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/simd_target_test.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
int64_t CompiledFor() { return HWY_TARGET; }
}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops {
namespace {

HWY_EXPORT(CompiledFor);

std::vector<std::string> TargetNames() {
  std::istringstream stream(detopsGetSimdTargets());
  std::vector<std::string> names;
  for (std::string name; stream >> name;) {
    names.push_back(name);
  }
  return names;
}

TEST(SimdTarget, TheBestIsUsedUnlessAnotherIsForced) {
  const std::vector<std::string> names = TargetNames();
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(detopsGetSimdTarget(), names.front());
  for (const std::string& name : names) {
    EXPECT_EQ(detopsSetSimdTarget(name.c_str()), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(detopsGetSimdTarget(), name);
    EXPECT_EQ(hwy::TargetName(HWY_DYNAMIC_DISPATCH(CompiledFor)()), name)
        << "the dispatch must follow";
    EXPECT_EQ(TargetNames(), names) << "the list of targets must not change";
  }
  EXPECT_EQ(detopsSetSimdTarget(nullptr), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(detopsGetSimdTarget(), names.front());
  EXPECT_EQ(HWY_DYNAMIC_DISPATCH(CompiledFor)(), SimdTargets().front());
}

TEST(SimdTarget, CaseDoesNotMatter) {
  std::string name = TargetNames().back();
  for (char& letter : name) {
    letter = static_cast<char>(std::tolower(letter));
  }
  EXPECT_EQ(detopsSetSimdTarget(name.c_str()), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(detopsGetSimdTarget(), TargetNames().back());
  EXPECT_EQ(detopsSetSimdTarget(nullptr), MLUOP_STATUS_SUCCESS);
}

TEST(SimdTarget, DisplayNamesAreWhatPeopleUse) {
  EXPECT_EQ(SimdDisplayName("AVX3"), "AVX-512");
  EXPECT_EQ(SimdDisplayName("AVX3_DL"), "AVX-512 (Ice Lake)");
  EXPECT_EQ(SimdDisplayName("AVX3_ZEN4"), "AVX-512 (Zen 4)");
  EXPECT_EQ(SimdDisplayName("Scalar"), "plain C++");
  EXPECT_EQ(SimdDisplayName("EMU128"), "plain C++");
  for (const char* name : {"AVX2", "SSE4", "SSSE3", "SSE2", "NEON", "something new", ""}) {
    EXPECT_EQ(SimdDisplayName(name), name);
  }
}

TEST(SimdTarget, DisplayNamesAreAccepted) {
  for (const std::string& name : TargetNames()) {
    std::string display = SimdDisplayName(name);
    EXPECT_EQ(detopsSetSimdTarget(display.c_str()), MLUOP_STATUS_SUCCESS) << display;
    EXPECT_EQ(SimdDisplayName(detopsGetSimdTarget()).substr(0, 7), display.substr(0, 7));
    for (char& letter : display) {
      letter = static_cast<char>(std::tolower(letter));
    }
    EXPECT_EQ(detopsSetSimdTarget(display.c_str()), MLUOP_STATUS_SUCCESS) << display;
  }
  // The family's name means the best target of the family.
  const std::string best = TargetNames().front();
  if (best.starts_with("AVX3")) {
    EXPECT_EQ(detopsSetSimdTarget("avx-512"), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(detopsGetSimdTarget(), best);
  }
  EXPECT_EQ(detopsSetSimdTarget(nullptr), MLUOP_STATUS_SUCCESS);
}

TEST(SimdTarget, AnUnknownOneIsRefused) {
  const std::string before = detopsGetSimdTarget();
  for (const char* name : {"", "AVX", "AVX22", "nonsense"}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(detopsSetSimdTarget(name), MLUOP_STATUS_BAD_PARAM);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              std::string("detops error: detopsSetSimdTarget: name is '") + name +
                  "'; it must be one of: " + detopsGetSimdTargets() + "\n");
  }
  EXPECT_EQ(detopsGetSimdTarget(), before);
}

}  // namespace
}  // namespace detops
#endif  // HWY_ONCE
