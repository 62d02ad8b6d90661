// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Tensors that come through the C++ API or Python.

#ifndef DETOPS_CORE_TENSOR_VIEW_H_
#define DETOPS_CORE_TENSOR_VIEW_H_

#include <optional>

#include "core/operand.h"
#include "core/tensor.h"
#include "detops/tensor.hpp"

namespace detops {

// A view with the shape that checks look at. Converts to an operand, which points into it: create
// it in the expression that makes the call, or keep it until the call has returned.
class ViewedTensor {
 public:
  ViewedTensor(const char* name, const ConstTensorView& view)
      : ViewedTensor(name, view, view.layout(), const_cast<void*>(view.data())) {}
  ViewedTensor(const char* name, const TensorView& view)
      : ViewedTensor(name, view, view.layout(), view.data()) {}
  // An image tensor. A view without a layout tag has the layout that the options name.
  ViewedTensor(const char* name, const ConstTensorView& view, ImageLayout layout)
      : ViewedTensor(name, view, TagOf(view, layout), const_cast<void*>(view.data())) {}
  ViewedTensor(const char* name, const TensorView& view, ImageLayout layout)
      : ViewedTensor(name, view, TagOf(view, layout), view.data()) {}
  // Optional tensors.
  ViewedTensor(const char* name, const std::optional<ConstTensorView>& view) {
    if (view) {
      *this = ViewedTensor(name, *view);
    }
  }
  ViewedTensor(const char* name, const std::optional<TensorView>& view) {
    if (view) {
      *this = ViewedTensor(name, *view);
    }
  }
  ViewedTensor(const char* name, const std::optional<TensorView>& view, ImageLayout layout) {
    if (view) {
      *this = ViewedTensor(name, *view, layout);
    }
  }
  // A result of this type and shape whose memory is allocated after the shapes have been checked.
  ViewedTensor(const char* name, mluOpDataType_t dtype, std::initializer_list<int64_t> dims)
      : name_(name), shape_(MakeShape(dtype, dims)) {}

  // NOLINTNEXTLINE(google-explicit-constructor): operands are filled from views by field name.
  operator Operand() const {
    return name_ == nullptr ? Operand{} : Operand{.name = name_, .shape = &shape_, .data = data_};
  }

 private:
  ViewedTensor(const char* name, const ConstTensorView& view, mluOpTensorLayout_t layout,
               void* data)
      : name_(name),
        shape_(MakeShape(view.dtype(), view.rank(), view.dims(), layout)),
        data_(data) {}

  static mluOpTensorLayout_t TagOf(const ConstTensorView& view, ImageLayout layout) {
    return view.layout() == MLUOP_LAYOUT_ARRAY ? LayoutTag(layout) : view.layout();
  }

  const char* name_ = nullptr;
  TensorShape shape_;
  void* data_ = nullptr;
};

}  // namespace detops

#endif  // DETOPS_CORE_TENSOR_VIEW_H_
