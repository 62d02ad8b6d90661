// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// IoUs have the bits of the reference on every target.

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <cstring>
#include <vector>

#include "ops/poly_nms/cases.h"
#include "ops/poly_nms/op.h"
#include "ops/poly_nms/tiles.h"
#include "testing/guarded_buffer.h"

namespace detops::poly_nms {
namespace {

// Around every vector width, and more than the kernel packs at once.
constexpr int64_t kCounts[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 127, 129};

class PolygonIouKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PolygonIouKernel);

// Polygons of 8 floats, or of 9 with a score.
struct Polygons {
  Polygons(Kind kind, int64_t count_in, int64_t stride_in, uint32_t seed)
      : count(count_in), stride(stride_in) {
    const std::vector<float> boxes = RandomBoxes(kind, count, seed);
    for (int64_t i = 0; i < count; ++i) {
      const auto box = boxes.begin() + i * kBoxFloats;
      floats.insert(floats.end(), box, box + stride);
    }
  }

  int64_t count;
  int64_t stride;
  std::vector<float> floats;
};

IouArgs MakeArgs(const Polygons& first, const Polygons& second, bool aligned, float* ious) {
  return {.first = first.floats.data(),
          .second = second.floats.data(),
          .rows = first.count,
          .columns = second.count,
          .first_stride = first.stride,
          .second_stride = second.stride,
          .aligned = aligned,
          .ious = ious};
}

// Returns the bits of the values, so that 0 and -0 differ.
std::vector<uint32_t> BitsOf(const std::vector<float>& values) {
  std::vector<uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
  return bits;
}

std::vector<uint32_t> ReferenceIouBits(const Polygons& first, const Polygons& second,
                                       bool aligned) {
  IouArgs args = MakeArgs(first, second, aligned, nullptr);
  std::vector<float> ious(static_cast<size_t>(args.count()));
  args.ious = ious.data();
  ReferenceIou(args);
  return BitsOf(ious);
}

std::vector<uint32_t> RunIouBits(int thread_count, const Polygons& first, const Polygons& second,
                                 bool aligned) {
  IouArgs args = MakeArgs(first, second, aligned, nullptr);
  std::vector<float> ious(static_cast<size_t>(args.count()), -7.0f);
  args.ious = ious.data();
  Threads threads(thread_count);
  RunContext context{threads, nullptr};
  EXPECT_TRUE(RunIou(context, args).ok());
  return BitsOf(ious);
}

TEST_P(PolygonIouKernel, MatrixHasTheBitsOfTheReference) {
  for (const Kind kind : kAllKinds) {
    for (const int64_t stride : {8, 9}) {
      for (const int64_t rows : {1, 3, 18}) {
        const Polygons first(kind, rows, stride, 1);
        for (const int64_t columns : kCounts) {
          const Polygons second(kind, columns, 17 - stride, 2);
          ASSERT_EQ(RunIouBits(1, first, second, false), ReferenceIouBits(first, second, false))
              << NameOf(kind) << ", " << rows << " x " << columns << ", stride " << stride;
        }
      }
    }
  }
}

TEST_P(PolygonIouKernel, AlignedHasTheBitsOfTheReference) {
  for (const Kind kind : kAllKinds) {
    for (const int64_t stride : {8, 9}) {
      for (const int64_t count : kCounts) {
        const Polygons first(kind, count, stride, 1);
        // With the same seed, all pairs are identical.
        for (const uint32_t seed : {1u, 2u}) {
          const Polygons second(kind, count, 17 - stride, seed);
          ASSERT_EQ(RunIouBits(1, first, second, true), ReferenceIouBits(first, second, true))
              << NameOf(kind) << ", " << count << ", stride " << stride << ", seed " << seed;
        }
      }
    }
  }
}

TEST_P(PolygonIouKernel, BitsDoNotDependOnThreads) {
  for (const Kind kind : {Kind::kHeap, Kind::kNormal, Kind::kExtremes}) {
    const Polygons first(kind, 150, 8, 3);
    const Polygons second(kind, 301, 9, 4);
    const Polygons many(kind, 20'003, 9, 5);
    const Polygons many_others(kind, 20'003, 8, 6);
    const std::vector<uint32_t> expected = ReferenceIouBits(first, second, false);
    const std::vector<uint32_t> expected_aligned = ReferenceIouBits(many, many_others, true);
    for (const int threads : {1, 2, 7}) {
      ASSERT_EQ(RunIouBits(threads, first, second, false), expected)
          << NameOf(kind) << ", threads " << threads;
      ASSERT_EQ(RunIouBits(threads, many, many_others, true), expected_aligned)
          << NameOf(kind) << ", threads " << threads;
    }
  }
}

// Polygons and results end at an inaccessible page.
TEST_P(PolygonIouKernel, AccessesOnlyItsMemory) {
  for (const bool aligned : {false, true}) {
    for (const int64_t stride : {8, 9}) {
      for (const int64_t count : kCounts) {
        const Polygons first(Kind::kHeap, aligned ? count : 3, stride, 1);
        const Polygons second(Kind::kHeap, count, 17 - stride, 2);
        IouArgs args = MakeArgs(first, second, aligned, nullptr);
        const GuardedBuffer first_memory(first.floats.size() * sizeof(float));
        const GuardedBuffer second_memory(second.floats.size() * sizeof(float));
        const GuardedBuffer ious(static_cast<size_t>(args.count()) * sizeof(float));
        std::memcpy(first_memory.data(), first.floats.data(), first_memory.size());
        std::memcpy(second_memory.data(), second.floats.data(), second_memory.size());
        args.first = reinterpret_cast<const float*>(first_memory.data());
        args.second = reinterpret_cast<const float*>(second_memory.data());
        args.ious = reinterpret_cast<float*>(ious.data());
        // The second of two tiles must not overwrite the results of the first.
        const int64_t middle = args.rows / 2;
        ComputeIous(args, {0, middle, 0, args.columns});
        ComputeIous(args, {middle, args.rows, 0, args.columns});
        const std::vector<uint32_t> expected = ReferenceIouBits(first, second, aligned);
        ASSERT_EQ(std::memcmp(ious.data(), expected.data(), ious.size()), 0)
            << count << ", stride " << stride << ", aligned " << aligned;
      }
    }
  }
}

}  // namespace
}  // namespace detops::poly_nms
