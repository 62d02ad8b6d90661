// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/simd_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

// A function that tells for which target it was compiled, to see what the dispatch really does.
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
    EXPECT_EQ(hwy::TargetName(HWY_DYNAMIC_DISPATCH(CompiledFor)()), name) << "the dispatch follows";
    EXPECT_EQ(TargetNames(), names) << "what could be used stays the same";
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

TEST(SimdTarget, AnUnknownOneIsRefused) {
  const std::string before = detopsGetSimdTarget();
  for (const char* name : {"", "AVX", "AVX22", "nonsense"}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(detopsSetSimdTarget(name), MLUOP_STATUS_BAD_PARAM);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              std::string("detops error: detopsSetSimdTarget: name is '") + name +
                  "', expected one of: " + detopsGetSimdTargets() + "\n");
  }
  EXPECT_EQ(detopsGetSimdTarget(), before);
}

}  // namespace
}  // namespace detops
#endif  // HWY_ONCE
