// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/operand.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/check.h"

namespace detops {
namespace {

constexpr int64_t kElementLimit = int64_t{1} << 31;

}  // namespace

Status CheckDescribed(const Operand& tensor) {
  if (tensor.shape == nullptr) {
    return BadParam("{}_desc is NULL; it must be a tensor descriptor", tensor.name);
  }
  const TensorShape& shape = *tensor.shape;
  if (shape.dtype == MLUOP_DTYPE_INVALID) {
    return BadParam("{}_desc was never set; call mluOpSetTensorDescriptor first", tensor.name);
  }
  if (shape.element_count < 0) {
    return BadParam(
        "{} has shape {}; no dimension may be negative and their product must be below 2^63",
        tensor.name, shape.ToString());
  }
  return {};
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
  return BadParam("{} has type {}; it must be {}", tensor.name,
                  DataTypeName(found).value_or("unknown"), expected);
}

Status CheckImageLayout(const Operand& tensor, ImageLayout layout) {
  const mluOpTensorLayout_t expected = LayoutTag(layout);
  return tensor.shape->layout == expected
             ? Status()
             : BadParam("{} has layout {}; it must be {}", tensor.name,
                        LayoutName(tensor.shape->layout).value_or("unknown"),
                        LayoutName(expected).value_or("unknown"));
}

Status CheckRank(const Operand& tensor, int rank) {
  return tensor.shape->rank == rank ? Status()
                                    : BadParam("{} has shape {}; it must have rank {}", tensor.name,
                                               tensor.shape->ToString(), rank);
}

Status CheckShape(const Operand& tensor, std::initializer_list<int64_t> expected,
                  const char* columns) {
  const int rank = static_cast<int>(expected.size());
  DETOPS_RETURN_IF_ERROR(CheckRank(tensor, rank));
  for (int i = 0; i < rank; ++i) {
    const int64_t size = expected.begin()[i];
    if (size != kAnySize && tensor.dim(i) != size) {
      const bool is_explained = columns != nullptr && i == rank - 1;
      return BadParam("{} has shape {}; dimension {} must be {}{}", tensor.name,
                      tensor.shape->ToString(), i, size,
                      is_explained ? fmt::format(" ({})", columns) : "");
    }
  }
  return {};
}

Status CheckNotEmpty(const Operand& tensor) {
  return tensor.shape->element_count != 0 ? Status()
                                          : BadParam("{} has shape {}; it must not be empty",
                                                     tensor.name, tensor.shape->ToString());
}

Status CheckContiguous(const Operand& tensor) {
  const TensorShape& shape = *tensor.shape;
  return shape.IsContiguous()
             ? Status()
             : NotSupported(
                   "{} has shape {} and strides [{}]; it must be contiguous", tensor.name,
                   shape.ToString(),
                   fmt::join(shape.strides.begin(), shape.strides.begin() + shape.rank, ","));
}

Status CheckElementCount(const Operand& tensor) {
  return tensor.shape->element_count < kElementLimit
             ? Status()
             : NotSupported("{} has shape {}; it must have fewer than 2^31 elements", tensor.name,
                            tensor.shape->ToString());
}

Status CheckData(const Operand& tensor) { return CheckNotNull(tensor.name, tensor.data); }

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
