/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file cn_api.h
 *
 * The accelerator's driver header, so that sources which include it compile. The device here is the
 * host CPU: there is no driver below the runtime, and everything a program needs is in cnrt.h.
 */
#ifndef CN_API_H_
#define CN_API_H_

#include <stddef.h>
#include <stdint.h>

#endif /* CN_API_H_ */
