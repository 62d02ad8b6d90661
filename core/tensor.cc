// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/tensor.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"

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

constexpr int64_t kElementLimit = int64_t{1} << 31;

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

bool TensorShape::IsContiguous() const {
  if (element_count == 0) {
    return true;
  }
  int64_t expected = 1;
  for (int i = rank - 1; i >= 0; --i) {
    if (dims[i] != 1 && strides[i] != expected) {
      return false;
    }
    expected *= dims[i];
  }
  return true;
}

std::string TensorShape::ToString() const {
  return fmt::format("{}[{}]", DataTypeName(dtype).value_or("unknown"),
                     fmt::join(dims.begin(), dims.begin() + rank, ","));
}

Status SetDimensions(TensorShape& shape, int rank, const int64_t* dims) {
  TensorShape result = shape;
  result.rank = rank;
  result.dims.fill(0);
  result.strides.fill(0);
  // Zeros do not count in the strides' products: the tensor has no element, and its other
  // dimensions keep a meaning.
  int64_t product = 1;
  bool empty = false;
  for (int i = rank - 1; i >= 0; --i) {
    if (dims[i] < 0) {
      return BadParam("dimSize[{}] is {}, expected 0 or more", i, dims[i]);
    }
    result.dims[i] = dims[i];
    result.strides[i] = product;
    empty |= dims[i] == 0;
    if (dims[i] != 0 && __builtin_mul_overflow(product, dims[i], &product)) {
      return BadParam("dimSize is [{}], expected a product below 2^63",
                      fmt::join(dims, dims + rank, ","));
    }
  }
  result.element_count = empty ? 0 : product;
  shape = result;
  return {};
}

TensorShape MakeShape(mluOpDataType_t dtype, std::initializer_list<int64_t> dims) {
  TensorShape shape;
  shape.dtype = dtype;
  return SetDimensions(shape, static_cast<int>(dims.size()), dims.begin()).ok() ? shape
                                                                                : TensorShape();
}

Status CheckDescribed(const Operand& tensor) {
  if (tensor.shape == nullptr) {
    return BadParam("{}_desc is NULL, expected a tensor descriptor", tensor.name);
  }
  if (tensor.shape->dtype == MLUOP_DTYPE_INVALID) {
    return BadParam("{}_desc was never set, expected a described tensor", tensor.name);
  }
  return {};
}

Status CheckRank(const Operand& tensor, int rank) {
  return tensor.shape->rank == rank
             ? Status()
             : BadParam("{} is {}, of rank {}, expected rank {}", tensor.name,
                        tensor.shape->ToString(), tensor.shape->rank, rank);
}

Status CheckDataType(const Operand& tensor, std::initializer_list<mluOpDataType_t> allowed) {
  const mluOpDataType_t found = tensor.shape->dtype;
  if (std::find(allowed.begin(), allowed.end(), found) != allowed.end()) {
    return {};
  }
  std::string expected;
  for (const mluOpDataType_t dtype : allowed) {
    expected += expected.empty() ? "" : " or ";
    expected += DataTypeName(dtype).value_or("unknown");
  }
  return BadParam("{} has type {}, expected {}", tensor.name,
                  DataTypeName(found).value_or("unknown"), expected);
}

Status CheckLayout(const Operand& tensor, mluOpTensorLayout_t layout) {
  return tensor.shape->layout == layout
             ? Status()
             : BadParam("{} has layout {}, expected {}", tensor.name,
                        LayoutName(tensor.shape->layout).value_or("unknown"),
                        LayoutName(layout).value_or("unknown"));
}

Status CheckImageLayout(const Operand& tensor, ImageLayout layout, bool tagged) {
  DETOPS_RETURN_IF_ERROR(CheckEnum("layout", layout, ImageLayout::kNhwc, ImageLayout::kNchw));
  return !tagged && tensor.shape->layout == MLUOP_LAYOUT_ARRAY
             ? Status()
             : CheckLayout(tensor,
                           layout == ImageLayout::kNchw ? MLUOP_LAYOUT_NCHW : MLUOP_LAYOUT_NHWC);
}

Status CheckDimension(const Operand& tensor, int index, int64_t expected) {
  return tensor.dim(index) == expected
             ? Status()
             : BadParam("{} is {}, its dimension {} is {}, expected {}", tensor.name,
                        tensor.shape->ToString(), index, tensor.dim(index), expected);
}

Status CheckContiguous(const Operand& tensor) {
  const TensorShape& shape = *tensor.shape;
  return shape.IsContiguous()
             ? Status()
             : NotSupported(
                   "{} is {} with strides [{}], expected a contiguous tensor", tensor.name,
                   shape.ToString(),
                   fmt::join(shape.strides.begin(), shape.strides.begin() + shape.rank, ","));
}

Status CheckElementCount(const Operand& tensor) {
  return tensor.shape->element_count < kElementLimit
             ? Status()
             : NotSupported("{} is {}, of {} elements, expected fewer than 2^31", tensor.name,
                            tensor.shape->ToString(), tensor.shape->element_count);
}

Status CheckData(const Operand& tensor) { return CheckNotNull(tensor.name, tensor.data); }

}  // namespace detops
