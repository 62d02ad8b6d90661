/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file cn_api.h
 * @brief Placeholder for the Cambricon driver API, so that sources that include it compile.
 *
 * The device is the host CPU: there is no driver below the runtime. See cnrt.h.
 */
#ifndef CN_API_H_
#define CN_API_H_

#include <stddef.h>
#include <stdint.h>

#endif /* CN_API_H_ */
