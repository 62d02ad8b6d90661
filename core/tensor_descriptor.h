// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// What mluOpTensorDescriptor_t points to.

#ifndef DETOPS_CORE_TENSOR_DESCRIPTOR_H_
#define DETOPS_CORE_TENSOR_DESCRIPTOR_H_

#include "core/tensor.h"

struct mluOpTensorStruct {
  detops::TensorShape shape;
  // Stored and returned; nothing here depends on them.
  mluOpDataType_t onchip_dtype = MLUOP_DTYPE_INVALID;
  mluOpPointerMode_t pointer_mode = MLUOP_POINTER_MODE_DEVICE;
  int position = 0;
  float scale = 1.0f;
  int offset = 0;
};

namespace detops {

// A tensor as it comes through the C API.
inline Operand OperandOf(const char* name, mluOpTensorDescriptor_t desc, const void* data) {
  return {name, desc != nullptr ? &desc->shape : nullptr, const_cast<void*>(data)};
}

}  // namespace detops

#endif  // DETOPS_CORE_TENSOR_DESCRIPTOR_H_
