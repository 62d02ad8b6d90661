// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/tensor_view.h"

#include <algorithm>

#include "core/boundary.h"
#include "core/check.h"

namespace detops {

ConstTensorView::ConstTensorView(const void* data, mluOpDataType_t dtype, const int64_t* dims,
                                 int rank, mluOpTensorLayout_t layout)
    : data_(data), dtype_(dtype), layout_(layout), rank_(rank) {
  CppCall("TensorView", [&] { return CheckRange("the rank", rank_, 0, MLUOP_DIM_MAX); });
  std::copy_n(dims, rank_, dims_.begin());
}

ViewedTensor::ViewedTensor(const char* function, const char* name, const ConstTensorView& view,
                           void* data)
    : name_(name), data_(data) {
  shape_.dtype = view.dtype();
  shape_.layout = view.layout();
  CppCall(function, [&]() -> Status {
    const Status status = SetDimensions(shape_, view.rank(), view.dims());
    return status.ok() ? Status()
                       : Status(status.code(), fmt::format("{}: {}", name, status.message()));
  });
}

}  // namespace detops
