// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "tests/api_fuzz_descriptors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

#include "tests/api_fuzz_checks.h"

namespace detops {
namespace {

struct Shape {
  mluOpTensorLayout_t layout;
  mluOpDataType_t dtype;
  int rank;
  int64_t dims[MLUOP_DIM_MAX];
  int64_t strides[MLUOP_DIM_MAX];
};

bool operator==(const Shape& a, const Shape& b) {
  return a.layout == b.layout && a.dtype == b.dtype && a.rank == b.rank &&
         std::equal(a.dims, a.dims + a.rank, b.dims) &&
         std::equal(a.strides, a.strides + a.rank, b.strides);
}

Shape Read(mluOpTensorDescriptor_t desc) {
  Shape shape{};
  Require(mluOpGetTensorDescriptorEx_v2(desc, &shape.layout, &shape.dtype, &shape.rank, shape.dims,
                                        shape.strides) == MLUOP_STATUS_SUCCESS,
          "a descriptor cannot be read");
  return shape;
}

// Returns a small, huge or negative number, so that every outcome is likely.
int64_t TakeDimension(FuzzBytes& bytes) {
  const auto value = bytes.Take<int64_t>();
  switch (bytes.TakeInRange(0, 3)) {
    case 0:
      return value;
    case 1:
      return value & 0x7FFFFFFF;
    default:
      return value & 0xF;
  }
}

struct Arguments {
  mluOpTensorLayout_t layout;
  mluOpDataType_t dtype;
  int rank;
  int64_t dims[MLUOP_DIM_MAX + 1];
  int64_t strides[MLUOP_DIM_MAX + 1];
  int narrow_dims[MLUOP_DIM_MAX + 1];
  int narrow_strides[MLUOP_DIM_MAX + 1];
};

Arguments TakeArguments(FuzzBytes& bytes, bool narrow) {
  Arguments given{};
  given.layout = static_cast<mluOpTensorLayout_t>(bytes.TakeInRange(-1, 12));
  given.dtype = static_cast<mluOpDataType_t>(bytes.TakeInRange(-1, 19));
  given.rank = bytes.TakeInRange(-1, MLUOP_DIM_MAX + 1);
  for (int i = 0; i < given.rank; ++i) {
    given.narrow_dims[i] = static_cast<int>(TakeDimension(bytes));
    given.narrow_strides[i] = bytes.Take<int>();
    given.dims[i] = narrow ? given.narrow_dims[i] : TakeDimension(bytes);
    given.strides[i] = narrow ? given.narrow_strides[i] : bytes.Take<int64_t>();
  }
  return given;
}

enum class Setter { kPlain, kStrides, kDimensions };

std::pair<const char*, mluOpStatus_t> Set(mluOpTensorDescriptor_t desc, Setter setter, bool narrow,
                                          const Arguments& given) {
  const auto [layout, dtype, rank] = std::tuple(given.layout, given.dtype, given.rank);
  switch (setter) {
    case Setter::kPlain:
      return narrow
                 ? std::pair("mluOpSetTensorDescriptor",
                             mluOpSetTensorDescriptor(desc, layout, dtype, rank, given.narrow_dims))
                 : std::pair("mluOpSetTensorDescriptor_v2",
                             mluOpSetTensorDescriptor_v2(desc, layout, dtype, rank, given.dims));
    case Setter::kStrides:
      return narrow ? std::pair("mluOpSetTensorDescriptorEx",
                                mluOpSetTensorDescriptorEx(desc, layout, dtype, rank,
                                                           given.narrow_dims, given.narrow_strides))
                    : std::pair("mluOpSetTensorDescriptorEx_v2",
                                mluOpSetTensorDescriptorEx_v2(desc, layout, dtype, rank, given.dims,
                                                              given.strides));
    default:
      return narrow ? std::pair("mluOpSetTensorDescriptorDim",
                                mluOpSetTensorDescriptorDim(desc, rank, given.narrow_dims))
                    : std::pair("mluOpSetTensorDescriptorDim_v2",
                                mluOpSetTensorDescriptorDim_v2(desc, rank, given.dims));
  }
}

// Requires that the 32-bit getters return the same numbers, or fail if one does not fit.
void CompareNarrowGetters(mluOpTensorDescriptor_t desc, const Shape& shape) {
  const auto fits = [&](const int64_t* numbers) {
    return std::all_of(numbers, numbers + shape.rank,
                       [](int64_t number) { return static_cast<int>(number) == number; });
  };
  Shape narrow{};
  int dims[MLUOP_DIM_MAX];
  int strides[MLUOP_DIM_MAX];
  const auto same = [&] {
    return narrow.layout == shape.layout && narrow.dtype == shape.dtype &&
           narrow.rank == shape.rank && std::equal(dims, dims + shape.rank, shape.dims);
  };
  const mluOpStatus_t status =
      mluOpGetTensorDescriptor(desc, &narrow.layout, &narrow.dtype, &narrow.rank, dims);
  Expect("mluOpGetTensorDescriptor", status, !fits(shape.dims));
  Require(status != MLUOP_STATUS_SUCCESS || same(), "a dimension was truncated");
  const mluOpStatus_t status_ex =
      mluOpGetTensorDescriptorEx(desc, &narrow.layout, &narrow.dtype, &narrow.rank, dims, strides);
  Expect("mluOpGetTensorDescriptorEx", status_ex, !fits(shape.dims) || !fits(shape.strides));
  Require(status_ex != MLUOP_STATUS_SUCCESS ||
              (same() && std::equal(strides, strides + shape.rank, shape.strides)),
          "a stride was truncated");
}

}  // namespace

void SetDescriptor(FuzzBytes& bytes, mluOpTensorDescriptor_t desc) {
  const Shape before = Read(desc);
  const bool narrow = bytes.TakeInRange(0, 1) != 0;
  const auto setter = static_cast<Setter>(bytes.TakeInRange(0, 2));
  const Arguments given = TakeArguments(bytes, narrow);
  const auto [function, status] = Set(desc, setter, narrow, given);
  const Shape after = Read(desc);
  if (status != MLUOP_STATUS_SUCCESS) {
    Expect(function, status, true);
    Require(before == after, "a failed call changed the descriptor");
    return;
  }
  Shape expected = before;
  expected.rank = given.rank;
  std::copy_n(given.dims, given.rank, expected.dims);
  std::copy_n(setter == Setter::kStrides ? given.strides : after.strides, given.rank,
              expected.strides);
  if (setter != Setter::kDimensions) {
    expected.layout = given.layout;
    expected.dtype = given.dtype;
  }
  Require(after == expected, "the getter does not return what was set");
  CompareNarrowGetters(desc, after);
}

void UseFixedPoint(FuzzBytes& bytes, mluOpTensorDescriptor_t desc) {
  const int position = bytes.Take<int>();
  const float scale = bytes.TakeFloat();
  const int offset = bytes.Take<int>();
  int got_position = 0;
  float got_scale = 0;
  int got_offset = 0;
  Expect("mluOpSetTensorDescriptorPosition", mluOpSetTensorDescriptorPosition(desc, ~position),
         false);
  Expect("mluOpGetTensorDescriptorPosition", mluOpGetTensorDescriptorPosition(desc, &got_position),
         false);
  Require(got_position == ~position, "the getter does not return the position");
  if (bytes.TakeInRange(0, 1) != 0) {
    Expect("mluOpSetTensorDescriptorPositionAndScale",
           mluOpSetTensorDescriptorPositionAndScale(desc, position, scale), false);
    Expect("mluOpGetTensorDescriptorPositionAndScale",
           mluOpGetTensorDescriptorPositionAndScale(desc, &got_position, &got_scale), false);
  } else {
    Expect("mluOpSetTensorDescriptorPositionScaleAndOffset",
           mluOpSetTensorDescriptorPositionScaleAndOffset(desc, position, scale, offset), false);
    Expect("mluOpGetTensorDescriptorPositionScaleAndOffset",
           mluOpGetTensorDescriptorPositionScaleAndOffset(desc, &got_position, &got_scale,
                                                          &got_offset),
           false);
    Require(got_offset == offset, "the getter does not return the offset");
  }
  Require(got_position == position &&
              (got_scale == scale || (std::isnan(got_scale) && std::isnan(scale))),
          "the getter does not return position or scale");
  Expect("mluOpGetTensorDescriptorPosition", mluOpGetTensorDescriptorPosition(desc, nullptr),
         false);
}

void UseDescriptorModes(FuzzBytes& bytes, mluOpTensorDescriptor_t desc) {
  const auto dtype = static_cast<mluOpDataType_t>(bytes.TakeInRange(-1, 19));
  mluOpDataType_t got_dtype{};
  size_t size = 0;
  const bool has_type = mluOpGetSizeOfDataType(dtype, &size) == MLUOP_STATUS_SUCCESS;
  Require(has_type == (size != 0), "an unknown type has a size");
  const bool is_known = has_type || dtype == MLUOP_DTYPE_INVALID;
  Expect("mluOpSetTensorDescriptorOnchipDataType",
         mluOpSetTensorDescriptorOnchipDataType(desc, dtype), !is_known);
  Expect("mluOpGetTensorDescriptorOnchipDataType",
         mluOpGetTensorDescriptorOnchipDataType(desc, &got_dtype), false);
  Require(!is_known || got_dtype == dtype, "the getter does not return the type");
  const int mode = bytes.TakeInRange(-1, 2);
  const bool is_wrong = mode < MLUOP_POINTER_MODE_HOST || mode > MLUOP_POINTER_MODE_DEVICE;
  mluOpPointerMode_t got_mode{};
  Expect("mluOpSetTensorDescriptorPointerMode",
         mluOpSetTensorDescriptorPointerMode(desc, static_cast<mluOpPointerMode_t>(mode)),
         is_wrong);
  Expect("mluOpGetTensorDescriptorPointerMode",
         mluOpGetTensorDescriptorPointerMode(desc, &got_mode), false);
  Require(is_wrong || got_mode == mode, "the getter does not return the mode");
}

void UseGroup(FuzzBytes& bytes) {
  constexpr int kMax = 4;
  mluOpTensorDescriptor_t descs[kMax] = {};
  mluOpTensorDescriptor_t* group[kMax] = {};
  mluOpTensorLayout_t layouts[kMax];
  mluOpDataType_t dtypes[kMax];
  int ranks[kMax];
  int dims[kMax][2];
  const int count = bytes.TakeInRange(-1, kMax);
  bool is_wrong = count <= 0;
  for (int i = 0; i < kMax; ++i) {
    group[i] = OrNull(bytes, &descs[i]);
    is_wrong = is_wrong || (i < count && group[i] == nullptr);
    layouts[i] = MLUOP_LAYOUT_ARRAY;
    dtypes[i] = static_cast<mluOpDataType_t>(bytes.TakeInRange(1, 2));
    ranks[i] = 2;
    dims[i][0] = bytes.TakeInRange(0, 9);
    dims[i][1] = bytes.TakeInRange(-1, 250);
  }
  Expect("mluOpCreateGroupTensorDescriptors", mluOpCreateGroupTensorDescriptors(group, count),
         is_wrong);
  if (is_wrong) {
    Require(std::all_of(descs, descs + kMax, [](auto* desc) { return desc == nullptr; }),
            "only a part of a group was created");
    return;
  }
  const bool is_negative =
      std::any_of(dims, dims + count, [](const auto& shape) { return shape[1] < 0; });
  Expect("mluOpSetGroupTensorDescriptors",
         mluOpSetGroupTensorDescriptors(group, layouts, dtypes, ranks, dims[0], count),
         is_negative);
  for (int i = 0; i < count; ++i) {
    const auto elements = is_negative ? 0 : static_cast<size_t>(dims[i][0] * dims[i][1]);
    Require(mluOpGetTensorElementNum(descs[i]) == elements, "only a part of a group was set");
  }
  Expect("mluOpDestroyGroupTensorDescriptors", mluOpDestroyGroupTensorDescriptors(group, count),
         false);
}

}  // namespace detops
