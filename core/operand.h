// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The tensor arguments of a call, whichever door it came through, and the checks that all operators
// share. Shape checks never look at memory: results that are allocated later need no placeholder.

#ifndef DETOPS_CORE_OPERAND_H_
#define DETOPS_CORE_OPERAND_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "core/check.h"
#include "core/status.h"
#include "core/tensor.h"
#include "detops/tensor.hpp"
#include "mlu_op.h"

namespace detops {

// The shape of an operand whose descriptor does not name a live one. It is never a valid shape.
inline constexpr TensorShape kUnknownShape{};

// A tensor argument. A default-constructed operand is one that the call does not have: optional
// arguments are left out that way.
struct Operand {
  const char* name = nullptr;          // as the caller's door names the argument
  const TensorShape* shape = nullptr;  // null until CheckDescribed has passed
  void* data = nullptr;                // null until CheckData has passed

  bool is_present() const { return name != nullptr; }
  // Returns 0 for dimensions that the tensor does not have.
  int64_t dim(int index) const { return shape->dims[index]; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

// Memory that the caller of a C function provides. All other calls use the handle's scratch.
struct CallerWorkspace {
  void* data = nullptr;
  size_t size = 0;
};

// Returns the first failure of check(operand) over the operands that are present. `operands` is a
// range of pointers: an operator's Operands::all().
template <class Pointers, class Check>
Status CheckEach(const Pointers& operands, const Check& check) {
  for (const Operand* const operand : operands) {
    if (operand->is_present()) {
      DETOPS_RETURN_IF_ERROR(check(*operand));
    }
  }
  return {};
}

// In CheckShape: a dimension of any size.
inline constexpr int64_t kAnySize = -1;

// Tensors must have fewer elements than this.
inline constexpr int64_t kElementLimit = int64_t{1} << 31;

// The errors of the checks below.
Status NotDescribedError(const Operand& tensor);
Status DataTypeError(const Operand& tensor, std::initializer_list<mluOpDataType_t> allowed);
Status ImageLayoutError(const Operand& tensor, mluOpTensorLayout_t expected);
Status RankError(const Operand& tensor, int rank);
Status DimensionError(const Operand& tensor, int index, int64_t size, const char* columns);
Status EmptyError(const Operand& tensor);
Status NotContiguousError(const Operand& tensor);
Status ElementCountError(const Operand& tensor);

// Returns the layout tag of tensors with this layout.
inline mluOpTensorLayout_t LayoutTag(ImageLayout layout) {
  return layout == ImageLayout::kNchw ? MLUOP_LAYOUT_NCHW : MLUOP_LAYOUT_NHWC;
}

// The checks of an operator's MakeArgs, in the order in which it makes them. They are inline
// because they pass in nearly every call: together they take less time than calls of them would.
inline Status CheckDescribed(const Operand& tensor) {
  const bool is_described = tensor.shape != nullptr && tensor.shape->dtype != MLUOP_DTYPE_INVALID &&
                            tensor.shape->element_count >= 0;
  return is_described ? Status() : NotDescribedError(tensor);
}
inline Status CheckDataType(const Operand& tensor, std::initializer_list<mluOpDataType_t> allowed) {
  for (const mluOpDataType_t dtype : allowed) {
    if (tensor.shape->dtype == dtype) {
      return {};
    }
  }
  return DataTypeError(tensor, allowed);
}
inline Status CheckImageLayout(const Operand& tensor, ImageLayout layout) {
  const mluOpTensorLayout_t expected = LayoutTag(layout);
  return tensor.shape->layout == expected ? Status() : ImageLayoutError(tensor, expected);
}
inline Status CheckRank(const Operand& tensor, int rank) {
  return tensor.shape->rank == rank ? Status() : RankError(tensor, rank);
}
// Checks the rank and every dimension. `columns` explains the last dimension in the message, for
// example "x1, y1, x2, y2".
inline Status CheckShape(const Operand& tensor, std::initializer_list<int64_t> expected,
                         const char* columns = nullptr) {
  const int rank = static_cast<int>(expected.size());
  if (tensor.shape->rank != rank) {
    return RankError(tensor, rank);
  }
  for (int i = 0; i < rank; ++i) {
    const int64_t size = expected.begin()[i];
    if (size != kAnySize && tensor.dim(i) != size) {
      return DimensionError(tensor, i, size, i == rank - 1 ? columns : nullptr);
    }
  }
  return {};
}
inline Status CheckNotEmpty(const Operand& tensor) {
  return tensor.shape->element_count != 0 ? Status() : EmptyError(tensor);
}
// NOT_SUPPORTED.
inline Status CheckContiguous(const Operand& tensor) {
  return tensor.shape->IsContiguous() ? Status() : NotContiguousError(tensor);
}
// NOT_SUPPORTED from kElementLimit elements on.
inline Status CheckElementCount(const Operand& tensor) {
  return tensor.shape->element_count < kElementLimit ? Status() : ElementCountError(tensor);
}
inline Status CheckData(const Operand& tensor) { return CheckNotNull(tensor.name, tensor.data); }
// Checks the caller's workspace, when the call has one.
Status CheckWorkspace(const std::optional<CallerWorkspace>& workspace, size_t required);

}  // namespace detops

// Formats an operand as its name and shape: "boxes float[3,4]".
template <>
struct fmt::formatter<detops::Operand> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const detops::Operand& operand, Context& context) const {
    return fmt::format_to(context.out(), "{} {}", operand.name, *operand.shape);
  }
};

#endif  // DETOPS_CORE_OPERAND_H_
