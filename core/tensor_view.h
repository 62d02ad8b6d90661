// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A tensor as it comes through the C++ API.

#ifndef DETOPS_CORE_TENSOR_VIEW_H_
#define DETOPS_CORE_TENSOR_VIEW_H_

#include "core/tensor.h"
#include "detops/tensor.hpp"

namespace detops {

// A view with the shape that operators look at. Operands point into it.
class ViewedTensor {
 public:
  // Throws Error when the dimensions are wrong.
  ViewedTensor(const char* function, const char* name, const ConstTensorView& view, void* data);
  ViewedTensor(const char* function, const char* name, const ConstTensorView& view)
      : ViewedTensor(function, name, view, const_cast<void*>(view.data())) {}
  ViewedTensor(const char* function, const char* name, const TensorView& view)
      : ViewedTensor(function, name, view, view.data()) {}

  Operand operand() const { return {name_, &shape_, data_}; }

 private:
  const char* name_;
  TensorShape shape_;
  void* data_;
};

}  // namespace detops

#endif  // DETOPS_CORE_TENSOR_VIEW_H_
