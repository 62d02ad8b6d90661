// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "core/boundary.h"
#include "core/check.h"
#include "detops/tensor.hpp"

namespace detops {

ConstTensorView::ConstTensorView(const void* data, mluOpDataType_t dtype, const int64_t* dims,
                                 int rank, mluOpTensorLayout_t layout)
    : data_(data), dtype_(dtype), layout_(layout), rank_(rank) {
  CppCall("TensorView", [&] { return CheckRange("the rank", rank_, 0, MLUOP_DIM_MAX); });
  std::copy_n(dims, rank_, dims_.begin());
}

}  // namespace detops
