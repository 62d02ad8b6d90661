// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Tensors as the library sees them: a shape with a type, and for operators the memory that goes
// with it.

#ifndef DETOPS_CORE_TENSOR_H_
#define DETOPS_CORE_TENSOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/status.h"
#include "detops/tensor.hpp"
#include "mlu_op.h"

namespace detops {

// "float", "int32"; and "NHWC". Nothing for a value that is not an enumerator.
std::optional<std::string_view> DataTypeName(mluOpDataType_t dtype);
std::optional<std::string_view> LayoutName(mluOpTensorLayout_t layout);

// Bytes of one element; 0 for MLUOP_DTYPE_INVALID and for what is no type.
size_t DataTypeSize(mluOpDataType_t dtype);

using Dimensions = std::array<int64_t, MLUOP_DIM_MAX>;

struct TensorShape {
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
  mluOpDataType_t dtype = MLUOP_DTYPE_INVALID;  // stays invalid until the tensor is described
  int rank = 0;
  Dimensions dims{};
  Dimensions strides{};
  int64_t element_count = 0;

  // Whether the stride of every dimension that is not 1 is the product of the later ones. True
  // without elements.
  bool IsContiguous() const;
  // "float[2,3,4]".
  std::string ToString() const;
};

// Fills rank, dims, contiguous strides and the element count. `shape` is unchanged when it fails.
Status SetDimensions(TensorShape& shape, int rank, const int64_t* dims);

// A contiguous tensor. Of dimensions that a tensor cannot have, one that was never described.
TensorShape MakeShape(mluOpDataType_t dtype, std::initializer_list<int64_t> dims);

// What an operator gets: whose shape and memory, under the name that its messages use. Both
// pointers may be null until the checks below have passed.
struct Operand {
  const char* name;
  const TensorShape* shape;
  void* data;

  int64_t dim(int index) const { return shape->dims[index]; }
};

// The checks of an operator's MakeArgs, in the order in which it makes them.
Status CheckDescribed(const Operand& tensor);
Status CheckRank(const Operand& tensor, int rank);
Status CheckDataType(const Operand& tensor, std::initializer_list<mluOpDataType_t> allowed);
Status CheckLayout(const Operand& tensor, mluOpTensorLayout_t layout);
// Of a tensor with channels. Unless it has to be tagged, MLUOP_LAYOUT_ARRAY will do.
Status CheckImageLayout(const Operand& tensor, ImageLayout layout, bool tagged);
Status CheckDimension(const Operand& tensor, int index, int64_t expected);
Status CheckContiguous(const Operand& tensor);    // NOT_SUPPORTED
Status CheckElementCount(const Operand& tensor);  // NOT_SUPPORTED from 2^31 on
Status CheckData(const Operand& tensor);

}  // namespace detops

#endif  // DETOPS_CORE_TENSOR_H_
