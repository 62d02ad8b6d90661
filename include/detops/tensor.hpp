// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// @brief Views of tensors in the caller's memory.

#ifndef DETOPS_TENSOR_HPP_
#define DETOPS_TENSOR_HPP_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "detops/export.hpp"
#include "mlu_op.h"

namespace detops {

/// @brief IEEE 754 binary16 number, as stored in memory.
struct Half {
  uint16_t bits;
};

/// @brief Position of the channels among the dimensions of an image tensor.
enum class ImageLayout {
  kNhwc,  ///< Channels last: [N, H, W, C].
  kNchw,  ///< Channels first: [N, C, H, W].
};

/// @brief Returns the data type of tensors of T: float, Half or int32_t.
template <class T>
constexpr mluOpDataType_t DataTypeOf() {
  if constexpr (std::is_same_v<T, float>) {
    return MLUOP_DTYPE_FLOAT;
  } else if constexpr (std::is_same_v<T, Half>) {
    return MLUOP_DTYPE_HALF;
  } else {
    static_assert(std::is_same_v<T, int32_t>, "tensors hold float, Half or int32_t");
    return MLUOP_DTYPE_INT32;
  }
}

/// @brief Read-only view of a contiguous tensor.
///
/// Does not own the memory, which must outlive the work on it.
class DETOPS_EXPORT ConstTensorView {
 public:
  /// @param data First element.
  /// @param dims Dimensions, outermost first; at most MLUOP_DIM_MAX.
  /// @param layout Layout. Operators on feature maps throw if it contradicts their options;
  ///   MLUOP_LAYOUT_ARRAY never does.
  /// @throws Error if there are too many dimensions.
  template <class T>
  ConstTensorView(const T* data, std::initializer_list<int64_t> dims,
                  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY)
      : ConstTensorView(data, DataTypeOf<T>(), dims.begin(), static_cast<int>(dims.size()),
                        layout) {}

  /// @brief Same, for a rank that is only known at run time.
  /// @param rank Number of dimensions in `dims`.
  template <class T>
  ConstTensorView(const T* data, const int64_t* dims, int rank,
                  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY)
      : ConstTensorView(data, DataTypeOf<T>(), dims, rank, layout) {}

  /// @brief Returns the first element.
  const void* data() const noexcept { return data_; }
  /// @brief Returns the data type of the elements.
  mluOpDataType_t dtype() const noexcept { return dtype_; }
  /// @brief Returns the layout.
  mluOpTensorLayout_t layout() const noexcept { return layout_; }
  /// @brief Returns the number of dimensions.
  int rank() const noexcept { return rank_; }
  /// @brief Returns the dimensions, outermost first.
  const int64_t* dims() const noexcept { return dims_.data(); }

 protected:
  ConstTensorView(const void* data, mluOpDataType_t dtype, const int64_t* dims, int rank,
                  mluOpTensorLayout_t layout);

 private:
  const void* data_;
  mluOpDataType_t dtype_;
  mluOpTensorLayout_t layout_;
  int rank_;
  std::array<int64_t, MLUOP_DIM_MAX> dims_{};
};

/// @brief Writable view of a contiguous tensor. See ConstTensorView.
class DETOPS_EXPORT TensorView : public ConstTensorView {
 public:
  template <class T>
  TensorView(T* data, std::initializer_list<int64_t> dims,
             mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY)
      : ConstTensorView(data, dims, layout), data_(data) {}
  template <class T>
  TensorView(T* data, const int64_t* dims, int rank,
             mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY)
      : ConstTensorView(data, dims, rank, layout), data_(data) {}

  /// @brief Returns the first element.
  void* data() const noexcept { return data_; }

 private:
  void* data_;
};

}  // namespace detops

#endif  // DETOPS_TENSOR_HPP_
