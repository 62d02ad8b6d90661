/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file mlu_op_enums.h
 * @brief Enumerations of MLU-OPS that no function of detops uses.
 *
 * Programs that were written for MLU-OPS mention them, so mlu_op.h includes this file. The values
 * are those of MLU-OPS.
 */
#ifndef DETOPS_MLU_OP_ENUMS_H_
#define DETOPS_MLU_OP_ENUMS_H_

/** @brief How elements are reduced to one: sum, mean or maximum. */
typedef enum {
  MLUOP_REDUCE_DSUM = 0,
  MLUOP_REDUCE_DMEAN = 1,
  MLUOP_REDUCE_DMAX = 2
} mluOpReduceMode_t;

/** @brief Whether NaN is propagated. */
typedef enum { MLUOP_NOT_PROPAGATE_NAN = 0, MLUOP_PROPAGATE_NAN = 1 } mluOpNanPropagation_t;

/** @brief Whether an algorithm is chosen by speed or by precision. */
typedef enum {
  MLUOP_COMPUTATION_FAST = 0,
  MLUOP_COMPUTATION_HIGH_PRECISION = 1,
  MLUOP_COMPUTATION_ULTRAHIGH_PRECISION = 2
} mluOpComputationPreference_t;

/** @brief Which of position, scale and offset quantization uses. */
typedef enum {
  MLUOP_QUANTIZE_POSITION = 0,
  MLUOP_QUANTIZE_POSITION_SCALE = 1,
  MLUOP_QUANTIZE_POSITION_SCALE_OFFSET = 2
} mluOpQuantizeMode_t;

/** @brief Base of a logarithm. */
typedef enum { MLUOP_LOG_E = 0, MLUOP_LOG_2 = 1, MLUOP_LOG_10 = 2 } mluOpLogBase_t;

/** @brief Whether a box is given by two corners or by its center and size. */
typedef enum { MLUOP_NMS_BOX_DIAGONAL = 0, MLUOP_NMS_BOX_CENTER = 1 } mluOpNmsBoxPointMode_t;

/** @brief What NMS returns for each kept box. */
typedef enum {
  MLUOP_NMS_OUTPUT_TARGET_INDICES = 0,
  MLUOP_NMS_OUTPUT_TARGET_CONFIDENCE_AND_POS_1 = 1,
  MLUOP_NMS_OUTPUT_TARGET_CONFIDENCE_AND_POS_2 = 2,
  MLUOP_NMS_OUTPUT_TARGET_BATCH_AND_CLASS = 3
} mluOpNmsOutputMode_t;

/** @brief Whether NMS removes a box or lowers its score. */
typedef enum {
  MLUOP_NMS_HARD_NMS = 0,
  MLUOP_NMS_SOFT_NMS_LINEAR = 1,
  MLUOP_NMS_SOFT_NMS_GAUSSIAN = 2
} mluOpNmsMethodMode_t;

/** @brief Whether the boundary pixel counts toward the width and height of a box. */
typedef enum {
  MLUOP_NMS_ALGO_EXCLUDE_BOUNDARY = 0,
  MLUOP_NMS_ALGO_INCLUDE_BOUNDARY = 1
} mluOpNmsAlgo_t;

/** @brief Width of indices. */
typedef enum { MLUOP_32BIT_INDICES = 0, MLUOP_16BIT_INDICES = 1 } mluOpIndicesType_t;

/** @brief How the elements of a loss are reduced. */
typedef enum {
  MLUOP_LOSS_REDUCTION_NONE = 0,
  MLUOP_LOSS_REDUCTION_SUM = 1,
  MLUOP_LOSS_REDUCTION_MEAN = 2
} mluOpLossReduction_t;

/** @brief Kind of pooling. */
typedef enum {
  MLUOP_POOLING_MAX = 0,
  MLUOP_POOLING_AVERAGE_COUNT_INCLUDE_PADDING = 1,
  MLUOP_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING = 2,
  MLUOP_POOLING_FIXED = 3
} mluOpPoolingMode_t;

/** @brief Order of the dimensions of sequences: time T, batch N, beam B, embedding C. */
typedef enum {
  MLUOP_SEQDATA_TNC = 0,
  MLUOP_SEQDATA_TNC_PACKED = 1,
  MLUOP_SEQDATA_NTC = 2,
  MLUOP_SEQDATA_NC = 3,
  MLUOP_SEQDATA_TNBC = 4,
  MLUOP_SEQDATA_TBNC = 5,
  MLUOP_SEQDATA_NBTC = 6,
  MLUOP_SEQDATA_NTBC = 7,
  MLUOP_SEQDATA_BNTC = 8,
  MLUOP_SEQDATA_BTNC = 9,
  MLUOP_SEQDATA_TN = 10,
  MLUOP_SEQDATA_NT = 11
} mluOpSeqDataLayout_t;

#endif /* DETOPS_MLU_OP_ENUMS_H_ */
