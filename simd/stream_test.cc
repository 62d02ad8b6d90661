// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Streaming copies and stores of all alignments and lengths, on every target.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/half.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/stream_test.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include "simd/stream-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace {

// Elements around the destination must keep their values.
template <class T>
void TestCopies() {
  constexpr int64_t kLine = kLineElements<T>;
  alignas(kAlignment) T from[5 * kLine];
  alignas(kAlignment) T to[5 * kLine];
  for (int64_t i = 0; i < 5 * kLine; ++i) {
    from[i] = static_cast<T>(i + 1);
  }
  for (int64_t offset = 0; offset < kLine; ++offset) {
    for (int64_t count = 0; count <= 3 * kLine; ++count) {
      std::fill_n(to, 5 * kLine, static_cast<T>(-1));
      StreamCopy(from + 1, count, to + offset);
      hwy::FlushStream();
      for (int64_t i = 0; i < 5 * kLine; ++i) {
        const bool copied = i >= offset && i < offset + count;
        ASSERT_EQ(to[i], copied ? from[1 + i - offset] : static_cast<T>(-1))
            << "offset " << offset << ", count " << count << ", element " << i;
      }
    }
  }
}

HWY_NOINLINE void TestStreamCopy() {
  TestCopies<float>();
  TestCopies<int32_t>();
  TestCopies<int16_t>();
}

HWY_NOINLINE void TestStreamVectors() {
  const hn::CappedTag<float, 16> d;
  alignas(kAlignment) float to[48] = {};
  StreamVectors(d, to + 16, 16,
                [d](int64_t i) HWY_ATTR { return hn::Iota(d, static_cast<float>(i + 1)); });
  hwy::FlushStream();
  for (int i = 0; i < 48; ++i) {
    EXPECT_EQ(to[i], i >= 16 && i < 32 ? static_cast<float>(i - 15) : 0.0f) << i;
  }
}

HWY_NOINLINE void TestElementsToLine() {
  alignas(kAlignment) const float floats[17] = {};
  EXPECT_EQ(ElementsToLine(floats), 0);
  EXPECT_EQ(ElementsToLine(floats + 1), 15);
  EXPECT_EQ(ElementsToLine(floats + 15), 1);
  EXPECT_EQ(ElementsToLine(floats + 16), 0);
  alignas(kAlignment) const Half halves[33] = {};
  EXPECT_EQ(ElementsToLine(halves + 1), 31);
  EXPECT_EQ(ElementsToLine(halves + 32), 0);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops {

class StreamHelpers : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(StreamHelpers);
HWY_EXPORT_AND_TEST_P(StreamHelpers, TestStreamCopy);
HWY_EXPORT_AND_TEST_P(StreamHelpers, TestStreamVectors);
HWY_EXPORT_AND_TEST_P(StreamHelpers, TestElementsToLine);

}  // namespace detops
#endif  // HWY_ONCE
