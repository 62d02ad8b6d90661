// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Values and sizes that are part of the ABI.

#include <type_traits>

#include "cn_api.h"
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
// Enumerations that no function uses.
static_assert(MLUOP_REDUCE_DSUM == 0 && MLUOP_REDUCE_DMEAN == 1 && MLUOP_REDUCE_DMAX == 2);
static_assert(MLUOP_NOT_PROPAGATE_NAN == 0 && MLUOP_PROPAGATE_NAN == 1);
static_assert(MLUOP_COMPUTATION_FAST == 0 && MLUOP_COMPUTATION_HIGH_PRECISION == 1 &&
              MLUOP_COMPUTATION_ULTRAHIGH_PRECISION == 2);
static_assert(MLUOP_QUANTIZE_POSITION == 0 && MLUOP_QUANTIZE_POSITION_SCALE == 1 &&
              MLUOP_QUANTIZE_POSITION_SCALE_OFFSET == 2);
static_assert(MLUOP_LOG_E == 0 && MLUOP_LOG_2 == 1 && MLUOP_LOG_10 == 2);
static_assert(MLUOP_NMS_BOX_DIAGONAL == 0 && MLUOP_NMS_BOX_CENTER == 1);
static_assert(MLUOP_NMS_OUTPUT_TARGET_INDICES == 0 &&
              MLUOP_NMS_OUTPUT_TARGET_CONFIDENCE_AND_POS_1 == 1 &&
              MLUOP_NMS_OUTPUT_TARGET_CONFIDENCE_AND_POS_2 == 2 &&
              MLUOP_NMS_OUTPUT_TARGET_BATCH_AND_CLASS == 3);
static_assert(MLUOP_NMS_HARD_NMS == 0 && MLUOP_NMS_SOFT_NMS_LINEAR == 1 &&
              MLUOP_NMS_SOFT_NMS_GAUSSIAN == 2);
static_assert(MLUOP_NMS_ALGO_EXCLUDE_BOUNDARY == 0 && MLUOP_NMS_ALGO_INCLUDE_BOUNDARY == 1);
static_assert(MLUOP_32BIT_INDICES == 0 && MLUOP_16BIT_INDICES == 1);
static_assert(MLUOP_LOSS_REDUCTION_NONE == 0 && MLUOP_LOSS_REDUCTION_SUM == 1 &&
              MLUOP_LOSS_REDUCTION_MEAN == 2);
static_assert(MLUOP_POOLING_MAX == 0 && MLUOP_POOLING_AVERAGE_COUNT_INCLUDE_PADDING == 1 &&
              MLUOP_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING == 2 && MLUOP_POOLING_FIXED == 3);
static_assert(MLUOP_SEQDATA_TNC == 0 && MLUOP_SEQDATA_TNC_PACKED == 1 && MLUOP_SEQDATA_NTC == 2 &&
              MLUOP_SEQDATA_NC == 3 && MLUOP_SEQDATA_TNBC == 4 && MLUOP_SEQDATA_TBNC == 5 &&
              MLUOP_SEQDATA_NBTC == 6 && MLUOP_SEQDATA_NTBC == 7 && MLUOP_SEQDATA_BNTC == 8 &&
              MLUOP_SEQDATA_BTNC == 9 && MLUOP_SEQDATA_TN == 10 && MLUOP_SEQDATA_NT == 11);
static_assert(MLUOP_DIM_MAX == 8);
static_assert(MLUOP_MAJOR == 1 && MLUOP_MINOR == 11 && MLUOP_PATCHLEVEL == 1 &&
              MLUOP_VERSION == 2101);
static_assert(cnrtSuccess == 0 && CNRT_RET_SUCCESS == 0 && cnrtErrorNotReady == 1 &&
              cnrtErrorQueueInvalid == 4 && cnrtErrorArgsInvalid == 100006 &&
              cnrtErrorNoMem == 100100 && cnrtErrorUnknown == 999991);
static_assert(cnrtMemcpyHostToDev == 0 && cnrtMemcpyDevToDev == 1 && cnrtMemcpyDevToHost == 2 &&
              cnrtMemcpyHostToHost == 3 && cnrtMemcpyPeerToPeer == 4 && cnrtMemcpyNoDirection == 5);
static_assert(CN_SUCCESS == 0 && std::is_same_v<CNdev, int> && std::is_pointer_v<CNcontext>);
static_assert(std::is_same_v<cnrtQueue_t, struct CNqueue_st*> &&
              std::is_same_v<CNqueue, cnrtQueue_t>);
static_assert(sizeof(mluOpStatus_t) == 4 && sizeof(mluOpDataType_t) == 4 &&
              sizeof(mluOpTensorLayout_t) == 4);
static_assert(std::is_pointer_v<mluOpHandle_t> && std::is_pointer_v<mluOpTensorDescriptor_t> &&
              std::is_pointer_v<cnrtQueue_t> && std::is_pointer_v<cnrtNotifier_t>);
static_assert(CNRT_NOTIFIER_DEFAULT == 0 && CNRT_NOTIFIER_DISABLE_TIMING == 2 &&
              CNRT_NOTIFIER_DISABLE_TIMING_SW == 2 && CNRT_NOTIFIER_DISABLE_TIMING_ALL == 4 &&
              CNRT_NOTIFIER_WAIT_DEFAULT == 0);
static_assert(std::is_same_v<cnrtHostFn_t, void (*)(void*)>);
