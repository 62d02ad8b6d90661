// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The object that mluOpTensorDescriptor_t names.

#ifndef DETOPS_CORE_TENSOR_DESCRIPTOR_H_
#define DETOPS_CORE_TENSOR_DESCRIPTOR_H_

#include "core/live_objects.h"
#include "core/operand.h"
#include "core/tensor.h"

namespace detops {

struct TensorDescriptor {
  using Opaque = mluOpTensorDescriptor_t;
  static constexpr ObjectKind kKind = ObjectKind::kTensorDescriptor;

  TensorShape shape;
  // The following are stored and returned; no operator reads them.
  mluOpDataType_t onchip_dtype = MLUOP_DTYPE_INVALID;
  mluOpPointerMode_t pointer_mode = MLUOP_POINTER_MODE_DEVICE;
  int position = 0;
  float scale = 1.0f;
  int offset = 0;
};

// Returns a tensor argument of a C function.
inline Operand OperandOf(const char* name, mluOpTensorDescriptor_t desc, const void* data) {
  const TensorDescriptor* const found = Find<TensorDescriptor>(desc);
  return {.name = name,
          .shape = found != nullptr  ? &found->shape
                   : desc != nullptr ? &kUnknownShape
                                     : nullptr,
          .data = const_cast<void*>(data)};
}

// Returns an int32 number that a C function writes and that has no descriptor.
inline Operand NumberOf(const char* name, void* data) {
  static const TensorShape one = MakeShape(MLUOP_DTYPE_INT32, {1});
  return {.name = name, .shape = &one, .data = data};
}

}  // namespace detops

#endif  // DETOPS_CORE_TENSOR_DESCRIPTOR_H_
