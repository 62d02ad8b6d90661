// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "core/cache.h"
#include "core/half.h"
#include "detops/detops.hpp"
#include "measure/diff.h"
#include "measure/slow_build.h"
#include "ops/bbox_overlaps/cases.h"
#include "ops/bbox_overlaps/op.h"
#include "runtime/queue.h"
#include "testing/error_message.h"
#include "testing/guarded_buffer.h"
#include "testing/log_capture.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace detops::bbox_overlaps {
namespace {

using testing::ElementsAre;

constexpr Kind kKinds[] = {Kind::kGrid, Kind::kImage, Kind::kExtremes, Kind::kWide, Kind::kInOrder};

// Around every vector width, and more than a tile.
constexpr int64_t kCounts[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 65};

// ---- Kernels against the reference, on every target --------------------------------------------

class BboxOverlapsKernel : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(BboxOverlapsKernel);

std::vector<std::byte> RunOn(int thread_count, const Case& input) {
  Threads threads(thread_count);
  RunContext context{threads, nullptr};
  const Problem problem(input);
  std::vector<std::byte> result(static_cast<size_t>(problem.result_bytes()));
  EXPECT_TRUE(Run(context, problem.args(result.data())).ok());
  return result;
}

TEST_P(BboxOverlapsKernel, MatrixHasTheReferencesBits) {
  for (const Kind kind : kKinds) {
    for (const int64_t rows : {1, 3, 18}) {
      for (const int64_t columns : kCounts) {
        for (const Case& input :
             Variants(RandomBoxes(kind, rows, 1), RandomBoxes(kind, columns, 2), false)) {
          ASSERT_EQ(RunOn(1, input), Problem(input).Expected()) << input.ToString();
        }
      }
    }
  }
}

TEST_P(BboxOverlapsKernel, AlignedHasTheReferencesBits) {
  for (const Kind kind : kKinds) {
    for (const int64_t count : kCounts) {
      for (const Case& input :
           Variants(RandomBoxes(kind, count, 1), RandomBoxes(kind, count, 2), true)) {
        ASSERT_EQ(RunOn(1, input), Problem(input).Expected()) << input.ToString();
      }
    }
  }
}

TEST_P(BboxOverlapsKernel, BitsDoNotDependOnThreads) {
  constexpr int64_t kPairs = kSlowBuild ? 20'003 : 100'003;
  for (const Kind kind : {Kind::kImage, Kind::kExtremes}) {
    for (const Case& input : Variants(RandomBoxes(kind, 150, 3),
                                      RandomBoxes(kind, 2 * kMaxTileColumns + 37, 4), false)) {
      const std::vector<std::byte> expected = Problem(input).Expected();
      for (const int threads : {1, 2, 7}) {
        ASSERT_EQ(RunOn(threads, input), expected) << input.ToString() << ", threads " << threads;
      }
    }
    for (const Case& input :
         Variants(RandomBoxes(kind, kPairs, 5), RandomBoxes(kind, kPairs, 6), true)) {
      const std::vector<std::byte> expected = Problem(input).Expected();
      for (const int threads : {1, 2, 7}) {
        ASSERT_EQ(RunOn(threads, input), expected) << input.ToString() << ", threads " << threads;
      }
    }
  }
}

// The streaming stores move line ends between tiles: every element once, none beyond.
TEST_P(BboxOverlapsKernel, StreamedTilesWriteTheSame) {
  for (const int64_t columns : {1, 5, 16, 31, 64, 100, 333, 2100}) {
    for (const int64_t tile_columns : {16, 48, 1024}) {
      for (const Case& input : Variants(RandomBoxes(Kind::kExtremes, 7, 1),
                                        RandomBoxes(Kind::kImage, columns, 2), false)) {
        const Problem problem(input);
        const std::vector<std::byte> expected = problem.Expected();
        const size_t element = input.half ? 2 : 4;
        for (const size_t shift : {0, 1, 5, 15}) {
          std::vector<std::byte> result(expected.size() + 32 * element, std::byte{0x5A});
          std::byte* const ious = result.data() + shift * element;
          for (int64_t begin = 0; begin < columns; begin += tile_columns) {
            MatrixTile(problem.args(ious), {0, 7, begin, std::min(columns, begin + tile_columns)},
                       true);
          }
          ASSERT_EQ(std::memcmp(ious, expected.data(), expected.size()), 0)
              << input.ToString() << ", tiles of " << tile_columns << ", shift " << shift;
          ASSERT_TRUE(
              std::all_of(result.data(), ious, [](std::byte b) { return b == std::byte{0x5A}; }));
          ASSERT_TRUE(std::all_of(ious + expected.size(), result.data() + result.size(),
                                  [](std::byte b) { return b == std::byte{0x5A}; }));
        }
      }
    }
  }
}

// Large enough for Run to choose the streaming stores, in rows that start anywhere in a line.
TEST(BboxOverlapsRun, HasTheReferencesBitsWhenResultsGoPastTheCaches) {
  constexpr int64_t kColumns = 4201;
  for (const bool half : {false, true}) {
    const int64_t rows = LargestCachedResult() / (kColumns * (half ? 2 : 4)) + 1;
    const Case input{RandomBoxes(Kind::kImage, rows, 1),
                     RandomBoxes(Kind::kImage, kColumns, 2),
                     false,
                     half,
                     OverlapMode::kIou,
                     0};
    EXPECT_TRUE(RunOn(2, input) == Problem(input).Expected()) << input.ToString();
  }
}

TEST_P(BboxOverlapsKernel, StreamedAlignedPairsAreTheSame) {
  for (const int64_t count : {1, 15, 16, 17, 40, 1000}) {
    for (const Case& input : Variants(RandomBoxes(Kind::kExtremes, count, 1),
                                      RandomBoxes(Kind::kImage, count, 2), true)) {
      const Problem problem(input);
      const std::vector<std::byte> expected = problem.Expected();
      std::vector<std::byte> result(expected.size());
      AlignedTile(problem.args(result.data()), 0, count / 3, true);
      AlignedTile(problem.args(result.data()), count / 3, count, true);
      ASSERT_EQ(result, expected) << input.ToString();
    }
  }
}

// The boxes of a problem that end at an unmapped page, or as many elements before it.
class GuardedBoxes {
 public:
  GuardedBoxes(const Problem& problem, size_t slack)
      : boxes_(problem.args(nullptr).boxes),
        first_(static_cast<size_t>(problem.boxes1_bytes()), slack * element()),
        second_(static_cast<size_t>(problem.boxes2_bytes()), slack * element()) {
    std::memcpy(first_.data(), problem.boxes1(), first_.size());
    std::memcpy(second_.data(), problem.boxes2(), second_.size());
    boxes_.first = first_.data();
    boxes_.second = second_.data();
  }

  const Boxes& boxes() const { return boxes_; }
  size_t element() const { return boxes_.half ? sizeof(Half) : sizeof(float); }

 private:
  Boxes boxes_;
  GuardedBuffer first_;
  GuardedBuffer second_;
};

// Up to twice the widest vector, and one more.
constexpr int64_t kTwoVectors = 33;

// Boxes and results that end at an unmapped page and start wherever that makes them start. All
// boxes are as large as a vector, so some end a little before it, for the sake of their start.
TEST_P(BboxOverlapsKernel, StaysInsideItsMemory) {
  for (const bool aligned : {false, true}) {
    for (const bool stream : {false, true}) {
      for (int64_t count = 1; count <= kTwoVectors; ++count) {
        for (const Case& input : Variants(RandomBoxes(Kind::kImage, aligned ? count : 3, 1),
                                          RandomBoxes(Kind::kImage, count, 2), aligned)) {
          const Problem problem(input);
          const GuardedBoxes boxes(problem, static_cast<size_t>(count % 4));
          const GuardedBuffer ious(static_cast<size_t>(problem.result_bytes()));
          Args args = problem.args(ious.data());
          args.boxes = boxes.boxes();
          if (aligned) {
            AlignedTile(args, 0, count, stream);
          } else {
            MatrixTile(args, {0, 3, 0, count}, stream);
          }
          ASSERT_EQ(std::memcmp(ious.data(), problem.Expected().data(), ious.size()), 0)
              << input.ToString();
        }
      }
    }
  }
}

// Of a NaN, too.
std::vector<uint32_t> BitsOf(const std::vector<float>& values) {
  std::vector<uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
  return bits;
}

TEST_P(BboxOverlapsKernel, RowMaximaAndPairsStayInsideTheirMemory) {
  constexpr int64_t kRows = 3;
  Threads threads(1);
  RunContext context{threads, nullptr};
  for (int64_t count = 1; count <= kTwoVectors; ++count) {
    for (const Case& input : Variants(RandomBoxes(Kind::kImage, kRows, 1),
                                      RandomBoxes(Kind::kImage, count, 2), false)) {
      for (const size_t slack : {0, 1}) {
        const Problem problem(input);
        const GuardedBoxes boxes(problem, slack);
        const GuardedBuffer values(kRows * sizeof(float));
        const GuardedBuffer columns(kRows * sizeof(int32_t));
        const RowMaximumArgs args{boxes.boxes(), reinterpret_cast<float*>(values.data()),
                                  reinterpret_cast<int32_t*>(columns.data())};
        ASSERT_TRUE(RunRowMaximum(context, args).ok());
        std::vector<float> expected_values(kRows);
        std::vector<int32_t> expected_columns(kRows);
        ReferenceRowMaximum({boxes.boxes(), expected_values.data(), expected_columns.data()});
        ASSERT_EQ(std::memcmp(args.values, expected_values.data(), values.size()), 0);
        ASSERT_EQ(std::memcmp(args.columns, expected_columns.data(), columns.size()), 0);
        std::vector<OverlapPair> pairs;
        std::vector<OverlapPair> expected_pairs;
        ASSERT_TRUE(RunPairs(context, {boxes.boxes(), 0.0f, &pairs}).ok());
        ReferencePairs({boxes.boxes(), 0.0f, &expected_pairs});
        ASSERT_EQ(pairs.size(), expected_pairs.size()) << input.ToString();
      }
    }
  }
}

TEST_P(BboxOverlapsKernel, RowMaximumIsTheReferences) {
  for (const Kind kind : kKinds) {
    for (const int64_t columns : {1, 2, 7, 16, 33, 100, 2100}) {
      for (const Case& input :
           Variants(RandomBoxes(kind, 70, 1), RandomBoxes(kind, columns, 2), false)) {
        const Problem problem(input);
        std::vector<float> values(70);
        std::vector<float> expected_values(70);
        std::vector<int32_t> indices(70);
        std::vector<int32_t> expected_indices(70);
        ReferenceRowMaximum(
            {problem.args(nullptr).boxes, expected_values.data(), expected_indices.data()});
        for (const int thread_count : {1, 2, 7}) {
          Threads threads(thread_count);
          RunContext context{threads, nullptr};
          ASSERT_TRUE(
              RunRowMaximum(context, {problem.args(nullptr).boxes, values.data(), indices.data()})
                  .ok());
          ASSERT_EQ(indices, expected_indices) << input.ToString();
          ASSERT_EQ(BitsOf(values), BitsOf(expected_values)) << input.ToString();
        }
      }
    }
  }
}

TEST_P(BboxOverlapsKernel, PairsAreTheReferences) {
  constexpr int64_t kRows = kSlowBuild ? 20 : 70;
  for (const Kind kind : kKinds) {
    for (const int64_t columns : {1, 7, 33, 2100}) {
      for (const float threshold : {-1.0f, 0.0f, 0.5f, 2.0f}) {
        for (const Case& input :
             Variants(RandomBoxes(kind, kRows, 1), RandomBoxes(kind, columns, 2), false)) {
          const Problem problem(input);
          std::vector<OverlapPair> expected;
          std::vector<OverlapPair> pairs;
          ReferencePairs({problem.args(nullptr).boxes, threshold, &expected});
          for (const int thread_count : {1, 2}) {
            Threads threads(thread_count);
            RunContext context{threads, nullptr};
            ASSERT_TRUE(RunPairs(context, {problem.args(nullptr).boxes, threshold, &pairs}).ok());
            ASSERT_EQ(pairs.size(), expected.size()) << input.ToString();
            ASSERT_TRUE(pairs.empty() || std::memcmp(pairs.data(), expected.data(),
                                                     pairs.size() * sizeof(pairs[0])) == 0)
                << input.ToString();
          }
        }
      }
    }
  }
}

// ---- The contract ------------------------------------------------------------------------------

// Written again in double, from the float boxes.
double InDouble(const float* a, const float* b, OverlapMode mode, double offset) {
  const double width =
      std::max(0.0, double{std::min(a[2], b[2])} - double{std::max(a[0], b[0])} + offset);
  const double height =
      std::max(0.0, double{std::min(a[3], b[3])} - double{std::max(a[1], b[1])} + offset);
  const double inter = width * height;
  const double area_a = (double{a[2]} - a[0] + offset) * (double{a[3]} - a[1] + offset);
  const double area_b = (double{b[2]} - b[0] + offset) * (double{b[3]} - b[1] + offset);
  const double overlap =
      inter / std::max(mode == OverlapMode::kIou ? area_a + area_b - inter : area_a, offset);
  return std::isnan(overlap) ? 0.0 : overlap;
}

TEST(BboxOverlapsAccuracy, IsWithinTheContractOfDouble) {
  for (const Kind kind : {Kind::kGrid, Kind::kImage, Kind::kWide}) {
    for (uint32_t seed = 0; seed < 5; ++seed) {
      std::vector<float> boxes1 = RandomBoxes(kind, 200, 2 * seed);
      std::vector<float> boxes2 = RandomBoxes(kind, 300, 2 * seed + 1);
      // Some boxes twice, so that there are overlaps also where boxes are far apart.
      std::copy_n(boxes1.begin(), 400, boxes2.begin());
      for (const Case& input : Variants(boxes1, boxes2, false)) {
        if (input.half && kind == Kind::kWide) {
          continue;  // a half holds no such coordinates
        }
        const std::vector<std::byte> result = RunOn(2, input);
        std::vector<float> found(size_t{200} * 300);
        std::vector<double> expected(found.size());
        for (size_t i = 0; i < found.size(); ++i) {
          float a[4];
          float b[4];
          for (size_t k = 0; k < 4; ++k) {
            a[k] = boxes1[i / 300 * 4 + k];
            b[k] = boxes2[i % 300 * 4 + k];
            if (input.half) {
              a[k] = HalfToFloat(FloatToHalf(a[k]));
              b[k] = HalfToFloat(FloatToHalf(b[k]));
            }
          }
          expected[i] = InDouble(a, b, input.mode, input.offset);
          if (input.half) {
            Half half;
            std::memcpy(&half, &result[i * 2], 2);
            found[i] = HalfToFloat(half);
          } else {
            std::memcpy(&found[i], &result[i * 4], 4);
          }
        }
        const Diffs diffs = ComputeDiffs(found, expected);
        const double limit = input.half ? 1e-3 : 1e-6;
        EXPECT_LE(diffs.diff1, limit) << input.ToString() << ", seed " << seed;
        EXPECT_LE(diffs.diff2, limit) << input.ToString() << ", seed " << seed;
      }
    }
  }
}

// A handle and three descriptors, as a C program has them.
class MluOpBboxOverlaps : public testing::Test {
 protected:
  MluOpBboxOverlaps() {
    EXPECT_EQ(mluOpCreate(&handle_), MLUOP_STATUS_SUCCESS);
    for (mluOpTensorDescriptor_t* desc : {&desc1_, &desc2_, &ious_desc_}) {
      EXPECT_EQ(mluOpCreateTensorDescriptor(desc), MLUOP_STATUS_SUCCESS);
    }
  }
  ~MluOpBboxOverlaps() override {
    for (mluOpTensorDescriptor_t desc : {desc1_, desc2_, ious_desc_}) {
      EXPECT_EQ(mluOpDestroyTensorDescriptor(desc), MLUOP_STATUS_SUCCESS);
    }
    EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS);
  }

  static void Set(mluOpTensorDescriptor_t desc, const std::vector<int64_t>& dims,
                  mluOpDataType_t dtype = MLUOP_DTYPE_FLOAT) {
    ASSERT_EQ(mluOpSetTensorDescriptor_v2(desc, MLUOP_LAYOUT_ARRAY, dtype,
                                          static_cast<int>(dims.size()), dims.data()),
              MLUOP_STATUS_SUCCESS);
  }
  void SetShapes(const std::vector<int64_t>& dims1, const std::vector<int64_t>& dims2,
                 const std::vector<int64_t>& ious_dims) {
    Set(desc1_, dims1);
    Set(desc2_, dims2);
    Set(ious_desc_, ious_dims);
  }
  mluOpStatus_t Call(bool aligned = false, int mode = 0, int offset = 0) {
    return mluOpBboxOverlaps(handle_, mode, aligned, offset, desc1_, boxes1_.data(), desc2_,
                             boxes2_.data(), ious_desc_, ious_.data());
  }

  // The call fails with this status and one line, and writes nothing.
  void ExpectRefused(mluOpStatus_t expected, const std::string& why,
                     const std::function<mluOpStatus_t()>& call) {
    LogCapture log;
    const std::vector<float> before = ious_;
    EXPECT_EQ(call(), expected) << why;
    EXPECT_THAT(log.Take(), ElementsAre("mluOpBboxOverlaps: " + why));
    EXPECT_EQ(ious_, before);
  }
  void ExpectBadParam(const std::string& why, bool aligned = false, int mode = 0, int offset = 0) {
    ExpectRefused(MLUOP_STATUS_BAD_PARAM, why, [&] { return Call(aligned, mode, offset); });
  }

  mluOpHandle_t handle_ = nullptr;
  mluOpTensorDescriptor_t desc1_ = nullptr;
  mluOpTensorDescriptor_t desc2_ = nullptr;
  mluOpTensorDescriptor_t ious_desc_ = nullptr;
  std::vector<float> boxes1_ = {0, 0, 10, 10, 10, 10, 20, 20, 32, 32, 38, 42};
  std::vector<float> boxes2_ = {0, 0, 10, 20, 0, 10, 10, 19, 10, 10, 20, 20};
  std::vector<float> ious_ = std::vector<float>(9, -7.0f);
};

TEST_F(MluOpBboxOverlaps, GivesTheSeedsExample) {
  SetShapes({3, 4}, {3, 4}, {3, 3});
  ASSERT_EQ(Call(), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(ious_, ElementsAre(0.5f, 0, 0, 0, 0, 1, 0, 0, 0));
}

TEST_F(MluOpBboxOverlaps, AlignedModesAndOffset) {
  ious_.assign(3, -7.0f);
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{3}, std::vector<int64_t>{3, 1}}) {
    SetShapes({3, 4}, {3, 4}, shape);
    ASSERT_EQ(Call(true), MLUOP_STATUS_SUCCESS);
    EXPECT_THAT(ious_, ElementsAre(0.5f, 0, 0));
    ASSERT_EQ(Call(true, 1), MLUOP_STATUS_SUCCESS);
    EXPECT_THAT(ious_, ElementsAre(1, 0, 0));
    ASSERT_EQ(Call(true, 0, 1), MLUOP_STATUS_SUCCESS);
    EXPECT_THAT(ious_, ElementsAre(121.0f / 231.0f, 1.0f * 10.0f / (121.0f + 110.0f - 10.0f), 0));
    ASSERT_EQ(Call(true, 1, 1), MLUOP_STATUS_SUCCESS);
    EXPECT_THAT(ious_, ElementsAre(1, 10.0f / 121.0f, 0));
  }
}

TEST_F(MluOpBboxOverlaps, EmptyShapesSucceedWithoutData) {
  const auto succeeds = [&](bool aligned, const std::vector<int64_t>& dims1,
                            const std::vector<int64_t>& dims2,
                            const std::vector<int64_t>& ious_dims) {
    SetShapes(dims1, dims2, ious_dims);
    EXPECT_EQ(mluOpBboxOverlaps(handle_, 0, aligned, 0, desc1_, nullptr, desc2_, nullptr,
                                ious_desc_, nullptr),
              MLUOP_STATUS_SUCCESS);
  };
  succeeds(false, {0, 4}, {1, 4}, {0, 1});
  succeeds(false, {1, 4}, {0, 4}, {1, 0});
  succeeds(false, {0, 4}, {0, 4}, {0, 0});
  succeeds(false, {0, 0}, {1, 4}, {0, 1});
  succeeds(false, {0, 7}, {0, 9}, {0, 0});
  succeeds(true, {0, 4}, {0, 4}, {0});
  succeeds(true, {0, 4}, {0, 4}, {0, 1});
}

TEST_F(MluOpBboxOverlaps, RefusesWrongShapes) {
  SetShapes({3, 4, 1}, {3, 4}, {3, 3});
  ExpectBadParam("bbox1 has shape float[3,4,1]; it must have rank 2");
  SetShapes({3, 4}, {12}, {3, 3});
  ExpectBadParam("bbox2 has shape float[12]; it must have rank 2");
  SetShapes({3, 4}, {3, 4}, {9});
  ExpectBadParam("ious has shape float[9]; it must have rank 2");
  SetShapes({3, 4}, {3, 4}, {3, 1, 1});
  ExpectBadParam("ious has shape float[3,1,1]; it must have rank 1 or 2", true);
  SetShapes({3, 5}, {3, 4}, {3, 3});
  ExpectBadParam("bbox1 has shape float[3,5]; dimension 1 must be 4");
  SetShapes({3, 4}, {3, 3}, {3, 3});
  ExpectBadParam("bbox2 has shape float[3,3]; dimension 1 must be 4");
  SetShapes({3, 4}, {3, 4}, {2, 3});
  ExpectBadParam("ious has shape float[2,3]; dimension 0 must be 3");
  SetShapes({3, 4}, {2, 4}, {3, 3});
  ExpectBadParam("ious has shape float[3,3]; dimension 1 must be 2");
  SetShapes({3, 4}, {2, 4}, {3});
  ExpectBadParam(
      "bbox2 is float[2,4], expected as many boxes as bbox1, which is float[3,4], when aligned",
      true);
  SetShapes({0, 4}, {1, 4}, {0});
  ExpectBadParam(
      "bbox2 is float[1,4], expected as many boxes as bbox1, which is float[0,4], when aligned",
      true);
  SetShapes({3, 4}, {3, 4}, {3, 3});
  ExpectBadParam("ious has shape float[3,3]; dimension 1 must be 1", true);
}

TEST_F(MluOpBboxOverlaps, RefusesWrongParametersAndTypes) {
  SetShapes({3, 4}, {3, 4}, {3, 3});
  ExpectBadParam("mode is 2; it must be 0 to 1", false, 2);
  ExpectBadParam("mode is -1; it must be 0 to 1", false, -1);
  ExpectBadParam("offset is 2; it must be 0 to 1", false, 0, 2);
  ExpectBadParam("offset is -1; it must be 0 to 1", false, 0, -1);
  Set(desc1_, {3, 4}, MLUOP_DTYPE_INT32);
  ExpectBadParam("bbox1 has type int32; it must be float or half");
  Set(desc1_, {3, 4}, MLUOP_DTYPE_HALF);
  ExpectBadParam("bbox2 has type float; it must be half");
  Set(desc2_, {3, 4}, MLUOP_DTYPE_HALF);
  ExpectBadParam("ious has type float; it must be half");
}

TEST_F(MluOpBboxOverlaps, RefusesNullsAndDescriptorsThatWereNeverSet) {
  const auto call = [&](mluOpHandle_t handle, mluOpTensorDescriptor_t desc1, const void* boxes1,
                        mluOpTensorDescriptor_t desc2, const void* boxes2,
                        mluOpTensorDescriptor_t ious_desc, void* ious) {
    return [=] {
      return mluOpBboxOverlaps(handle, 0, false, 0, desc1, boxes1, desc2, boxes2, ious_desc, ious);
    };
  };
  const float* const b1 = boxes1_.data();
  const float* const b2 = boxes2_.data();
  float* const out = ious_.data();
  const mluOpStatus_t bad = MLUOP_STATUS_BAD_PARAM;
  ExpectRefused(bad, "bbox1_desc was never set; call mluOpSetTensorDescriptor first",
                call(handle_, desc1_, b1, desc2_, b2, ious_desc_, out));
  SetShapes({3, 4}, {3, 4}, {3, 3});
  ExpectRefused(bad, "handle is NULL; it must be a valid pointer",
                call(nullptr, desc1_, b1, desc2_, b2, ious_desc_, out));
  ExpectRefused(bad, "bbox1_desc is NULL; it must be a tensor descriptor",
                call(handle_, nullptr, b1, desc2_, b2, ious_desc_, out));
  ExpectRefused(bad, "bbox2_desc is NULL; it must be a tensor descriptor",
                call(handle_, desc1_, b1, nullptr, b2, ious_desc_, out));
  ExpectRefused(bad, "ious_desc is NULL; it must be a tensor descriptor",
                call(handle_, desc1_, b1, desc2_, b2, nullptr, out));
  ExpectRefused(bad, "bbox1 is NULL; it must be a valid pointer",
                call(handle_, desc1_, nullptr, desc2_, b2, ious_desc_, out));
  ExpectRefused(bad, "bbox2 is NULL; it must be a valid pointer",
                call(handle_, desc1_, b1, desc2_, nullptr, ious_desc_, out));
  ExpectRefused(bad, "ious is NULL; it must be a valid pointer",
                call(handle_, desc1_, b1, desc2_, b2, ious_desc_, nullptr));
}

TEST_F(MluOpBboxOverlaps, DoesNotSupportStridesAndHugeTensors) {
  SetShapes({3, 4}, {3, 4}, {3, 3});
  const int64_t dims[] = {3, 3};
  const int64_t strides[] = {4, 1};
  ASSERT_EQ(mluOpSetTensorDescriptorEx_v2(ious_desc_, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2,
                                          dims, strides),
            MLUOP_STATUS_SUCCESS);
  ExpectRefused(MLUOP_STATUS_NOT_SUPPORTED,
                "ious has shape float[3,3] and strides [4,1]; it must be contiguous",
                [&] { return Call(); });
  SetShapes({1 << 16, 4}, {1 << 15, 4}, {1 << 16, 1 << 15});
  ExpectRefused(MLUOP_STATUS_NOT_SUPPORTED,
                "ious has shape float[65536,32768]; it must have fewer than 2^31 elements",
                [&] { return Call(); });
}

TEST_F(MluOpBboxOverlaps, LayoutIsNotLookedAt) {
  SetShapes({3, 4}, {3, 4}, {3, 3});
  const int dims[] = {3, 4};
  ASSERT_EQ(mluOpSetTensorDescriptor(desc1_, MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, 2, dims),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Call(), MLUOP_STATUS_SUCCESS);
}

TEST_F(MluOpBboxOverlaps, NaNRules) {
  const float nan = std::nanf("1");
  const float inf = INFINITY;
  boxes1_ = {0,    0,    10,  10,  // a box
             0,    nan,  10,  10,  // not a number
             5,    5,    5,   5,   // a point: 0 / 0
             -inf, -inf, inf, inf};
  boxes2_ = {0, 0, 10, 10, 0, 0, 10, -nan, 5, 5, 5, 5, -inf, -inf, inf, inf};
  ious_.assign(16, -7.0f);
  SetShapes({4, 4}, {4, 4}, {4, 4});
  ASSERT_EQ(Call(), MLUOP_STATUS_SUCCESS);
  constexpr uint32_t kQuietNaN = 0x7FC00000;
  uint32_t bits[16];
  std::memcpy(bits, ious_.data(), sizeof(bits));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(bits[4 + i], kQuietNaN);
    EXPECT_EQ(bits[4 * i + 1], kQuietNaN);
  }
  EXPECT_EQ(ious_[0], 1.0f);
  EXPECT_EQ(bits[2], 0u) << "no overlap is +0";
  EXPECT_EQ(bits[10], 0u) << "0 / 0";
  EXPECT_EQ(bits[3], 0u) << "100 / infinity";
  EXPECT_EQ(bits[15], 0u) << "infinity - infinity";
}

TEST_F(MluOpBboxOverlaps, RunsOnAQueueAndDescriptorsMayGo) {
  cnrtQueue_t queue;
  ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
  ASSERT_EQ(mluOpSetQueue(handle_, queue), MLUOP_STATUS_SUCCESS);
  SetShapes({3, 4}, {3, 4}, {3, 3});
  ASSERT_EQ(Call(), MLUOP_STATUS_SUCCESS);
  for (mluOpTensorDescriptor_t desc : {desc1_, desc2_, ious_desc_}) {
    ASSERT_EQ(mluOpResetTensorDescriptor(desc), MLUOP_STATUS_SUCCESS);
  }
  ASSERT_EQ(cnrtQueueSync(queue), cnrtSuccess);
  EXPECT_THAT(ious_, ElementsAre(0.5f, 0, 0, 0, 0, 1, 0, 0, 0));
  EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
}

TEST_F(MluOpBboxOverlaps, LogsEachCallAtDebugLevel) {
  LogCapture log(DETOPS_LOG_DEBUG);
  SetShapes({3, 4}, {3, 4}, {3, 3});
  ASSERT_EQ(Call(false, 1, 1), MLUOP_STATUS_SUCCESS);
  SetShapes({0, 4}, {0, 4}, {0});
  ASSERT_EQ(Call(true), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(
      log.Take(),
      ElementsAre(
          "mluOpBboxOverlaps: bbox1 float[3,4], bbox2 float[3,4], mode 1, offset 1",
          "mluOpBboxOverlaps: bbox1 float[0,4], bbox2 float[0,4], mode 0, offset 0, aligned"));
}

#if defined(__SSE2__)
TEST_F(MluOpBboxOverlaps, ComputesInTheDefaultFloatModeAndRestoresTheCallers) {
  boxes1_ = {0, 0, 1e-20f, 1e-20f};  // an area of 1e-40, a denormal
  boxes2_ = {0, 0, 2e-20f, 1e-20f};
  ious_.assign(1, -7.0f);
  SetShapes({1, 4}, {1, 4}, {1, 1});
  const uint32_t saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040 | 0x2000);  // no denormals, round down
  const uint32_t unusual = _mm_getcsr();
  const mluOpStatus_t status = Call();
  const uint32_t after = _mm_getcsr();
  _mm_setcsr(saved);
  EXPECT_EQ(status, MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(after, unusual);
  EXPECT_NEAR(ious_[0], 0.5f, 1e-3f);
}
#endif

// ---- C++ ---------------------------------------------------------------------------------------

TEST(BboxOverlapsCpp, MatrixAndAligned) {
  const float boxes1[] = {0, 0, 10, 10, 10, 10, 20, 20};
  const float boxes2[] = {0, 0, 10, 20, 10, 10, 20, 20};
  float ious[4] = {};
  BboxOverlaps({boxes1, {2, 4}}, {boxes2, {2, 4}}, {ious, {2, 2}});
  EXPECT_THAT(ious, ElementsAre(0.5f, 0, 0, 1));
  BboxOverlaps({boxes1, {2, 4}}, {boxes2, {2, 4}}, {ious, {2, 2}}, {OverlapMode::kIof, 0});
  EXPECT_THAT(ious, ElementsAre(1, 0, 0, 1));
  float aligned[2] = {};
  BboxOverlapsAligned({boxes1, {2, 4}}, {boxes2, {2, 4}}, {aligned, {2}});
  EXPECT_THAT(aligned, ElementsAre(0.5f, 1));
  std::fill_n(aligned, 2, 0.0f);
  Context context;
  const Queue queue;
  context.SetQueue(queue);
  BboxOverlapsAligned(context, {boxes1, {2, 4}}, {boxes2, {2, 4}}, {aligned, {2}});
  ASSERT_EQ(cnrtQueueSync(queue.get()), cnrtSuccess);
  EXPECT_THAT(aligned, ElementsAre(0.5f, 1));
}

TEST(BboxOverlapsCpp, RowMaximumAndPairs) {
  const float nan = std::nanf("");
  const float anchors[] = {0, 0, 10, 10, 50, 50, 60, 60, nan, 0, 1, 1, 0, 0, 10, 20};
  const float truth[] = {nan, 0, 10, 10, 0, 0, 10, 10, 0, 0, 10, 20, 0, 0, 10, 20};
  const RowMaximum best = BboxOverlapsRowMaximum({anchors, {4, 4}}, {truth, {4, 4}});
  EXPECT_THAT(best.columns, ElementsAre(1, 1, -1, 2)) << "the lowest of equals, NaNs passed over";
  EXPECT_EQ(best.values[0], 1.0f);
  EXPECT_EQ(best.values[1], 0.0f);
  EXPECT_TRUE(std::isnan(best.values[2]));
  EXPECT_EQ(best.values[3], 1.0f);

  const RowMaximum none = BboxOverlapsRowMaximum({anchors, {4, 4}}, {truth, {0, 4}});
  EXPECT_THAT(none.columns, ElementsAre(-1, -1, -1, -1));
  EXPECT_THAT(none.values, ElementsAre(0, 0, 0, 0));
  EXPECT_TRUE(BboxOverlapsRowMaximum({anchors, {0, 4}}, {truth, {4, 4}}).values.empty());

  const std::vector<OverlapPair> pairs =
      BboxOverlapsPairs({anchors, {4, 4}}, {truth, {4, 4}}, 0.5f);
  ASSERT_EQ(pairs.size(), 3u) << "0.5 itself does not exceed 0.5";
  EXPECT_EQ(pairs[0].row, 0);
  EXPECT_EQ(pairs[0].column, 1);
  EXPECT_EQ(pairs[1].row, 3);
  EXPECT_EQ(pairs[1].column, 2);
  EXPECT_EQ(pairs[2].column, 3);
  EXPECT_EQ(pairs[2].overlap, 1.0f);
  EXPECT_TRUE(BboxOverlapsPairs({anchors, {4, 4}}, {truth, {0, 4}}, 0.5f).empty());
}

struct CopyArgs {
  float* to;
};

Status WriteBox(RunContext&, const CopyArgs& args) {
  const float box[] = {0, 0, 10, 10};
  std::memcpy(args.to, box, sizeof(box));
  return {};
}

TEST(BboxOverlapsCpp, ResultsThatAreReturnedWaitForTheQueue) {
  Context context;
  const Queue queue;
  context.SetQueue(queue);
  const float truth[] = {0, 0, 10, 10};
  float boxes[4] = {};
  ASSERT_TRUE(queue.get()->Submit(Job::Make<WriteBox>("test", CopyArgs{boxes})).ok());
  EXPECT_THAT(BboxOverlapsRowMaximum(context, {boxes, {1, 4}}, {truth, {1, 4}}).values,
              ElementsAre(1.0f));
}

TEST(BboxOverlapsCpp, ThrowsTheMessageOfTheCApi) {
  LogCapture log;
  const float boxes[4] = {};
  float ious[4] = {};
  EXPECT_EQ(MessageOf([&] {
              BboxOverlaps({boxes, {1, 4}}, {boxes, {1, 4}}, {ious, {2, 2}});
            }),
            "BboxOverlaps: ious has shape float[2,2]; dimension 0 must be 1");
  EXPECT_EQ(MessageOf([&] {
              BboxOverlaps({boxes, {1, -4}}, {boxes, {1, 4}}, {ious, {1, 1}});
            }),
            "BboxOverlaps: bbox1: dimSize[1] is -4, expected 0 or more");
  EXPECT_EQ(MessageOf([&] {
              BboxOverlaps({boxes, {1, 1, 1, 1, 1, 1, 1, 1, 4}}, {boxes, {1, 4}}, {ious, {1, 1}});
            }),
            "TensorView: the rank is 9; it must be 0 to 8");
  EXPECT_EQ(MessageOf([&] {
              BboxOverlapsRowMaximum({boxes, {1, 4}}, {boxes, {1, 3}});
            }),
            "BboxOverlapsRowMaximum: bbox2 has shape float[1,3]; dimension 1 must be 4");
  EXPECT_EQ(MessageOf([&] {
              BboxOverlapsPairs({boxes, {1, 4}}, {boxes, {1, 4}}, std::nanf(""));
            }),
            "BboxOverlapsPairs: threshold is NaN; it must be a number");
  EXPECT_EQ(MessageOf([&] {
              BboxOverlapsPairs({boxes, {1, 4}}, {boxes, {1, 4}}, 0.5f, {OverlapMode::kIou, 2});
            }),
            "BboxOverlapsPairs: offset is 2; it must be 0 to 1");
  EXPECT_EQ(MessageOf([&] {
              BboxOverlapsRowMaximum({static_cast<const float*>(nullptr), {1, 4}}, {boxes, {1, 4}});
            }),
            "BboxOverlapsRowMaximum: bbox1 is NULL; it must be a valid pointer");
}

}  // namespace
}  // namespace detops::bbox_overlaps
