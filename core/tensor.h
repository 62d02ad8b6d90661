// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Shapes of tensors, and the names and sizes of data types and layouts.

#ifndef DETOPS_CORE_TENSOR_H_
#define DETOPS_CORE_TENSOR_H_

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/status.h"
#include "mlu_op.h"

namespace detops {

// Return names such as "float" and "NHWC", or nothing for a value that is not an enumerator.
std::optional<std::string_view> DataTypeName(mluOpDataType_t dtype);
std::optional<std::string_view> LayoutName(mluOpTensorLayout_t layout);

// Returns the bytes of one element; 0 for MLUOP_DTYPE_INVALID and for values that are not
// enumerators.
size_t DataTypeSize(mluOpDataType_t dtype);

using Dimensions = std::array<int64_t, MLUOP_DIM_MAX>;

struct TensorShape {
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
  mluOpDataType_t dtype = MLUOP_DTYPE_INVALID;  // stays invalid until the tensor is described
  int rank = 0;
  Dimensions dims{};  // 0 from `rank` on
  Dimensions strides{};
  int64_t element_count = 0;  // -1 when the dimensions are impossible

  // Returns whether the stride of every dimension that is not 1 equals the product of the later
  // dimensions. A tensor without elements is contiguous.
  bool IsContiguous() const {
    int64_t expected = 1;
    for (int i = rank - 1; i >= 0 && element_count != 0; --i) {
      if (dims[i] != 1 && strides[i] != expected) {
        return false;
      }
      expected *= dims[i];
    }
    return true;
  }
  // Returns text such as "float[2,3,4]".
  std::string ToString() const;
};

// Fills rank, dims, contiguous strides and the element count. On failure `shape` is unchanged.
Status SetDimensions(TensorShape& shape, int rank, const int64_t* dims);

// Returns the shape of a contiguous tensor. Its element count is -1 when a dimension is negative or
// the product overflows.
TensorShape MakeShape(mluOpDataType_t dtype, int rank, const int64_t* dims,
                      mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY);
inline TensorShape MakeShape(mluOpDataType_t dtype, std::initializer_list<int64_t> dims) {
  return MakeShape(dtype, static_cast<int>(dims.size()), dims.begin());
}

}  // namespace detops

// Shapes in formatted text are formatted only when the text is: log lines that are off cost
// nothing.
template <>
struct fmt::formatter<detops::TensorShape> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const detops::TensorShape& shape, Context& context) const {
    return fmt::formatter<std::string>::format(shape.ToString(), context);
  }
};

#endif  // DETOPS_CORE_TENSOR_H_
