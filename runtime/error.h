// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The last error of the runtime's functions. Each thread has its own.

#ifndef DETOPS_RUNTIME_ERROR_H_
#define DETOPS_RUNTIME_ERROR_H_

#include "cnrt.h"

namespace detops {

// Stores `result` as the calling thread's last error, unless it is cnrtSuccess. Returns `result`.
cnrtRet_t Remember(cnrtRet_t result) noexcept;

}  // namespace detops

#endif  // DETOPS_RUNTIME_ERROR_H_
