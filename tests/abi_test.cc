// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Values and sizes that are part of the ABI.

#include <type_traits>

#include "cnrt.h"
#include "mlu_op.h"

static_assert(MLUOP_STATUS_SUCCESS == 0 && MLUOP_STATUS_NOT_INITIALIZED == 1 &&
              MLUOP_STATUS_ALLOC_FAILED == 2 && MLUOP_STATUS_BAD_PARAM == 3 &&
              MLUOP_STATUS_INTERNAL_ERROR == 4 && MLUOP_STATUS_ARCH_MISMATCH == 5 &&
              MLUOP_STATUS_EXECUTION_FAILED == 6 && MLUOP_STATUS_NOT_SUPPORTED == 7 &&
              MLUOP_STATUS_NUMERICAL_OVERFLOW == 8);
static_assert(MLUOP_LAYOUT_NCHW == 0 && MLUOP_LAYOUT_NHWC == 1 && MLUOP_LAYOUT_HWCN == 2 &&
              MLUOP_LAYOUT_NDHWC == 3 && MLUOP_LAYOUT_ARRAY == 4 && MLUOP_LAYOUT_NCDHW == 5 &&
              MLUOP_LAYOUT_TNC == 6 && MLUOP_LAYOUT_NTC == 7 && MLUOP_LAYOUT_NC == 8 &&
              MLUOP_LAYOUT_NLC == 9 && MLUOP_LAYOUT_NCL == 10);
static_assert(MLUOP_DTYPE_INVALID == 0 && MLUOP_DTYPE_HALF == 1 && MLUOP_DTYPE_FLOAT == 2 &&
              MLUOP_DTYPE_INT8 == 3 && MLUOP_DTYPE_INT16 == 4 && MLUOP_DTYPE_INT31 == 5 &&
              MLUOP_DTYPE_INT32 == 6 && MLUOP_DTYPE_UINT8 == 7 && MLUOP_DTYPE_BOOL == 8 &&
              MLUOP_DTYPE_INT64 == 9 && MLUOP_DTYPE_UINT32 == 11 && MLUOP_DTYPE_UINT64 == 12 &&
              MLUOP_DTYPE_UINT16 == 13 && MLUOP_DTYPE_DOUBLE == 14 &&
              MLUOP_DTYPE_COMPLEX_HALF == 15 && MLUOP_DTYPE_COMPLEX_FLOAT == 16 &&
              MLUOP_DTYPE_BFLOAT16 == 17);
static_assert(MLUOP_ATOMICS_NOT_ALLOWED == 1 && MLUOP_ATOMICS_ALLOWED == 2);
static_assert(MLUOP_ROUND_HALF_TO_EVEN == 0 && MLUOP_ROUND_HALF_UP == 1 &&
              MLUOP_ROUND_HALF_OFF_ZERO == 2);
static_assert(MLUOP_POINTER_MODE_HOST == 0 && MLUOP_POINTER_MODE_DEVICE == 1);
static_assert(MLUOP_DIM_MAX == 8 && cnrtSuccess == 0);
static_assert(cnrtMemcpyHostToHost == 0 && cnrtMemcpyHostToDev == 1 && cnrtMemcpyDevToDev == 2 &&
              cnrtMemcpyDevToHost == 3);
static_assert(sizeof(mluOpStatus_t) == 4 && sizeof(mluOpDataType_t) == 4 &&
              sizeof(mluOpTensorLayout_t) == 4);
static_assert(std::is_pointer_v<mluOpHandle_t> && std::is_pointer_v<mluOpTensorDescriptor_t> &&
              std::is_pointer_v<cnrtQueue_t> && std::is_pointer_v<cnrtNotifier_t>);
