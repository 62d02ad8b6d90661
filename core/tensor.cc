// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/tensor.h"

#include <fmt/format.h>

#include <algorithm>

namespace detops {
namespace {

struct DataTypeEntry {
  mluOpDataType_t dtype;
  std::string_view name;
  size_t bytes;
};

constexpr DataTypeEntry kDataTypes[] = {
    {MLUOP_DTYPE_INVALID, "invalid", 0},
    {MLUOP_DTYPE_HALF, "half", 2},
    {MLUOP_DTYPE_FLOAT, "float", 4},
    {MLUOP_DTYPE_INT8, "int8", 1},
    {MLUOP_DTYPE_INT16, "int16", 2},
    {MLUOP_DTYPE_INT31, "int31", 4},
    {MLUOP_DTYPE_INT32, "int32", 4},
    {MLUOP_DTYPE_UINT8, "uint8", 1},
    {MLUOP_DTYPE_BOOL, "bool", 1},
    {MLUOP_DTYPE_INT64, "int64", 8},
    {MLUOP_DTYPE_UINT32, "uint32", 4},
    {MLUOP_DTYPE_UINT64, "uint64", 8},
    {MLUOP_DTYPE_UINT16, "uint16", 2},
    {MLUOP_DTYPE_DOUBLE, "double", 8},
    {MLUOP_DTYPE_COMPLEX_HALF, "complex_half", 4},
    {MLUOP_DTYPE_COMPLEX_FLOAT, "complex_float", 8},
    {MLUOP_DTYPE_BFLOAT16, "bfloat16", 2},
};

constexpr std::string_view kLayouts[] = {"NCHW", "NHWC", "HWCN", "NDHWC", "ARRAY", "NCDHW",
                                         "TNC",  "NTC",  "NC",   "NLC",   "NCL"};

const DataTypeEntry* FindDataType(mluOpDataType_t dtype) {
  const auto* const entry = std::find_if(std::begin(kDataTypes), std::end(kDataTypes),
                                         [&](const DataTypeEntry& e) { return e.dtype == dtype; });
  return entry == std::end(kDataTypes) ? nullptr : entry;
}

}  // namespace

std::optional<std::string_view> DataTypeName(mluOpDataType_t dtype) {
  const DataTypeEntry* const entry = FindDataType(dtype);
  return entry != nullptr ? std::optional(entry->name) : std::nullopt;
}

size_t DataTypeSize(mluOpDataType_t dtype) {
  const DataTypeEntry* const entry = FindDataType(dtype);
  return entry != nullptr ? entry->bytes : 0;
}

std::optional<std::string_view> LayoutName(mluOpTensorLayout_t layout) {
  const auto index = static_cast<size_t>(layout);
  return index < std::size(kLayouts) ? std::optional(kLayouts[index]) : std::nullopt;
}

std::string TensorShape::ToString() const {
  return fmt::format("{}[{}]", DataTypeName(dtype).value_or("unknown"),
                     fmt::join(dims.begin(), dims.begin() + rank, ","));
}

Status SetDimensions(TensorShape& shape, int rank, const int64_t* dims) {
  const TensorShape result = MakeShape(shape.dtype, rank, dims, shape.layout);
  if (result.element_count >= 0) {
    shape = result;
    return {};
  }
  for (int i = rank - 1; i >= 0; --i) {
    if (dims[i] < 0) {
      return BadParam("dimSize[{}] is {}; it must be 0 or more", i, dims[i]);
    }
  }
  return BadParam("dimSize is [{}]; the product must be below 2^63",
                  fmt::join(dims, dims + rank, ","));
}

TensorShape MakeShape(mluOpDataType_t dtype, int rank, const int64_t* dims,
                      mluOpTensorLayout_t layout) {
  TensorShape shape{.layout = layout, .dtype = dtype, .rank = rank};
  // Strides ignore dimensions of size 0: the tensor has no elements, but its other dimensions keep
  // meaningful strides.
  int64_t product = 1;
  bool is_empty = false;
  bool is_possible = true;
  for (int i = rank - 1; i >= 0; --i) {
    shape.dims[i] = dims[i];
    shape.strides[i] = product;
    is_empty |= dims[i] == 0;
    is_possible &= dims[i] >= 0;
    is_possible &= dims[i] == 0 || !__builtin_mul_overflow(product, dims[i], &product);
  }
  shape.element_count = !is_possible ? -1 : is_empty ? 0 : product;
  return shape;
}

}  // namespace detops
