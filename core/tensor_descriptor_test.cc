// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/tensor_descriptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "testing/log_capture.h"

namespace detops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Everything that the getters return about a descriptor.
struct Contents {
  mluOpTensorLayout_t layout{};
  mluOpDataType_t dtype{};
  int rank = -1;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;
  size_t elements = 0;
  mluOpDataType_t onchip{};
  mluOpPointerMode_t mode{};
  int position = 0;
  float scale = 0;
  int offset = 0;

  bool operator==(const Contents& other) const {
    return layout == other.layout && dtype == other.dtype && rank == other.rank &&
           dims == other.dims && strides == other.strides && elements == other.elements &&
           onchip == other.onchip && mode == other.mode && position == other.position &&
           scale == other.scale && offset == other.offset;
  }
};

Contents Read(mluOpTensorDescriptor_t desc) {
  Contents contents;
  int64_t dims[MLUOP_DIM_MAX];
  int64_t strides[MLUOP_DIM_MAX];
  EXPECT_EQ(mluOpGetTensorDescriptorEx_v2(desc, &contents.layout, &contents.dtype, &contents.rank,
                                          dims, strides),
            MLUOP_STATUS_SUCCESS);
  contents.dims.assign(dims, dims + contents.rank);
  contents.strides.assign(strides, strides + contents.rank);
  contents.elements = mluOpGetTensorElementNum(desc);
  EXPECT_EQ(mluOpGetTensorDescriptorOnchipDataType(desc, &contents.onchip), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorDescriptorPointerMode(desc, &contents.mode), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorDescriptorPositionScaleAndOffset(desc, &contents.position,
                                                           &contents.scale, &contents.offset),
            MLUOP_STATUS_SUCCESS);
  return contents;
}

class TensorDescriptor : public testing::Test {
 protected:
  TensorDescriptor() { EXPECT_EQ(mluOpCreateTensorDescriptor(&desc_), MLUOP_STATUS_SUCCESS); }
  ~TensorDescriptor() override {
    EXPECT_EQ(mluOpDestroyTensorDescriptor(desc_), MLUOP_STATUS_SUCCESS);
  }

  // The call fails with BAD_PARAM, one line that says why, and the descriptor is as before.
  void ExpectRefused(const std::function<mluOpStatus_t()>& call, const std::string& why) {
    LogCapture log;
    const Contents before = Read(desc_);
    EXPECT_EQ(call(), MLUOP_STATUS_BAD_PARAM) << why;
    EXPECT_THAT(log.Take(), ElementsAre(HasSubstr(why)));
    EXPECT_THAT(detopsGetLastError(), HasSubstr(why));
    EXPECT_EQ(Read(desc_), before) << why;
  }

  mluOpTensorDescriptor_t desc_ = nullptr;
};

constexpr mluOpTensorLayout_t kArray = MLUOP_LAYOUT_ARRAY;
constexpr mluOpDataType_t kFloat = MLUOP_DTYPE_FLOAT;

TEST_F(TensorDescriptor, ANewOneDescribesNothing) {
  const Contents contents = Read(desc_);
  EXPECT_EQ(contents.dtype, MLUOP_DTYPE_INVALID);
  EXPECT_EQ(contents.rank, 0);
  EXPECT_EQ(contents.elements, 0u);
  EXPECT_FALSE(CheckDescribed(OperandOf("x", desc_, nullptr)).ok());
}

TEST_F(TensorDescriptor, KeepsWhatIsSet) {
  const int dims[] = {2, 3, 4};
  ASSERT_EQ(mluOpSetTensorDescriptor(desc_, MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_HALF, 3, dims),
            MLUOP_STATUS_SUCCESS);
  const Contents contents = Read(desc_);
  EXPECT_EQ(contents.layout, MLUOP_LAYOUT_NHWC);
  EXPECT_EQ(contents.dtype, MLUOP_DTYPE_HALF);
  EXPECT_THAT(contents.dims, ElementsAre(2, 3, 4));
  EXPECT_THAT(contents.strides, ElementsAre(12, 4, 1));
  EXPECT_EQ(contents.elements, 24u);
  EXPECT_TRUE(CheckDescribed(OperandOf("x", desc_, nullptr)).ok());
}

TEST_F(TensorDescriptor, TakesEveryLayoutAndTypeAtAnyRank) {
  const int dims[] = {5, 4};
  for (int layout = MLUOP_LAYOUT_NCHW; layout <= MLUOP_LAYOUT_NCL; ++layout) {
    EXPECT_EQ(
        mluOpSetTensorDescriptor(desc_, static_cast<mluOpTensorLayout_t>(layout), kFloat, 2, dims),
        MLUOP_STATUS_SUCCESS);
  }
  for (int dtype = MLUOP_DTYPE_HALF; dtype <= MLUOP_DTYPE_BFLOAT16; ++dtype) {
    if (dtype != 10) {
      EXPECT_EQ(
          mluOpSetTensorDescriptor(desc_, kArray, static_cast<mluOpDataType_t>(dtype), 2, dims),
          MLUOP_STATUS_SUCCESS);
    }
  }
}

TEST_F(TensorDescriptor, RankZeroIsAScalarAndZeroIsADimension) {
  ASSERT_EQ(mluOpSetTensorDescriptor(desc_, kArray, kFloat, 0, nullptr), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorElementNum(desc_), 1u);
  const int dims[] = {3, 0, 4};
  ASSERT_EQ(mluOpSetTensorDescriptor(desc_, kArray, kFloat, 3, dims), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorElementNum(desc_), 0u);
  EXPECT_THAT(Read(desc_).dims, ElementsAre(3, 0, 4));
}

TEST_F(TensorDescriptor, TakesRankEightAnd64BitSizes) {
  const int dims[] = {1, 2, 1, 2, 1, 2, 1, 2};
  ASSERT_EQ(mluOpSetTensorDescriptor(desc_, kArray, kFloat, 8, dims), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorElementNum(desc_), 16u);
  const int64_t largest[] = {INT64_MAX, 1};
  ASSERT_EQ(mluOpSetTensorDescriptor_v2(desc_, kArray, kFloat, 2, largest), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorElementNum(desc_), static_cast<size_t>(INT64_MAX));
}

TEST_F(TensorDescriptor, StridesAreStored) {
  const int dims[] = {3, 4};
  const int strides[] = {8, 1};
  ASSERT_EQ(mluOpSetTensorDescriptorEx(desc_, kArray, kFloat, 2, dims, strides),
            MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(Read(desc_).strides, ElementsAre(8, 1));
  EXPECT_EQ(mluOpGetTensorElementNum(desc_), 12u);
  const int64_t wide_dims[] = {3, 4};
  const int64_t wide_strides[] = {int64_t{1} << 40, -1};
  ASSERT_EQ(mluOpSetTensorDescriptorEx_v2(desc_, kArray, kFloat, 2, wide_dims, wide_strides),
            MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(Read(desc_).strides, ElementsAre(int64_t{1} << 40, -1));
}

TEST_F(TensorDescriptor, ContiguousByTheContractsRule) {
  const auto is_contiguous = [&](std::vector<int64_t> dims, std::vector<int64_t> strides) {
    EXPECT_EQ(mluOpSetTensorDescriptorEx_v2(desc_, kArray, kFloat, static_cast<int>(dims.size()),
                                            dims.data(), strides.data()),
              MLUOP_STATUS_SUCCESS);
    return Find<detops::TensorDescriptor>(desc_)->shape.IsContiguous();
  };
  EXPECT_TRUE(is_contiguous({3, 4}, {4, 1}));
  EXPECT_TRUE(is_contiguous({}, {}));
  EXPECT_TRUE(is_contiguous({1, 4}, {99, 1})) << "the stride of a dimension of 1 does not matter";
  EXPECT_TRUE(is_contiguous({3, 1, 4}, {4, -7, 1}));
  EXPECT_TRUE(is_contiguous({3, 0}, {5, 9})) << "no element";
  EXPECT_FALSE(is_contiguous({3, 4}, {5, 1}));
  EXPECT_FALSE(is_contiguous({3, 4}, {4, 2}));
  EXPECT_FALSE(is_contiguous({3, 4}, {1, 3}));
  EXPECT_FALSE(is_contiguous({3, 4}, {0, 1}));
}

TEST_F(TensorDescriptor, DimensionsCanChangeAlone) {
  const int dims[] = {2, 3};
  const int strides[] = {9, 1};
  ASSERT_EQ(mluOpSetTensorDescriptorEx(desc_, MLUOP_LAYOUT_NC, kFloat, 2, dims, strides),
            MLUOP_STATUS_SUCCESS);
  const int other[] = {7, 5, 3};
  ASSERT_EQ(mluOpSetTensorDescriptorDim(desc_, 3, other), MLUOP_STATUS_SUCCESS);
  Contents contents = Read(desc_);
  EXPECT_EQ(contents.layout, MLUOP_LAYOUT_NC);
  EXPECT_EQ(contents.dtype, kFloat);
  EXPECT_THAT(contents.dims, ElementsAre(7, 5, 3));
  EXPECT_THAT(contents.strides, ElementsAre(15, 3, 1));
  const int64_t wide[] = {int64_t{1} << 33};
  ASSERT_EQ(mluOpSetTensorDescriptorDim_v2(desc_, 1, wide), MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(Read(desc_).dims, ElementsAre(int64_t{1} << 33));
}

TEST_F(TensorDescriptor, DimensionsAloneDoNotDescribe) {
  const int dims[] = {2};
  ASSERT_EQ(mluOpSetTensorDescriptorDim(desc_, 1, dims), MLUOP_STATUS_SUCCESS);
  EXPECT_FALSE(CheckDescribed(OperandOf("x", desc_, nullptr)).ok());
}

// A descriptor that is set; ExpectRefused checks that it is unchanged.
class SetTensorDescriptor : public TensorDescriptor {
 protected:
  SetTensorDescriptor() {
    EXPECT_EQ(mluOpSetTensorDescriptor(desc_, MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_INT8, 2, good),
              MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(mluOpSetTensorDescriptorPositionScaleAndOffset(desc_, 1, 2.0f, 3),
              MLUOP_STATUS_SUCCESS);
  }

  static constexpr int good[] = {2, 3};
  static constexpr int negative[] = {2, -3};
  static constexpr int64_t huge[] = {int64_t{1} << 32, int64_t{1} << 31};
};

TEST_F(SetTensorDescriptor, RefusesInvalidDimensions) {
  const int nine[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  const int wide[] = {INT_MAX, INT_MAX, INT_MAX};
  ExpectRefused([&] { return mluOpSetTensorDescriptor(desc_, kArray, kFloat, -1, good); },
                "mluOpSetTensorDescriptor: dimNb is -1; it must be 0 to 8");
  ExpectRefused([&] { return mluOpSetTensorDescriptor(desc_, kArray, kFloat, 9, nine); },
                "dimNb is 9");
  ExpectRefused([&] { return mluOpSetTensorDescriptor(desc_, kArray, kFloat, 2, nullptr); },
                "dimSize is NULL");
  ExpectRefused([&] { return mluOpSetTensorDescriptor(desc_, kArray, kFloat, 2, negative); },
                "dimSize[1] is -3; it must be 0 or more");
  ExpectRefused([&] { return mluOpSetTensorDescriptor(desc_, kArray, kFloat, 3, wide); },
                "dimSize is [2147483647,2147483647,2147483647]; the product must be below 2^63");
}

TEST_F(SetTensorDescriptor, RefusesInvalidLayoutsAndTypes) {
  ExpectRefused(
      [&] {
        return mluOpSetTensorDescriptor(desc_, static_cast<mluOpTensorLayout_t>(11), kFloat, 2,
                                        good);
      },
      "layout is 11; it must be 0 to 10");
  ExpectRefused(
      [&] {
        return mluOpSetTensorDescriptor(desc_, static_cast<mluOpTensorLayout_t>(-1), kFloat, 2,
                                        good);
      },
      "layout is -1; it must be 0 to 10");
  ExpectRefused(
      [&] {
        return mluOpSetTensorDescriptor(desc_, kArray, static_cast<mluOpDataType_t>(10), 2, good);
      },
      "dtype is 10; it must be a mluOpDataType_t");
  ExpectRefused(
      [&] {
        return mluOpSetTensorDescriptor(desc_, kArray, static_cast<mluOpDataType_t>(18), 2, good);
      },
      "dtype is 18");
  ExpectRefused(
      [&] { return mluOpSetTensorDescriptor(desc_, kArray, MLUOP_DTYPE_INVALID, 2, good); },
      "dtype is MLUOP_DTYPE_INVALID");
}

TEST_F(SetTensorDescriptor, RefusesInvalid64BitDimensions) {
  const int64_t negative64[] = {-2};
  const int64_t nine64[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  const int64_t huge_and_empty[] = {int64_t{1} << 32, 0, int64_t{1} << 32};
  ExpectRefused([&] { return mluOpSetTensorDescriptor_v2(desc_, kArray, kFloat, 9, nine64); },
                "mluOpSetTensorDescriptor_v2: dimNb is 9");
  ExpectRefused([&] { return mluOpSetTensorDescriptor_v2(desc_, kArray, kFloat, 1, nullptr); },
                "dimSize is NULL");
  ExpectRefused([&] { return mluOpSetTensorDescriptor_v2(desc_, kArray, kFloat, 1, negative64); },
                "dimSize[0] is -2");
  ExpectRefused([&] { return mluOpSetTensorDescriptor_v2(desc_, kArray, kFloat, 2, huge); },
                "the product must be below 2^63");
  ExpectRefused(
      [&] { return mluOpSetTensorDescriptor_v2(desc_, kArray, kFloat, 3, huge_and_empty); },
      "the product must be below 2^63");
}

TEST_F(SetTensorDescriptor, RefusesInvalidStridesAndDimensionsAlone) {
  const int64_t strides64[] = {1, 1};
  ExpectRefused([&] { return mluOpSetTensorDescriptorEx(desc_, kArray, kFloat, 2, good, nullptr); },
                "mluOpSetTensorDescriptorEx: dimStride is NULL");
  ExpectRefused(
      [&] { return mluOpSetTensorDescriptorEx(desc_, kArray, kFloat, 2, negative, good); },
      "dimSize[1] is -3");
  ExpectRefused([&] { return mluOpSetTensorDescriptorEx(desc_, kArray, kFloat, 2, nullptr, good); },
                "dimSize is NULL");
  ExpectRefused(
      [&] { return mluOpSetTensorDescriptorEx_v2(desc_, kArray, kFloat, 2, huge, strides64); },
      "mluOpSetTensorDescriptorEx_v2: dimSize is");
  ExpectRefused([&] { return mluOpSetTensorDescriptorDim(desc_, -1, good); },
                "mluOpSetTensorDescriptorDim: dimNb is -1");
  ExpectRefused([&] { return mluOpSetTensorDescriptorDim(desc_, 2, nullptr); }, "dimSize is NULL");
  ExpectRefused([&] { return mluOpSetTensorDescriptorDim_v2(desc_, 2, huge); },
                "mluOpSetTensorDescriptorDim_v2: dimSize is");
}

TEST_F(SetTensorDescriptor, RefusesInvalidAttributes) {
  ExpectRefused(
      [&] {
        return mluOpSetTensorDescriptorOnchipDataType(desc_, static_cast<mluOpDataType_t>(10));
      },
      "onchip_dtype is 10");
  ExpectRefused(
      [&] {
        return mluOpSetTensorDescriptorPointerMode(desc_, static_cast<mluOpPointerMode_t>(2));
      },
      "pointer_mode is 2; it must be 0 to 1");
}

TEST_F(TensorDescriptor, RefusesANullDescriptor) {
  const int dims[] = {1};
  const int64_t dims64[] = {1};
  mluOpTensorLayout_t layout;
  mluOpDataType_t dtype;
  mluOpPointerMode_t mode;
  int number;
  float scale;
  const auto expect = [&](const std::function<mluOpStatus_t()>& call) {
    ExpectRefused(call, ": desc is NULL");
  };
  expect([&] { return mluOpCreateTensorDescriptor(nullptr); });
  expect([&] { return mluOpDestroyTensorDescriptor(nullptr); });
  expect([&] { return mluOpResetTensorDescriptor(nullptr); });
  expect([&] { return mluOpSetTensorDescriptor(nullptr, kArray, kFloat, 1, dims); });
  expect([&] { return mluOpSetTensorDescriptor_v2(nullptr, kArray, kFloat, 1, dims64); });
  expect([&] { return mluOpSetTensorDescriptorEx(nullptr, kArray, kFloat, 1, dims, dims); });
  expect([&] { return mluOpSetTensorDescriptorEx_v2(nullptr, kArray, kFloat, 1, dims64, dims64); });
  expect([&] { return mluOpSetTensorDescriptorDim(nullptr, 1, dims); });
  expect([&] { return mluOpSetTensorDescriptorDim_v2(nullptr, 1, dims64); });
  expect([&] { return mluOpGetTensorDescriptor(nullptr, &layout, &dtype, &number, nullptr); });
  expect([&] { return mluOpGetTensorDescriptor_v2(nullptr, &layout, &dtype, &number, nullptr); });
  expect([&] {
    return mluOpGetTensorDescriptorEx(nullptr, &layout, &dtype, &number, nullptr, nullptr);
  });
  expect([&] {
    return mluOpGetTensorDescriptorEx_v2(nullptr, &layout, &dtype, &number, nullptr, nullptr);
  });
  expect([&] { return mluOpSetTensorDescriptorOnchipDataType(nullptr, kFloat); });
  expect([&] { return mluOpGetTensorDescriptorOnchipDataType(nullptr, &dtype); });
  expect([&] { return mluOpSetTensorDescriptorPointerMode(nullptr, MLUOP_POINTER_MODE_HOST); });
  expect([&] { return mluOpGetTensorDescriptorPointerMode(nullptr, &mode); });
  expect([&] { return mluOpSetTensorDescriptorPosition(nullptr, 1); });
  expect([&] { return mluOpGetTensorDescriptorPosition(nullptr, &number); });
  expect([&] { return mluOpSetTensorDescriptorPositionAndScale(nullptr, 1, 1); });
  expect([&] { return mluOpGetTensorDescriptorPositionAndScale(nullptr, &number, &scale); });
  expect([&] { return mluOpSetTensorDescriptorPositionScaleAndOffset(nullptr, 1, 1, 1); });
  expect([&] {
    return mluOpGetTensorDescriptorPositionScaleAndOffset(nullptr, &number, &scale, &number);
  });
  expect([&] {
    EXPECT_EQ(mluOpGetTensorElementNum(nullptr), 0u);
    return MLUOP_STATUS_BAD_PARAM;
  });
}

TEST_F(TensorDescriptor, GettersSkipNullResults) {
  const int dims[] = {4, 6};
  ASSERT_EQ(mluOpSetTensorDescriptor(desc_, kArray, kFloat, 2, dims), MLUOP_STATUS_SUCCESS);
  // One result at a time.
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_NCHW;
  EXPECT_EQ(mluOpGetTensorDescriptor(desc_, &layout, nullptr, nullptr, nullptr),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(layout, kArray);
  mluOpDataType_t dtype = MLUOP_DTYPE_INVALID;
  EXPECT_EQ(mluOpGetTensorDescriptor(desc_, nullptr, &dtype, nullptr, nullptr),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(dtype, kFloat);
  int rank = -1;
  EXPECT_EQ(mluOpGetTensorDescriptor_v2(desc_, nullptr, nullptr, &rank, nullptr),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(rank, 2);
  int got[2] = {0, 0};
  EXPECT_EQ(mluOpGetTensorDescriptorEx(desc_, nullptr, nullptr, nullptr, got, nullptr),
            MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(got, ElementsAre(4, 6));
  EXPECT_EQ(mluOpGetTensorDescriptorEx(desc_, nullptr, nullptr, nullptr, nullptr, got),
            MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(got, ElementsAre(6, 1));
  // None at all.
  EXPECT_EQ(mluOpGetTensorDescriptorEx_v2(desc_, nullptr, nullptr, nullptr, nullptr, nullptr),
            MLUOP_STATUS_SUCCESS);
}

TEST_F(TensorDescriptor, GettersOfStoredValuesSkipNullResults) {
  ASSERT_EQ(mluOpSetTensorDescriptorPositionScaleAndOffset(desc_, 3, 0.5f, 7),
            MLUOP_STATUS_SUCCESS);
  int number = -1;
  float scale = -1;
  EXPECT_EQ(mluOpGetTensorDescriptorPositionAndScale(desc_, nullptr, &scale), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(scale, 0.5f);
  EXPECT_EQ(mluOpGetTensorDescriptorPositionAndScale(desc_, &number, nullptr),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(number, 3);
  EXPECT_EQ(mluOpGetTensorDescriptorPositionScaleAndOffset(desc_, nullptr, nullptr, &number),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(number, 7);
  EXPECT_EQ(mluOpGetTensorDescriptorPositionScaleAndOffset(desc_, &number, nullptr, nullptr),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(number, 3);
  EXPECT_EQ(mluOpGetTensorDescriptorPosition(desc_, nullptr), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorDescriptorOnchipDataType(desc_, nullptr), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorDescriptorPointerMode(desc_, nullptr), MLUOP_STATUS_SUCCESS);
}

TEST_F(TensorDescriptor, IntGettersRefuseWhatDoesNotFitAndWriteNothing) {
  const int64_t dims[] = {2, int64_t{INT_MAX} + 1};
  ASSERT_EQ(mluOpSetTensorDescriptor_v2(desc_, kArray, kFloat, 2, dims), MLUOP_STATUS_SUCCESS);
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_TNC;
  mluOpDataType_t dtype = MLUOP_DTYPE_BOOL;
  int rank = 77;
  int got[2] = {55, 66};
  ExpectRefused([&] { return mluOpGetTensorDescriptor(desc_, &layout, &dtype, &rank, got); },
                "dimSize[1] is 2147483648, which does not fit an int");
  ExpectRefused(
      [&] { return mluOpGetTensorDescriptorEx(desc_, &layout, &dtype, &rank, nullptr, got); },
      "dimStride[0] is 2147483648");
  EXPECT_EQ(layout, MLUOP_LAYOUT_TNC);
  EXPECT_EQ(dtype, MLUOP_DTYPE_BOOL);
  EXPECT_EQ(rank, 77);
  EXPECT_THAT(got, ElementsAre(55, 66));
  EXPECT_EQ(mluOpGetTensorDescriptor(desc_, &layout, &dtype, &rank, nullptr), MLUOP_STATUS_SUCCESS)
      << "what is not asked for may be of any size";
}

TEST_F(TensorDescriptor, StoresWhatItOnlyStores) {
  EXPECT_EQ(Read(desc_).onchip, MLUOP_DTYPE_INVALID);
  EXPECT_EQ(Read(desc_).mode, MLUOP_POINTER_MODE_DEVICE);
  EXPECT_EQ(mluOpSetTensorDescriptorOnchipDataType(desc_, MLUOP_DTYPE_INT16), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Read(desc_).onchip, MLUOP_DTYPE_INT16);
  EXPECT_EQ(mluOpSetTensorDescriptorOnchipDataType(desc_, MLUOP_DTYPE_INVALID),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpSetTensorDescriptorPointerMode(desc_, MLUOP_POINTER_MODE_HOST),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Read(desc_).mode, MLUOP_POINTER_MODE_HOST);

  int position = 0;
  float scale = 0;
  EXPECT_EQ(mluOpSetTensorDescriptorPosition(desc_, -3), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorDescriptorPosition(desc_, &position), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(position, -3);
  EXPECT_EQ(mluOpSetTensorDescriptorPositionAndScale(desc_, 4, 1.5f), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorDescriptorPositionAndScale(desc_, &position, &scale),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(position, 4);
  EXPECT_EQ(scale, 1.5f);
  EXPECT_EQ(mluOpSetTensorDescriptorPositionScaleAndOffset(desc_, 5, 2.5f, 6),
            MLUOP_STATUS_SUCCESS);
  const Contents contents = Read(desc_);
  EXPECT_EQ(contents.position, 5);
  EXPECT_EQ(contents.scale, 2.5f);
  EXPECT_EQ(contents.offset, 6);
}

TEST_F(TensorDescriptor, ResetMakesItNew) {
  const Contents fresh = Read(desc_);
  const int dims[] = {2, 3};
  ASSERT_EQ(mluOpSetTensorDescriptor(desc_, MLUOP_LAYOUT_NHWC, kFloat, 2, dims),
            MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(mluOpSetTensorDescriptorPositionScaleAndOffset(desc_, 5, 2.5f, 6),
            MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(mluOpResetTensorDescriptor(desc_), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Read(desc_), fresh);
}

TEST(GroupTensorDescriptors, AreCreatedSetAndDestroyedTogether) {
  mluOpTensorDescriptor_t a = nullptr;
  mluOpTensorDescriptor_t b = nullptr;
  mluOpTensorDescriptor_t c = nullptr;
  mluOpTensorDescriptor_t* group[] = {&a, &b, &c};
  ASSERT_EQ(mluOpCreateGroupTensorDescriptors(group, 3), MLUOP_STATUS_SUCCESS);
  const mluOpTensorLayout_t layouts[] = {MLUOP_LAYOUT_NHWC, MLUOP_LAYOUT_ARRAY, MLUOP_LAYOUT_NC};
  const mluOpDataType_t dtypes[] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_INT32, MLUOP_DTYPE_HALF};
  const int ranks[] = {4, 0, 2};
  const int dims[] = {1, 2, 3, 4, 5, 6};
  ASSERT_EQ(mluOpSetGroupTensorDescriptors(group, layouts, dtypes, ranks, dims, 3),
            MLUOP_STATUS_SUCCESS);
  EXPECT_THAT(Read(a).dims, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(Read(a).layout, MLUOP_LAYOUT_NHWC);
  EXPECT_EQ(Read(b).dtype, MLUOP_DTYPE_INT32);
  EXPECT_EQ(Read(b).elements, 1u);
  EXPECT_THAT(Read(c).dims, ElementsAre(5, 6));
  EXPECT_EQ(mluOpDestroyGroupTensorDescriptors(group, 3), MLUOP_STATUS_SUCCESS);
}

TEST(GroupTensorDescriptors, AllOrNothing) {
  LogCapture log;
  mluOpTensorDescriptor_t a = nullptr;
  mluOpTensorDescriptor_t b = nullptr;
  mluOpTensorDescriptor_t* broken[] = {&a, nullptr};
  EXPECT_EQ(mluOpCreateGroupTensorDescriptors(broken, 2), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(a, nullptr);
  EXPECT_THAT(log.Take(), ElementsAre(HasSubstr("group_desc[1] is NULL")));

  mluOpTensorDescriptor_t* group[] = {&a, &b};
  ASSERT_EQ(mluOpCreateGroupTensorDescriptors(group, 2), MLUOP_STATUS_SUCCESS);
  const Contents fresh = Read(a);
  const mluOpTensorLayout_t layouts[] = {MLUOP_LAYOUT_ARRAY, MLUOP_LAYOUT_ARRAY};
  const mluOpDataType_t dtypes[] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_FLOAT};
  const int ranks[] = {1, 1};
  const int bad_ranks[] = {1, 9};
  const int dims[] = {3, -4};
  EXPECT_EQ(mluOpSetGroupTensorDescriptors(group, layouts, dtypes, ranks, dims, 2),
            MLUOP_STATUS_BAD_PARAM);
  EXPECT_THAT(log.Take(), ElementsAre(HasSubstr("tensor 1 of the group: dimSize[0] is -4")));
  EXPECT_EQ(mluOpSetGroupTensorDescriptors(group, layouts, dtypes, bad_ranks, dims, 2),
            MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(mluOpSetGroupTensorDescriptors(group, layouts, dtypes, ranks, nullptr, 2),
            MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(mluOpSetGroupTensorDescriptors(group, nullptr, dtypes, ranks, dims, 2),
            MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(mluOpSetGroupTensorDescriptors(group, layouts, nullptr, ranks, dims, 2),
            MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(mluOpSetGroupTensorDescriptors(group, layouts, dtypes, nullptr, dims, 2),
            MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(mluOpSetGroupTensorDescriptors(nullptr, layouts, dtypes, ranks, dims, 2),
            MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(mluOpSetGroupTensorDescriptors(broken, layouts, dtypes, ranks, dims, 2),
            MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(Read(a), fresh);
  EXPECT_EQ(Read(b), fresh);
  log.Take();

  for (const int count : {0, -1}) {
    EXPECT_EQ(mluOpCreateGroupTensorDescriptors(group, count), MLUOP_STATUS_BAD_PARAM);
    EXPECT_EQ(mluOpSetGroupTensorDescriptors(group, layouts, dtypes, ranks, dims, count),
              MLUOP_STATUS_BAD_PARAM);
    EXPECT_EQ(mluOpDestroyGroupTensorDescriptors(group, count), MLUOP_STATUS_BAD_PARAM);
  }
  EXPECT_EQ(mluOpCreateGroupTensorDescriptors(nullptr, 1), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(mluOpDestroyGroupTensorDescriptors(nullptr, 1), MLUOP_STATUS_BAD_PARAM);
  mluOpTensorDescriptor_t none = nullptr;
  mluOpTensorDescriptor_t* half_there[] = {&a, &none};
  EXPECT_EQ(mluOpDestroyGroupTensorDescriptors(half_there, 2), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(Read(a), fresh) << "still there";
  EXPECT_EQ(mluOpDestroyGroupTensorDescriptors(group, 2), MLUOP_STATUS_SUCCESS);
}

TEST(DataTypeSize, OfEveryType) {
  const std::pair<mluOpDataType_t, size_t> expected[] = {
      {MLUOP_DTYPE_HALF, 2},    {MLUOP_DTYPE_FLOAT, 4},        {MLUOP_DTYPE_INT8, 1},
      {MLUOP_DTYPE_INT16, 2},   {MLUOP_DTYPE_INT31, 4},        {MLUOP_DTYPE_INT32, 4},
      {MLUOP_DTYPE_UINT8, 1},   {MLUOP_DTYPE_BOOL, 1},         {MLUOP_DTYPE_INT64, 8},
      {MLUOP_DTYPE_UINT32, 4},  {MLUOP_DTYPE_UINT64, 8},       {MLUOP_DTYPE_UINT16, 2},
      {MLUOP_DTYPE_DOUBLE, 8},  {MLUOP_DTYPE_COMPLEX_HALF, 4}, {MLUOP_DTYPE_COMPLEX_FLOAT, 8},
      {MLUOP_DTYPE_BFLOAT16, 2}};
  for (const auto& [dtype, bytes] : expected) {
    size_t size = 0;
    EXPECT_EQ(mluOpGetSizeOfDataType(dtype, &size), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(size, bytes) << dtype;
  }
}

TEST(DataTypeSize, RefusesWhatIsNoType) {
  LogCapture log;
  size_t size = 99;
  EXPECT_EQ(mluOpGetSizeOfDataType(MLUOP_DTYPE_INVALID, &size), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(mluOpGetSizeOfDataType(static_cast<mluOpDataType_t>(10), &size),
            MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(mluOpGetSizeOfDataType(MLUOP_DTYPE_FLOAT, nullptr), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(size, 99u);
  EXPECT_THAT(log.Take(), ElementsAre(HasSubstr("data_type is 0"), HasSubstr("data_type is 10"),
                                      HasSubstr("size is NULL")));
}

}  // namespace
}  // namespace detops
