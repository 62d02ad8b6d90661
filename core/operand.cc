// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/operand.h"

#include <fmt/format.h>

#include <string>

namespace detops {

Status NotDescribedError(const Operand& tensor) {
  if (tensor.shape == nullptr) {
    return BadParam("{}_desc is NULL; it must be a tensor descriptor", tensor.name);
  }
  if (tensor.shape == &kUnknownShape) {
    return BadParam("{}_desc does not name a tensor descriptor; it was destroyed or never was one",
                    tensor.name);
  }
  if (tensor.shape->dtype == MLUOP_DTYPE_INVALID) {
    return BadParam("{}_desc was never set; call mluOpSetTensorDescriptor first", tensor.name);
  }
  return BadParam(
      "{} has shape {}; no dimension may be negative and their product must be below 2^63",
      tensor.name, tensor.shape->ToString());
}

Status DataTypeError(const Operand& tensor, std::initializer_list<mluOpDataType_t> allowed) {
  std::string expected;
  for (const mluOpDataType_t dtype : allowed) {
    expected += expected.empty() ? "" : " or ";
    expected += DataTypeName(dtype).value_or("unknown");
  }
  return BadParam("{} has type {}; it must be {}", tensor.name,
                  DataTypeName(tensor.shape->dtype).value_or("unknown"), expected);
}

Status ImageLayoutError(const Operand& tensor, mluOpTensorLayout_t expected) {
  return BadParam("{} has layout {}; it must be {}", tensor.name,
                  LayoutName(tensor.shape->layout).value_or("unknown"),
                  LayoutName(expected).value_or("unknown"));
}

Status RankError(const Operand& tensor, int rank) {
  return BadParam("{} has shape {}; it must have rank {}", tensor.name, tensor.shape->ToString(),
                  rank);
}

Status DimensionError(const Operand& tensor, int index, int64_t size, const char* columns) {
  return BadParam("{} has shape {}; dimension {} must be {}{}", tensor.name,
                  tensor.shape->ToString(), index, size,
                  columns != nullptr ? fmt::format(" ({})", columns) : "");
}

Status EmptyError(const Operand& tensor) {
  return BadParam("{} has shape {}; it must not be empty", tensor.name, tensor.shape->ToString());
}

Status NotContiguousError(const Operand& tensor) {
  const TensorShape& shape = *tensor.shape;
  return NotSupported("{} has shape {} and strides [{}]; it must be contiguous", tensor.name,
                      shape.ToString(),
                      fmt::join(shape.strides.begin(), shape.strides.begin() + shape.rank, ","));
}

Status ElementCountError(const Operand& tensor) {
  return NotSupported("{} has shape {}; it must have fewer than 2^31 elements", tensor.name,
                      tensor.shape->ToString());
}

Status CheckWorkspace(const std::optional<CallerWorkspace>& workspace, size_t required) {
  if (!workspace || required == 0) {
    return {};
  }
  DETOPS_RETURN_IF_ERROR(CheckNotNull("workspace", workspace->data));
  return workspace->size >= required
             ? Status()
             : BadParam("workspace_size is {}; it must be at least {}", workspace->size, required);
}

}  // namespace detops
