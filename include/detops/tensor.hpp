// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
/// @file
/// Tensors in the caller's memory.

#ifndef DETOPS_TENSOR_HPP_
#define DETOPS_TENSOR_HPP_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "detops/export.hpp"
#include "mlu_op.h"

namespace detops {

/// IEEE binary16 as it lies in memory.
struct Half {
  uint16_t bits;
};

/// Where the channels of images lie.
enum class ImageLayout {
  kNhwc,  ///< Behind the position: [N, H, W, C].
  kNchw,  ///< Before it: [N, C, H, W].
};

/// The data type of tensors of T.
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

/// A contiguous tensor that is read. Owns nothing: the memory must outlive the work on it.
class DETOPS_EXPORT ConstTensorView {
 public:
  /// Throws Error when there are more than MLUOP_DIM_MAX dimensions.
  template <class T>
  ConstTensorView(const T* data, std::initializer_list<int64_t> dims,
                  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY)
      : ConstTensorView(data, DataTypeOf<T>(), dims.begin(), static_cast<int>(dims.size()),
                        layout) {}
  /// For a rank that is known when the program runs.
  template <class T>
  ConstTensorView(const T* data, const int64_t* dims, int rank,
                  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY)
      : ConstTensorView(data, DataTypeOf<T>(), dims, rank, layout) {}

  const void* data() const noexcept { return data_; }
  mluOpDataType_t dtype() const noexcept { return dtype_; }
  mluOpTensorLayout_t layout() const noexcept { return layout_; }
  int rank() const noexcept { return rank_; }
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

/// A contiguous tensor that is written.
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

  void* data() const noexcept { return data_; }

 private:
  void* data_;
};

}  // namespace detops

#endif  // DETOPS_TENSOR_HPP_
