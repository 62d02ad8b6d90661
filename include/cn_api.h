/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file cn_api.h
 * @brief Types of the Cambricon driver API, so that sources that mention them compile.
 *
 * The device is the host CPU: there is no driver below the runtime, and no function is declared
 * here. See cnrt.h.
 */
#ifndef CN_API_H_
#define CN_API_H_

#include <stddef.h>
#include <stdint.h>

/** @brief Return values of the driver. */
typedef enum {
  CN_SUCCESS = 0 /**< The call succeeded. */
} CNresult;

/** @brief Device number. */
typedef int CNdev;

/** @brief Context of a device. */
typedef struct CNcontext_st* CNcontext;

/** @brief Queue; the same type as cnrtQueue_t. */
typedef struct CNqueue_st* CNqueue;

#endif /* CN_API_H_ */
